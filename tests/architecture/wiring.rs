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
