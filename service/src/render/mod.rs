//! The widget as publishing writes it: markup, style and words of one configuration in one
//! language, and the files that carry them to browsers. Nothing here does I/O or reads a clock:
//! the same input gives the same bytes.
//!
//! # Published files
//!
//! Below `<cdn-url>` for a project, beside the pointer `<projectId>.json`:
//!
//! | key | from | content type |
//! |---|---|---|
//! | `<projectId>/<name>.js` | [`Rendered::bundle`] | `text/javascript; charset=utf-8` |
//! | `<projectId>/<name>.payload` | [`Rendered::payload`] | `text/plain; charset=utf-8` |
//! | `<projectId>/<name>.later.json` | [`later`] | `application/json` |
//! | `<projectId>/index.json` | [`index`] | `application/json` |
//! | `<projectId>/boxes.json` (if there are boxes) | [`Boxes`] | `application/json` |
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
//! # From payload to widget
//!
//! [`domain::payload`] has the format. The markup stands in `service/templates`, whose values `page`,
//! `frame`, `placeholder` and `boxes` choose. `theme` makes the colours, `css` the sheet, `text` the
//! words; `parts` holds the built SDK. To change how the widget looks, change `style/widget.css` and
//! the templates; a new SDK is not needed for that.

mod actions;
mod bounded;
mod boxes;
mod css;
mod details;
mod frame;
mod groups;
mod iab;
mod icons;
mod illustrations;
mod links;
mod logo;
mod markup;
mod opening;
mod page;
mod parts;
mod party;
mod placeholder;
mod snippet;
mod speech;
mod text;
pub(crate) mod theme;
mod told;
mod vendor;

use std::fmt::Write;

use domain::{
    categories::{self, Words},
    documents::{
        Client, ConsentMode, CookieConfiguration, DisplayMode, ImagePlace, OnClose, Scheme, Step,
        Vendor,
    },
    language::is_right_to_left,
    payload::{FORMAT, flag, purpose},
};
use sha2::{Digest, Sha256};
use theme::Theme;

pub use bounded::{MOST_BYTES, TooLarge};
use bounded::{Room, within};
pub use boxes::{Boxes, DrawnBox, draw as draw_box};
pub use iab::Framework;
pub use illustrations::paths as illustration_paths;
pub use parts::{
    PreviewOptions, SdkFile, generic_sdk, inert_script, preview_document, preview_of_box,
    preview_of_payload, sdk_files, sdk_hash, telling_box, telling_payload,
};
pub use snippet::{
    bundle_tag, consent_defaults, has_stub, head, head_with_stub_file, loader_tags, stub_tag,
};
pub use text::{defaults as default_strings, title_of_services};
pub use told::{ScreenText, screen_texts};

/// Addresses that rendering writes into files.
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
    /// Which hosts it is for, as a regular expression; any, when empty.
    hosts: String,
    /// The payloads in other languages, with spaces between them.
    languages: String,
}

/// A widget in another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// ISO 639-1.
    pub language: String,
    /// The hash in the name of its payload file.
    pub hash: String,
}

/// Renders a configuration's widget. `active` is false where the demo banner is shown. Refuses one of more than
/// [`MOST_BYTES`].
pub fn render(
    project_id: &str,
    active: bool,
    client: &Client,
    configuration: &CookieConfiguration,
) -> Result<Rendered, TooLarge> {
    draw(project_id, active, client, configuration, None)
}

/// As [`render`], of a configuration that asks by TCF.
pub fn render_by_tcf(
    project_id: &str,
    active: bool,
    client: &Client,
    configuration: &CookieConfiguration,
    framework: &Framework<'_>,
) -> Result<Rendered, TooLarge> {
    draw(project_id, active, client, configuration, Some(framework))
}

