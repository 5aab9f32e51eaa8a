//! Scripts, frames, images and style sheets that name a vendor wait for its consent, then start
//! without a reload: scripts in the order of the document, frames in place of their placeholder.

use domain::payload::line;

use crate::{
    app::{App, shown},
    choices::Answer,
    dom::{Js, setting},
    names, view,
};

/// Starts what may start and takes back what may not, and placeholders with it whose frames are gone.
pub fn update(app: &'static App) {
    // Before the site has been told `ready`, its listeners could not see what starts. Most pages have
    // nothing that waits, and one question says so.
    if app.ready.get() && Js::DOCUMENT.find(names::GATED).is() {
        all(app);
    }
}

/// Apart, since browsers compile a function when it is first called.
#[inline(never)]
fn all(app: &'static App) {
    scripts(app);
    frames(app);
    others(app);
}

/// The vendor that an element waits for.
fn vendor(app: &'static App, element: Js) -> Option<&'static Answer> {
    app.vendor(element.data(names::REQUIRES_VENDOR_CONSENT))
}

/// With a nonce in the settings only elements that carry it start: markup that someone managed
/// to put into the page does not know it.
fn is_trusted(element: Js) -> bool {
    let nonce = setting(names::NONCE);
    !nonce.is() || element.get(names::NONCE).same(nonce)
}

fn scripts(app: &'static App) {
    while !app.loading.get() {
        let next = Js::DOCUMENT.find_all(names::SCRIPTS).find(|script| {
            !script.get(names::GATE).is()
                && vendor(app, *script).is_some_and(Answer::allows)
                && is_trusted(*script)
        });
        let Some(script) = next else { return };
        start(app, script);
    }
}

/// The browser has never prepared a script of an unknown type, so the element itself can be given
/// its type and put in again: attributes, nonce and trust stay what the page made them. Its type
/// counts only at that moment; afterwards it has the one that waits again, so that a copy of the
/// page, as frameworks keep them to go back to, holds nothing that runs without consent.
fn start(app: &'static App, script: Js) {
    let kind = script.data(names::TYPE).or(names::TEXT_JAVASCRIPT);
    script.set(names::GATE, names::STARTED);
    script.set(names::TYPE, kind);
    // A browser that knows modules starts no `nomodule`, and tells of none.
    let waits = !script
        .call(names::CLOSEST, Js::say("[async],[nomodule]"))
        .is();
    if waits && script.get(names::SRC).is() {
        app.loading.set(true);
        script.listen(names::LOAD);
        script.listen(names::ERROR);
    }
    script.call(names::AFTER, script);
    script.set(names::TYPE, names::TEXT_PLAIN);
}

/// A script that others waited for has run or failed.
pub fn loaded(app: &'static App) {
    app.loading.set(false);
    scripts(app);
}

fn frames(app: &'static App) {
    for host in Js::DOCUMENT.find_all(names::DATA_VENDOR) {
        let frame = host.get(names::GATE);
        // The site has taken the frame out, and perhaps puts it in again.
        if frame.is() && !frame.get(names::IS_CONNECTED).is() {
            uncover(frame, Js::NONE);
        }
    }
    for frame in Js::DOCUMENT.find_all(names::FRAMES) {
        let Some(answer) = vendor(app, frame) else {
            continue;
        };
        // A placeholder, or the word for a started frame, is noted on the element.
        let note = frame.get(names::GATE);
        let started = note.same(names::STARTED);
        if answer.allows() {
            if !started {
                show(frame);
            }
        } else if started || !note.is() {
            hide(frame, answer);
        }
    }
}

/// Images and style sheets have their addresses in `data-` attributes until they may load.
fn others(app: &'static App) {
    for element in Js::DOCUMENT.find_all(names::OTHERS) {
        let allowed = vendor(app, element).is_some_and(Answer::allows) && is_trusted(element);
        let choice = element.call(names::GET_ATTRIBUTE, names::SRCSET);
        if !allowed && choice.is() {
            // While one of the two addresses is left it would be loaded once more.
            element.set(names::SRCSET, Js::say("data:,"));
        }
        for key in [names::SRC, names::SRCSET, names::HREF] {
            let address = element.data(key);
            if allowed && address.is() {
                // Setting it again would load it again.
                if !element.call(names::GET_ATTRIBUTE, key).same(address) {
                    element.set(key, address);
                }
            } else if address.is() {
                element.call(names::REMOVE_ATTRIBUTE, key);
            }
        }
    }
}

fn show(frame: Js) {
    let link = Js::DOCUMENT.call(names::CREATE_ELEMENT, names::A);
    link.set(names::HREF, frame.data(names::SRC));
    let http = link.get(names::PROTOCOL).text().starts_with("http");
    if http && is_trusted(frame) {
        let host = frame.get(names::GATE);
        let focused = host.is() && Js::DOCUMENT.get(names::ACTIVE_ELEMENT).same(host);
        uncover(frame, names::STARTED);
        frame.set(names::SRC, link.get(names::HREF));
        // Who pressed the button goes on where it was.
        if focused {
            frame.call0(names::FOCUS);
        }
    }
}

/// Takes the placeholder away, gives the frame its look back and notes what becomes of it.
#[inline(never)]
fn uncover(frame: Js, note: Js) {
    let host = frame.get(names::GATE);
    host.call0(names::REMOVE);
    frame.set(names::GATE, note);
    let display = host.get(names::DISPLAY).or(Js::say(""));
    frame.get(names::STYLE).set(names::DISPLAY, display);
}

fn hide(frame: Js, answer: &Answer) {
    // Also of a copy of a frame that had started.
    if frame.get(names::SRC).is() {
        frame.set(names::SRC, names::ABOUT_BLANK);
    }
    let root = view::shadow();
    let host = root.get(names::HOST);
    host.set(names::GATE, frame);
    frame.set(names::GATE, host);
    let style = frame.get(names::STYLE);
    // In a copy of the page a copy of the placeholder stands before it: it was hidden here.
    let copied = frame
        .get(Js::say("previousElementSibling"))
        .data(names::VENDOR);
    if !copied.is() {
        host.set(names::DISPLAY, style.get(names::DISPLAY));
    }
    style.set(names::DISPLAY, names::NONE);
    // In the place of what nobody was to see there is nothing to see.
    if host.get(names::DISPLAY).same(names::NONE) || frame.get(names::HIDDEN).is() {
        return;
    }
    host.get(names::DATASET).set(names::VENDOR, answer.name);
    let pieces = shown(line::PLACEHOLDER).call(names::SPLIT, names::MARK);
    let title = Js::say(answer.vendor.title);
    view::dress(root, true);
    view::fill(root, pieces.call(names::JOIN, title));
    let style = root.get(names::FIRST_ELEMENT_CHILD).get(names::STYLE);
    for side in [names::WIDTH, names::HEIGHT] {
        let mut length = frame.call(names::GET_ATTRIBUTE, side).text();
        if length.bytes().all(|byte| byte.is_ascii_digit()) {
            length.push_str("px");
        }
        style.set(side, Js::say(&length));
    }
    root.listen(names::CLICK);
    frame.call(names::BEFORE, host);
}
