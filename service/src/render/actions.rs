//! The buttons of a page.

use domain::{
    documents::{CookieConfiguration, Layout, Step},
    payload::act,
};

use super::text::Words;

/// Key of the word of the button that saves on a last step.
const LAST: &str = "lastStep";

/// Letters of the longest label that has room in half of a widget.
const HALF: usize = 20;

pub(super) enum Actions {
    /// Refusing is as easy as accepting, on every layer that offers to accept: the same size, the
    /// same look, side by side.
    Ask(Further),
    /// On a list of services that folds or stands behind the first layer, with what goes on below.
    Choose { next: Next, goes_back: bool },
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
    /// Of the page at `index`. The button that saves has the word of the language for its place, unless the site
    /// says its own for the last step.
    pub(super) fn of(
        configuration: &CookieConfiguration,
        index: usize,
        step: &Step,
        words: &Words<'_>,
    ) -> Self {
        let steps = &configuration.steps;
        let last = index + 1 == steps.len();
        let first = !steps.iter().take(index).any(|step| step.layout.asks());
        let next = |on: &'static str, save: &'static str| {
            let (act, word) = if last {
                let is_own = words.has_own(LAST);
                (act::SAVE, if is_own { LAST } else { save })
            } else {
                (act::FORWARD, on)
            };
            Next { act, word }
        };
        match step.layout {
            Layout::Iab => Self::Ask(Further::Layers),
            Layout::Category if step.folds() || (!first && !step.vendors.is_empty()) => {
                Self::Choose {
                    next: next("nextStep", "save"),
                    goes_back: index > 0,
                }
            }
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
            _ => Self::Between(next("nextStep", LAST)),
        }
    }

    /// True if refusing and accepting stand one below the other, each with a line for itself: a label of the site's
    /// own may be too long for half a widget. The other button grows with it, so that both stay alike.
    pub(super) fn are_stacked(&self, words: &Words<'_>) -> bool {
        let is_long = |key| words.get(key).chars().count() > HALF;
        matches!(self, Self::Ask(_) | Self::Choose { .. })
            && (is_long("dismiss") || is_long("acceptAll"))
    }
}
