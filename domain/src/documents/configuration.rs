//! Cookie configurations: the widget that asks for cookies and services, in steps.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    Gpp, Processor, Strings, Tcf, Translation, Vendor,
    boxes::PROCESSOR,
    field::{Absent, FileUse, Kind, Reach, Unit, document_words, object, words_with},
    iab::{GPP, TCF},
    languages::TRANSLATION,
    project::Position,
    publish,
};
use crate::format;

/// Language of configurations that name none.
pub const DEFAULT_LANGUAGE: &str = "en";
/// Ten years.
const MOST_DAYS: f64 = 3_650.0;
/// Browsers keep no cookie longer.
const MOST_DAYS_CLOSED: f64 = 400.0;
const ONE_DAY_IN_MS: f64 = 86_400_000.0;
/// Longest that tags may be told to wait for a choice.
const MOST_WAIT_MS: f64 = 60_000.0;

document_words! {
    /// Form of a step.
    pub enum Layout {
        /// First layer without vendors.
        #[default] Welcome = "welcome",
        /// A list of vendors with switches.
        Category = "category",
        /// A notice that may go away by itself.
        Info = "info",
        /// A short question that goes away by itself and is then asked again on the next page.
        SoftConsent = "soft_consent",
        /// IAB TCF.
        Iab = "iab",
    }
}

impl Layout {
    /// Words of the layouts that show vendors.
    const WITH_VENDORS: &'static [&'static str] = words_with!(Layout, takes_vendors);
    /// Words of the layouts that go away by themselves.
    const WITH_TIMEOUT: &'static [&'static str] = words_with!(Layout, is_notice);

    /// The layout of a step as it is written.
    pub fn of(step: &Value) -> Option<Self> {
        step.get("layout")
            .and_then(Value::as_str)
            .and_then(Self::parse)
    }

    /// True if a step with it may name vendors.
    pub const fn takes_vendors(self) -> bool {
        match self {
            Self::Category | Self::Info | Self::SoftConsent | Self::Iab => true,
            Self::Welcome => false,
        }
    }

    /// True if it is a notice that stands beside the page instead of asking a question first.
    pub const fn is_notice(self) -> bool {
        match self {
            Self::Info | Self::SoftConsent => true,
            Self::Welcome | Self::Category | Self::Iab => false,
        }
    }

    /// True if it asks whether vendors are allowed or not, where others only tell of them.
    pub const fn asks(self) -> bool {
        match self {
            Self::Welcome | Self::Category | Self::SoftConsent | Self::Iab => true,
            Self::Info => false,
        }
    }

    /// True if projects without a subscription may use it.
    pub const fn is_free(self) -> bool {
        match self {
            Self::Welcome | Self::Category => true,
            Self::Info | Self::SoftConsent | Self::Iab => false,
        }
    }
}

document_words! {
    /// Form of the widget.
    pub enum DisplayMode {
        /// A card in a corner.
        #[default] Card = "card",
        /// A dialog over the page.
        Modal = "modal",
        /// A bar over the whole width.
        Bar = "bar",
    }
}

document_words! {
    /// The colours that the widget is drawn in: those for light pages, or those for dark ones.
    pub enum Scheme {
        /// As the visitor's system prefers.
        #[default] Auto = "auto",
        /// As the page says with the style property `color-scheme`.
        Page = "page",
        /// Light.
        Light = "light",
        /// Dark.
        Dark = "dark",
    }
}

document_words! {
    /// The tone of the widget's own words. All voices say the same, and refusing and accepting in the same words.
    pub enum Voice {
        /// The words as they are.
        #[default] Neutral = "neutral",
        /// Familiar, with `du` or `tu` in languages that have it.
        Friendly = "friendly",
        /// Reserved, with `Sie` or `vous` in languages that have it.
        Formal = "formal",
    }
}

document_words! {
    /// The effect of closing the widget before a choice.
    pub enum OnClose {
        /// Everything is refused, and the refusal is stored and proven.
        #[default] Refuse = "refuse",
        /// Nothing is stored, and the next page asks again.
        AskAgain = "ask_again",
    }
}

