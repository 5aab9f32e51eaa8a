//! The documents of the vault: each field is described once, here.
//!
//! From these descriptions come validation ([`validate`]), types ([`read`]), what publishing takes of a
//! document ([`published`]), the schemas of the OpenAPI document ([`schema`]), the choices and defaults of the
//! editors, and `docs/reference.md` ([`reference`](mod@reference)). To add a field, add it to its
//! object; then use it where the widget is rendered or a form shows it.

mod adopt;
mod bounds;
mod boxes;
mod check;
mod complete;
mod configuration;
pub mod copies;
pub mod field;
mod iab;
mod illustration;
mod languages;
mod project;
mod publish;
pub mod reference;
mod rules;
pub mod schema;
mod vendor;

use std::collections::BTreeMap;

pub use adopt::{Adopted, adopt};
pub use boxes::{
    BUTTON, Button, ButtonColor, CONSENT_BOX, CONTRACT_BOX, ConsentBox, ContractBox, Processor,
    SCREEN, Screen,
};
pub use check::{below, validate};
pub use complete::{DATA_PROCESSOR, contact, controller, missing, privacy_policy};
pub use configuration::{
    CONFIGURATION, ConsentMode, CookieConfiguration, DEFAULT_LANGUAGE, DisplayMode, Exempt, Layout,
    OnClose, SETTINGS, STEP, Scheme, Settings, Step, Voice,
};
pub use iab::{
    All, Applies, Chosen, GPP, Gpp, MOST_DAYS, Mspa, RESTRICTION, Restriction, RestrictionKind,
    TCF, Tcf, asks_by_tcf, steps_beside_tcf,
};
pub use illustration::Illustration;
pub use languages::{
    STEP_LINES, Spoken, TRANSLATED_LISTS, TRANSLATION, TranslatedList, Translation,
    inherit_language, language_of, language_of_box, other_languages, rename, spoken_in,
    translated_at,
};
pub use project::{
    ButtonCase, ButtonWeight, COLORS, Client, Entrance, FONTS, ImagePlace, IpMode, PROJECT, Party,
    Position, Project, Retention, WIDGET_STYLE, WidgetStyle,
};
pub use publish::{
    IDENTIFIER, files_named, identifier, leave_organization, name, organization_id, project_id,
    published, read, read_harmless, read_published, steps, title, vendor_id, vendors,
    vendors_named, vendors_repeated,
};
pub use rules::rule_alike;
pub use vendor::{Cookie, LIFE_UNITS, Life, VENDOR, Vendor};

use crate::collection::Collection;

/// Texts by name, such as the words of the widget (`acceptAll`, `dismiss`, …).
pub type Strings = BTreeMap<String, String>;

/// A type of a document, or of a part of one.
pub trait Described: serde::de::DeserializeOwned + Default {
    /// Its fields and their rules.
    fn description() -> &'static field::Object;
}

/// True if texts of fields with this name are HTML.
pub fn is_html(field: &str) -> bool {
    let mut all = Collection::ALL.iter();
    all.any(|collection| of(*collection).has_html(field))
}

/// Describes the documents of a collection.
pub fn of(collection: Collection) -> &'static field::Object {
    match collection {
        Collection::Projects => &PROJECT,
        Collection::Cookies => &CONFIGURATION,
        Collection::Vendors => &VENDOR,
        Collection::Processings => &CONSENT_BOX,
        Collection::Contracts => &CONTRACT_BOX,
    }
}
