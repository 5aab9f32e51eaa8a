//! The built SDK, embedded: templates that a payload or addresses are put into, and the files
//! that they load. `cargo xtask build --only sdk` makes them; without them the service works, and
//! everything here is `None` or empty.

use std::fmt::Write;

use askama::Template;
use domain::{
    collection::Collection,
    documents::Client,
    payload::{Payload, flag},
};
use serde_json::Value;

use super::{Addresses, Boxes, Rendered, boxes, markup::Script};

/// A file of the SDK, named by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SdkFile {
    /// `core.<hash>.wasm` or `core.<hash>.js`.
    pub name: &'static str,
    /// Its media type.
    pub content_type: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

struct Parts {
    hash: &'static str,
    bundle: &'static str,
    /// The same with `sdk-wasm/js/iab.js`.
    bundle_iab: &'static str,
    /// Both with `sdk-wasm/js/speak.js`.
    bundle_languages: &'static str,
    bundle_iab_languages: &'static str,
    generic: &'static str,
    preview: &'static str,
}

// `PARTS: Option<Parts>` and `FILES: &[SdkFile]`, written by build.rs.
include!(concat!(env!("OUT_DIR"), "/sdk_parts.rs"));

/// Tells the text of a preview.
const TELL: &str = include_str!("tell.js");

/// The script in place of the SDK in the preview of a box.
const BOX_PREVIEW: &str = include_str!("box-preview.js");

/// Start of the name of `sdk-wasm/js/layers.js`.
const LAYERS: &str = "layers.";
/// The same of `sdk-wasm/js/stub.js`.
const STUB: &str = "stub.";

/// Places for literals in the templates.
const PAYLOAD: &str = "__PLACET_PAYLOAD__";
const STEP: &str = "__PLACET_STEP__";
const RETURNING: &str = "__PLACET_RETURNING__";
const LATER: &str = "__PLACET_LATER__";
const BOXES: &str = "__PLACET_BOXES__";
/// Inside of string literals, which the build may have joined with the text behind them.
const API_URL: &str = "__PLACET_API_URL__";
const CDN_URL: &str = "__PLACET_CDN_URL__";

/// SHA-256 (hex) of the embedded SDK build.
pub fn sdk_hash() -> Option<&'static str> {
    PARTS.as_ref().map(|parts| parts.hash)
}

/// The SDK that finds its configuration at run time, served at `<base-url>/sdk.js`.
pub fn generic_sdk(addresses: &Addresses<'_>) -> Option<String> {
    let parts = PARTS.as_ref()?;
    Some(
        parts
            .generic
            .replace(API_URL, &inside(addresses.api_url))
            .replace(CDN_URL, &inside(addresses.cdn_url)),
    )
}

/// The files that the SDK loads: the WebAssembly module and its JavaScript form.
pub fn sdk_files() -> &'static [SdkFile] {
    FILES
}

/// The script that answers calls of TCF and GPP before the widget is there.
pub(super) fn stub() -> Option<&'static str> {
    script(STUB).map(str::trim_end)
}

/// Its file, for pages that take no inline script.
pub(super) fn stub_file() -> Option<&'static SdkFile> {
    file(STUB)
}

/// The script of the layers behind the first one by TCF; empty in a build without the SDK.
pub(super) fn layers_script() -> &'static str {
    script(LAYERS).unwrap_or_default()
}

/// The file whose name begins so.
fn file(stem: &str) -> Option<&'static SdkFile> {
    FILES.iter().find(|file| file.name.starts_with(stem))
}

/// Its text.
fn script(stem: &str) -> Option<&'static str> {
    str::from_utf8(file(stem)?.bytes).ok()
}

/// The script in place of a bundle whose configuration is gone. It only says so.
pub fn inert_script() -> &'static str {
    "console.info(\"Placet: this configuration is no longer published. Nothing is asked, nothing is allowed.\");\n"
}