fn draw(
    project_id: &str,
    active: bool,
    client: &Client,
    configuration: &CookieConfiguration,
    framework: Option<&Framework<'_>>,
) -> Result<Rendered, TooLarge> {
    let settings = &configuration.settings;
    let flags: String = [
        (configuration.with_save_consent, flag::SAVE),
        (settings.reask_on_vendor_change, flag::REASK),
        (settings.respect_gpc, flag::GPC),
        (
            ConsentMode::of(configuration.google_consent_mode.as_ref()).is_some(),
            flag::CONSENT_MODE,
        ),
        (settings.hide_for_visitors_with_choice, flag::HIDE_REOPEN),
        (configuration.text_language.is_some(), flag::TRANSLATED),
    ]
    .into_iter()
    .filter_map(|(set, letter)| set.then_some(letter))
    .chain(iab::flags(configuration, framework))
    .map(char::from)
    .collect();

    let mut room = Room::new();
    let mut vendors = Vec::new();
    let mut pages = Vec::new();
    for (index, step) in configuration.steps.iter().enumerate() {
        let page = page::page(
            configuration,
            client,
            active,
            index,
            step,
            vendors.len(),
            framework,
        );
        pages.push(room.draw(&page)?);
        vendors.extend(step.vendors.iter().map(|vendor| {
            format!(
                "{}|{index}|{}|{}",
                vendor.name,
                purposes(vendor),
                fold(&markup::escaped(&vendor.title))
            )
        }));
    }
    let steps: Vec<_> = configuration
        .steps
        .iter()
        .map(|step| fold(&step.name))
        .collect();
    let theme = Theme::of(
        client,
        settings.scheme.unwrap_or_default(),
        framework.is_some(),
    );
    let mut wanted = blocks(configuration, client, active, &theme);
    if framework.is_some() {
        wanted.push("iab");
    }
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
    let head = match settings.on_close {
        OnClose::Refuse => format!("{head}\t{}", settings.ask_again_after_days),
        OnClose::AskAgain => head,
    };
    let mut lines = vec![
        vendors.join("\t"),
        steps.join("\t"),
        fold(
            &(theme.properties(client)
                + &css::sheet(&wanted)
                + &theme::buttons(client, ".b")
                + &durations(configuration)),
        ),
        fold(&frame::frame(configuration, client)),
        fold(&frame::reopen(configuration, client)),
        fold(&placeholder::placeholder(configuration)),
    ];
    lines.extend(pages.iter().map(|page| fold(page)));
    lines.extend(iab::lines(configuration, framework));
    Ok(Rendered {
        head,
        body: within(lines.join("\n"))?,
        hosts: String::new(),
        languages: String::new(),
    })
}

/// Draws something of a vendor.
type Html = fn(&mut Room, &text::Words<'_>, &Vendor) -> Result<String, TooLarge>;

/// The data that few visits need: cookies by vendor and texts for `withdraw.js`, for `more.js` the facts
/// and texts of placeholders, the details of services, and words about the last answer, for `layers.js` its words.
/// Refuses more than [`MOST_BYTES`] of it.
pub fn later(configuration: &CookieConfiguration) -> Result<String, TooLarge> {
    let words = text::Words::new(configuration, None);
    let cookies: serde_json::Map<_, _> = configuration
        .steps
        .iter()
        .flat_map(|step| &step.vendors)
        .filter(|vendor| !vendor.cookies.is_empty())
        .map(|vendor| (vendor.name.clone(), vendor.cookies.clone().into()))
        .collect();
    let mut room = Room::new();
    let mut by_vendor = |html: Html| {
        let mut made = serde_json::Map::new();
        for step in &configuration.steps {
            let words = text::Words::new(configuration, Some(step));
            for vendor in &step.vendors {
                let html = html(&mut room, &words, vendor)?;
                made.insert(vendor.name.clone(), html.into());
            }
        }
        Ok::<_, TooLarge>(made)
    };
    let placeholders = by_vendor(placeholder::more)?;
    let details = by_vendor(details::of)?;
    let mut later = serde_json::json!({
        "text": words.get("changed"), "reload": words.get("reload"), "close": words.get("notNow"),
        "lastAnswer": words.get("lastAnswer"), "consentId": words.get("consentId"), "saved": words.get("saved"),
        "cookies": cookies, "placeholders": placeholders, "details": details,
    });
    if let (Some(words), Some(later)) = (iab::words(configuration, &words), later.as_object_mut()) {
        later.insert("tcf".to_owned(), words);
    }
    within(later.to_string())
}

/// The same for a preview by TCF, with everything that the layers behind the first one load: their `files`, and
/// their script.
pub fn later_with_layers<'a>(
    configuration: &CookieConfiguration,
    files: impl Iterator<Item = (&'a str, &'a [u8])>,
) -> Result<String, TooLarge> {
    let texts = files.map(|(key, bytes)| (key.to_owned(), String::from_utf8_lossy(bytes).into()));
    let texts: serde_json::Map<_, serde_json::Value> = texts.collect();
    // Written by `later` from an object.
    let mut later: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&later(configuration)?).unwrap_or_default();
    later.insert("files".to_owned(), texts.into());
    later.insert("layers".to_owned(), parts::layers_script().into());
    Ok(serde_json::Value::from(later).to_string())
}

