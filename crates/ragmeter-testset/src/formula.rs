//! Cells that no spreadsheet takes for a formula.

/// Signs at the start of a cell that make a spreadsheet take it for a formula, or cut it.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// A cell that no spreadsheet takes for a formula: an apostrophe goes in front of what begins like
/// one, and of what already has such an apostrophe, so that [`live`] takes off exactly what this
/// puts on.
pub fn inert(text: &str) -> String {
    if is_inert_at(text.trim_start_matches('\'')) { format!("'{text}") } else { text.to_owned() }
}

/// The text that [`inert`] was given.
pub fn live(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if is_inert_at(rest.trim_start_matches('\'')) => rest,
        _ => cell,
    }
}

fn is_inert_at(text: &str) -> bool {
    text.starts_with(FORMULA)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_inert_comes_back() {
        for text in
            ["=1+1", "+7 495", "-5", "@a", "'=x", "''-", "'quoted'", "plain", "", "'", "\tx"]
        {
            let cell = inert(text);
            assert!(!cell.starts_with(FORMULA), "{cell}");
            assert_eq!(live(&cell), text);
        }
        assert_eq!(live("'tis"), "'tis");
    }
}
