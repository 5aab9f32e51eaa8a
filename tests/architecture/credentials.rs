//! Server functions that take a password or a code count as tries. One that is forgotten could be asked without end, and
//! nothing else would fail.

use std::fs;

use crate::{metadata::root, sql::rust_files};

/// Names of parameters by which somebody guesses.
const GUESSED: [&str; 2] = ["password", "code"];

#[test]
fn functions_that_take_a_password_or_a_code_are_counted() {
    let table = fs::read_to_string(root().join("server/src/ui/mod.rs")).unwrap();
    let mut files = Vec::new();
    rust_files(&root().join("app/src/fns"), &mut files);
    let mut seen = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for function in text.split("#[server(prefix").skip(1) {
            let Some((_, rest)) = function.split_once("pub async fn ") else {
                continue;
            };
            let (name, rest) = rest.split_once('(').unwrap();
            let (parameters, _) = rest.split_once(") ->").unwrap();
            let names = parameters.split(',').filter_map(|one| one.split_once(": "));
            let is_guess = |name: &str| GUESSED.iter().any(|guessed| name.ends_with(guessed));
            if names.into_iter().any(|(name, _)| is_guess(name.trim())) {
                let path = format!("::{}::PATH", camel_case(name));
                assert!(table.contains(&path), "{name} is not in FUNCTIONS");
                seen += 1;
            }
        }
    }
    assert!(seen > 8, "the functions were really read");
}

fn camel_case(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().unwrap().to_ascii_uppercase();
        format!("{first}{}", letters.as_str())
    });
    words.collect()
}
