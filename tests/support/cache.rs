//! Common code of the caches in front of a server: their configuration, which is the one in the guide for
//! operators, and the paths of their programs.

use std::path::PathBuf;

/// The block of the guide for operators in this language.
pub(crate) fn operators_guide(language: &str) -> &'static str {
    let guide = include_str!("../../docs/operate.md");
    let (_, rest) = guide
        .split_once(&format!("\n```{language}\n"))
        .unwrap_or_else(|| panic!("the guide shows no {language}"));
    rest.split_once("\n```").expect("an end").0
}

/// Finds a server's program. Debian installs servers outside of users' `PATH`.
pub(crate) fn program(name: &str) -> PathBuf {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths)
        .chain([PathBuf::from("/usr/sbin")])
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .unwrap_or_else(|| PathBuf::from(name))
}