pub(super) fn bundle(payload: &str, addresses: &Addresses<'_>) -> Option<String> {
    let parts = PARTS.as_ref()?;
    let read = Payload::read(payload)?;
    let has_framework = read.has(flag::TCF) || read.has(flag::GPP);
    let has_languages = !read.other_languages().is_empty();
    let template = match (has_framework, has_languages) {
        (false, false) => parts.bundle,
        (true, false) => parts.bundle_iab,
        (false, true) => parts.bundle_languages,
        (true, true) => parts.bundle_iab_languages,
    };
    Some(
        template
            .replace(CDN_URL, &inside(addresses.cdn_url))
            .replacen(PAYLOAD, &literal(payload), 1),
    )
}

/// Options of a preview.
#[derive(Clone, Copy, Debug, Default)]
pub struct PreviewOptions<'a> {
    /// True for the dark scheme, whatever the viewer's system prefers.
    pub dark: bool,
    /// Name of the step to start with; the first one if absent or unknown.
    pub step: Option<&'a str>,
    /// Nonce of the page's `script-src`, which a `srcdoc` frame inherits.
    pub nonce: &'a str,
    /// True for what a visitor finds who has answered before: the button to reopen, if there is one, in place of a step.
    pub returning: bool,
}

/// A whole document for `<iframe sandbox="allow-scripts" srcdoc>` that shows the real SDK. `later` is what
/// [`super::later`] makes of the configuration.
///
/// In a preview the SDK posts nothing and stores nothing. The document tells its parent
/// `{placetPreview: {step, part, vendor}}` for every click on a part of the widget that opens nothing here, and
/// `{placetPreview: {step, part: null}}` whenever a step is shown; a message
/// `{placetPreviewStep: "<name>"}` from the parent shows that step.
/// After a choice the widget comes back by itself, except to a returning visitor.
pub fn preview_document(
    rendered: &Rendered,
    later: &str,
    addresses: &Addresses<'_>,
    options: &PreviewOptions<'_>,
) -> Option<String> {
    preview_of_payload(&rendered.payload("", addresses), later, options)
}

/// As [`preview_document`], of a payload that was published.
pub fn preview_of_payload(
    payload: &str,
    later: &str,
    options: &PreviewOptions<'_>,
) -> Option<String> {
    document(None, script_of_payload(payload, later, options)?, options)
}

/// As [`preview_of_payload`], of a document that also tells its text: asked by `{placetTell: true}`, it answers its
/// parent with `{placetTold: text}`.
pub fn telling_payload(payload: &str, later: &str, options: &PreviewOptions<'_>) -> Option<String> {
    let script = TELL.to_owned() + &script_of_payload(payload, later, options)?;
    document(None, script, options)
}

fn script_of_payload(payload: &str, later: &str, options: &PreviewOptions<'_>) -> Option<String> {
    let parts = PARTS.as_ref()?;
    let scheme = if options.dark { "all" } else { "not all" };
    // Rules of the style sheet, and pictures.
    let payload = payload
        .replace(
            "@media(prefers-color-scheme:dark)",
            &format!("@media {scheme}"),
        )
        .replace(
            "media=\"(prefers-color-scheme:dark)\"",
            &format!("media=\"{scheme}\""),
        );
    let script = parts
        .preview
        .replace(STEP, &inline(options.step.unwrap_or_default()))
        .replace(RETURNING, if options.returning { "true" } else { "false" })
        .replacen(LATER, &inline(later), 1)
        .replacen(PAYLOAD, &inline(&payload), 1);
    Some(script)
}

/// A whole document for `<iframe sandbox="allow-scripts" srcdoc>` with a box in a form. The script
/// that draws boxes on sites draws it. `published` is the box as it is published, in `collection`.
///
/// Answers are stored nowhere. The document sends its parent the same messages as
/// [`preview_document`].
pub fn preview_of_box(
    client: &Client,
    collection: Collection,
    published: &Value,
    options: &PreviewOptions<'_>,
) -> Option<String> {
    let (shown, script) = script_of_box(client, collection, published)?;
    document(Some(shown), script, options)
}