/// Blocks of the style sheet that a configuration's widget needs.
fn blocks(
    configuration: &CookieConfiguration,
    client: &Client,
    active: bool,
    theme: &Theme,
) -> Vec<&'static str> {
    let settings = &configuration.settings;
    let steps = &configuration.steps;
    let scheme = settings.scheme.unwrap_or_default();
    let image = page::image_place(configuration, client);
    [
        (settings.display_mode == DisplayMode::Modal, "modal"),
        (settings.display_mode == DisplayMode::Bar, "bar"),
        (
            settings.overlay || settings.display_mode == DisplayMode::Modal,
            "overlay",
        ),
        (theme.has_edges(), "edge"),
        (scheme != Scheme::Auto, "scheme"),
        (scheme == Scheme::Page, "scheme-page"),
        (scheme == Scheme::Dark, "scheme-dark"),
        (settings.reopen_button, "reopen"),
        (is_right_to_left(&configuration.language), "rtl"),
        (settings.respect_gpc, "gpc"),
        (
            links::WebAddress::of(configuration.privacy_policy_url.as_deref()).is_some(),
            "policy",
        ),
        (!active, "demo"),
        (client.logo.is_some(), "logo"),
        (
            scheme == Scheme::Page && client.dark_logo.is_some(),
            "logo-page",
        ),
        (frame::entrance(client).is_some(), "enters"),
        (page::stacks(configuration), "stacked"),
        (image == Some(ImagePlace::Beside), "image"),
        (image == Some(ImagePlace::Above), "image-above"),
        (
            image.is_some() && settings.display_mode == DisplayMode::Bar,
            "image-bar",
        ),
        (configuration.language == "ja", "phrases"),
        (
            steps
                .iter()
                .enumerate()
                .any(|(index, step)| opening::is_missing(index, step)),
            "opening",
        ),
        (steps.iter().any(|step| step.top_title.is_some()), "eyebrow"),
        (
            steps.iter().any(|step| step.sub_title.is_some()),
            "subtitle",
        ),
        (
            steps
                .iter()
                .flat_map(|step| &step.vendors)
                .any(details::has_some),
            "details",
        ),
        (steps.iter().any(Step::folds), "folds"),
        (steps.iter().any(|step| step.layout.is_notice()), "notice"),
        (
            steps.iter().any(|step| page::timeout(step).is_some()),
            "countdown",
        ),
    ]
    .into_iter()
    .filter_map(|(needed, block)| needed.then_some(block))
    .chain([frame::place(configuration, client)])
    .chain(frame::entrance(client))
    .collect()
}

/// The rules for the countdown of each step: a style attribute would break strict policies.
fn durations(configuration: &CookieConfiguration) -> String {
    let mut css = String::new();
    for (index, step) in configuration.steps.iter().enumerate() {
        if let Some(timeout) = page::timeout(step) {
            let _ = write!(
                css,
                ".ti{index}{{animation-duration:{timeout}ms!important}}"
            );
        }
    }
    css
}

impl Rendered {
    /// For pages of these hosts alone, as consents are taken from them alone; any, when empty.
    #[must_use]
    pub fn only_on(mut self, hosts: &[String]) -> Self {
        let hosts: Vec<_> = hosts
            .iter()
            .map(|host| fold(&host.to_ascii_lowercase()).replace('.', "[.]"))
            .collect();
        if !hosts.is_empty() {
            self.hosts = format!("^({})$", hosts.join("|"));
        }
        self
    }

    /// Names the widgets in other languages, which pages in these languages show.
    #[must_use]
    pub fn in_other_languages(mut self, others: &[Translation]) -> Self {
        let others = others.iter();
        let names = others.map(|other| format!("{}.{}", other.language, other.hash));
        self.languages = names.collect::<Vec<_>>().join(" ");
        self
    }

    /// SHA-256 (hex) of everything that the visitor sees: all but the publication, the addresses,
    /// the hosts and the names of other files.
    pub fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(&self.head);
        hasher.update(b"\n");
        hasher.update(&self.body);
        hex::encode(hasher.finalize())
    }

    /// The payload file.
    pub fn payload(&self, publication: &str, addresses: &Addresses<'_>) -> String {
        let source = [
            &fold(publication),
            &fold(addresses.api_url),
            &self.hosts,
            &self.languages,
        ];
        // Nothing stands for fields at the end that are empty.
        let source = source.map(String::as_str).join("\t");
        let source = source.trim_end_matches('\t');
        format!("{}\n{source}\n{}", self.head, self.body)
    }

    /// The one-file bundle; `None` in a build without the SDK.
    pub fn bundle(&self, publication: &str, addresses: &Addresses<'_>) -> Option<String> {
        parts::bundle(&self.payload(publication, addresses), addresses)
    }
}

/// The list from which the generic SDK picks a configuration for a site that names none:
/// `[[name of its files, language, country, isDefault], …]` as JSON.
pub fn index<'a>(widgets: impl Iterator<Item = &'a CookieConfiguration>) -> String {
    let rows: Vec<_> = widgets
        .map(|one| {
            serde_json::json!([
                one.file_name(),
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

/// Letters of [`purpose`] for a vendor's categories.
fn purposes(vendor: &Vendor) -> String {
    const WORDS: [(u8, &[Words]); 4] = [
        (
            purpose::ADVERTISING,
            &[
                categories::ADVERTISING,
                categories::PROMOTION,
                categories::SOCIAL,
            ],
        ),
        (
            purpose::ANALYTICS,
            &[categories::MEASUREMENT, categories::EXPERIMENTS],
        ),
        (purpose::FUNCTIONAL, &[categories::FUNCTIONS]),
        (
            purpose::PERSONALISATION,
            &[categories::PERSONALISATION, categories::PREFERENCES],
        ),
    ];
    let has = |words: &Words| vendor.categories.iter().any(|name| words.are_in(name));
    WORDS
        .iter()
        .filter(|(_, words)| words.iter().any(has))
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

#[cfg(test)]
mod iab_tests;
#[cfg(test)]
mod tests;