object! {
    /// A cookie configuration: the widget that asks for cookies and services.
    pub struct CookieConfiguration, CONFIGURATION {
        /// The project that it belongs to.
        "projectId" project_id: Option<String>, Kind::Id.required().seen_by(Reach::Private), skip_serializing;
        /// The document's id.
        "identifier" identifier: String, Kind::Id.optional().seen_by(Reach::Made);
        /// The name that sites put in `cookiesVersion`; unique in the project without regard to case.
        /// The document's id when absent. It stands in the address of the banner, and blockers of banners stop addresses
        /// with words such as `cookie-banner`: the editor and a publish warn of such a name.
        "name" name: String, Kind::Formatted(&format::CONFIGURATION_NAME).optional().expected();
        /// Title for people.
        "title" title: Option<String>, Kind::Line.optional().expected();
        /// Language of the texts (ISO 639-1).
        "language" language: String = DEFAULT_LANGUAGE.to_owned(), Kind::Formatted(&format::LANGUAGE).optional();
        /// Other languages of the widget, in which pages in these languages show it.
        "languages" languages: Vec<String>, Kind::ListOf(&format::SHIPPED_LANGUAGE).optional();
        /// Texts in the other languages, by language. Publishing makes a widget of each language in `languages` from
        /// them. A text that is missing stands in `language`.
        "translations" translations: BTreeMap<String, Translation>, Kind::Named(&TRANSLATION).private(), skip_serializing;
        /// JSON Pointers of the texts of a translated widget that stand in `textLanguage`, since nobody has translated them.
        "untranslated" untranslated: Vec<String>, Kind::Lines.optional().seen_by(Reach::Made);
        /// The configuration's own language, in a widget that was translated from it.
        "textLanguage" text_language: Option<String>, Kind::Line.optional().seen_by(Reach::Made);
        /// Country of its visitors (ISO 3166-1 alpha-2).
        "country" country: Option<String>, Kind::Formatted(&format::COUNTRY).optional();
        /// True if sites that name no configuration get this one. The first one of a project is, if none
        /// says so.
        "isDefault" is_default: bool, Kind::Flag.optional();
        /// Google Consent Mode: `true`, or an object with what is special about it.
        "googleConsentMode" google_consent_mode: Option<Value>, Kind::FlagOr(&CONSENT_MODE).optional();
        /// True if choices are posted to the server, which proves them.
        "withSaveConsent" with_save_consent: bool = true, Kind::Flag.optional();
        /// Privacy policy of the site, linked on the first step; that of the project when absent.
        "privacyPolicyUrl" privacy_policy_url: Option<String>, Kind::Url.optional();
        /// Name and web site of the project's `dataProcessor`, shown on the last step.
        "dataProcessor" data_processor: Option<Processor>, Kind::Object(&PROCESSOR).optional().seen_by(Reach::Made);
        /// Address at which the project's `dpo`, or else its `dataProcessor`, is reached. Shown on the last step.
        "contact" contact: Option<String>, Kind::Line.optional().seen_by(Reach::Made);
        /// Services that need no consent, such as a basket. The first list of services shows them as always on.
        "alwaysOn" always_on: Vec<Exempt>, Kind::Objects(&EXEMPT, Some("title")).optional();
        /// The steps of the widget, in their order. Without one there is nothing to publish.
        "steps" steps: Vec<Step>, Kind::Objects(&STEP, Some("name")).optional();
        /// Tone of the widget's own words in all its languages: as they are (`neutral`), familiar (`friendly`, such as
        /// `tu`) or reserved (`formal`, such as `vous`). `strings` go before it.
        "voice" voice: Option<Voice> => Voice, Kind::Words(Voice::WORDS).optional();
        /// Words of the widget that differ from those of its language.
        "strings" strings: Strings, Kind::Texts.optional();
        /// Words about the proof of a choice; they go before `strings`.
        "consentWidgetStrings" consent_widget_strings: Strings, Kind::Texts.optional();
        /// Appearance and behaviour.
        "settings" settings: Settings, Kind::Object(&SETTINGS).optional();
        /// Transparency and Consent Framework, for a step with the layout `iab`.
        "tcf" tcf: Option<Tcf>, Kind::Object(&TCF).optional();
        /// Global Privacy Platform.
        "gpp" gpp: Option<Gpp>, Kind::Object(&GPP).optional();
    }
}

impl CookieConfiguration {
    /// True if it asks by TCF.
    pub fn asks_by_tcf(&self) -> bool {
        self.steps.iter().any(|step| step.layout == Layout::Iab)
    }

    /// True if it names providers of Google's Additional Consent.
    pub fn names_providers(&self) -> bool {
        let tcf = self.tcf.as_ref();
        tcf.is_some_and(|tcf| !tcf.additional_consent.is_empty())
    }

    /// The name of its files: a translated widget has its language in it.
    pub fn file_name(&self) -> String {
        match self.text_language {
            Some(_) => format!("{}.{}", self.name, self.language),
            None => self.name.clone(),
        }
    }

    /// The language of the text at a JSON Pointer, if it is another one than that of the widget.
    pub fn language_of_text(&self, pointer: &str) -> Option<&str> {
        let stands = self.untranslated.iter().any(|place| place == pointer);
        self.text_language.as_deref().filter(|_| stands)
    }
}

object! {
    /// A service that needs no consent.
    pub struct Exempt, EXEMPT {
        /// Name for people.
        "title" title: String, Kind::Line.required();
        /// Reason for which it needs none.
        "reason" reason: String, Kind::Line.required();
    }
}

