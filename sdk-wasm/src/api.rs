//! Functions that `js/core.js` calls: the start, the browser's events, and the methods of `placetSDK`.
//! Values are numbers (see `dom`); arguments come from sites, so none is trusted to have its type.

use wasm_bindgen::prelude::*;

use crate::{
    app::{self, App, call, within},
    choices::Answer,
    dom::{Js, number_of},
    gate, names, outbox, storage, view,
};

/// Takes over the payload, restores what is stored and shows the widget where it is due. Says
/// whether the payload is of a format that it knows.
#[wasm_bindgen]
pub fn start() -> u32 {
    within(
        |()| {
            let Some(app) = App::new(Js::PORT.get(names::PAYLOAD).text()) else {
                return Js::NONE;
            };
            app::keep(app);
            let stored = storage::restore(app);
            app.chosen.set(stored);
            Js::PAGE.listen(names::PAGEHIDE);
            if view::is_framed() {
                // The page around this one asks, and offers the way back.
            } else if stored {
                view::show_reopen(app);
            } else {
                view::open(app, 0, true);
            }
            Js::say_bool(true)
        },
        (),
    )
}

/// Makes an export of what takes a value and gives one back.
macro_rules! export {
    ($($(#[$about:meta])* $name:ident($app:ident, $argument:ident) $body:block)*) => {$(
        $(#[$about])*
        #[wasm_bindgen]
        pub fn $name(argument: u32) -> u32 {
            call(|$app, $argument| $body, argument)
        }
    )*};
}

export! {
    /// The site's queue has run: tell what there is to tell, start what may start.
    ready(app, _nothing) {
        // A visitor who is to be asked again answers for all; until then the signal is heard on each page.
        if app.objected.get() && app.chosen.get() {
            storage::save(app, 0.0);
            outbox::note(app, Js::NONE);
        }
        app.ready.set(true);
        app.tell(names::READY, Js::NONE);
        if app.chosen.get() {
            view::tell_choices(app, names::COMPLETE);
        }
        if app.open.get() {
            view::tell_open(app);
        }
        gate::update(app);
        // Asking the storage what waits may take its time; the widget paints first.
        Js::PORT.call0(names::IDLE)
    }

    /// Work that need not happen before the next paint.
    rest(app, _nothing) {
        // Listening to the storage opens it, as asking does.
        Js::PAGE.listen(names::STORAGE);
        if app.stale.replace(false) {
            gate::update(app);
            storage::check(app);
            // Screen readers are told of the answer.
            Js::PORT.call(names::MORE, names::SAVED);
        }
        // Of a frame's visitor the page around it sends what all of them have answered; storing it tells that page.
        if view::is_framed() {
            outbox::load()
        } else {
            outbox::send(app)
        }
    }

    handle_event(app, event) {
        let kind = event.get(names::TYPE);
        if kind.same(names::CLICK) {
            view::click(app, event);
        } else if kind.same(names::KEYDOWN) {
            view::key(app, event);
        } else if kind.same(names::PAGEHIDE) {
            view::finish(app);
            outbox::leave(app);
            // Not before: a page that has not been away is told of it as well, when it has loaded.
            Js::PAGE.listen(names::PAGESHOW);
        } else if kind.same(names::PAGESHOW) {
            view::follow(app);
        } else if kind.same(names::STORAGE) {
            // Each answer passes through the outbox, where the other pages of the site see it.
            let key = event.get(names::KEY);
            if key.same(names::PLACET_OUTBOX) || key.same(names::PLACET_CLEAR) {
                view::follow(app);
            }
        } else if kind.same(names::CLOSE) {
            // A dialog that it stood in.
            if app.open.get() {
                view::attach(app);
            }
        } else if kind.same(names::ONLINE) {
            outbox::send(app);
        } else {
            gate::loaded(app);
        }
        Js::NONE
    }

    /// The page has changed.
    scan(app, _nothing) {
        gate::update(app);
        view::stay(app);
        Js::NONE
    }

    posted(app, status) {
        outbox::answered(app, number_of(status) as u32);
        Js::NONE
    }

    /// Sends what waits in the outbox, where another part of the SDK has put something.
    flush(app, _nothing) {
        outbox::send(app)
    }

    /// The page has painted since a click, or will not soon.
    finish(app, _nothing) {
        view::finish(app);
        Js::NONE
    }

    /// The widget that opened by itself has painted.
    focus_title(app, _nothing) {
        view::focus_title_if_free(app);
        Js::NONE
    }

    /// Opens the first step, or the named step.
    open_cookies(app, step) {
        let name = step.text();
        let step = app.payload.steps().position(|step| step == name);
        view::open(app, step.unwrap_or(0), false);
        Js::NONE
    }

    /// Opens the step of a vendor.
    request_consent(app, vendor) {
        let step = app.vendor(vendor).map_or(0, |answer| answer.vendor.step);
        view::open(app, step, false);
        Js::NONE
    }

    has_accepted_vendor(app, name) {
        Js::say_bool(app.vendor(name).is_some_and(Answer::allows))
    }

    get_choices(app, _nothing) {
        app::choices(app)
    }

    /// Names the visitor from now on; stored with the choice if there is one.
    set_token(app, token) {
        let token = Js::PAGE.call(Js::say("String"), token);
        Js::PORT.get(names::SETTINGS).set(names::TOKEN, token);
        if app.chosen.get() {
            storage::save(app, 0.0);
        }
        // Also from within the queue, before `ready`.
        Js::PORT.call2(names::EMIT, names::TOKEN_UPDATE, token);
        Js::NONE
    }

    /// Forgets the choice: nothing is stored, nothing is allowed, and what had been is taken back.
    clear(app, _nothing) {
        view::finish(app);
        storage::clear();
        view::forget(app)
    }
}
