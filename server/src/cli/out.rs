//! Printing for people. A reader that has gone ends no command: `println!` would panic.

use std::{
    fmt::Display,
    io::{Write, stderr, stdout},
};

/// Prints a line to standard output.
pub(super) fn say(line: impl Display) {
    let _ = writeln!(stdout(), "{line}");
}

/// Prints a line about the progress or a problem to standard error.
pub fn report(line: impl Display) {
    let _ = writeln!(stderr(), "{line}");
}
