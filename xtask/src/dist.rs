//! The whole product in one file.

use std::fs;

use anyhow::{Context, Result};

use crate::{
    web::{self, Mode},
    workspace,
};

#[derive(clap::Args)]
pub struct Args {}

pub fn run(_: &Args) -> Result<()> {
    web::parts(Mode::Release)?;
    web::server(Mode::Release)?;
    let dist = workspace::root().join("dist");
    fs::create_dir_all(&dist)?;
    let file = dist.join("placet");
    // Under its own name only when whole; a running program is replaced, not overwritten.
    let whole = dist.join("placet.new");
    fs::copy(workspace::target().join("release/placet"), &whole).context("copying the program")?;
    fs::rename(&whole, &file)?;
    let size = fs::metadata(&file)?.len();
    println!("dist/placet: {:.1} MB", size as f64 / 1e6);
    Ok(())
}
