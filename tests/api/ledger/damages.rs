//! Damages of a bundle, of many kinds: each of its values and each line of its proofs is left out, doubled, cut,
//! changed, exchanged with a neighbour, and replaced by something else.

use serde_json::{Value, json};

/// A damaged bundle.
pub struct Damaged {
    /// Its damage.
    pub name: String,
    pub text: String,
    /// True if no verifier may accept it. Others may be in order, for instance without an optional part.
    pub is_wrong: bool,
}

/// Parts that a bundle may lack.
const OPTIONAL: [&str; 5] = [
    "/publication",
    "/evidence",
    "/erasure",
    "/files",
    "/receipt",
];

/// All damages of a bundle. Parts of `other`, which is in order, too, take the place of its own.
pub fn all(bundle: &Value, other: &Value) -> Vec<Damaged> {
    let mut pointers = Vec::new();
    walk(bundle, "", &mut pointers);
    let mut damages = Damages {
        bundle,
        found: Vec::new(),
    };
    for pointer in &pointers {
        let node = bundle.pointer(pointer).expect("it was found there");
        damages.replace(pointer, node, other);
        match node {
            Value::String(text) => damages.of_text(pointer, text),
            Value::Array(list) => damages.of_list(pointer, list),
            Value::Object(_) => damages.of_object(pointer, node),
            _ => {}
        }
    }
    damages.of_object("", bundle);
    damages.found
}

/// The pointers of all values below one.
fn walk(value: &Value, at: &str, found: &mut Vec<String>) {
    let inside: Vec<(String, &Value)> = match value {
        Value::Object(object) => object.iter().map(|(key, one)| (key.clone(), one)).collect(),
        Value::Array(list) => (0..)
            .zip(list)
            .map(|(place, one): (u32, _)| (place.to_string(), one))
            .collect(),
        _ => Vec::new(),
    };
    for (key, one) in inside {
        let pointer = format!("{at}/{key}");
        walk(one, &pointer, found);
        found.push(pointer);
    }
}

struct Damages<'a> {
    bundle: &'a Value,
    found: Vec<Damaged>,
}

impl Damages<'_> {
    fn add(&mut self, name: String, text: String, is_wrong: bool) {
        let sound = self.bundle.to_string();
        if text != sound {
            self.found.push(Damaged {
                name,
                text,
                is_wrong,
            });
        }
    }

    /// Puts another value in the place of one.
    fn put(&mut self, pointer: &str, kind: &str, value: Value, is_wrong: bool) {
        let mut damaged = self.bundle.clone();
        *damaged.pointer_mut(pointer).expect("it is there") = value;
        self.add(format!("{pointer}: {kind}"), damaged.to_string(), is_wrong);
    }

    fn replace(&mut self, pointer: &str, node: &Value, other: &Value) {
        for (kind, value) in [
            ("null", Value::Null),
            ("a number", json!(999_999)),
            ("a flag", json!(true)),
            ("an empty text", json!("")),
            ("an empty object", json!({})),
            ("in a list", json!([node])),
        ] {
            self.put(pointer, kind, value, true);
        }
        if let Some(another) = other.pointer(pointer) {
            self.put(pointer, "of another bundle", another.clone(), false);
        }
        let (parent, key) = pointer.rsplit_once('/').expect("it begins with one");
        let mut damaged = self.bundle.clone();
        let is_member = match damaged.pointer_mut(parent) {
            Some(Value::Object(object)) => {
                object.remove(key);
                false
            }
            Some(Value::Array(list)) => {
                list.remove(key.parse().expect("a place"));
                true
            }
            _ => unreachable!("it has something inside"),
        };
        let is_wrong = !OPTIONAL.contains(&pointer) && !is_member;
        self.add(
            format!("{pointer}: left out"),
            damaged.to_string(),
            is_wrong,
        );
    }

    fn of_text(&mut self, pointer: &str, text: &str) {
        let half: String = text.chars().take(text.chars().count() / 2).collect();
        for (kind, text) in [
            ("cut", half),
            ("doubled", text.repeat(2)),
            ("longer", format!("{text} ")),
            ("in capitals", text.to_uppercase()),
            ("changed", changed(text)),
        ] {
            self.put(pointer, kind, text.into(), true);
        }
        if text.contains('\n') {
            self.of_lines(pointer, text);
        }
    }

    /// The lines of a proof. Lines of signatures may be gone, or those of somebody else.
    fn of_lines(&mut self, pointer: &str, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        for place in 0..lines.len() {
            let is_bound = !lines[place].starts_with('\u{2014}');
            let mut put = |kind: &str, edit: &dyn Fn(&mut Vec<String>), is_wrong: bool| {
                let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
                edit(&mut lines);
                let text = lines.join("\n") + "\n";
                self.put(
                    pointer,
                    &format!("line {place} {kind}"),
                    text.into(),
                    is_wrong,
                );
            };
            put("left out", &|lines| drop(lines.remove(place)), is_bound);
            put(
                "doubled",
                &|lines| lines.insert(place, lines[place].clone()),
                is_bound,
            );
            put(
                "changed",
                &|lines| lines[place] = changed(&lines[place]),
                is_bound,
            );
            let half = lines[place].len() / 2;
            put("cut", &|lines| lines[place].truncate(half), is_bound);
            if place > 0 {
                put("exchanged", &|lines| lines.swap(place - 1, place), is_bound);
            }
        }
    }

    fn of_list(&mut self, pointer: &str, list: &[Value]) {
        let Some(last) = list.last() else {
            return;
        };
        // Further proofs of the same place, and pictures, harm nothing.
        let is_wrong = !["/proofs", "/files", "/timestamps"].contains(&pointer);
        let longer = [list, std::slice::from_ref(last)].concat();
        self.put(pointer, "its last member twice", longer.into(), is_wrong);
        let mut turned = list.to_vec();
        turned.reverse();
        self.put(pointer, "turned around", turned.into(), is_wrong);
        let is_needed = !["/files", "/timestamps"].contains(&pointer);
        self.put(pointer, "emptied", json!([]), is_needed);
    }

    fn of_object(&mut self, pointer: &str, node: &Value) {
        let object = node.as_object().expect("an object");
        let mut more = object.clone();
        more.insert("more".to_owned(), json!("x"));
        self.put(pointer, "an unknown key", more.into(), true);
        self.put(
            pointer,
            "as a list",
            object.values().cloned().collect(),
            true,
        );
        let keys: Vec<&String> = object.keys().collect();
        for pair in keys.windows(2) {
            let [one, two] = [pair[0], pair[1]];
            let mut exchanged = object.clone();
            exchanged[one] = object[two].clone();
            exchanged[two] = object[one].clone();
            self.put(pointer, &format!("{one} for {two}"), exchanged.into(), true);
        }
        // A key twice, with the same value: only the text tells.
        if let Some((key, value)) = object.iter().next() {
            let text = node.to_string();
            let twice = format!("{{\"{key}\":{value},{}", &text[1..]);
            let text = self.bundle.to_string().replacen(&text, &twice, 1);
            self.add(format!("{pointer}: a key twice"), text, true);
        }
    }
}

/// The text with another sign in the middle.
fn changed(text: &str) -> String {
    let middle = text.chars().count() / 2;
    let other = |sign| if sign == 'A' { 'B' } else { 'A' };
    (0..)
        .zip(text.chars())
        .map(|(place, sign)| if place == middle { other(sign) } else { sign })
        .collect()
}
