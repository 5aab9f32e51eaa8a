//! Builds the product as one file, and its symbols as another.

use std::{fs, path::Path};

use anyhow::{Context, Result};

use crate::{
    setup::on_path,
    step::{Tool, step},
    web::{self, Mode},
    workspace,
};

#[derive(clap::Args)]
pub struct Args {}

pub fn run(_: &Args) -> Result<()> {
    web::all(Mode::Release)?;
    let dist = workspace::root().join("dist");
    fs::create_dir_all(&dist)?;
    step("moving symbols to their own file", || {
        split(&workspace::target().join("release/placet"), &dist)
    })?;
    for name in ["placet", SYMBOLS] {
        let size = fs::metadata(dist.join(name))?.len();
        println!("dist/{name}: {:.1} MB", size as f64 / 1e6);
    }
    Ok(())
}

/// File with names and lines of the program. Debuggers and the traces of panics read it if it is beside the
/// program. Nothing else needs it.
const SYMBOLS: &str = "placet.debug";

/// Splits the program into `dist`. Files get their names when they are complete, and renaming replaces the
/// file of a running program without overwriting it.
fn split(program: &Path, dist: &Path) -> Result<()> {
    let new = dist.join("new");
    fs::create_dir_all(&new)?;
    objcopy()?
        .arg("--only-keep-debug")
        .args([program, &new.join(SYMBOLS)])
        .run_quietly()?;
    objcopy()?
        .arg("--strip-all")
        // The link has only the file's name, because both files move together.
        .arg(format!("--add-gnu-debuglink={SYMBOLS}"))
        .args([program, &new.join("placet")])
        .dir(&new)
        .run_quietly()?;
    for name in [SYMBOLS, "placet"] {
        fs::rename(new.join(name), dist.join(name))?;
    }
    Ok(fs::remove_dir(new)?)
}

/// `objcopy` comes with the C compiler that the build requires.
fn objcopy() -> Result<Tool> {
    let program = on_path("objcopy").context(
        "objcopy is missing; install it:\n    sudo apt-get install --no-install-recommends binutils",
    )?;
    Ok(Tool::new(program))
}
