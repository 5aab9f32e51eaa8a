//! Text that has to stand twice, because a program of its own ships with it, stays the same in both places.

use std::fs;

use crate::metadata::root;

/// Script for Universal Event Tracking and Clarity, from its first line to its last.
fn signals(path: &str) -> String {
    let text = fs::read_to_string(root().join(path)).unwrap();
    let (_, script) = text.split_once("window.uetq = ").unwrap();
    let (script, _) = script.split_once("\n});").unwrap();
    script.to_owned()
}

#[test]
fn the_plugin_tells_signals_as_the_install_page_does() {
    let own = signals("service/templates/snippet/defaults.html");
    assert!(own.contains("clarity('consentv2'"), "{own}");
    assert_eq!(own, signals("deploy/wordpress/placet/includes/snippet.php"));
}
