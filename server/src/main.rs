//! `placet`: one file that serves, migrates and tells about itself.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod cli;

use clap::Parser;
use cli::out::report;

/// A consent is many small allocations on several threads: this allocator takes about a sixth off
/// the time that one costs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    let cli = cli::Cli::parse();
    match cli.run() {
        Ok(code) => code,
        Err(error) => {
            // The causes matter to the operator: all of them, one a line.
            let mut lines = error.chain().map(ToString::to_string);
            report(format_args!("placet: {}", lines.next().unwrap_or_default()));
            lines.for_each(|line| report(format_args!("  because: {line}")));
            std::process::ExitCode::FAILURE
        }
    }
}
