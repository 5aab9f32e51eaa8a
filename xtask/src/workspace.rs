//! Where things lie.

use std::path::PathBuf;

/// The repository.
pub fn root() -> PathBuf {
    let mut path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    path.pop();
    path
}

/// What cargo and this tool build; `CARGO_TARGET_DIR` moves it.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(path) => root().join(path),
        None => root().join("target"),
    }
}

/// What browsers load; `server/build.rs` embeds this folder.
pub fn web() -> PathBuf {
    match std::env::var_os("PLACET_WEB_DIR") {
        Some(path) => root().join(path),
        None => root().join("target/web"),
    }
}

/// The npm tools that work on wasm and JavaScript.
pub fn sdk_tools() -> PathBuf {
    root().join("sdk-wasm")
}

/// The browser tests.
pub fn browser_tests() -> PathBuf {
    root().join("tests/browser")
}

/// Programs that the API is checked against.
pub fn oracles() -> PathBuf {
    root().join("tests/oracles")
}
