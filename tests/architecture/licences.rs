//! Licences of the dependencies. Placet is Apache-2.0 in one file, so everybody must be able to redistribute
//! it with notices alone. `deny.toml` gives `cargo deny` the same rules. This test needs no further tool.

use crate::metadata::{metadata, root};

const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Crates that would add a second TLS implementation or a library of the system.
const BANNED: &[&str] = &["native-tls", "openssl", "openssl-sys"];

#[test]
fn all_licences_are_allowed() {
    let packages = metadata(true).packages;
    assert!(packages.len() > 100, "the dependencies were really read");
    let refused: Vec<_> = packages
        .iter()
        .filter(|package| package.source.is_some())
        .filter(|package| !package.license.as_deref().is_some_and(allowed))
        .map(|package| {
            format!(
                "{} {}: {:?}",
                package.name, package.version, package.license
            )
        })
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn nothing_banned_is_built_in() {
    for package in metadata(true).packages {
        assert!(
            !BANNED.contains(&&*package.name),
            "{} is banned",
            package.name
        );
    }
}

#[test]
fn deny_toml_has_the_same_rules() {
    let deny = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    for licence in ALLOWED {
        assert!(
            deny.contains(&format!("\"{licence}\"")),
            "deny.toml does not allow {licence}"
        );
    }
    for name in BANNED {
        assert!(
            deny.contains(&format!("\"{name}\"")),
            "deny.toml does not ban {name}"
        );
    }
}

/// True if allowed licences can satisfy an SPDX expression. Old manifests write `/` for `OR`.
fn allowed(expression: &str) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    either(&mut words) && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn either(words: &mut Words<'_>) -> bool {
    let mut met = both(words);
    while words.next_if_eq(&"OR").is_some() {
        met |= both(words);
    }
    met
}

fn both(words: &mut Words<'_>) -> bool {
    let mut met = one(words);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words);
    }
    met
}

fn one(words: &mut Words<'_>) -> bool {
    match words.next() {
        Some("(") => {
            let met = either(words);
            words.next() == Some(")") && met
        }
        Some(licence) => {
            let mut name = licence.to_owned();
            if words.next_if_eq(&"WITH").is_some() {
                name.push_str(" WITH ");
                name.push_str(words.next().unwrap_or_default());
            }
            ALLOWED.contains(&&*name)
        }
        None => false,
    }
}

#[test]
fn licence_expressions_are_understood() {
    for yes in [
        "MIT",
        "GPL-3.0 OR MIT",
        "MIT/Apache-2.0",
        "(MIT OR GPL-2.0) AND Unicode-3.0",
        "GPL-2.0 AND GPL-3.0 OR ISC",
        "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
    ] {
        assert!(allowed(yes), "{yes}");
    }
    for no in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT",
        "MIT MIT",
        "GPL-2.0 WITH Classpath-exception-2.0",
    ] {
        assert!(!allowed(no), "{no}");
    }
}
