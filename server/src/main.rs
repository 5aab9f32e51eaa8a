//! `placet`: one file that serves, migrates and tells about itself.

mod cli;

use clap::Parser;

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
            eprintln!("placet: {}", lines.next().unwrap_or_default());
            lines.for_each(|line| eprintln!("  because: {line}"));
            std::process::ExitCode::FAILURE
        }
    }
}
