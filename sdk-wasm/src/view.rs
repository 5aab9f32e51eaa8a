//! The widget: one host element with an open shadow root, a frame and one page at a time.

use domain::payload::{act, contains, flag, purpose};

use crate::{
    app::App,
    choices::{self, Answer},
    dom::Js,
    events, gate, outbox, signals, storage,
};

const CHECKED: &str = "aria-checked";

/// Puts markup in, through the Trusted Types policy.
#[inline(never)]
pub fn fill(element: Js, html: &str) {
    element.set("innerHTML", Js::PORT.call_text("html", html));
}

/// A shadow root with the style sheet, on a new element.
pub fn shadow(app: &'static App) -> Js {
    let host = Js::DOCUMENT.call_text("createElement", "div");
    let root = host.call("attachShadow", Js::json("{\"mode\":\"open\"}"));
    // A constructed sheet is no inline style: it works under every style-src.
    let sheet = Js::new("CSSStyleSheet");
    sheet.call_text("replaceSync", app.payload.css());
    let sheets = Js::new("Array");
    sheets.call("push", sheet);
    root.set("adoptedStyleSheets", sheets);
    root
}

fn root(app: &'static App) -> Js {
    let mut root = Js::PORT.get("root");
    if !root.is() {
        root = shadow(app);
        root.get("host").set_text("id", "placet");
        root.listen("click");
        root.listen("keydown");
        Js::PORT.set("root", root);
    }
    root
}

fn attach(root: Js) {
    let host = root.get("host");
    if !host.get("isConnected").is() {
        let body = Js::DOCUMENT.get("body");
        let parent = if body.is() {
            body
        } else {
            Js::DOCUMENT.get("documentElement")
        };
        parent.call("append", host);
    }
}

/// Opens the widget at a step. `by_itself` when nobody asked for it.
pub fn open(app: &'static App, step: usize, by_itself: bool) {
    if app.open.replace(true) {
        go(app, step);
        return;
    }
    let root = root(app);
    let focused = Js::DOCUMENT.get("activeElement");
    let nowhere = !focused.is() || focused.same(Js::DOCUMENT.get("body"));
    Js::PORT.set("focused", focused);
    choices::reset(&app.answers);
    fill(root, app.payload.frame());
    attach(root);
    show(app, step);
    if !by_itself {
        focus_title(app);
        tell_open(app);
    } else if nowhere {
        // Who is typing when the page is still loading goes on typing.
        Js::PORT.call0("later");
    }
}

/// Tells that the widget is open, and where.
pub fn tell_open(app: &'static App) {
    events::emit(events::OPEN, Js::NONE);
    tell_step(app);
}

fn show(app: &'static App, step: usize) {
    app.step.set(step);
    let page = app.payload.page(step);
    let root = root(app);
    fill(root.find(".s"), page);
    root.find(".w").set_text("scrollTop", "0");
    update(app);
}

fn tell_step(app: &'static App) {
    let step = app.step.get();
    let name = app.payload.steps().nth(step).unwrap_or_default();
    let detail = Js::new("Object");
    detail.set_text("step", name);
    events::emit(events::STEP, detail);
}

#[inline(never)]
fn go(app: &'static App, step: usize) {
    show(app, step);
    focus_title(app);
    tell_step(app);
}

pub fn focus_title(app: &'static App) {
    if app.open.get() {
        root(app).find("h2").call0("focus");
    }
}

/// The switches show the draft.
fn update(app: &'static App) {
    let root = root(app);
    root.find_all("[data-vendor]", &mut |toggle| {
        let on = (named(app, toggle)).is_some_and(Answer::shows);
        toggle.call_texts("setAttribute", CHECKED, choices::word(on));
        true
    });
    let all = choices::of_step(&app.answers, app.step.get());
    root.find("#a").call_texts("setAttribute", CHECKED, all);
}

