//! Scripts and frames that name a vendor wait for its consent, then start without a reload:
//! scripts in the order of the document, frames in place of their placeholder.

use alloc::string::String;

use crate::{
    app::{App, setting},
    choices::Answer,
    dom::Js,
    text, view,
};

const VENDOR: &str = "requiresVendorConsent";
const SCRIPTS: &str = "script[type=\"text/plain\"][data-requires-vendor-consent]";
const FRAMES: &str = "iframe[data-requires-vendor-consent]";
/// Where a frame's placeholder, or the word for a started frame, is noted on the element.
const NOTE: &str = "placetGate";
const STARTED: &str = "started";

/// Starts what may start and takes back what may not.
pub fn update(app: &'static App) {
    // Before the site has been told `ready`, its listeners could not see what starts.
    if app.ready.get() {
        scripts(app);
        frames(app);
    }
}

/// Whether the vendor that an element waits for is allowed.
fn allowed(app: &'static App, element: Js) -> bool {
    (app.vendor(&element.data(VENDOR).as_text())).is_some_and(Answer::allows)
}

/// With a nonce in the settings only elements that carry it start: markup that someone managed
/// to put into the page does not know it.
fn trusted(element: Js) -> bool {
    setting("nonce").is_none_or(|nonce| element.text("nonce") == nonce)
}

fn scripts(app: &'static App) {
    while !app.loading.get() {
        let mut next = Js::NONE;
        Js::DOCUMENT.find_all(SCRIPTS, &mut |script| {
            if allowed(app, script) && trusted(script) {
                next = script;
            }
            !next.is()
        });
        if !next.is() {
            return;
        }
        start(app, next);
    }
}

/// The browser has never prepared a script of an unknown type, so the element itself can be given
/// its type and put in again: attributes, nonce and trust stay what the page made them.
fn start(app: &'static App, script: Js) {
    let kind = script.data("type").if_text();
    script.set_text("type", kind.as_deref().unwrap_or("text/javascript"));
    if script.get("src").is() && !script.call_text("hasAttribute", "async").is() {
        app.loading.set(true);
        script.listen("load");
        script.listen("error");
    }
    script.call("after", script);
}

/// A script that others waited for has run or failed.
pub fn loaded(app: &'static App) {
    app.loading.set(false);
    scripts(app);
}

fn frames(app: &'static App) {
    Js::DOCUMENT.find_all(FRAMES, &mut |frame| {
        if let Some(answer) = app.vendor(&frame.data(VENDOR).as_text()) {
            let started = frame.text(NOTE) == STARTED;
            if answer.allows() {
                if !started {
                    show(frame);
                }
            } else if started || !frame.get(NOTE).is() {
                hide(app, frame, answer);
            }
        }
        true
    });
}

fn show(frame: Js) {
    let link = Js::DOCUMENT.call_text("createElement", "a");
    link.set("href", frame.data("src"));
    if !link.text("protocol").starts_with("http") || !trusted(frame) {
        return;
    }
    frame.get(NOTE).call0("remove");
    frame.set_text(NOTE, STARTED);
    frame.get("style").set_text("display", "");
    frame.set("src", link.get("href"));
}

fn hide(app: &'static App, frame: Js, answer: &Answer) {
    if frame.get(NOTE).is() {
        frame.set_text("src", "about:blank");
    }
    let root = view::shadow(app);
    let host = root.get("host");
    host.get("dataset").set_text("vendor", answer.vendor.name);
    let mut html = String::new();
    text::fill(&mut html, app.payload.placeholder(), &[answer.vendor.title]);
    view::fill(root, &html);
    let style = root.get("firstElementChild").get("style");
    for side in ["width", "height"] {
        let mut length = frame.call_text("getAttribute", side).as_text();
        if length.bytes().all(|byte| byte.is_ascii_digit()) {
            length.push_str("px");
        }
        style.set_text(side, &length);
    }
    root.listen("click");
    frame.call("before", host);
    frame.set(NOTE, host);
    frame.get("style").set_text("display", "none");
}
