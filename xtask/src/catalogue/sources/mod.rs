//! The openly licensed sources: fetched at pinned versions, checked by hash, parsed to facts.
//!
//! `npm pack` fetches packages, which are unpacked and never installed, so none of their code runs.

mod cookie_database;
mod prebid;
mod tarteaucitron;
mod third_party_web;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, ensure};
use sha2::{Digest, Sha256};

pub use cookie_database::{CookieDatabase, Platform};
pub use prebid::{Bidder, Prebid};
pub use tarteaucitron::{Service, Tarteaucitron};
pub use third_party_web::{Entity, ThirdPartyWeb};

/// A source as the catalogue names it.
pub struct Source {
    /// Short key that facts carry in `from`.
    pub key: &'static str,
    pub name: &'static str,
    pub version: &'static str,
    pub licence: &'static str,
    pub address: &'static str,
}

/// The editors' knowledge: the lists in this folder.
pub const EDITORS: &str = "editors";
pub const THIRD_PARTY_WEB: &str = "tpw";
pub const TARTEAUCITRON: &str = "tac";
pub const COOKIE_DATABASE: &str = "ocd";
pub const PREBID: &str = "prebid";

/// Every source, the editors first.
pub const SOURCES: [Source; 5] = [
    Source {
        key: EDITORS,
        name: "Placet editors",
        version: "",
        licence: "Apache-2.0",
        address: "",
    },
    Source {
        key: THIRD_PARTY_WEB,
        name: "third-party-web",
        version: "0.30.0",
        licence: "MIT",
        address: "https://github.com/patrickhulce/third-party-web",
    },
    Source {
        key: TARTEAUCITRON,
        name: "tarteaucitronjs",
        version: "1.34.0",
        licence: "MIT",
        address: "https://github.com/AmauriC/tarteaucitron.js",
    },
    Source {
        key: COOKIE_DATABASE,
        name: "Open Cookie Database",
        version: "0ee5a17fe1cb002943f89370d24fc26a4226061c",
        licence: "Apache-2.0",
        address: "https://github.com/jkwakman/Open-Cookie-Database",
    },
    Source {
        key: PREBID,
        name: "prebid.js",
        version: "11.36.0",
        licence: "Apache-2.0",
        address: "https://github.com/prebid/Prebid.js",
    },
];

// The hashes that npm computes for the packed files of these versions.
const THIRD_PARTY_WEB_HASH: &str = "sha512-p+PfyL5U0ediGzvwPzMSdD9MnC8rHW6nWJJVLIQvqN7RsSqfaZ+7n4c9GILqH36EYR0eXB9CzAeCRnKFr/9uJg==";
const TARTEAUCITRON_HASH: &str = "sha512-PEzKEjOLC06zCWSZB1RuQkSlzbDYXSKohv0XD7BMjgfE/M+LhiWLTdNAj47VW9xcVsuQCSvLpR/gqkripHaU6g==";
const PREBID_HASH: &str = "sha512-uFv6NZEoPQ/z5EUbYMVuV0r+3EXHLL+3ZzbC/+g10QCittFuLGWhAkxQas9nUcpbj1aBU2P2mVSq1XJuyNtZaw==";
const COOKIE_DATABASE_HASH: &str =
    "935ace63d892bfc11656b03f9278aa23c24044a5e249d67047ed3e05e92581f7";

/// The facts of all sources.
pub struct Facts {
    pub third_party_web: ThirdPartyWeb,
    pub tarteaucitron: Tarteaucitron,
    pub cookie_database: CookieDatabase,
    pub prebid: Prebid,
}

/// A cookie that a source assigns to a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cookie {
    /// Its name. `*` at the end stands for a part that differs between sites.
    pub name: String,
    /// Seconds; 0 for a session cookie; absent if unknown.
    pub max_age: Option<u64>,
}

/// Fetches sources that are not in the cache and reads them.
pub fn load(cache: &Path, cookie_database: Option<&Path>) -> anyhow::Result<Facts> {
    fs::create_dir_all(cache)?;
    let web = package(cache, THIRD_PARTY_WEB, THIRD_PARTY_WEB_HASH)?;
    let tarteaucitron = package(cache, TARTEAUCITRON, TARTEAUCITRON_HASH)?;
    let prebid = package(cache, PREBID, PREBID_HASH)?;
    Ok(Facts {
        third_party_web: ThirdPartyWeb::read(&read(&web.join("dist/entities.json"))?)?,
        tarteaucitron: Tarteaucitron::read(&read(
            &tarteaucitron.join("tarteaucitron.services.js"),
        )?),
        cookie_database: CookieDatabase::read(&database(cache, cookie_database)?)?,
        prebid: Prebid::read(&prebid.join("metadata/modules"))?,
    })
}

fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
}

fn source(key: &str) -> anyhow::Result<&'static Source> {
    SOURCES
        .iter()
        .find(|source| source.key == key)
        .context("a source of the list")
}

