//! Packs of the app's parts. `wasm-split` makes a module of every set of functions that the same parts need, some
//! three hundred, and most are small. Browsers fetch packs of them: one that every part needs, and one for each part.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde_json::json;

/// The loader of packs, without the lines that the build knows.
const LOADER: &str = include_str!("../../../frontend/parts.js");

/// The pack that every part needs: all that the first page shares with other parts.
pub const SHARED: &str = "shared";
/// The part of the first page.
pub const FIRST_PAGE: &str = "home";

/// Modules, one after the other.
#[derive(Default)]
pub struct Pack {
    /// Names and lengths in bytes.
    modules: Vec<(String, usize)>,
    pub content: Vec<u8>,
}

impl Pack {
    fn lengths(&self) -> impl Iterator<Item = (&String, usize)> {
        self.modules.iter().map(|(name, length)| (name, *length))
    }
}

/// Puts the modules of `parts`, which `read` gives by name, into packs by name. A part's own module is its last one.
pub fn pack(
    parts: &BTreeMap<String, Vec<String>>,
    read: impl Fn(&str) -> Result<Vec<u8>>,
) -> Result<BTreeMap<String, Pack>> {
    let first = parts
        .get(FIRST_PAGE)
        .context("no part for the first page")?;
    let is_shared = |module: &String| {
        let users = parts.values().filter(|modules| modules.contains(module));
        first.contains(module) && users.count() > 1
    };
    let put = |modules: Vec<&String>| {
        let mut pack = Pack::default();
        for module in modules {
            let content = read(module)?;
            pack.modules.push((module.clone(), content.len()));
            pack.content.extend(content);
        }
        anyhow::Ok(pack)
    };
    let shared = put(first.iter().filter(|module| is_shared(module)).collect())?;
    let mut packs = BTreeMap::from([(SHARED.to_owned(), shared)]);
    for (part, modules) in parts {
        let own = modules.iter().filter(|module| !is_shared(module));
        packs.insert(part.clone(), put(own.collect())?);
    }
    Ok(packs)
}

/// The script that loads parts. `generated` is the one of `wasm-split`, which fetches every module by itself; `files`
/// are the packs' addresses relative to the script.
pub fn loader(
    generated: &str,
    packs: &BTreeMap<String, Pack>,
    files: &BTreeMap<String, String>,
) -> Result<String> {
    let (runtime, _) = generated
        .split_once("function makeLoad(")
        .context("wasm-split's script has changed: it has no makeLoad")?;
    let all: BTreeMap<&String, usize> = packs.values().flat_map(Pack::lengths).collect();
    let place = |module: &String| all.keys().position(|known| *known == module);
    let mut table = serde_json::Map::new();
    let mut exports = String::new();
    for (name, pack) in packs {
        let file = files
            .get(name)
            .with_context(|| format!("no file for {name}"))?;
        table.insert(
            name.clone(),
            json!({"file": format!("./{file}"), "runs": runs(pack.modules.iter().filter_map(|(module, _)| place(module)))}),
        );
        if name != SHARED {
            let export = format!("__wasm_split_load_{name} = wrapAsyncCb(() => load(\"{name}\"))");
            exports.extend(["export const ", &export, ";\n"]);
        }
    }
    let is_named = |line: &&str| {
        let name = line.split(" = ").next();
        name.is_some_and(|name| exports.contains(&format!("{name} = ")))
    };
    let named = generated.lines().filter(|line| line.starts_with("export "));
    if let Some(missing) = named.clone().find(|line| !is_named(line)) {
        bail!("wasm-split's script exports what no pack has: {missing:.80}");
    }
    if named.count() != exports.lines().count() {
        bail!("there are packs that wasm-split's script does not export");
    }
    let table = serde_json::to_string(&table)?;
    let lengths = serde_json::to_string(&all.values().collect::<Vec<_>>())?;
    Ok(format!(
        "{runtime}const SHARED = \"{SHARED}\";\nconst LENGTHS = {lengths};\nconst PACKS = {table};\n{LOADER}{exports}"
    ))
}

/// Places in order as runs: a place, how many follow each other from there, the next place, and so on.
fn runs(places: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut runs: Vec<usize> = Vec::new();
    for place in places {
        match runs.as_mut_slice() {
            [.., first, count] if *first + *count == place => *count += 1,
            _ => runs.extend([place, 1]),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> BTreeMap<String, Vec<String>> {
        let part = |modules: &[&str]| modules.iter().map(|name| (*name).to_owned()).collect();
        BTreeMap::from([
            ("home".to_owned(), part(&["1", "2", "home"])),
            ("site".to_owned(), part(&["1", "3", "site"])),
            ("team".to_owned(), part(&["3", "team"])),
        ])
    }

    fn packs() -> BTreeMap<String, Pack> {
        pack(&parts(), |name| Ok(name.as_bytes().to_vec())).unwrap()
    }

    #[test]
    fn the_first_page_shares_with_all_and_others_carry_their_own() {
        let packs = packs();
        let content = |name: &str| String::from_utf8(packs[name].content.clone()).unwrap();
        assert_eq!(content("shared"), "1");
        assert_eq!(content("home"), "2home");
        assert_eq!(content("site"), "3site");
        assert_eq!(content("team"), "3team");
    }

    #[test]
    fn places_that_follow_each_other_are_one_run() {
        assert_eq!(runs([0, 1, 2, 5, 7, 8].into_iter()), [0, 3, 5, 1, 7, 2]);
        assert!(runs(std::iter::empty()).is_empty());
    }

    #[test]
    fn a_loader_that_no_longer_fits_is_noticed() {
        let packs = packs();
        let files = packs
            .keys()
            .map(|name| (name.clone(), format!("{name}.bin")));
        let files: BTreeMap<_, _> = files.collect();
        let exports = ["home", "site", "team"].map(|part| {
            format!("export const __wasm_split_load_{part} = wrapAsyncCb(makeLoad());\n")
        });
        let good = format!("start;\nfunction makeLoad() {{}}\n{}", exports.concat());
        let made = loader(&good, &packs, &files).unwrap();
        assert!(made.starts_with("start;\nconst SHARED"), "{made}");
        // Modules 1, 2, 3, home, site and team.
        assert!(made.contains("const LENGTHS = [1,1,1,4,4,4];"), "{made}");
        assert!(
            made.contains(r#""team":{"file":"./team.bin","runs":[2,1,5,1]}"#),
            "{made}"
        );
        assert!(made.ends_with("__wasm_split_load_team = wrapAsyncCb(() => load(\"team\"));\n"));
        let refused = |text: &str| loader(text, &packs, &files).is_err();
        assert!(refused(&good.replace("makeLoad(", "load(")));
        assert!(refused(&good.replace("load_site", "load_other")));
        assert!(refused(&good.replace(&exports[0], "")));
    }
}
