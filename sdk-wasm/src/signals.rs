//! Google Consent Mode v2 and data layer: what tags of the page are told about a choice.

use domain::payload::{contains, flag, purpose};

use crate::{app::App, dom::Js, events, storage};

const SIGNALS: [(&str, u8); 6] = [
    ("ad_storage", purpose::ADVERTISING),
    ("ad_user_data", purpose::ADVERTISING),
    ("ad_personalization", purpose::ADVERTISING),
    ("analytics_storage", purpose::ANALYTICS),
    ("functionality_storage", purpose::FUNCTIONAL),
    ("personalization_storage", purpose::PERSONALISATION),
];

/// Signals that follow from the choice: granted where every vendor of the purpose is allowed,
/// left out where the configuration has none. Nothing where the site does not use them.
pub fn consent_mode(app: &'static App) -> Js {
    let wished = Js::PORT.get("settings").get("googleConsentMode").is();
    if !app.payload.has(flag::CONSENT_MODE) && !wished {
        return Js::NONE;
    }
    let signals = Js::new("Object");
    for (signal, letter) in SIGNALS {
        let (mut some, mut all) = (false, true);
        for answer in &app.answers {
            if contains(answer.vendor.purposes, letter) {
                some = true;
                all &= answer.allows();
            }
        }
        if some {
            signals.set_text(signal, if all { "granted" } else { "denied" });
        }
    }
    signals
}

/// Tells the page's tags.
pub fn tell(app: &'static App) {
    let signals = consent_mode(app);
    if signals.is() {
        Js::PORT.call("consent", signals);
    }
    let event = Js::new("Object");
    event.set_text("event", "placet_update");
    event.set_text("placet_authorized_vendors", &storage::list(app, true));
    event.set("placet_choices", events::choices(app));
    Js::PORT.call("event", event);
}

/// Whether the browser refuses advertising for its visitor, and the configuration heeds that.
pub fn no_advertising(app: &'static App) -> bool {
    app.payload.has(flag::GPC) && Js::PAGE.get("navigator").get("globalPrivacyControl").is()
}
