//! Makes the vendor catalogue: `cargo xtask catalogue`.
//!
//! The result is `service/src/vendors/catalogue/catalogue.ndjson`, with one company or service per line. It
//! comes from the editors' lists (`services.txt`, `companies.txt`) and from openly licensed sources at pinned
//! versions.
//!
//! The editors decide which services it has, and their names and categories. The sources give the facts
//! (domains, cookies, addresses). Each fact names its source, and each source its licence. No prose is
//! copied: `service::vendors` writes our own descriptions when it reads the file.
//!
//! To add a service, add a line to `services.txt`, raise its version, run the command and read the diff. To
//! add a source, add a module in `sources/`, an entry in `sources::SOURCES` and a rule in `merge`.

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
    /// Explain on standard error which services have few facts.
    #[arg(long)]
    verbose: bool,
}

const OUTPUT: &str = "service/src/vendors/catalogue/catalogue.ndjson";

/// Writes the catalogue's file, or checks that it is up to date.
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

/// Refuses a catalogue that lost a name, because sites refer to services by name.
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
