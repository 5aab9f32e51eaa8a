//! The widget: one host element with an open shadow root, a frame and one page at a time.

use domain::payload::{act, flag, line};

use crate::{
    app::{After, App, choices, shown},
    choices::{self, Answer},
    dom::Js,
    gate, names, outbox, signals, storage,
};

/// Puts markup in, through the Trusted Types policy.
#[inline(never)]
fn fill(element: Js, html: Js) {
    element.set(names::INNER_HTML, Js::PORT.call(names::HTML, html));
}

/// Gives a shadow root its style: all of it, or what the reopen button needs.
#[inline(never)]
fn dress(root: Js, wholly: bool) {
    Js::PORT.call2(names::DRESS, root, Js::say_bool(wholly));
}

#[inline(never)]
fn root() -> Js {
    let mut root = Js::PORT.get(names::ROOT);
    if !root.is() {
        let host = Js::DOCUMENT.call(names::CREATE_ELEMENT, names::DIV);
        let mode = Js::object();
        mode.set(names::MODE, names::OPEN);
        root = host.call(names::ATTACH_SHADOW, mode);
        host.set(names::ID, names::PLACET);
        Js::PORT.set(names::ROOT, root);
    }
    root
}

/// Puts the widget into the page, and what is open above everything else in it.
#[inline(never)]
pub fn attach(app: &'static App) {
    let root = root();
    // `document.open` takes every listener off what is in the page; a second of the same is none.
    root.listen(names::CLICK);
    root.listen(names::KEYDOWN);
    let host = root.get(names::HOST);
    let mut parent = Js::DOCUMENT.get(names::BODY);
    if !app.open.get() {
        if !host.get(names::IS_CONNECTED).is() {
            parent.call(names::APPEND, host);
        }
        return;
    }
    // Elements outside of a modal dialog or a full screen are out of reach, even if they are seen above.
    for above in Js::DOCUMENT.find_all(Js::say("body :modal:not(video,iframe)")) {
        above.listen(names::CLOSE);
        parent = above;
    }
    parent.call(names::APPEND, host);
    root.find(names::BANNER).call0(Js::say("showPopover"));
    let dialog = root.find(names::DIALOG);
    if dialog.is() {
        Js::PORT.call(names::MORE, dialog);
    }
}

/// True if a page around this one, of the same origin, has the widget as well.
#[inline(never)]
pub fn is_framed() -> bool {
    let around = Js::PAGE.get(Js::say("parent"));
    !around.same(Js::PAGE) && around.get(Js::say("placetSettings")).is()
}

/// A page that draws itself anew has thrown away what it did not draw: the widget comes back. Whoever
/// takes it away again and again must not hang the page.
pub fn stay(app: &'static App) {
    let root = Js::PORT.get(names::ROOT);
    let lost = root.get(Js::say("firstChild")).is()
        && !root.get(names::HOST).get(names::IS_CONNECTED).is();
    let patience = app.patience.get();
    if lost && patience > 0 {
        app.patience.set(patience - 1);
        Js::PAGE.listen(names::PAGEHIDE);
        attach(app);
    }
}

/// Opens the widget at a step. `by_itself` when nobody asked for it.
pub fn open(app: &'static App, step: usize, by_itself: bool) {
    finish(app);
    app.entry.set(step);
    if app.open.replace(true) {
        // The page may have opened something above it.
        attach(app);
        turn(app, step);
        focus_title(app);
        tell_step(app);
        return;
    }
    let root = root();
    let free = is_free(root);
    Js::PORT.set(names::FOCUSED, focused());
    choices::reset(&app.answers);
    dress(root, true);
    fill(root, shown(line::FRAME));
    show(app, step);
    attach(app);
    if !by_itself {
        focus_title(app);
        tell_open(app);
    } else if free && root.find(names::ASKS).is() {
        // A visitor who types while the page is loading goes on typing, and a notice takes no focus.
        Js::PORT.call0(names::LATER);
    }
}

fn focused() -> Js {
    Js::DOCUMENT.get(names::ACTIVE_ELEMENT)
}

/// True if the focus is nowhere or in the widget, so that moving it disturbs nobody.
#[inline(never)]
fn is_free(root: Js) -> bool {
    let focused = focused();
    !focused.is()
        || focused.same(Js::DOCUMENT.get(names::BODY))
        || focused.same(root.get(names::HOST))
}

/// Tells that the widget is open, and where.
pub fn tell_open(app: &'static App) {
    app.tell(names::OPEN, Js::NONE);
    tell_step(app);
}

