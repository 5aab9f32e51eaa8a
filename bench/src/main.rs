//! Compares Placet with others. `cargo xtask bench consents` builds it and starts it with its requirements.
//! All connections use the loopback address.
//!
//! A benchmark measures a list of [`entries::Entry`]s in turns. Each round begins with another entry, so that
//! a busy minute of the machine affects all of them. To add a peer, add a module in `entries/` and a line in
//! [`consents::run`].

mod consents;
mod entries;
mod limits;
mod load;
mod machine;
mod placet;
mod prefill;
mod process;
mod report;
mod web;
mod widget;

use clap::Parser;

#[derive(Parser)]
enum Command {
    /// Stored consents and published files, beside peers and the limits of this machine
    Consents(consents::Args),
    /// The widget in Chromium, beside peers
    Widget(widget::Args),
}

fn main() -> anyhow::Result<()> {
    match Command::parse() {
        Command::Consents(args) => consents::run(&args),
        Command::Widget(args) => widget::run(&args),
    }
}
