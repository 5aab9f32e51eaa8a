//! State of the SDK while a page lives. Plain cells, because site code may call back in at any
//! moment; token, queue and listeners are on the loader's side, [`Js::PORT`].

use alloc::{boxed::Box, string::String, vec::Vec};
use core::cell::Cell;

use domain::payload::Payload;

use crate::{choices::Answer, dom::Js, names};

/// Work that follows a click once it has painted.
#[derive(Clone, Copy, Default)]
pub struct After {
    /// There is a choice to tell.
    pub choice: bool,
    /// The widget has closed.
    pub closed: bool,
}

pub struct App {
    pub payload: Payload<'static>,
    /// Vendors and their answers, in the payload's order.
    pub answers: Vec<Answer>,
    /// True if the visitor has chosen, here or on an earlier page.
    pub chosen: Cell<bool>,
    /// True if the last answer was a refusal; what counts where there is no vendor.
    pub refused: Cell<bool>,
    /// True if a signal has taken back what an earlier choice allowed.
    pub objected: Cell<bool>,
    /// True if the answer of this page is stored nowhere.
    pub unkept: Cell<bool>,
    /// True if the queue has run and `ready` has been told.
    pub ready: Cell<bool>,
    /// True if the widget is open.
    pub open: Cell<bool>,
    /// The step that it shows.
    pub step: Cell<usize>,
    /// The step that it was opened at.
    pub entry: Cell<usize>,
    /// True if the page may not be yet as the choice says.
    pub stale: Cell<bool>,
    /// Work that the last click has left.
    pub after: Cell<After>,
    /// True if a post is on its way.
    pub sending: Cell<bool>,
    /// True if a script is loading that later ones wait for.
    pub loading: Cell<bool>,
    /// Number of times that the widget still comes back to a page that throws it away.
    pub patience: Cell<u32>,
}

impl App {
    /// Takes over the facts of a payload; `None` if it is of another format.
    pub fn new(payload: String) -> Option<&'static Self> {
        let payload = Payload::read(payload.leak())?;
        Some(Box::leak(Box::new(Self {
            payload,
            answers: payload.vendors().enumerate().map(Answer::new).collect(),
            chosen: Cell::new(false),
            refused: Cell::new(false),
            objected: Cell::new(false),
            unkept: Cell::new(false),
            ready: Cell::new(false),
            open: Cell::new(false),
            step: Cell::new(0),
            entry: Cell::new(0),
            stale: Cell::new(false),
            after: Cell::new(After::default()),
            sending: Cell::new(false),
            loading: Cell::new(false),
            patience: Cell::new(1000),
        })))
    }

    /// The vendor that a text of the page names.
    #[inline(never)]
    pub fn vendor(&'static self, name: Js) -> Option<&'static Answer> {
        let name = name.text();
        self.answers
            .iter()
            .find(|answer| answer.vendor.name == name)
    }

    /// Tells listeners. Nothing before `ready`, which comes when the site's queue has run.
    #[inline(never)]
    pub fn tell(&'static self, event: Js, detail: Js) {
        if self.ready.get() {
            Js::PORT.call2(names::EMIT, event, detail);
        }
    }
}

/// `{<vendor>: bool}` with every vendor of the configuration.
#[inline(never)]
pub fn choices(app: &'static App) -> Js {
    let choices = Js::object();
    for answer in &app.answers {
        choices.set(answer.name, Js::say_bool(answer.allows()));
    }
    choices
}

/// A line of what is shown, nothing where it is empty. None of it is ever in the module's memory.
#[inline(never)]
pub fn shown(line: usize) -> Js {
    Js::PORT.get(names::SHOWN).at(line as u32)
}

/// A preview stores nothing and posts nothing.
pub fn is_preview() -> bool {
    Js::PORT.get(names::PREVIEW).is()
}

/// Runs a call into the module that needs what [`keep`] has kept; nothing before that. Plain
/// functions, since a table for each of two dozen closures would weigh as much as they do.
#[inline(never)]
pub fn call(body: fn(&'static App, Js) -> Js, argument: u32) -> u32 {
    only::within(
        |(body, argument)| match only::app() {
            Some(app) => body(app, argument),
            None => Js::NONE,
        },
        (body, Js(argument)),
    )
}

#[cfg(target_arch = "wasm32")]
mod only {
    #![expect(
        unsafe_code,
        reason = "one thread, and memory by the call; see `memory`"
    )]

    use core::cell::Cell;

    use super::App;
    use crate::{MEMORY, dom::Js};

    struct Only(Cell<Option<&'static App>>);

    // SAFETY: wasm32 without atomics, the only target of this module, has a single thread.
    unsafe impl Sync for Only {}

    static ONLY: Only = Only(Cell::new(None));

    pub fn app() -> Option<&'static App> {
        ONLY.0.get()
    }

    pub fn keep(app: &'static App) {
        ONLY.0.set(Some(app));
        MEMORY.keep();
    }

    #[inline]
    pub fn within<A>(body: fn(A) -> Js, argument: A) -> u32 {
        MEMORY.enter();
        let result = body(argument);
        // SAFETY: the only static is `ONLY`; what it refers to was allocated before `keep`, and
        // its cells hold numbers. Calls give numbers back.
        unsafe { MEMORY.leave() };
        result.0
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod only {
    use super::App;
    use crate::dom::Js;

    /// There is no page on the host.
    pub fn app() -> Option<&'static App> {
        None
    }

    pub fn keep(_: &'static App) {}

    pub fn within<A>(body: fn(A) -> Js, argument: A) -> u32 {
        body(argument).0
    }
}

pub use only::{keep, within};
