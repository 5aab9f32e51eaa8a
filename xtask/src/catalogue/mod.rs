//! Makes the vendor catalogue: `cargo xtask catalogue`.
//!
//! What: `service/src/vendors/catalogue/catalogue.ndjson`, one company or service a line, from the
//! editors' list (`services.txt`, `companies.txt`) and openly licensed sources at pinned versions.
//! Why so: the editors decide what is in it, under which name and category; the sources give the
//! facts (domains, cookies, addresses); each fact names its source, each source its licence. No
//! prose is copied: descriptions are our own sentences, made by `service::vendors` when read.
//!
//! To add a service: a line in `services.txt`, raise its version, run the command, read the diff.
//! To add a source: a module in `sources/`, an entry in `sources::SOURCES`, a rule in `merge`.

mod list;
mod merge;
mod sources;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};

/// Arguments of `cargo xtask catalogue`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Compare with the file in the repository instead of writing it.
    #[arg(long)]
    check: bool,
    /// Read the Open Cookie Database from this file instead of downloading it.
    #[arg(long, value_name = "FILE")]
    open_cookie_database: Option<PathBuf>,
    /// Explain on standard error where facts are thin.
    #[arg(long)]
    verbose: bool,
}

const OUTPUT: &str = "service/src/vendors/catalogue/catalogue.ndjson";

/// Makes the catalogue's file, or checks that it is what the sources give.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .context("xtask lies in the workspace")?;
    let here = root.join("xtask/src/catalogue");
    let read = |name: &str| {
        std::fs::read_to_string(here.join(name)).with_context(|| format!("reading {name}"))
    };
    let editors = list::parse(&read("services.txt")?, &read("companies.txt")?)?;
    let cache = root.join("target/catalogue-sources");
    let facts = sources::load(&cache, args.open_cookie_database.as_deref())?;
    let catalogue = merge::merge(&editors, &facts)?;
    if args.verbose {
        for line in &catalogue.thin {
            eprintln!("{line}");
        }
    }
    let text = catalogue.to_ndjson()?;
    let output = root.join(OUTPUT);
    let before = std::fs::read_to_string(&output).unwrap_or_default();
    if args.check {
        ensure!(
            before == text,
            "{OUTPUT} is not what the lists and sources give: run `cargo xtask catalogue`"
        );
        println!(
            "{OUTPUT} is up to date ({} services)",
            catalogue.services.len()
        );
        return Ok(());
    }
    keeps_names(&before, &text)?;
    if let Some(folder) = output.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(&output, &text)?;
    println!(
        "{} services of {} companies, version {}: {OUTPUT}",
        catalogue.services.len(),
        catalogue.companies.len(),
        editors.version,
    );
    Ok(())
}

/// Sites refer to services by name: one that was there must stay.
fn keeps_names(before: &str, after: &str) -> anyhow::Result<()> {
    let names = |text: &str| -> BTreeSet<String> {
        text.lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter_map(|line| Some(line.get("service")?.get("name")?.as_str()?.to_owned()))
            .collect()
    };
    let gone: Vec<String> = names(before).difference(&names(after)).cloned().collect();
    if gone.is_empty() {
        return Ok(());
    }
    bail!(
        "these names would disappear, though sites may refer to them (mark the service \
         `deprecated` instead): {}",
        gone.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_published_cannot_disappear() {
        let one = r#"{"service":{"name":"one"}}"#;
        let both = format!("{one}\n{}", r#"{"service":{"name":"two"}}"#);
        assert!(keeps_names(one, &both).is_ok());
        assert!(keeps_names(&both, one).is_err());
    }
}
