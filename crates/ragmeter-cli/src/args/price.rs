use std::str::FromStr;

use ragmeter::{Budget, Price};

/// Where asking a judge stops, and what it costs.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SpendArgs {
    /// Most calls to the judge.
    #[arg(long, value_name = "N")]
    pub(crate) max_calls: Option<u64>,
    /// Most tokens billed by the judge.
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// Most money for the judge, in the currency of --price.
    #[arg(long, value_name = "AMOUNT", requires = "price")]
    pub(crate) max_cost: Option<f64>,
    /// What a million tokens of the judge cost: INPUT/OUTPUT or INPUT/CACHED/OUTPUT, with a currency
    /// and the day it was read if you like, as in `0.15/0.075/0.60 USD 2026-11-30`.
    #[arg(long, value_name = "PRICE")]
    pub(crate) price: Option<PriceArg>,
}

impl SpendArgs {
    /// The bounds with the price that money is counted by.
    pub(crate) fn budget(self) -> Budget {
        Budget {
            calls: self.max_calls,
            tokens: self.max_tokens,
            money: self.max_cost,
            price: self.price.map(|price| price.0),
        }
    }
}

/// A price as it is written on the command line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PriceArg(pub(crate) Price);

impl FromStr for PriceArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let numbers: Option<Vec<f64>> = words
            .next()
            .unwrap_or_default()
            .split('/')
            .map(|number| number.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0))
            .collect();
        let (input, cached, output) = match numbers.as_deref() {
            Some([input, output]) => (*input, None, *output),
            Some([input, cached, output]) => (*input, Some(*cached), *output),
            _ => {
                return Err(
                    "write INPUT/OUTPUT or INPUT/CACHED/OUTPUT, the price of a million tokens each"
                        .to_owned(),
                );
            }
        };
        let currency = words.next().unwrap_or("USD").to_owned();
        let date = words.next().map(str::to_owned);
        match words.next() {
            Some(more) => Err(format!("`{more}` is too much after the currency and the day")),
            None => Ok(Self(Price { input, cached, output, currency, date })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_read_with_currency_and_day() {
        let price: PriceArg = "0.15/0.075/0.6 RUB 2026-11-30".parse().expect("a price");
        let expected = Price {
            input: 0.15,
            cached: Some(0.075),
            output: 0.6,
            currency: "RUB".to_owned(),
            date: Some("2026-11-30".to_owned()),
        };
        assert_eq!(price.0, expected);
        for wrong in ["", "1", "1/x", "-1/2", "1/2/3/4", "1/2 USD today now"] {
            assert!(wrong.parse::<PriceArg>().is_err(), "{wrong}");
        }
    }
}
