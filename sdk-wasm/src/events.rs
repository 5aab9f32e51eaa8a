//! Listeners. `ready` and a stored or made choice are told again to those who come late. Patterns
//! and functions are in two lists on the loader's object.

use alloc::string::String;

use crate::{
    app::App,
    choices::word,
    dom::Js,
    text::{decimal, push},
};

pub const READY: &str = "ready";
pub const COMPLETE: &str = "cookies:complete";
pub const STEP: &str = "cookies:step:change";
pub const SAVED: &str = "consent:saved";
pub const TOKEN: &str = "token:update";
pub const OPEN: &str = "open";
pub const CLOSE: &str = "close";

/// Whether a pattern, which may end in `*`, names the event.
fn matches(pattern: &str, event: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => event.starts_with(start),
        None => pattern == event,
    }
}

pub fn on(app: &'static App, pattern: Js, function: Js, replay: bool) {
    Js::PORT.get("patterns").call("push", pattern);
    Js::PORT.get("listeners").call("push", function);
    if replay && app.ready.get() {
        let pattern = pattern.as_text();
        if matches(&pattern, READY) {
            function.run(Js::NONE, READY);
        }
        if app.chosen.get() && matches(&pattern, COMPLETE) {
            function.run(choices(app), COMPLETE);
        }
    }
}

/// Calls `each` with the number, the pattern and the function of every listener there is now.
#[inline(never)]
fn listeners(each: &mut dyn FnMut(&str, &str, Js)) {
    let (patterns, functions) = (Js::PORT.get("patterns"), Js::PORT.get("listeners"));
    let count = functions.number("length") as u32;
    for number in 0..count {
        let number = decimal(number);
        each(&number, &patterns.text(&number), functions.get(&number));
    }
}

/// Takes a listener off, all of the pattern if no function is given. Its place stays, empty.
pub fn off(pattern: &str, wanted: Js) {
    listeners(&mut |number, one, function| {
        if one == pattern && (!wanted.is() || wanted.same(function)) {
            Js::PORT.get("patterns").set(number, Js::NONE);
        }
    });
}

#[inline(never)]
pub fn emit(event: &str, detail: Js) {
    listeners(&mut |_, pattern, function| {
        if matches(pattern, event) {
            function.run(detail, event);
        }
    });
}

/// `{"<vendor>":<bool>}` with every vendor of the configuration. Vendor names are slugs.
#[inline(never)]
pub fn choices_json(app: &'static App) -> String {
    let mut json = String::new();
    for answer in &app.answers {
        let before = if json.is_empty() { "{\"" } else { ",\"" };
        push(
            &mut json,
            &[before, answer.vendor.name, "\":", word(answer.allows())],
        );
    }
    json.push_str(if json.is_empty() { "{}" } else { "}" });
    json
}

/// Choices as sites get them.
pub fn choices(app: &'static App) -> Js {
    Js::json(&choices_json(app))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_ends_a_pattern() {
        assert!(matches("cookies:*", COMPLETE) && matches("cookies:*", STEP));
        assert!(matches("*", READY) && !matches("cookies:*", READY));
        assert!(matches("ready", READY) && !matches("read", READY) && !matches("", READY));
    }
}
