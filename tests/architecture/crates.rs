//! Dependencies between crates. A crate with fewer dependencies can be read, tested and shipped with less:
//! the domain goes into the browser SDK, the service has no HTTP, and the UI's browser half has no database.

use std::collections::BTreeSet;

use crate::metadata::{WASM, cargo, metadata};

/// The permitted dependencies. `tests` may use everything that it tests from outside. `xtask` and `bench` are
/// tools.
const ARROWS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("proof", &[]),
    ("verify", &["proof"]),
    ("verifier", &["proof"]),
    ("service", &["domain", "proof"]),
    ("app", &["domain", "service"]),
    ("server", &["app", "domain", "proof", "service", "verify"]),
    ("frontend", &["app"]),
    ("sdk-wasm", &["domain"]),
    ("tests", &["domain", "proof", "server", "service"]),
    ("xtask", &["domain", "service"]),
    ("bench", &[]),
];

/// Most crates that `placet-verify` consists of.
const MOST_OF_THE_VERIFIER: usize = 43;

#[test]
fn crates_depend_on_permitted_crates_only() {
    for package in metadata(false).packages {
        let (_, allowed) = ARROWS
            .iter()
            .find(|(name, _)| *name == package.name)
            .unwrap_or_else(|| panic!("the crate {} is not in the map of arrows", package.name));
        for dependency in package
            .dependencies
            .iter()
            .filter(|dependency| dependency.path.is_some())
        {
            assert!(
                allowed.contains(&&*dependency.name),
                "{} must not know {}",
                package.name,
                dependency.name
            );
        }
    }
}

#[test]
fn the_domain_needs_nothing_by_default() {
    let packages = metadata(false).packages;
    let domain = packages
        .iter()
        .find(|package| package.name == "domain")
        .unwrap();
    for dependency in domain
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind.is_none())
    {
        assert!(
            dependency.optional,
            "the browser SDK would carry {}",
            dependency.name
        );
    }
    assert!(domain.features.get("default").is_none_or(Vec::is_empty));
}

#[test]
fn only_the_server_half_of_the_ui_knows_the_service() {
    let packages = metadata(false).packages;
    let app = packages
        .iter()
        .find(|package| package.name == "app")
        .unwrap();
    let service = app
        .dependencies
        .iter()
        .find(|dependency| dependency.name == "service")
        .unwrap();
    assert!(service.optional);
    for (feature, enables) in &app.features {
        let knows = enables
            .iter()
            .any(|enabled| enabled.trim_start_matches("dep:") == "service");
        assert!(
            !knows || feature == "ssr" || feature == "service",
            "{feature} enables `service`"
        );
    }
    let frontend = tree("frontend", WASM);
    for name in ["service", "server", "sqlx-core", "tokio", "axum"] {
        assert!(!frontend.contains(name), "browsers would load {name}");
    }
}

#[test]
fn the_sdk_carries_nothing_but_what_it_must() {
    let mut allowed: BTreeSet<String> = ["sdk-wasm", "domain"].map(str::to_owned).into();
    allowed.extend(tree("wasm-bindgen", WASM));
    let carried = tree("sdk-wasm", WASM);
    let more: Vec<_> = carried.difference(&allowed).collect();
    assert!(more.is_empty(), "the browser SDK must not carry {more:?}");
    assert!(carried.contains("wasm-bindgen"), "the tree was really read");
}

/// An expert reads all of `placet-verify` before a court. So it has what a proof needs, and nothing for a network, a
/// database or threads.
#[test]
fn the_verifier_carries_nothing_but_the_proof() {
    let host = cargo(&["-vV"]);
    let host = host.lines().find_map(|line| line.strip_prefix("host: "));
    let carried = tree("verify", host.unwrap());
    let mut allowed = tree("proof", host.unwrap());
    allowed.insert("verify".to_owned());
    assert_eq!(carried, allowed);
    assert!(
        carried.contains("ed25519-dalek"),
        "the tree was really read"
    );
    assert!(carried.len() <= MOST_OF_THE_VERIFIER, "{carried:#?}");
    for name in ["tokio", "sqlx-core", "rustls", "hyper", "clap_builder"] {
        assert!(!carried.contains(name), "the verifier would carry {name}");
    }
}

/// The same in a browser, where wasm-bindgen hands over the file.
#[test]
fn the_verifier_for_browsers_carries_nothing_but_the_proof() {
    let carried = tree("verifier", WASM);
    let mut allowed = tree("proof", WASM);
    allowed.extend(tree("wasm-bindgen", WASM));
    allowed.insert("verifier".to_owned());
    assert_eq!(carried, allowed);
    assert!(
        carried.contains("ed25519-dalek"),
        "the tree was really read"
    );
}

/// The crates that `package` consists of on a target. Macros run only during the build.
fn tree(package: &str, target: &str) -> BTreeSet<String> {
    let tree = cargo(&[
        "tree",
        "--locked",
        "--package",
        package,
        "--target",
        target,
        "--edges",
        "normal,no-proc-macro",
        "--prefix",
        "none",
        "--format",
        "{p}",
    ]);
    tree.lines()
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect()
}
