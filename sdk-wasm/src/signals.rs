//! Google Consent Mode v2 and data layer: what tags of the page are told about a choice.

use domain::payload::{contains, flag, purpose};

use crate::{
    app::{App, choices},
    dom::{Js, setting},
    names, storage,
};

const SIGNALS: [(Js, u8); 6] = [
    (names::AD_STORAGE, purpose::ADVERTISING),
    (names::AD_USER_DATA, purpose::ADVERTISING),
    (names::AD_PERSONALIZATION, purpose::ADVERTISING),
    (names::ANALYTICS_STORAGE, purpose::ANALYTICS),
    (names::FUNCTIONALITY_STORAGE, purpose::FUNCTIONAL),
    (names::PERSONALIZATION_STORAGE, purpose::PERSONALISATION),
];

/// Signals that follow from the choice: granted where every vendor of the purpose is allowed,
/// left out where the configuration has none. Nothing where the site does not use them.
#[inline(never)]
pub fn consent_mode(app: &'static App) -> Js {
    if !app.payload.has(flag::CONSENT_MODE) && !setting(names::GOOGLE_CONSENT_MODE).is() {
        return Js::NONE;
    }
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
            signals.set(signal, word);
        }
    }
    signals
}

/// Tells the page's tags.
pub fn tell(app: &'static App) {
    let signals = consent_mode(app);
    if signals.is() {
        Js::PORT.call(names::CONSENT, signals);
    }
    let event = Js::object();
    event.set(names::EVENT, names::PLACET_UPDATE);
    event.set(names::PLACET_AUTHORIZED_VENDORS, storage::list(app, true));
    event.set(names::PLACET_CHOICES, choices(app));
    Js::PORT.call(names::EVENT, event);
}

/// Whether the browser refuses advertising for its visitor, and the configuration heeds that.
pub fn no_advertising(app: &'static App) -> bool {
    let navigator = Js::PAGE.get(names::NAVIGATOR);
    app.payload.has(flag::GPC) && navigator.get(names::GLOBAL_PRIVACY_CONTROL).is()
}
