//! What `js/core.js` calls: the start, the browser's events, and the methods of `placetSDK`.
//! Values are numbers (see `dom`); arguments come from sites, so none is trusted to have its type.

use wasm_bindgen::prelude::*;

use crate::{
    app::{self, App, call, within},
    choices::Answer,
    dom::{self, Js},
    events, gate, outbox, storage, view,
};

/// Takes over the payload, restores what is stored and shows the widget where it is due. Nothing
/// if the payload is of another format.
#[wasm_bindgen]
pub fn start(payload: u32) -> u32 {
    let mut done = 0;
    within(&mut || {
        if let Some(app) = App::new(Js(payload).as_text()) {
            app::keep(app);
            let stored = storage::restore(app);
            app.chosen.set(stored);
            Js::PAGE.listen("pagehide");
            if stored {
                view::show_reopen(app);
            } else {
                view::open(app, 0, true);
            }
            done = Js::PAGE.0;
        }
    });
    done
}

/// The site's queue has run: tell what there is to tell, start what may start, send what waits.
#[wasm_bindgen]
pub fn ready() {
    call(&mut |app| {
        app.ready.set(true);
        events::emit(events::READY, Js::NONE);
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
    call(&mut |app| match &*event.text("type") {
        "click" => view::click(app, event),
        "keydown" => view::key(app, event),
        "pagehide" => outbox::leave(app),
        _ => gate::loaded(app),
    });
}

#[wasm_bindgen]
pub fn scan() {
    call(&mut gate::update);
}

#[wasm_bindgen]
pub fn posted(status: u32) {
    call(&mut |app| outbox::answered(app, dom::number_of(Js(status)) as u32));
}

#[wasm_bindgen]
pub fn focus_title() {
    call(&mut view::focus_title);
}

#[wasm_bindgen]
pub fn on(event: u32, callback: u32, options: u32) {
    call(&mut |app| {
        let replay = Js(options).number("replay") != 0.0;
        events::on(app, Js(event), Js(callback), replay);
    });
}

#[wasm_bindgen]
pub fn off(event: u32, callback: u32) {
    call(&mut |_| events::off(&Js(event).as_text(), Js(callback)));
}

/// Opens the first step, or the one that is named.
#[wasm_bindgen]
pub fn open_cookies(step: u32) {
    call(&mut |app| {
        let name = Js(step).as_text();
        let step = app.payload.steps().position(|step| step == name);
        view::open(app, step.unwrap_or(0), false);
    });
}

/// Opens the step of a vendor.
#[wasm_bindgen]
pub fn request_consent(vendor: u32) {
    call(&mut |app| {
        let vendor = app.vendor(&Js(vendor).as_text());
        view::open(app, vendor.map_or(0, |answer| answer.vendor.step), false);
    });
}

#[wasm_bindgen]
pub fn has_accepted_vendor(name: u32) -> bool {
    let mut accepted = false;
    call(&mut |app| {
        let vendor = app.vendor(&Js(name).as_text());
        accepted = vendor.is_some_and(Answer::allows);
    });
    accepted
}

#[wasm_bindgen]
pub fn get_choices() -> u32 {
    let mut choices = 0;
    call(&mut |app| choices = events::choices(app).0);
    choices
}

/// Names the visitor from now on; stored with the choice if there is one.
#[wasm_bindgen]
pub fn set_token(token: u32) {
    call(&mut |app| {
        Js::PORT.get("settings").set("token", Js(token));
        if app.chosen.get() {
            storage::save(app);
        }
        events::emit(events::TOKEN, Js(token));
    });
}

/// Forgets the choice: nothing is stored, nothing is allowed.
#[wasm_bindgen]
pub fn clear() {
    call(&mut |app| {
        storage::clear();
        for answer in &app.answers {
            answer.restore(false);
        }
        app.chosen.set(false);
        gate::update(app);
    });
}