/// The vendor that an element names.
fn named(app: &'static App, element: Js) -> Option<&'static Answer> {
    app.vendor(&element.data("vendor").as_text())
}

/// Takes the widget away; the reopen button comes where it is wanted.
fn hide(app: &'static App) {
    app.open.set(false);
    show_reopen(app);
    let focused = Js::PORT.get("focused");
    let root = root(app);
    // The reopen button that had the focus is gone; its successor stands in its place.
    let own = focused.same(root.get("host"));
    (if own { root.find("button") } else { focused }).call0("focus");
}

/// The reopen button, or nothing.
pub fn show_reopen(app: &'static App) {
    let hidden = app.payload.has(flag::HIDE_REOPEN) && app.chosen.get();
    let root = root(app);
    fill(root, app.payload.reopen());
    if app.payload.reopen().is_empty() || hidden {
        root.get("host").call0("remove");
    } else {
        attach(root);
    }
}

/// Closes without a choice: what was in force stays in force.
pub fn close(app: &'static App) {
    if app.open.get() {
        hide(app);
        events::emit(events::CLOSE, Js::NONE);
    }
}

/// What the switches show is decided: stored, posted, told, applied, in this order, so that a
/// listener that leaves the page loses nothing.
#[inline(never)]
pub fn decide(app: &'static App, refused: bool) {
    app.refused.set(refused);
    choices::decide(&app.answers);
    app.chosen.set(true);
    storage::save(app);
    outbox::add(app);
    let was_open = app.open.get();
    if was_open {
        hide(app);
    } else {
        show_reopen(app);
    }
    tell_choices(app);
    if was_open {
        events::emit(events::CLOSE, Js::NONE);
    }
    gate::update(app);
}

/// Tells tags and listeners what is in force.
pub fn tell_choices(app: &'static App) {
    signals::tell(app);
    events::emit(events::COMPLETE, events::choices(app));
}

/// What a button does, by the number that its markup carries.
pub fn click(app: &'static App, event: Js) {
    let target = event.get("target").call_text("closest", "button");
    let step = app.step.get();
    match target.get("dataset").number("a") as u32 {
        act::ACCEPT => answer_all(app, true),
        act::REFUSE => answer_all(app, false),
        act::FORWARD => go(app, step + 1),
        act::BACK => go(app, step.saturating_sub(1)),
        act::SAVE => decide(app, false),
        act::CLOSE => close(app),
        act::TOGGLE => {
            if let Some(answer) = named(app, target) {
                answer.switch(!answer.shows());
            }
            update(app);
        }
        act::TOGGLE_ALL => {
            let on = choices::of_step(&app.answers, step) != choices::word(true);
            for answer in &app.answers {
                if answer.vendor.step == step {
                    answer.switch(on);
                }
            }
            update(app);
        }
        act::REOPEN => open(app, 0, false),
        // Of a placeholder: its vendor is allowed, all else stays as it was decided.
        act::ALLOW => {
            choices::reset(&app.answers);
            if let Some(answer) = named(app, target.call0("getRootNode").get("host")) {
                answer.switch(true);
            }
            decide(app, false);
        }
        _ => {}
    }
}

fn answer_all(app: &'static App, on: bool) {
    let except = signals::no_advertising(app);
    for answer in &app.answers {
        answer.switch(on && !(except && contains(answer.vendor.purposes, purpose::ADVERTISING)));
    }
    decide(app, !on);
}

pub fn key(app: &'static App, event: Js) {
    let key = event.text("key");
    if key == "Escape" {
        close(app);
    }
    if key != "Tab" || !app.open.get() {
        return;
    }
    let root = root(app);
    let (mut first, mut last) = (Js::NONE, Js::NONE);
    root.find_all("a[href],button,summary", &mut |element| {
        if !first.is() {
            first = element;
        }
        last = element;
        true
    });
    let focused = root.get("activeElement");
    let back = event.get("shiftKey").is();
    let (edge, other) = if back { (first, last) } else { (last, first) };
    if focused.same(edge) || (back && focused.number("tabIndex") < 0.0) {
        event.call0("preventDefault");
        other.call0("focus");
    }
}
