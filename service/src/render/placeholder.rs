//! The placeholder of a frame.

use askama::Template;
use domain::{
    documents::{CookieConfiguration, Vendor},
    payload::act,
};

use super::{
    bounded::{Room, TooLarge},
    links::{Policy, WebAddress},
    markup::filters,
    speech::Speech,
    text::{Words, words_of},
};

#[derive(Template)]
#[template(path = "widget/placeholder.html")]
struct Placeholder {
    speech: Speech,
    text: String,
    allow: String,
}

/// The placeholder. The SDK fills in the vendor's title at `\u{1}`.
pub(super) fn placeholder(configuration: &CookieConfiguration) -> String {
    let words = Words::new(configuration, None);
    let vendor = [("vendor", "\u{1}")];
    let placeholder = Placeholder {
        speech: Speech::of(&configuration.language),
        text: words.fill("placeholder", &vendor),
        allow: words.fill("allow", &vendor),
    };
    placeholder.to_string()
}

#[derive(Template)]
#[template(path = "widget/placeholder_more.html")]
struct More<'a> {
    words: &'a Words<'a>,
    purpose: Option<&'a str>,
    /// The language of the purpose, if it is another one than the widget's.
    language: Option<&'a str>,
    policy: Option<Policy<'a>>,
}

/// The rest of a vendor's placeholder, which pages load when they show one: its purpose, how far a
/// permission goes, its policy, and the button for this element alone.
pub(super) fn more(
    room: &mut Room,
    words: &Words<'_>,
    vendor: &Vendor,
) -> Result<String, TooLarge> {
    let title = words_of(Some(&vendor.title)).unwrap_or(&vendor.name);
    let more = More {
        words,
        purpose: words_of(vendor.short_description.as_deref()),
        language: vendor.text_language.as_deref(),
        policy: WebAddress::of(vendor.policy_url.as_deref()).map(|url| Policy {
            url,
            service: Some(title),
        }),
    };
    room.draw(&more)
}
