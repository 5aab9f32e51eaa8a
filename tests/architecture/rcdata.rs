//! Texts in `<title>` and `<textarea>` go through `app/src/rcdata.rs`, because the renderer does not escape
//! there, and a text could end its element.

use std::fs;

use crate::{metadata::root, sql::rust_files};

/// The code that opens such an element, and the code that a text in it must use.
const DOORS: [(&str, &str); 2] = [
    ("<textarea", "{rcdata("),
    ("<Title formatter", "<Title formatter=move |title| rcdata("),
];
/// Other ways to write unescaped text.
const WALLS: [&str; 3] = ["<textarea>{", "textarea()", "inner_html="];

#[test]
fn texts_stay_in_their_elements() {
    let mut files = Vec::new();
    rust_files(&root().join("app/src"), &mut files);
    let mut seen = [0; DOORS.len()];
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let code: String = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        for ((opens, through), seen) in DOORS.iter().zip(&mut seen) {
            let found = code.matches(opens).count();
            assert_eq!(
                found,
                code.matches(through).count(),
                "{}: a text goes into `{opens}` that does not go through `rcdata`",
                file.display()
            );
            *seen += found;
        }
        for wall in WALLS {
            assert!(!code.contains(wall), "{}: `{wall}`", file.display());
        }
    }
    // The title's formatter counts once, because every title goes through it.
    assert_eq!(seen, [3, 1], "the files were really read");
}
