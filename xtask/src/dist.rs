//! Builds the product as one file, its symbols as another, and the two verifiers of proofs: `placet-verify`, and the page
//! for browsers.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};

use crate::{
    setup::on_path,
    step::{Tool, step},
    verifier,
    web::{self, Mode},
    workspace,
};

#[derive(clap::Args)]
pub struct Args {
    /// Build only `placet-verify`
    #[arg(long)]
    verifier: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let dist = workspace::root().join("dist");
    fs::create_dir_all(&dist)?;
    if args.verifier {
        program(&dist)?;
        return tell(&dist, &[VERIFIER]);
    }
    web::all(Mode::Release)?;
    step("moving symbols to their own file", || {
        split(&workspace::target().join("release/placet"), &dist)
    })?;
    let says = Tool::new(dist.join("placet")).arg("--version").output()?;
    ensure!(
        web::commit().is_none() || says.contains('('),
        "dist/placet does not say which commit it is: {says}"
    );
    program(&dist)?;
    put(&verifier::page(), &dist, verifier::PAGE)?;
    tell(&dist, &["placet", SYMBOLS, VERIFIER, verifier::PAGE])
}

fn tell(dist: &Path, names: &[&str]) -> Result<()> {
    for name in names {
        let size = fs::metadata(dist.join(name))?.len();
        println!("dist/{name}: {:.2} MB", size as f64 / 1e6);
    }
    Ok(())
}

/// File with names and lines of the program. Debuggers and the traces of panics read it if it is beside the
/// program. Nothing else needs it.
const SYMBOLS: &str = "placet.debug";

/// The program that verifies proofs.
const VERIFIER: &str = "placet-verify";
/// Most bytes of it: people download it to check one file.
const MOST_OF_THE_VERIFIER: u64 = 3_000_000;

/// Builds `placet-verify`. It needs no library of the machine, so it runs on every Linux of this processor.
fn program(dist: &Path) -> Result<()> {
    let host = Tool::new("rustc").arg("-vV").output()?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc does not name its host")?;
    step("the verifier of proofs", || {
        Tool::cargo()
            // With a target named, the flags are not those of macros, which must be libraries.
            .args(["build", "--package", "verify", "--bin", VERIFIER])
            .args(["--profile", "verify", "--target", host])
            .env("RUSTFLAGS", "-C target-feature=+crt-static")
            .dir(&workspace::root())
            .run()
    })?;
    let built = workspace::target().join(host).join("verify").join(VERIFIER);
    let size = fs::metadata(&built)?.len();
    ensure!(
        size <= MOST_OF_THE_VERIFIER,
        "{VERIFIER} has {size} bytes; at most {MOST_OF_THE_VERIFIER} are allowed"
    );
    let segments = binutils("readelf")?.args(["--program-headers", "--wide"]);
    ensure!(
        !segments.arg(&built).output()?.contains("INTERP"),
        "{VERIFIER} asks the machine for a loader, so it is not static"
    );
    put(&built, dist, VERIFIER)
}

/// Copies a file into `dist`, where it gets its name when it is complete.
fn put(built: &Path, dist: &Path, name: &str) -> Result<()> {
    let new = dist.join(format!("{name}.new"));
    fs::copy(built, &new)?;
    Ok(fs::rename(new, dist.join(name))?)
}

/// Splits the program into `dist`. Files get their names when they are complete, and renaming replaces the
/// file of a running program without overwriting it.
fn split(program: &Path, dist: &Path) -> Result<()> {
    let new = dist.join("new");
    fs::create_dir_all(&new)?;
    binutils("objcopy")?
        .arg("--only-keep-debug")
        .args([program, &new.join(SYMBOLS)])
        .run_quietly()?;
    binutils("objcopy")?
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

/// A program that comes with the C compiler that the build requires.
fn binutils(name: &str) -> Result<Tool> {
    let program = on_path(name).with_context(|| {
        format!("{name} is missing; install it:\n    sudo apt-get install --no-install-recommends binutils")
    })?;
    Ok(Tool::new(program))
}