/// The folder of an unpacked npm package.
fn package(cache: &Path, key: &str, hash: &str) -> anyhow::Result<PathBuf> {
    let Source { name, version, .. } = source(key)?;
    let folder = cache.join(format!("{name}-{version}"));
    let content = folder.join("package");
    if content.is_dir() {
        return Ok(content);
    }
    println!("fetching {name} {version} from npm");
    let output = Command::new("npm")
        .args(["pack", "--json", &format!("{name}@{version}")])
        .current_dir(cache)
        .output()
        .context("running npm (install Node.js)")?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let packed = answer.get(0).context("npm pack names one package")?;
    ensure!(
        packed["integrity"].as_str() == Some(hash),
        "{name} {version} is not the package that was reviewed"
    );
    let file = packed["filename"]
        .as_str()
        .context("npm pack names its file")?;
    // Unpacked to another name and renamed, so that an interrupted run leaves no incomplete folder.
    let partial = cache.join(format!("{name}-{version}.partial"));
    let _ = fs::remove_dir_all(&partial);
    fs::create_dir_all(&partial)?;
    let status = Command::new("tar")
        .arg("-xzf")
        .arg(cache.join(file))
        .arg("-C")
        .arg(&partial)
        .status()
        .context("running tar")?;
    ensure!(status.success(), "tar could not unpack {file}");
    fs::rename(&partial, &folder)?;
    fs::remove_file(cache.join(file))?;
    Ok(content)
}

/// The text of the Open Cookie Database at its pinned commit.
fn database(cache: &Path, given: Option<&Path>) -> anyhow::Result<String> {
    let Source { version, .. } = source(COOKIE_DATABASE)?;
    let cached = cache.join(format!("open-cookie-database-{version}.json"));
    if let Some(given) = given {
        fs::copy(given, &cached).with_context(|| format!("reading {}", given.display()))?;
    } else if !cached.is_file() {
        let address = format!(
            "https://raw.githubusercontent.com/jkwakman/Open-Cookie-Database/{version}/open-cookie-database.json"
        );
        println!("fetching {address}");
        let status = Command::new("curl")
            .args([
                "--fail",
                "--silent",
                "--show-error",
                "--location",
                "--output",
            ])
            .arg(&cached)
            .arg(&address)
            .status()
            .context("running curl")?;
        ensure!(
            status.success(),
            "the Open Cookie Database could not be fetched: get {address} by other means and \
             pass it with --open-cookie-database"
        );
    }
    let text = read(&cached)?;
    let hash = hex::encode(Sha256::digest(text.as_bytes()));
    if hash != COOKIE_DATABASE_HASH {
        fs::remove_file(&cached)?;
    }
    ensure!(
        hash == COOKIE_DATABASE_HASH,
        "the Open Cookie Database is not the reviewed version"
    );
    Ok(text)
}

/// Normal form to compare names of different sources: letters and digits in lower case.
pub fn folded(name: &str) -> String {
    name.chars()
        .flat_map(char::to_lowercase)
        .filter(|c| c.is_alphanumeric())
        .collect()
}

/// Normalises a cookie's name. Returns `None` if it is not a name.
fn cookie_name(raw: &str, prefix: bool) -> Option<String> {
    // Soft hyphens come from web pages. `<id>`, `{id}` and `NNN` stand for a part that differs.
    let raw = raw.replace('\u{ad}', "").replace("NNN", "*");
    let raw = raw.trim();
    let open = raw.find(['<', '{']);
    let mut name = open
        .map_or(raw, |at| raw.get(..at).unwrap_or_default())
        .to_owned();
    let prefix = prefix || open.is_some();
    if let Some(at) = name.find('*') {
        // A star at the start matches every cookie, so the entry is no fact.
        name.truncate(at);
        name.push('*');
    } else if prefix {
        name.push('*');
    }
    let plain = name.trim_end_matches('*');
    let sound = (1..=100).contains(&plain.len())
        && plain.bytes().all(|byte| byte.is_ascii_graphic() && !b",;=\"|/%".contains(&byte))
        // The file of a tracking pixel is not a cookie.
        && Path::new(plain).extension().is_none_or(|extension| extension != "gif");
    sound.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookie_names_are_cleaned_or_refused() {
        assert_eq!(cookie_name("_ga", false).as_deref(), Some("_ga"));
        assert_eq!(cookie_name("_ga_", true).as_deref(), Some("_ga_*"));
        assert_eq!(cookie_name("_gac_<wpid>", false).as_deref(), Some("_gac_*"));
        assert_eq!(cookie_name("sa_*_sid", false).as_deref(), Some("sa_*"));
        assert_eq!(cookie_name("a\u{ad}b", false).as_deref(), Some("ab"));
        assert_eq!(cookie_name("*uxid", false), None);
        assert_eq!(cookie_name("two words", false), None);
    }

    #[test]
    fn names_are_compared_by_letters_and_digits() {
        assert_eq!(folded("Tawk.to"), folded("tawk to"));
    }
}
