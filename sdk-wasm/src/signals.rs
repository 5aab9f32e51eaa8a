//! Signals: messages to tags of the page about a choice (Google Consent Mode v2, Microsoft's and the data
//! layer), and wishes that the browser or the site sends for its visitor (Global Privacy Control).

use domain::payload::{contains, flag, purpose};

use crate::{
    app::App,
    choices::Answer,
    dom::{Js, setting},
    names, storage,
};

const SIGNALS: [(&str, u8); 6] = [
    ("ad_storage", purpose::ADVERTISING),
    ("ad_user_data", purpose::ADVERTISING),
    ("ad_personalization", purpose::ADVERTISING),
    ("analytics_storage", purpose::ANALYTICS),
    ("functionality_storage", purpose::FUNCTIONAL),
    ("personalization_storage", purpose::PERSONALISATION),
];

fn wants_consent_mode(app: &'static App) -> bool {
    app.payload.has(flag::CONSENT_MODE) || setting(names::GOOGLE_CONSENT_MODE).is()
}

/// The signals where the site uses Google Consent Mode, else nothing.
pub fn consent_mode(app: &'static App) -> Js {
    if wants_consent_mode(app) {
        signals(app)
    } else {
        Js::NONE
    }
}

/// Signals that follow from the choice: granted where every vendor of the purpose is allowed,
/// left out where the configuration has none.
#[inline(never)]
fn signals(app: &'static App) -> Js {
    let signals = Js::object();
    for (signal, letter) in SIGNALS {
        let mut word = Js::NONE;
        for answer in &app.answers {
            if contains(answer.vendor.purposes, letter) && word != names::DENIED {
                word = if answer.allows() {
                    names::GRANTED
                } else {
                    names::DENIED
                };
            }
        }
        if word.is() {
            signals.set(Js::say(signal), word);
        }
    }
    signals
}

/// Tells the page's tags.
pub fn tell(app: &'static App, choices: Js) {
    // For tags of other makers; the snippet has the lines for Microsoft's.
    let signals = signals(app);
    app.tell(names::SIGNALS, signals);
    if wants_consent_mode(app) {
        Js::PORT.call(names::CONSENT, signals);
    }
    Js::PORT.call2(names::EVENT, choices, storage::list(app, true));
}

/// True if the browser refuses advertising for its visitor and the configuration heeds that, or
/// the site knows of a refusal from elsewhere.
pub fn no_advertising(app: &'static App) -> bool {
    app.payload.has(flag::GPC) && by_browser() || by_site()
}

/// True if the browser or the site refuses advertising for the visitor, whether the configuration heeds it or not.
pub fn objects() -> bool {
    by_browser() || by_site()
}

fn by_site() -> bool {
    setting(names::PRIVACY_SIGNAL).is()
}

/// Asked only where it counts: the first look at `navigator` costs a page a quarter of a millisecond.
fn by_browser() -> bool {
    let navigator = Js::PAGE.get(names::NAVIGATOR);
    navigator.get(names::GLOBAL_PRIVACY_CONTROL).is()
}

/// True if a refusal of advertising concerns a vendor.
pub fn is_advertising(answer: &Answer) -> bool {
    contains(answer.vendor.purposes, purpose::ADVERTISING)
}
