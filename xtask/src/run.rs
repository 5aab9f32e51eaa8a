//! Starts Placet with a demo shop.

use std::ffi::OsString;

use anyhow::Result;

use crate::{
    step::Tool,
    web::{self, Mode},
    workspace,
};

#[derive(clap::Args)]
pub struct Args {
    /// Build small and fast, like `dist`
    #[arg(long)]
    release: bool,
    /// Options of `placet demo` (`cargo xtask run -- --help` lists them)
    #[arg(last = true, value_name = "OPTIONS")]
    demo: Vec<OsString>,
}

pub fn run(args: Args) -> Result<()> {
    let (mode, profile) = if args.release {
        (Mode::Release, "release")
    } else {
        (Mode::Quick, "debug")
    };
    web::all(mode)?;
    Tool::new(workspace::target().join(profile).join("placet"))
        .arg("demo")
        .args(args.demo)
        .dir(&workspace::root())
        .interactive()
}
