//! Folders of the workspace.

use std::path::{Path, PathBuf};

use crate::step::Tool;

/// The repository.
pub fn root() -> PathBuf {
    let mut path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    path.pop();
    path
}

/// Build results of cargo and of this tool. `CARGO_TARGET_DIR` moves it.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(path) => root().join(path),
        None => root().join("target"),
    }
}

/// Files for browsers. `server/build.rs` embeds this folder.
pub fn web() -> PathBuf {
    match std::env::var_os("PLACET_WEB_DIR") {
        Some(path) => root().join(path),
        None => root().join("target/web"),
    }
}

/// Folder of the npm tools for wasm and JavaScript.
pub fn sdk_tools() -> PathBuf {
    root().join("sdk-wasm")
}

/// Folder of the browser tests.
pub fn browser_tests() -> PathBuf {
    root().join("tests/browser")
}

/// Folder of the programs that tests check the API with.
pub fn oracles() -> PathBuf {
    root().join("tests/oracles")
}

/// A folder in memory, if the machine has one with enough room.
pub fn memory(bytes: u64) -> Option<&'static Path> {
    let folder = Path::new("/dev/shm");
    let room = Tool::new("df")
        .args(["--output=avail", "--block-size=1"])
        .arg(folder)
        .output()
        .ok()?;
    let room: u64 = room.lines().last()?.trim().parse().ok()?;
    (room >= bytes).then_some(folder)
}
