//! Dates of tables as ISO 8601 texts.

/// Microseconds since the beginning of 1970 as a date, with the time if there is one.
pub(crate) fn from_epoch(micros: i64) -> String {
    const DAY: i64 = 86_400_000_000;
    let (days, rest) = (micros.div_euclid(DAY), micros.rem_euclid(DAY));
    let date = from_days(days);
    if rest == 0 { date } else { format!("{date}T{}", clock(rest)) }
}

/// Days since the beginning of 1970 as a date. The inverse of the usual count of days from a civil
/// date, by eras of 400 years of the Gregorian calendar.
pub(crate) fn from_days(days: i64) -> String {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Microseconds since midnight as a time of day.
pub(crate) fn clock(micros: i64) -> String {
    let seconds = micros / 1_000_000;
    let text = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    match micros % 1_000_000 {
        0 => text,
        fraction => format!("{text}.{}", format!("{fraction:06}").trim_end_matches('0')),
    }
}
