//! The address of a server function, or of a file that pages ask for, stands beside it in `app/src/fns`. A form or a route
//! that repeats it would lead nowhere after a change.

use std::fs;

use crate::{metadata::root, sql::rust_files};

/// The route of all server functions.
const ALL: &str = "\"/ui/{*path}\"";

#[test]
fn addresses_of_functions_stand_once() {
    let mut files = Vec::new();
    for dir in ["app/src", "server/src/ui"] {
        rust_files(&root().join(dir), &mut files);
    }
    let mut found = 0;
    for file in files {
        let path = file.strip_prefix(root()).unwrap();
        let text = fs::read_to_string(&file).unwrap().replace(ALL, "");
        let code = text.split("#[cfg(test)]").next().unwrap();
        let addresses = code.matches("\"/ui/").count();
        if path.starts_with("app/src/fns") {
            found += addresses;
        } else {
            assert_eq!(addresses, 0, "{} repeats an address", path.display());
        }
    }
    assert!(found > 5, "addresses were read");
}
