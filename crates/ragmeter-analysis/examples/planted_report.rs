//! Writes the report of the planted set, to be looked at in a browser:
//! `cargo run -p ragmeter-analysis --example planted_report -- FOLDER`

#[path = "../tests/common/mod.rs"]
mod common;

use ragmeter_core::Lang;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    for lang in Lang::ALL {
        for (name, run) in
            [("planted", common::planted(lang)), ("troubled", common::troubled(lang))]
        {
            let page = ragmeter_analysis::html(&run, lang);
            std::fs::write(format!("{folder}/{name}-{lang}.html"), page)?;
        }
    }
    Ok(())
}
