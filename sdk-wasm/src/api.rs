//! What `js/core.js` calls: the start, the browser's events, and the methods of `placetSDK`.
//! Values are numbers (see `dom`); arguments come from sites, so none is trusted to have its type.

use wasm_bindgen::prelude::*;

use crate::{
    app::{self, App, call, within},
    choices::Answer,
    dom::{Js, number_of},
    gate, names, outbox, storage, view,
};

/// Makes the names known that everything else speaks of. Once, before anything else.
#[wasm_bindgen]
pub fn learn() {
    names::learn();
}

/// Takes over the payload, restores what is stored and shows the widget where it is due. Says
/// whether the payload is of a format that it knows.
#[wasm_bindgen]
pub fn start() -> u32 {
    let mut started = false;
    within(&mut || {
        if let Some(app) = App::new(Js::PORT.get(names::PAYLOAD).text()) {
            app::keep(app);
            started = true;
            let stored = storage::restore(app);
            app.chosen.set(stored);
            Js::PAGE.listen(names::PAGEHIDE);
            Js::PAGE.listen(names::PAGESHOW);
            if stored {
                view::show_reopen(app);
            } else {
                view::open(app, 0, true);
            }
        }
    });
    Js::say_bool(started).0
}

/// The site's queue has run: tell what there is to tell, start what may start, send what waits.
#[wasm_bindgen]
pub fn ready() {
    call(&mut |app| {
        if app.objected.get() {
            storage::save(app);
            outbox::add(app);
        }
        app.ready.set(true);
        app.tell(names::READY, Js::NONE);
        if app.chosen.get() {
            view::tell_choices(app);
        }
        if app.open.get() {
            view::tell_open(app);
        }
        gate::update(app);
        outbox::send(app);
    });
}

#[wasm_bindgen]
pub fn handle_event(event: u32) {
    let event = Js(event);
    call(&mut |app| {
        let kind = event.get(names::TYPE);
        // The end of a countdown does what its element says, as a click would.
        if kind.same(names::CLICK) || kind.same(names::ANIMATION_END) {
            view::click(app, event);
        } else if kind.same(names::KEYDOWN) {
            view::key(app, event);
        } else if kind.same(names::PAGEHIDE) {
            outbox::leave();
        } else if kind.same(names::PAGESHOW) {
            view::adopt(app);
        } else {
            gate::loaded(app);
        }
    });
}

#[wasm_bindgen]
pub fn scan() {
    call(&mut gate::update);
}

#[wasm_bindgen]
pub fn posted(status: u32) {
    call(&mut |app| outbox::answered(app, number_of(Js(status)) as u32));
}

/// Sends what waits in the outbox, where another part of the SDK has put something.
#[wasm_bindgen]
pub fn flush() {
    call(&mut outbox::send);
}

#[wasm_bindgen]
pub fn focus_title() {
    call(&mut view::focus_title);
}

/// Opens the first step, or the one that is named.
#[wasm_bindgen]
pub fn open_cookies(step: u32) {
    call(&mut |app| {
        let name = Js(step).text();
        let step = app.payload.steps().position(|step| step == name);
        view::open(app, step.unwrap_or(0), false);
    });
}

/// Opens the step of a vendor.
#[wasm_bindgen]
pub fn request_consent(vendor: u32) {
    call(&mut |app| {
        let step = app
            .vendor(Js(vendor))
            .map_or(0, |answer| answer.vendor.step);
        view::open(app, step, false);
    });
}

#[wasm_bindgen]
pub fn has_accepted_vendor(name: u32) -> u32 {
    let mut accepted = false;
    call(&mut |app| accepted = app.vendor(Js(name)).is_some_and(Answer::allows));
    Js::say_bool(accepted).0
}

#[wasm_bindgen]
pub fn get_choices() -> u32 {
    let mut choices = 0;
    call(&mut |app| choices = app::choices(app).0);
    choices
}

/// Names the visitor from now on; stored with the choice if there is one.
#[wasm_bindgen]
pub fn set_token(token: u32) {
    call(&mut |app| {
        Js::PORT.get(names::SETTINGS).set(names::TOKEN, Js(token));
        if app.chosen.get() {
            storage::save(app);
        }
        // Also from within the queue, before `ready`.
        Js::PORT.call2(names::EMIT, names::TOKEN_UPDATE, Js(token));
    });
}

/// Forgets the choice: nothing is stored, nothing is allowed.
#[wasm_bindgen]
pub fn clear() {
    call(&mut |app| {
        storage::clear(app);
        for answer in &app.answers {
            answer.restore(false);
        }
        app.chosen.set(false);
        Js::PORT.call0(names::FORGET);
        gate::update(app);
    });
}
