//! The command line: arguments → settings → a command → its exit code.
#![expect(clippy::print_stderr, reason = "this is the crate that talks")]

mod args;
mod commands;
mod output;
mod progress;
mod quickstart;
mod session;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = args::Args::parse();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: cannot start: {error}");
            return ExitCode::from(3);
        }
    };
    match runtime.block_on(commands::execute(args)) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // A closed pipe is a reader that has seen enough.
            let closed = error
                .downcast_ref::<std::io::Error>()
                .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe);
            if closed {
                return ExitCode::SUCCESS;
            }
            eprintln!("error: {error:#}");
            let code =
                error.downcast_ref::<ragmeter::Error>().map_or(2, ragmeter::Error::exit_code);
            ExitCode::from(code)
        }
    }
}
