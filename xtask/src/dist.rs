//! The whole product in one file, its symbols in another.

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
    step("symbols into a file of their own", || {
        split(&workspace::target().join("release/placet"), &dist)
    })?;
    for name in ["placet", SYMBOLS] {
        let size = fs::metadata(dist.join(name))?.len();
        println!("dist/{name}: {:.1} MB", size as f64 / 1e6);
    }
    Ok(())
}

/// Names and lines of the program: debuggers find them when they lie beside it, and so does the program
/// itself for the traces of panics. Nothing else needs them.
const SYMBOLS: &str = "placet.debug";

/// Takes the program apart into `dist`, where files get their names only when they are whole; a running
/// program is replaced, not overwritten.
fn split(program: &Path, dist: &Path) -> Result<()> {
    let new = dist.join("new");
    fs::create_dir_all(&new)?;
    objcopy()?
        .arg("--only-keep-debug")
        .args([program, &new.join(SYMBOLS)])
        .run_quietly()?;
    objcopy()?
        .arg("--strip-all")
        // By its name only, as both files move together.
        .arg(format!("--add-gnu-debuglink={SYMBOLS}"))
        .args([program, &new.join("placet")])
        .dir(&new)
        .run_quietly()?;
    for name in [SYMBOLS, "placet"] {
        fs::rename(new.join(name), dist.join(name))?;
    }
    Ok(fs::remove_dir(new)?)
}

/// It comes with the C compiler that building needs anyway.
fn objcopy() -> Result<Tool> {
    let program = on_path("objcopy").context(
        "objcopy is missing; install it:\n    sudo apt-get install --no-install-recommends binutils",
    )?;
    Ok(Tool::new(program))
}
