//! Writes the report of a large run, to be measured in a browser (`scripts/report_load.mjs`):
//! `cargo run -p ragmeter-analysis --example large_report -- FILE [CASES]`

#[path = "../tests/common/mod.rs"]
mod common;

use ragmeter_core::Lang;

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let file = args.next().unwrap_or_else(|| "large.html".to_owned());
    let cases = args.next().and_then(|cases| cases.parse().ok()).unwrap_or(5_000);
    let run = common::large(cases);
    std::fs::write(file, ragmeter_analysis::html(&run, Lang::Ru))
}
