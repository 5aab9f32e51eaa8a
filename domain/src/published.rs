//! The published file: what publishing writes, sites read and the widget is rendered from.
//!
//! `decisions.md`, "Published files": entries are the documents' own fields, flat, plus
//! `identifier`; vendors are inlined in the configuration's language; HTML is sanitised; absent
//! fields are omitted. `Pointer` is the whole file `<cdn>/<projectId>.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Names of user-facing strings to their texts (`acceptAll`, `dismiss`, …).
pub type Strings = BTreeMap<String, String>;

/// The published file of a project, `<cdn>/<projectId>.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pointer {
    /// The project's id.
    pub project_id: String,
    /// The project's title.
    pub project_name: String,
    /// RFC 3339, UTC, milliseconds.
    pub published_at: String,
    /// The publish job that made this file.
    pub job_id: String,
    /// Publication id (SHA-256, hex) of each configuration, keyed by its identifier.
    pub publications: BTreeMap<String, String>,
    /// False where the demo banner is shown.
    pub active: bool,
    /// The project's look.
    pub client: Client,
    /// Data protection officer, as the project has it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dpo: Option<serde_json::Value>,
    /// Cookie configurations.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub cookies: Vec<CookieConfiguration>,
    /// Consent boxes, flat documents plus `identifier`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub processings: Vec<serde_json::Value>,
    /// Contract boxes, flat documents plus `identifier`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub contracts: Vec<serde_json::Value>,
}

/// The look of a project's widgets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Client {
    /// CSS colours (`#rgb`, `#rrggbb`, `#rrggbbaa`) by `main`, `secondary`, `text`, `title`,
    /// `background`, `border`, `buttonText`, `danger`.
    pub colors: BTreeMap<String, String>,
    /// Font family names for `title` and `text`.
    pub fonts: BTreeMap<String, String>,
    /// Shape of the widget.
    pub widget_style: WidgetStyle,
}

/// Shape and place of the widget.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WidgetStyle {
    /// Corner radius in CSS pixels, 0 to 32.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub border_radius: Option<f64>,
    /// Inner padding in CSS pixels, 0 to 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub padding: Option<f64>,
    /// Where the widget stands unless the configuration says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
}

/// The five places of the widget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    /// Bottom left corner.
    #[default]
    BottomLeft,
    /// Bottom right corner.
    BottomRight,
    /// Bottom, centred.
    Bottom,
    /// Top, centred.
    Top,
    /// Middle of the window.
    Center,
}

/// How the widget is framed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DisplayMode {
    /// A card in a corner.
    #[default]
    Card,
    /// A dialog over the page.
    Modal,
    /// A bar over the whole width.
    Bar,
}

/// One cookie configuration in the published file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CookieConfiguration {
    /// The document's id.
    pub identifier: String,
    /// What sites put in `cookiesVersion`.
    pub name: String,
    /// Title for people.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// ISO 639-1.
    pub language: String,
    /// ISO 3166-1 alpha-2.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub country: Option<String>,
    /// The configuration for sites that name none.
    #[serde(default)]
    pub is_default: bool,
    /// Google Consent Mode settings of the document, `false` or an object.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub google_consent_mode: Option<serde_json::Value>,
    /// Whether choices are posted to the API.
    #[serde(default = "yes")]
    pub with_save_consent: bool,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// Texts that differ from the language's defaults.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub strings: Strings,
    /// Appearance and behaviour.
    #[serde(default)]
    pub settings: Settings,
}

fn yes() -> bool {
    true
}

/// Appearance and behaviour of a configuration's widget.
#[expect(
    clippy::struct_excessive_bools,
    reason = "the settings of `decisions.md`, each on its own"
)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Place; the project's `widgetStyle.position` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Frame.
    pub display_mode: DisplayMode,
    /// Whether a small button reopens the widget after a choice.
    pub reopen_button: bool,
    /// Whether the page behind is dimmed.
    pub overlay: bool,
    /// How long a choice is kept, in days.
    pub cookie_duration_days: u32,
    /// Whether a new vendor asks again.
    pub reask_on_vendor_change: bool,
    /// Whether Global Privacy Control refuses advertising vendors.
    pub respect_gpc: bool,
    /// Whether the reopen button is hidden for visitors with a choice.
    pub hide_for_visitors_with_choice: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            position: None,
            display_mode: DisplayMode::Card,
            reopen_button: true,
            overlay: false,
            cookie_duration_days: 180,
            reask_on_vendor_change: true,
            respect_gpc: false,
            hide_for_visitors_with_choice: false,
        }
    }
}

/// A step of the widget (`interface.md`, "Step").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Unique in the configuration.
    pub name: String,
    /// Which of the five layouts draws it.
    pub layout: Layout,
    /// Plain text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// Plain text above the title.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub top_title: Option<String>,
    /// Plain text below the title.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sub_title: Option<String>,
    /// Sanitised HTML.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub message: Option<String>,
    /// Address of the upper-right image.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub image: Option<String>,
    /// Vendors of the step, in order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub vendors: Vec<Vendor>,
    /// Texts that override the configuration's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub strings: Strings,
    /// Milliseconds; only `soft_consent` and `info`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub timeout: Option<u64>,
    /// Whether one switch controls all vendors of the step.
    #[serde(default)]
    pub show_toggle_all_switch: bool,
}

/// How a step is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// First layer without vendors.
    Welcome,
    /// A list of vendors with switches.
    Category,
    /// A notice that may go away by itself.
    Info,
    /// A short question that goes away by itself and is then asked again on the next page.
    SoftConsent,
    /// IAB TCF.
    Iab,
}

/// A vendor inlined in a step, in the configuration's language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Vendor {
    /// Key of the choice; unique in the configuration.
    pub name: String,
    /// Display name.
    pub title: String,
    /// One sentence.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub short_description: Option<String>,
    /// A paragraph.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub long_description: Option<String>,
    /// Registrable domain, for the icon's initial.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub domain: Option<String>,
    /// Link to the privacy policy.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub policy_url: Option<String>,
    /// Category names (`advertising`, `analytics`, …).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub categories: Vec<String>,
    /// Cookies that it is known to set, taken away when consent is; `*` at the end stands for a
    /// part that differs.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub cookies: Vec<String>,
}
