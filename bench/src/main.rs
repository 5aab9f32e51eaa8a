//! Placet side by side with others. `cargo xtask bench consents` builds and starts this with all
//! that it needs; everything stays on the loopback address.
//!
//! A benchmark is a list of [`entries::Entry`]s measured in turns: each round begins with another
//! one, so that a busy minute of the machine hits everybody. To add a peer: a module in
//! `entries/` and a line in [`consents::run`].

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
