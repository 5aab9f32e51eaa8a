//! Sibling modules form no circle, so that a module can be read, moved and tested with only the modules that
//! it needs. Siblings are modules of the same parent.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use crate::{metadata::root, sql::rust_files};

#[test]
fn sibling_modules_make_no_circle() {
    for name in ["app", "service"] {
        let tree = Tree::read(name, &root().join(name).join("src"));
        assert!(tree.modules.len() > 40, "{name} was really read");
        let circles = tree.circles();
        assert!(circles.is_empty(), "circles of modules: {circles:#?}");
    }
}

#[test]
fn a_circle_is_found() {
    let tree = Tree::of(&[
        ("one", "use crate::two::{Two, inner};"),
        ("two", "mod inner { use super::super::three::Three; }"),
        (
            "three",
            "pub fn f() { crate::one::f() } /* crate::four */ const C: char = '\"';",
        ),
        ("four", "#[cfg(test)] mod tests { use crate::one; }"),
        ("one::a", "use super::B;"),
        ("one::b", "use super::a::A;"),
        ("", "pub use one::b::B;"),
    ]);
    let circle = |names: &[&str]| {
        names
            .iter()
            .map(|&name| name.to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        tree.circles(),
        [("test".to_owned(), circle(&["one", "three", "two"]))]
    );
    let tree = Tree::of(&[
        ("one", "mod a; mod b; pub use b::B;"),
        ("one::a", "use super::B;"),
        ("one::b", "use super::a::A;"),
    ]);
    assert_eq!(
        tree.circles(),
        [("test::one".to_owned(), circle(&["a", "b"]))],
        "also through a name that the parent hands on"
    );
}

/// Names from the root of the crate, which is empty.
type Module = Vec<String>;

/// The modules of a crate and the paths in them.
#[derive(Default)]
struct Tree {
    name: String,
    modules: BTreeSet<Module>,
    /// The paths in a module, as written.
    paths: Vec<(Module, Vec<String>)>,
    /// The paths that the names of a module stand for.
    names: BTreeMap<(Module, String), Vec<String>>,
}

impl Tree {
    fn read(name: &str, folder: &Path) -> Self {
        let mut files = Vec::new();
        rust_files(folder, &mut files);
        let mut tree = Self {
            name: name.to_owned(),
            ..Self::default()
        };
        for file in files {
            let path = file.strip_prefix(folder).unwrap().with_extension("");
            let mut module: Module = path
                .iter()
                .map(|segment| segment.to_str().unwrap().to_owned())
                .collect();
            if module
                .last()
                .is_some_and(|last| last == "mod" || last == "lib")
            {
                module.pop();
            }
            tree.add(module, &fs::read_to_string(&file).unwrap());
        }
        tree
    }

    fn of(modules: &[(&str, &str)]) -> Self {
        let mut tree = Self {
            name: "test".to_owned(),
            ..Self::default()
        };
        for (module, text) in modules {
            let module = module.split("::").filter(|name| !name.is_empty());
            tree.add(module.map(str::to_owned).collect(), text);
        }
        tree
    }

    /// Reads a file: its inline modules, what it uses, and the paths in its code.
    fn add(&mut self, file: Module, text: &str) {
        let words = words(text);
        let word = |at: usize| words.get(at).map_or("", String::as_str);
        self.modules.insert(file.clone());
        // The current module, and the depths at which inline modules end.
        let (mut module, mut ends, mut depth) = (file, Vec::new(), 0_usize);
        let (mut at, mut is_test) = (0, false);
        while at < words.len() {
            match word(at) {
                "#" if words
                    .get(at..at + 7)
                    .is_some_and(|it| it.concat() == "#[cfg(test)]") =>
                {
                    is_test = true;
                    at += 6;
                }
                "mod" if word(at + 2) == "{" => {
                    if is_test {
                        at = end_of_block(&words, at + 2);
                    } else {
                        ends.push(depth);
                        depth += 1;
                        module.push(word(at + 1).to_owned());
                        self.modules.insert(module.clone());
                        at += 2;
                    }
                    is_test = false;
                }
                // `use<…>` in a type names no path.
                "use" if word(at + 1) != "<" => {
                    let end = (at..words.len()).find(|&end| word(end) == ";");
                    let end = end.unwrap_or(words.len());
                    let mut rest = words.get(at + 1..end).unwrap_or_default();
                    let mut leaves = Vec::new();
                    leaves_of(&mut rest, &[], &mut leaves);
                    for (path, name) in leaves {
                        self.names.insert((module.clone(), name), path.clone());
                        self.paths.push((module.clone(), path));
                    }
                    at = end;
                }
                "crate" | "super" | "self" if word(at + 1) == "::" => {
                    let mut path = vec![word(at).to_owned()];
                    while word(at + 1) == "::" && is_name(word(at + 2)) {
                        path.push(word(at + 2).to_owned());
                        at += 2;
                    }
                    self.paths.push((module.clone(), path));
                }
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    if ends.last() == Some(&depth) {
                        ends.pop();
                        module.pop();
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// The module that a path leads to. `None` outside of the crate.
    fn target(&self, from: &Module, path: &[String], hops: u8) -> Option<Module> {
        let mut path = path.iter();
        let first = path.next()?;
        let mut at = match first.as_str() {
            "crate" => Module::new(),
            "self" => from.clone(),
            "super" => from.split_last()?.1.to_vec(),
            name => {
                let mut child = from.clone();
                child.push(name.to_owned());
                self.modules.contains(&child).then_some(child)?
            }
        };
        while let Some(name) = path.next() {
            if name == "super" {
                at.pop();
                continue;
            }
            at.push(name.clone());
            if self.modules.contains(&at) {
                continue;
            }
            at.pop();
            // A name that the module re-exports leads further.
            let further = self.names.get(&(at.clone(), name.clone()));
            let further = further.filter(|_| hops < 8).and_then(|further| {
                let whole: Vec<String> = further.iter().chain(path.clone()).cloned().collect();
                self.target(&at, &whole, hops + 1)
            });
            return Some(further.unwrap_or(at));
        }
        Some(at)
    }

    /// The circles: their parent and their members.
    fn circles(&self) -> Vec<(String, Vec<String>)> {
        let mut needs: BTreeMap<&[String], BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
        for (from, path) in &self.paths {
            let Some(to) = self.target(from, path, 0) else {
                continue;
            };
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if let (Some(one), Some(other)) = (from.get(shared), to.get(shared)) {
                let place = from.get(..shared).unwrap_or_default();
                let siblings = needs.entry(place).or_default();
                siblings.entry(one).or_default().insert(other.clone());
            }
        }
        let mut circles = Vec::new();
        for (place, siblings) in needs {
            let reached: BTreeMap<&str, BTreeSet<&str>> = siblings
                .keys()
                .map(|&name| (name, reached(&siblings, name)))
                .collect();
            let reaches = |one: &str, other: &str| {
                reached
                    .get(one)
                    .is_some_and(|reached| reached.contains(other))
            };
            let mut seen = BTreeSet::new();
            for &name in reached.keys() {
                let circle: Vec<String> = reached
                    .keys()
                    .filter(|other| reaches(name, other) && reaches(other, name))
                    .map(|&other| other.to_owned())
                    .collect();
                if !circle.is_empty() && seen.insert(circle.clone()) {
                    let place = std::iter::once(&self.name).chain(place).cloned();
                    circles.push((place.collect::<Vec<_>>().join("::"), circle));
                }
            }
        }
        circles
    }
}

/// The siblings that a module needs, directly or through others.
fn reached<'a>(siblings: &'a BTreeMap<&str, BTreeSet<String>>, name: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut next: Vec<&str> = vec![name];
    while let Some(name) = next.pop() {
        for other in siblings.get(name).into_iter().flatten() {
            if found.insert(other.as_str()) {
                next.push(other);
            }
        }
    }
    found
}

/// The paths that a `use` names, each with its name in the module.
fn leaves_of(rest: &mut &[String], before: &[String], leaves: &mut Vec<(Vec<String>, String)>) {
    let mut path = before.to_vec();
    while let Some((word, tail)) = rest.split_first() {
        match word.as_str() {
            "," | "}" => break,
            "{" => {
                *rest = tail;
                while rest.first().is_some_and(|word| word != "}") {
                    leaves_of(rest, &path, leaves);
                    if rest.first().is_some_and(|word| word == ",") {
                        *rest = rest.get(1..).unwrap_or_default();
                    }
                }
                *rest = rest.get(1..).unwrap_or_default();
                return;
            }
            "as" => {
                let name = tail.first().cloned().unwrap_or_default();
                *rest = tail.get(1..).unwrap_or_default();
                leaves.push((path, name));
                return;
            }
            "::" | "*" => {}
            "self" if !path.is_empty() => {}
            name => path.push(name.to_owned()),
        }
        *rest = tail;
    }
    let name = path.last().cloned().unwrap_or_default();
    leaves.push((path, name));
}

fn end_of_block(words: &[String], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate().skip(open) {
        match word.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    words.len()
}

fn is_name(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

/// The words of a Rust text, without comments, strings and characters.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = raw_string(rest) {
            length
        } else if first == '"' {
            quoted(rest, '"')
        } else if first == '\'' {
            // Unlike a character, a lifetime has no second quote.
            let second = rest
                .chars()
                .nth(if rest.starts_with("'\\") { 3 } else { 2 });
            if second == Some('\'') || rest.starts_with("'\\") {
                quoted(rest, '\'')
            } else {
                1
            }
        } else if is_name(rest) {
            let word: String = rest
                .chars()
                .take_while(|&letter| letter.is_alphanumeric() || letter == '_')
                .collect();
            words.push(word.clone());
            word.len()
        } else if rest.starts_with("::") {
            words.push("::".to_owned());
            2
        } else {
            if !first.is_whitespace() {
                words.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    words
}

/// Length of the quoted text at the start.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if letter == '\\' {
            escaped = true;
        } else if letter == quote {
            return at + quote.len_utf8();
        }
    }
    text.len()
}

/// Length of the raw string at the start.
fn raw_string(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('r').or_else(|| text.strip_prefix("br"))?;
    let hashes = inner.chars().take_while(|&letter| letter == '#').count();
    let content = inner.get(hashes..)?.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = content.find(&end)?;
    Some(text.len() - content.len() + length + end.len())
}