fn show(app: &'static App, step: usize) {
    app.step.set(step);
    let root = root();
    fill(root.find(names::PAGE), shown(line::PAGES + step));
    if signals::no_advertising(app) {
        root.find(names::GPC).set(names::HIDDEN, Js::NONE);
    }
    // A page may have others than the configuration.
    let days = Js::say_number(storage::days(app, false));
    root.find(names::DAYS).set(names::TEXT_CONTENT, days);
    let needs_more = root.find(names::NEEDS_MORE);
    if needs_more.is() {
        Js::PORT.call(names::MORE, needs_more);
    }
    update(app);
}

/// Shows another step in the open widget.
fn turn(app: &'static App, step: usize) {
    show(app, step);
    // Forces a layout, which opening does without.
    root()
        .find(names::BANNER)
        .set(Js::say("scrollTop"), names::ZERO);
}

fn tell_step(app: &'static App) {
    let name = app.payload.steps().nth(app.step.get()).unwrap_or_default();
    let detail = Js::object();
    detail.set(names::STEP, Js::say(name));
    app.tell(names::STEP_CHANGE, detail);
}

#[inline(never)]
fn go(app: &'static App, step: usize) {
    let free = is_free(root());
    turn(app, step);
    if free {
        focus_title(app);
    }
    tell_step(app);
}

/// A frame later somebody may have begun to type.
pub fn focus_title_if_free(app: &'static App) {
    if is_free(root()) {
        focus_title(app);
    }
}

#[inline(never)]
fn focus_title(app: &'static App) {
    if app.open.get() {
        focus(root().find(names::H2));
    }
}

/// Moves the focus, and nothing else: the page stays where its reader is.
#[inline(never)]
fn focus(element: Js) {
    let still = Js::object();
    still.set(Js::say("preventScroll"), Js::say_bool(true));
    element.call(names::FOCUS, still);
}

/// The switches show the draft.
#[inline(never)]
fn update(app: &'static App) {
    let root = root();
    for toggle in root.find_all(names::DATA_VENDOR) {
        let on = named(app, toggle).is_some_and(Answer::shows);
        check(toggle, choices::word(on));
    }
    let all = choices::of_step(&app.answers, app.step.get());
    check(root.find(names::TOGGLE_ALL), all);
}

fn check(control: Js, word: Js) {
    control.call2(names::SET_ATTRIBUTE, names::ARIA_CHECKED, word);
}

