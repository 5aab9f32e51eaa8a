//! The widget as publishing writes it: markup, style and words of one configuration in one
//! language, and the files that carry them to browsers. Nothing here does I/O or reads a clock:
//! the same input gives the same bytes.
//!
//! # What publishing writes
//!
//! Below `<cdn-url>` for a project, beside the pointer `<projectId>.json`:
//!
//! | key | from | content type |
//! |---|---|---|
//! | `<projectId>/<name>.js` | [`Rendered::bundle`] | `text/javascript; charset=utf-8` |
//! | `<projectId>/<name>.payload` | [`Rendered::payload`] | `text/plain; charset=utf-8` |
//! | `<projectId>/index.json` | [`index`] | `application/json` |
//! | `sdk/<file>` (all of [`sdk_files`], immutable) | [`SdkFile::bytes`] | [`SdkFile::content_type`] |
//!
//! `<name>` is the configuration's `name`. The first three are mutable (short `max-age`, ETag);
//! the payload and the bundle also go under names with their content hash, immutable. The files
//! of `sdk/` are named by their content and must be there before a bundle that names them, since
//! a bundle finds its JavaScript fallback at `<cdn-url>/sdk/…`; they are never removed.
//! A removed or renamed configuration's `.js` is overwritten with [`inert_script`], its
//! `.payload` is deleted.
//!
//! The server itself serves [`generic_sdk`] at `<base-url>/sdk.js` (short `max-age`, ETag) and
//! [`sdk_files`] at `<base-url>/sdk/<file>` (immutable), all with
//! `Access-Control-Allow-Origin: *` and `Cross-Origin-Resource-Policy: cross-origin`.
//!
//! # How a payload becomes a widget
//!
//! [`domain::payload`] has the format. `html` writes the pages, `theme` the colours, `css` the
//! sheet, `text` the words; `parts` holds the built SDK. To change how the widget looks, change
//! `style/widget.css` and `html`; a new SDK is not needed for that.

mod colour;
mod css;
mod html;
mod parts;
mod text;
mod theme;

use std::fmt::Write;

use domain::{
    payload::{FORMAT, flag, purpose},
    published::{Client, CookieConfiguration, DisplayMode, Vendor},
};
use sha2::{Digest, Sha256};

pub use parts::{
    PreviewOptions, SdkFile, generic_sdk, inert_script, preview_document, preview_of_payload,
    sdk_files, sdk_hash,
};
pub use text::{defaults as default_strings, languages};

/// Addresses that are baked into what is served.
#[derive(Clone, Copy, Debug)]
pub struct Addresses<'a> {
    /// Base address of the API and of the SDK's own files, without a slash at its end.
    pub api_url: &'a str,
    /// Base address of published files, without a slash at its end.
    pub cdn_url: &'a str,
}

/// One configuration, rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// First line of the payload.
    head: String,
    /// The payload's lines after publication and addresses.
    body: String,
}