object! {
    /// A step of the widget.
    pub struct Step, STEP {
        /// Name, unique in the configuration.
        "name" name: String, Kind::Line.required();
        /// Form of the step.
        "layout" layout: Layout, Kind::Words(Layout::WORDS).required();
        /// Title.
        "title" title: Option<String>, Kind::Line.optional().expected();
        /// Line above the title.
        "topTitle" top_title: Option<String>, Kind::Line.optional();
        /// Line below the title.
        "subTitle" sub_title: Option<String>, Kind::Line.optional();
        /// Text under the titles. The widget writes one for a first step that asks and has none.
        "message" message: Option<String>, Kind::Html.optional();
        /// Picture in the upper right corner.
        "image" image: Option<String>, Kind::File(FileUse::Picture).optional();
        /// Vendors that the step asks for, in their order.
        "vendors" vendors: Vec<Vendor>, Kind::Vendors.optional().only_with("layout", Layout::WITH_VENDORS);
        /// Words that go before those of the configuration.
        "strings" strings: Strings, Kind::Texts.optional();
        /// Milliseconds until the step goes away.
        "timeout" timeout: Option<u64>, Kind::Whole(0.0, ONE_DAY_IN_MS).optional().in_unit(Unit::Milliseconds).only_with("layout", Layout::WITH_TIMEOUT);
        /// True if one switch controls all vendors of the step.
        "showToggleAllSwitch" show_toggle_all_switch: bool, Kind::Flag.optional();
        /// True if the vendors of a step with the layout `category` fold by their categories: each has its count and a
        /// switch for all of it, and long lists a search.
        "groupByCategory" group_by_category: bool, Kind::Flag.optional();
    }
}

impl Step {
    /// True if its vendors fold by their categories.
    pub fn folds(&self) -> bool {
        self.group_by_category && self.layout == Layout::Category && !self.vendors.is_empty()
    }
}

object! {
    /// Appearance and behaviour of a widget.
    pub struct Settings, SETTINGS {
        /// Place of the widget; the project's `widgetStyle.position` when absent.
        "position" position: Option<Position>, Kind::Words(Position::WORDS).optional();
        /// Form of the widget.
        "displayMode" display_mode: DisplayMode, Kind::Words(DisplayMode::WORDS).optional();
        /// Light or dark colours: as the visitor's system prefers (`auto`), as the page has it with the style
        /// property `color-scheme` (`page`), or always the same.
        "scheme" scheme: Option<Scheme> => Scheme, Kind::Words(Scheme::WORDS).optional();
        /// True if a small button opens the widget again after a choice.
        "reopenButton" reopen_button: bool = true, Kind::Flag.optional();
        /// True if the page behind is dimmed.
        "overlay" overlay: bool, Kind::Flag.optional();
        /// Days that a choice is kept.
        "cookieDurationDays" cookie_duration_days: u32 = 180, Kind::Whole(1.0, MOST_DAYS).optional().in_unit(Unit::Days);
        /// The effect of closing the widget before a choice. With `refuse` the first layer says so.
        "onClose" on_close: OnClose, Kind::Words(OnClose::WORDS).optional();
        /// Days after which the widget asks again those who have closed it. Only `onClose: refuse` reads it.
        "askAgainAfterDays" ask_again_after_days: u32 = 180, Kind::Whole(1.0, MOST_DAYS_CLOSED).optional().in_unit(Unit::Days);
        /// True if a new vendor asks visitors again.
        "reaskOnVendorChange" reask_on_vendor_change: bool = true, Kind::Flag.optional();
        /// True if Global Privacy Control refuses advertising vendors.
        "respectGpc" respect_gpc: bool, Kind::Flag.optional();
        /// True if the reopen button is hidden from visitors who have chosen.
        "hideForVisitorsWithChoice" hide_for_visitors_with_choice: bool, Kind::Flag.optional();
    }
}

object! {
    /// Google Consent Mode, as a configuration has it.
    pub struct ConsentMode, CONSENT_MODE {
        /// True if it is on.
        "enabled" enabled: bool = true, Kind::Flag.optional();
        /// Google's `ads_data_redaction`.
        "adsDataRedaction" ads_data_redaction: bool = true, Kind::Flag.optional();
        /// Google's `url_passthrough`.
        "urlPassthrough" url_passthrough: bool, Kind::Flag.optional();
        /// True if Microsoft's consent mode is told as well.
        "microsoft" microsoft: bool, Kind::Flag.optional();
        /// Milliseconds that tags wait for a choice.
        "waitForUpdate" wait_for_update: u32 = 500, Kind::Whole(0.0, MOST_WAIT_MS).optional().in_unit(Unit::Milliseconds);
        /// Regions that are asked; everywhere when absent.
        "region" region: Vec<String>, Kind::ListOf(&format::REGION).optional();
    }
}

impl ConsentMode {
    /// The mode of a configuration's `googleConsentMode`: `true`, or an object. `None` where it is off.
    pub fn of(written: Option<&Value>) -> Option<Self> {
        let mode = match written? {
            Value::Null | Value::Bool(false) => return None,
            written => publish::read::<Self>(written),
        };
        mode.enabled.then_some(mode)
    }
}
