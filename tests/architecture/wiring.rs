//! Sub-services take a `Context` and the neighbours that they name. Holding the whole product to reach a
//! neighbour would let anything call anything.

use std::fs;

use crate::{metadata::root, sql::rust_files};

#[test]
fn no_sub_service_holds_the_product() {
    let mut files = Vec::new();
    rust_files(&root().join("service/src"), &mut files);
    assert!(files.len() > 50, "the files were really read");
    for file in files {
        if file.ends_with("service/src/lib.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for held in [
            "Arc<Placet>",
            "Arc<crate::Placet>",
            "&Placet",
            "impl Placet",
        ] {
            assert!(!text.contains(held), "{}: {held}", file.display());
        }
    }
}

/// The audit log lets readers of consents in, and records them. The others only count consents, or
/// register an endpoint, which is an entry of its own.
#[test]
fn nobody_reads_consents_past_the_audit_log() {
    const OTHERS: [&str; 4] = [
        "service/src/consents/mod.rs",
        "service/src/consents/report/mod.rs",
        "service/src/watch/mod.rs",
        "service/src/webhooks/check.rs",
    ];
    let mut files = Vec::new();
    rust_files(&root().join("service/src"), &mut files);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let asks = text.matches("Need::consents(").count();
        let path = file.strip_prefix(root()).unwrap().to_string_lossy();
        let most = if path.starts_with("service/src/audit/") {
            2
        } else {
            usize::from(OTHERS.contains(&&*path))
        };
        assert!(asks <= most, "{path} lets readers in by itself");
    }
}
