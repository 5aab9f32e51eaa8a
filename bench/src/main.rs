//! Compares Placet with others, and attacks it. `cargo xtask bench consents`, `widget`, `iab`, `pages` and `attack`
//! build it and start a benchmark with its requirements. All connections use loopback addresses.
//!
//! A comparison measures a list of [`entries::Entry`]s in turns. Each round begins with another entry, so that
//! a busy minute of the machine affects all of them. To add a peer, add a module in `entries/` and a line in
//! [`consents::run`]. To add an attack, add a move in `attack/moves.rs` and a variant of `attack::Attack`.

mod arguments;
mod attack;
mod consents;
mod entries;
mod iab;
mod limits;
mod load;
mod machine;
mod pages;
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
    /// The layout `iab` in Chromium: tasks of a visit with long lists of vendors, and IAB's library beside it
    Iab(iab::Args),
    /// Time for each page of the admin UI with many projects, services and consents
    Pages(pages::Args),
    /// Waits of an honest tenant while others attack the server
    Attack(attack::Args),
}

fn main() -> anyhow::Result<()> {
    match Command::parse() {
        Command::Consents(args) => consents::run(&args),
        Command::Widget(args) => widget::run(&args),
        Command::Iab(args) => iab::run(&args),
        Command::Pages(args) => pages::run(&args),
        Command::Attack(args) => attack::run(&args),
    }
}