/// Renders a configuration's widget. `active` is false where the demo banner is shown.
pub fn render(
    project_id: &str,
    active: bool,
    client: &Client,
    configuration: &CookieConfiguration,
) -> Rendered {
    let settings = &configuration.settings;
    let flags: String = [
        (configuration.with_save_consent, flag::SAVE),
        (settings.reask_on_vendor_change, flag::REASK),
        (settings.respect_gpc, flag::GPC),
        (wants_consent_mode(configuration), flag::CONSENT_MODE),
        (settings.hide_for_visitors_with_choice, flag::HIDE_REOPEN),
    ]
    .into_iter()
    .filter_map(|(set, letter)| set.then_some(char::from(letter)))
    .collect();

    let mut vendors = Vec::new();
    let mut pages = Vec::new();
    for (index, step) in configuration.steps.iter().enumerate() {
        pages.push(html::page(configuration, index, step, vendors.len()));
        vendors.extend(step.vendors.iter().map(|vendor| {
            format!(
                "{}|{index}|{}|{}",
                vendor.name,
                purposes(vendor),
                fold(&html::escape(&vendor.title))
            )
        }));
    }
    let steps: Vec<_> = configuration
        .steps
        .iter()
        .map(|step| fold(&step.name))
        .collect();
    let wanted: &[&str] = match settings.display_mode {
        DisplayMode::Card => &[],
        DisplayMode::Modal => &["modal"],
        DisplayMode::Bar => &["bar"],
    };
    let head = [
        FORMAT,
        project_id,
        &configuration.identifier,
        &configuration.name,
        &configuration.language,
        &settings.cookie_duration_days.to_string(),
        &flags,
    ]
    .map(fold)
    .join("\t");
    let mut lines = vec![
        vendors.join("\t"),
        steps.join("\t"),
        fold(&(theme::properties(client) + &css::sheet(wanted))),
        fold(&html::frame(configuration, client, active)),
        fold(&html::reopen(configuration, client)),
        fold(&html::placeholder(configuration)),
    ];
    lines.extend(pages.iter().map(|page| fold(page)));
    Rendered {
        head,
        body: lines.join("\n"),
    }
}

impl Rendered {
    /// SHA-256 (hex) of what the visitor is shown: all but the publication and the addresses.
    pub fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(&self.head);
        hasher.update(b"\n");
        hasher.update(&self.body);
        hex(&hasher.finalize())
    }

    /// The payload file.
    pub fn payload(&self, publication: &str, addresses: &Addresses<'_>) -> String {
        format!(
            "{}\n{}\t{}\n{}",
            self.head,
            fold(publication),
            fold(addresses.api_url),
            self.body
        )
    }

    /// The one-file bundle; `None` in a build without the SDK.
    pub fn bundle(&self, publication: &str, addresses: &Addresses<'_>) -> Option<String> {
        parts::bundle(&self.payload(publication, addresses), addresses)
    }
}

/// The list from which the generic SDK picks a configuration for a site that names none:
/// `[[name, language, country, isDefault], …]` as JSON.
pub fn index(configurations: &[CookieConfiguration]) -> String {
    let rows: Vec<_> = configurations
        .iter()
        .map(|one| {
            serde_json::json!([
                one.name,
                one.language.to_ascii_lowercase(),
                one.country
                    .as_deref()
                    .unwrap_or_default()
                    .to_ascii_uppercase(),
                u8::from(one.is_default)
            ])
        })
        .collect();
    serde_json::Value::from(rows).to_string()
}

fn wants_consent_mode(configuration: &CookieConfiguration) -> bool {
    !matches!(
        configuration.google_consent_mode,
        None | Some(serde_json::Value::Null | serde_json::Value::Bool(false))
    )
}

/// Letters of [`purpose`] for a vendor's categories.
fn purposes(vendor: &Vendor) -> String {
    const WORDS: [(u8, &[&str]); 4] = [
        (
            purpose::ADVERTISING,
            &[
                "ad",
                "advert",
                "marketing",
                "retarget",
                "affiliate",
                "social",
            ],
        ),
        (
            purpose::ANALYTICS,
            &[
                "analytic",
                "audience",
                "statistic",
                "measure",
                "heat",
                "testing",
            ],
        ),
        (
            purpose::FUNCTIONAL,
            &[
                "function", "chat", "support", "video", "map", "utility", "customer",
            ],
        ),
        (
            purpose::PERSONALISATION,
            &["personal", "preference", "recommend"],
        ),
    ];
    WORDS
        .iter()
        .filter(|(_, words)| {
            vendor.categories.iter().any(|category| {
                let category = category.to_lowercase();
                category
                    .split(|c: char| !c.is_alphanumeric())
                    .any(|part| words.iter().any(|word| part.starts_with(word)))
            })
        })
        .map(|(letter, _)| char::from(*letter))
        .collect()
}

/// One line: no tab, no line break, no other control character but the placeholder's mark.
fn fold(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\u{1}' => c,
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => ' ',
            c => c,
        })
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests;
