//! The buttons of a page.

use domain::{
    documents::{CookieConfiguration, Layout, Step},
    payload::act,
};

pub(super) enum Actions {
    /// Refusing is as easy as accepting, on every layer that offers to accept: the same size, the
    /// same look, side by side.
    Ask(Further),
    /// A notice goes on.
    Notice(Next),
    /// Back and on.
    Between(Next),
}

/// The button below refusing and accepting.
pub(super) enum Further {
    Next(Next),
    Configure,
    /// Opens the layers of TCF.
    Layers,
    Nothing,
}

/// The button that goes on, or saves.
pub(super) struct Next {
    pub(super) act: u32,
    /// Key of its word.
    pub(super) word: &'static str,
}

impl Actions {
    /// Of the page at `index`.
    pub(super) fn of(configuration: &CookieConfiguration, index: usize, step: &Step) -> Self {
        let steps = &configuration.steps;
        let last = index + 1 == steps.len();
        let first = !steps.iter().take(index).any(|step| step.layout.asks());
        let next = |on: &'static str, save: &'static str| {
            let (act, word) = if last {
                (act::SAVE, save)
            } else {
                (act::FORWARD, on)
            };
            Next { act, word }
        };
        match step.layout {
            Layout::Iab => Self::Ask(Further::Layers),
            Layout::Welcome | Layout::SoftConsent | Layout::Category
                if first || matches!(step.layout, Layout::Welcome | Layout::SoftConsent) =>
            {
                Self::Ask(
                    if step.layout == Layout::Category || !step.vendors.is_empty() {
                        Further::Next(next("nextStep", "save"))
                    } else if last {
                        Further::Nothing
                    } else {
                        Further::Configure
                    },
                )
            }
            Layout::Info if index == 0 => Self::Notice(next(
                "nextStep",
                if step.vendors.is_empty() {
                    "understood"
                } else {
                    "save"
                },
            )),
            _ => Self::Between(next("nextStep", "lastStep")),
        }
    }
}
