//! Scripts that name a vendor wait for its consent, then start without a reload, in the order of the document.
//! `js/more.js` does the same for images and style sheets, and for frames and media, with a placeholder, and names
//! mistakes; few pages need it, so it is loaded by those.

use crate::{
    app::App,
    choices::Answer,
    dom::{Js, setting},
    names,
};

const SCRIPTS: &str = "script[type='text/plain'][data-requires-vendor-consent]";
/// Everything else, placeholders, and the mark of Astro's router, which puts scripts in again.
const MORE: &str =
    "[data-requires-vendor-consent]:not([type='text/plain']),[data-vendor],[name^=astro-view]";
/// Scripts that the next one waits for. A browser that knows modules starts no `nomodule`, and tells of none.
const WAITED_FOR: &str = "script[src]:not([async],[nomodule])";

/// Starts what may start and takes back what may not.
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
    let twin = Js::PORT.get(names::TWIN);
    if app.loading.get() && twin.is() {
        // One that `innerHTML` has put in never starts, and tells of nothing: a part of the SDK finds out.
        Js::PORT.set(names::TWIN, Js::NONE);
        Js::PORT.call2(names::ODD, Js::NONE, twin);
    }
    scripts(app);
    if Js::DOCUMENT.find(Js::say(MORE)).is() {
        more();
    }
}

/// Loads what most pages do without, and has it look.
fn more() {
    Js::PORT.call0(names::MORE);
}

/// True if a script may start: its vendor is allowed, and it carries the nonce of the settings or else of the SDK's own
/// script, if there is one. Markup that someone managed to put into the page does not know the nonce.
#[inline(never)]
fn may(app: &'static App, element: Js) -> bool {
    let answer = app.vendor(element.data(names::REQUIRES_VENDOR_CONSENT));
    let nonce = setting(names::NONCE).or(Js::PORT.get(names::NONCE));
    let trusted = !nonce.is() || element.get(names::NONCE).same(nonce);
    if answer.is_none() || !trusted {
        // A mistake, most likely: it is named there.
        more();
    }
    trusted && answer.is_some_and(Answer::allows)
}

fn scripts(app: &'static App) {
    while !app.loading.get() {
        let next = Js::DOCUMENT
            .find_all(Js::say(SCRIPTS))
            .find(|script| !script.get(names::GATE).is() && may(app, *script));
        let Some(script) = next else { return };
        start(app, script);
    }
}

/// The browser has never prepared a script of an unknown type, so the element itself can be given
/// its type and put in again: attributes, nonce and trust stay what the page made them. Its type
/// counts only at that moment; afterwards it has the type that waits again, so that a copy of the
/// page, as frameworks keep them to go back to, holds nothing that runs without consent.
fn start(app: &'static App, script: Js) {
    let kind = script.data(names::TYPE).or(names::TEXT_JAVASCRIPT);
    script.set(names::GATE, names::STARTED);
    script.set(names::TYPE, kind);
    // For a script of React's a part of the SDK puts a copy in its place, and that is the next one then.
    let loads = Js::PORT.call(names::RUN, script).or(script);
    script.set(names::TYPE, names::TEXT_PLAIN);
    if loads.call(names::CLOSEST, Js::say(WAITED_FOR)).is() {
        app.loading.set(true);
        loads.listen(names::LOAD);
        loads.listen(names::ERROR);
    } else {
        // Nobody waits for this one, whether it starts or not.
        Js::PORT.set(names::TWIN, Js::NONE);
    }
}

/// A script that others waited for has run or failed.
pub fn loaded(app: &'static App) {
    app.loading.set(false);
    scripts(app);
}