/// As [`preview_of_box`], of a document that also tells its text, as [`telling_payload`] does.
pub fn telling_box(
    client: &Client,
    collection: Collection,
    published: &Value,
    options: &PreviewOptions<'_>,
) -> Option<String> {
    let (shown, script) = script_of_box(client, collection, published)?;
    document(Some(shown), TELL.to_owned() + &script, options)
}

fn script_of_box(
    client: &Client,
    collection: Collection,
    published: &Value,
) -> Option<(Shown, String)> {
    let script = FILES
        .iter()
        .find(|file| file.name.starts_with("boxes."))
        .and_then(|file| std::str::from_utf8(file.bytes).ok())?;
    let one = boxes::draw(collection, published)?;
    let shown = Shown {
        contract: collection == Collection::Contracts,
        identifier: one.identifier().to_owned(),
    };
    let mut drawn = Boxes::new(client);
    drawn.add("", one);
    let drawn = serde_json::to_string(&drawn).ok()?;
    let script = BOX_PREVIEW.replacen(BOXES, &inline(&drawn), 1) + script;
    Some((shown, script))
}

/// The document of a preview.
#[derive(Template)]
#[template(path = "preview/document.html")]
struct Document<'a> {
    dark: bool,
    shown: Option<Shown>,
    nonce: &'a str,
    script: Script,
}

/// The box in a preview.
struct Shown {
    contract: bool,
    identifier: String,
}

fn document(shown: Option<Shown>, script: String, options: &PreviewOptions<'_>) -> Option<String> {
    let document = Document {
        dark: options.dark,
        shown,
        nonce: options.nonce,
        script: Script::new(script)?,
    };
    Some(document.to_string())
}

/// A literal of an inline script: `<` ends or opens things there, so none holds one.
fn inline(text: &str) -> String {
    literal(text).replace('<', "\\x3c")
}

/// A JavaScript string literal. Single quotes, because markup is full of double ones.
fn literal(text: &str) -> String {
    format!("'{}'", escaped(text, '\''))
}

/// An address as it stands inside a double-quoted literal.
fn inside(address: &str) -> String {
    escaped(address.trim_end_matches('/'), '"')
}

fn escaped(text: &str, quote: char) -> String {
    let mut escaped = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        match c {
            '\n' => escaped += "\\n",
            '\t' => escaped += "\\t",
            c if c == quote || c == '\\' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c if c < ' ' || matches!(c, '\u{2028}' | '\u{2029}') => {
                let _ = write!(escaped, "\\u{:04x}", c as u32);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preview_of_a_box_cannot_be_left() {
        let evil = "</script><script>alert(1)</script>";
        let published = serde_json::json!({
            "identifier": "7", "title": evil, "message": evil,
            "buttons": [{"text": evil, "value": evil}],
        });
        let options = PreviewOptions {
            nonce: "\"><script>alert(2)</script>",
            ..PreviewOptions::default()
        };
        let made = preview_of_box(
            &Client::default(),
            Collection::Processings,
            &published,
            &options,
        );
        // Without a built SDK there is nothing to draw with.
        assert_eq!(made.is_some(), PARTS.is_some());
        if let Some(html) = made {
            assert_eq!(html.matches("<script").count(), 1, "{html}");
            assert_eq!(html.matches("</script").count(), 1);
            assert!(!html.contains(BOXES) && html.contains("data-placet-processing=\"7\""));
        }
    }

    #[test]
    fn literals_cannot_be_left() {
        assert_eq!(
            literal("a'b\\c\n\t\u{1}\u{2028}\"é"),
            "'a\\'b\\\\c\\n\\t\\u0001\\u2028\"é'"
        );
    }
}