/// The vendor that an element names.
fn named(app: &'static App, element: Js) -> Option<&'static Answer> {
    app.vendor(element.data(names::VENDOR))
}

/// Takes the widget away. The click paints first: what else there is to do follows in [`finish`].
#[inline(never)]
fn hide(app: &'static App, choice: bool) {
    finish(app);
    let closed = app.open.replace(false);
    if closed {
        fill(root(), Js::NONE);
    }
    app.after.set(After { choice, closed });
    Js::PORT.call0(names::PAINTED);
}

/// Does the work that a click has left: the reopen button comes where it is wanted, the focus goes back, and
/// everybody hears of it.
#[inline(never)]
pub fn finish(app: &'static App) {
    let After { choice, closed } = app.after.take();
    if choice || closed {
        show_reopen(app);
    }
    if closed {
        give_focus_back();
    }
    if choice {
        tell_choices(app, names::COMPLETE);
        app.stale.set(true);
        Js::PORT.call0(names::IDLE);
    }
    if closed {
        app.tell(names::CLOSE, Js::NONE);
    }
}

#[inline(never)]
fn give_focus_back() {
    let root = root();
    let focused = Js::PORT.get(names::FOCUSED);
    // A focus that was nowhere is nowhere again; asking for that would force a layout.
    if !is_free(root) || focused.same(Js::DOCUMENT.get(names::BODY)) {
        return;
    }
    // The reopen button that had the focus is gone; its successor stands in its place.
    let own = focused.same(root.get(names::HOST));
    focus(if own {
        root.find(names::BUTTON)
    } else {
        focused
    });
}

/// The reopen button, or nothing.
#[inline(never)]
pub fn show_reopen(app: &'static App) {
    let hidden = (app.payload.has(flag::HIDE_REOPEN) && app.chosen.get()) || is_framed();
    if hidden && !Js::PORT.get(names::ROOT).is() {
        // Nothing is there that would have to go.
        return;
    }
    let root = root();
    // Empty where it is not wanted: what holds something comes back to pages that throw it away.
    let button = if hidden {
        Js::NONE
    } else {
        shown(line::REOPEN)
    };
    fill(root, button);
    if button.is() {
        dress(root, false);
        attach(app);
    } else {
        root.get(names::HOST).call0(names::REMOVE);
    }
}

/// Closes without a choice: what was in force stays in force.
pub fn close(app: &'static App) {
    if app.open.get() {
        hide(app, false);
    }
}

/// Decides what the switches show. The choices are stored and noted for the API before they are told and applied, so
/// that a listener that leaves the page loses nothing. `action` says how,
/// unless a button says it.
#[inline(never)]
fn decide(app: &'static App, refused: bool, action: Js) {
    app.refused.set(refused);
    choices::decide(&app.answers);
    app.chosen.set(true);
    storage::save(app, storage::days(app, action.is()));
    outbox::note(app, action);
    hide(app, true);
}

/// The page comes back, perhaps from the browser's back/forward cache, or hears of another page: the visitor may have
/// chosen there, or the site may have forgotten the choice.
pub fn follow(app: &'static App) {
    adopt(app);
    if app.chosen.get() && !app.unkept.get() && storage::is_empty() {
        forget(app);
    }
}

/// Takes over a choice that was made on another page.
#[inline(never)]
fn adopt(app: &'static App) {
    let allowed = |app| storage::list(app, true).text();
    let before = allowed(app);
    if storage::restore(app) && !(app.chosen.replace(true) && allowed(app) == before) {
        hide(app, true);
    }
}

/// Nothing is allowed any more, since the choice was taken away, here or on another page.
#[inline(never)]
pub fn forget(app: &'static App) -> Js {
    for answer in &app.answers {
        answer.restore(false);
    }
    app.chosen.set(false);
    gate::update(app);
    tell_choices(app, names::CLEAR);
    Js::PORT.call0(names::IDLE)
}

/// Tells tags and listeners what is in force, by the event that it follows from.
#[inline(never)]
pub fn tell_choices(app: &'static App, event: Js) {
    let choices = choices(app);
    signals::tell(app, choices);
    app.tell(event, choices);
}

/// Runs the action of a button, by the number that its markup carries.
pub fn click(app: &'static App, event: Js) {
    let target = event.get(names::TARGET).call(names::CLOSEST, names::ACTION);
    let step = app.step.get();
    match target.get(names::DATASET).number(names::A) as u32 {
        act::ACCEPT => answer_all(app, true, Js::NONE),
        act::REFUSE => answer_all(app, false, Js::NONE),
        // A visitor who looks at a choice and closes keeps it.
        act::DISMISS if !app.chosen.get() => answer_all(app, false, names::CLOSE),
        act::FORWARD => go(app, step + 1),
        act::BACK => go(app, step.saturating_sub(1)),
        act::SAVE => decide(app, false, Js::NONE),
        act::CLOSE | act::DISMISS => close(app),
        act::TOGGLE => {
            if let Some(answer) = named(app, target) {
                answer.switch(!answer.shows());
            }
            update(app);
        }
        act::TOGGLE_ALL => {
            let on = choices::of_step(&app.answers, step) != names::TRUE;
            for answer in &app.answers {
                if answer.vendor.step == step {
                    answer.switch(on);
                }
            }
            update(app);
        }
        act::REOPEN => open(app, 0, false),
        act::MORE => {
            Js::PORT.call(names::MORE, target);
        }
        // Of a placeholder: its vendor is allowed, all else stays as it was decided.
        act::ALLOW => {
            // Decided on another page, perhaps of another host, which no event tells.
            adopt(app);
            choices::reset(&app.answers);
            let host = target.call0(names::GET_ROOT_NODE).get(names::HOST);
            if let Some(answer) = named(app, host) {
                answer.switch(true);
            }
            decide(app, false, Js::NONE);
        }
        _ => {}
    }
}

#[inline(never)]
fn answer_all(app: &'static App, on: bool, action: Js) {
    let except = signals::no_advertising(app);
    for answer in &app.answers {
        let refused = except && signals::is_advertising(answer);
        answer.switch(on && !refused);
    }
    decide(app, !on, action);
}

/// Leaves what is open, and with it what its switches say: the layers behind the first that
/// was opened lead back to it, to the button that led on. There it does as the button that
/// closes.
fn escape(app: &'static App) {
    let entry = app.entry.get();
    if app.step.get() == entry {
        root().find(Js::say(".x")).call0(names::CLICK);
        return;
    }
    choices::reset(&app.answers);
    go(app, entry);
    root().find(names::FORWARD).call0(names::FOCUS);
}

#[inline(never)]
pub fn key(app: &'static App, event: Js) {
    let key = event.get(names::KEY).text();
    if key == "Escape" {
        // The browser's own way out of a dialog knows no layers.
        event.call0(Js::say("preventDefault"));
        escape(app);
    }
}
