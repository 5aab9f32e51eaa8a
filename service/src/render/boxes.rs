//! Consent boxes and contract boxes as publishing writes them: `<projectId>/boxes.json`, one file
//! for a project, loaded only by pages that show one. Everything that is not a message (sanitised
//! by publishing) is escaped here, once.

use std::{collections::BTreeMap, fmt::Write};

use domain::published::Client;
use serde::Serialize;
use serde_json::Value;

use super::{
    css,
    html::{escape, speech, web_address},
    text::Words,
    theme,
};

/// The file of a project's boxes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Boxes {
    css: String,
    boxes: BTreeMap<String, DrawnBox>,
}

/// A box, ready to be shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawnBox {
    collection: &'static str,
    name: String,
    language: String,
    publication: String,
    /// `name` of its checkbox.
    input: String,
    required: bool,
    /// What its checkbox is called.
    label: String,
    /// What leaves it unanswered where it is shown over the page.
    close: String,
    html: String,
}

/// A box stands in the page, whose ground does not change with the visitor's scheme unless the
/// site changes it: it keeps the project's own colours.
fn light(properties: &str) -> &str {
    properties.split("@media").next().unwrap_or_default()
}

impl Boxes {
    /// No box yet, in the look of a project.
    pub fn new(client: &Client) -> Self {
        Self {
            css: light(&theme::properties(client)).to_owned() + &css::boxes(),
            boxes: BTreeMap::new(),
        }
    }

    /// Takes a box in.
    pub fn add(&mut self, identifier: &str, publication: &str, mut one: DrawnBox) {
        publication.clone_into(&mut one.publication);
        self.boxes.insert(identifier.to_owned(), one);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.boxes.is_empty()
    }
}

fn text<'a>(document: &'a Value, key: &str) -> Option<&'a str> {
    document
        .get(key)
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

fn list<'a>(document: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    document
        .get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// Draws a published document of `processings` or `contracts`.
pub fn draw(collection: &'static str, document: &Value) -> DrawnBox {
    let language = text(document, "language").unwrap_or("en");
    let words = Words::of_language(language);
    let identifier = text(document, "identifier").unwrap_or_default();
    let title = text(document, "title").unwrap_or_else(|| words.get("title"));
    let buttons: Vec<&Value> = list(document, "buttons").collect();
    let accepting = buttons
        .iter()
        .find(|button| button.get("value").is_some_and(accepts))
        .and_then(|button| text(button, "text"));
    let label = accepting.unwrap_or(title);
    let mut html = format!(
        "<div class=b part=box role=group aria-labelledby=t {}><section data-screen=\"\">{}<p class=h id=t tabindex=-1 part=title>{}</p>",
        speech(language),
        picture(document),
        escape(title)
    );
    if let Some(sub) = text(document, "subTitle") {
        let _ = write!(html, "<p class=u part=subtitle>{}</p>", escape(sub));
    }
    message(&mut html, document);
    // With buttons the checkbox only carries the answer into the form; it can be focused all the
    // same, because browsers point at it when it is required and empty.
    let _ = write!(
        html,
        "<label class=\"k{}\" part=check><slot name=check></slot><span aria-hidden=true>{}</span></label>",
        if buttons.is_empty() { "" } else { " hid" },
        escape(label)
    );
    if !buttons.is_empty() {
        html += "<div class=f part=actions>";
        for button in buttons {
            let value = button.get("value").cloned().unwrap_or(Value::Bool(true));
            let _ = write!(
                html,
                "<button type=button part=answer class=\"{}\" data-value=\"{}\">{}</button>",
                if text(button, "color") == Some("primary") {
                    "y"
                } else {
                    "n"
                },
                escape(&value.to_string()),
                escape(text(button, "text").unwrap_or_else(|| {
                    words.get(if accepts(&value) { "agree" } else { "disagree" })
                }))
            );
        }
        html += "</div>";
    }
    let details = details(&words, document);
    let file = text(document, "file").filter(|url| web_address(url));
    if !details.is_empty() || file.is_some() {
        html += "<div class=e>";
        if let Some(file) = file {
            let _ = write!(
                html,
                "<a part=file href=\"{}\" target=_blank rel=\"noopener noreferrer\">{}<span class=hid> ({})</span></a>",
                escape(file),
                escape(words.get("openFile")),
                escape(words.get("newTab"))
            );
        }
        if !details.is_empty() {
            let _ = write!(
                html,
                "<button type=button part=details>{}</button>",
                escape(words.get("details"))
            );
        }
        html += "</div>";
    }
    html += "</section>";
    screens(&mut html, &words, document);
    let _ = write!(
        html,
        "<p class=s role=status part=status data-saved=\"{}\" data-failed=\"{}\"></p>",
        escape(words.get("saved")),
        escape(words.get("failed"))
    );
    if !details.is_empty() {
        let _ = write!(
            html,
            "<dialog part=dialog aria-label=\"{}\"><p class=h>{}</p><dl>{details}</dl><div class=f><button type=button part=close>{}</button></div></dialog>",
            escape(words.get("details")),
            escape(title),
            escape(words.get("understood"))
        );
    }
    html += "</div>";
    DrawnBox {
        collection,
        name: text(document, "name").unwrap_or(title).to_owned(),
        language: language.to_owned(),
        publication: String::new(),
        input: text(document, "name").unwrap_or(identifier).to_owned(),
        required: document
            .get("idRequired")
            .and_then(Value::as_bool)
            .unwrap_or(false),
        label: label.to_owned(),
        close: words.get("close").to_owned(),
        html,
    }
}

/// Whether a button's value gives consent.
fn accepts(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty() && text != "false",
        Value::Number(number) => number.as_f64() != Some(0.0),
        _ => true,
    }
}

/// The icon in the corner; publishing has put a copy of it beside the file.
fn picture(document: &Value) -> String {
    text(document, "picture")
        .filter(|url| web_address(url))
        .map(|url| {
            format!(
                "<img class=im part=picture alt=\"\" src=\"{}\">",
                escape(url)
            )
        })
        .unwrap_or_default()
}

fn message(html: &mut String, of: &Value) {
    if let Some(message) = text(of, "message") {
        // Sanitised markup has links only as tags, so this never touches text.
        let message = message.replace("<a ", "<a target=_blank ");
        let _ = write!(html, "<div class=m part=message>{message}</div>");
    }
}

/// What is shown after an answer, by the value of its button.
fn screens(html: &mut String, words: &Words<'_>, document: &Value) {
    let screens = document.get("confirmations").and_then(Value::as_object);
    for (value, screen) in screens.into_iter().flatten() {
        let _ = write!(
            html,
            "<section data-screen=\"{}\" part=confirmation hidden><p class=h tabindex=-1>{}</p>",
            escape(value),
            escape(text(screen, "title").unwrap_or_else(|| words.get("saved")))
        );
        message(html, screen);
        let _ = write!(
            html,
            "<div class=f><button type=button part=back>{}</button></div></section>",
            escape(text(screen, "backButtonText").unwrap_or_else(|| words.get("prevStep")))
        );
    }
}

/// Rows of the overlay that tells what the consent is about.
fn details(words: &Words<'_>, document: &Value) -> String {
    let mut html = String::new();
    let mut row = |key: &str, values: Vec<String>| {
        if !values.is_empty() {
            let _ = write!(html, "<dt>{}</dt>", escape(words.get(key)));
            for value in values {
                let _ = write!(html, "<dd>{value}</dd>");
            }
        }
    };
    let plain = |key: &str| text(document, key).map(escape).into_iter().collect();
    row("purpose", plain("purpose"));
    row(
        "processors",
        list(document, "processors").filter_map(processor).collect(),
    );
    row(
        "dataTypes",
        list(document, "personalDataTypes")
            .filter_map(Value::as_str)
            .map(escape)
            .collect(),
    );
    if document.get("automatedDecisions").and_then(Value::as_bool) == Some(true) {
        let mut automated: Vec<String> = plain("automatedDecisionsDetails");
        if let Some(contact) = text(document, "automatedDecisionsContact") {
            automated.push(format!(
                "{}: {}",
                escape(words.get("contact")),
                escape(contact)
            ));
        }
        if automated.is_empty() {
            automated.push("✓".to_owned());
        }
        row("automated", automated);
    }
    row("withdraw", plain("consentWithdraw"));
    let months = document.get("storageDuration").and_then(Value::as_f64);
    row(
        "storage",
        months
            .map(|months| months.to_string())
            .into_iter()
            .collect(),
    );
    html
}

fn processor(one: &Value) -> Option<String> {
    // Names may run in another direction than the sentence that they stand in.
    let name = format!("<bdi>{}</bdi>", escape(text(one, "name")?));
    let mut html = match text(one, "website").filter(|url| web_address(url)) {
        Some(url) => format!(
            "<a href=\"{}\" target=_blank rel=\"noopener noreferrer\">{name}</a>",
            escape(url)
        ),
        None => name,
    };
    for key in ["role", "shortDescription"] {
        if let Some(more) = text(one, key) {
            let _ = write!(html, ", <bdi>{}</bdi>", escape(more));
        }
    }
    Some(html)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn everything_but_the_message_is_escaped() {
        let evil = "<img src=x onerror=alert(1)>\"'";
        let drawn = draw(
            "processings",
            &json!({
                "identifier": "1", "picture": "https://cdn.example/a.png?b&c", "title": evil, "subTitle": evil, "purpose": evil, "message": "<b>kept</b>",
                "buttons": [{"text": evil, "color": evil, "value": evil}],
                "confirmations": {evil: {"title": evil, "backButtonText": evil}},
                "processors": [{"name": evil, "role": evil, "website": "javascript:alert(1)"}],
                "personalDataTypes": [evil], "automatedDecisions": true, "automatedDecisionsContact": evil,
                "automatedDecisionsDetails": evil, "consentWithdraw": evil, "storageDuration": 12,
            }),
        );
        assert!(
            !drawn.html.contains("<img src=x")
                && !drawn.html.contains("javascript:")
                && !drawn.html.contains("<script"),
            "{}",
            drawn.html
        );
        assert!(drawn.html.contains("<b>kept</b>") && drawn.html.contains("<dd>12</dd>"));
        assert!(
            drawn
                .html
                .contains("src=\"https://cdn.example/a.png?b&amp;c\"")
        );
    }

    #[test]
    fn the_label_is_what_accepting_says() {
        let buttons =
            json!([{"text": "No", "value": false}, {"text": "Yes, please", "value": true}]);
        let drawn = draw("processings", &json!({"title": "News", "buttons": buttons}));
        assert_eq!(drawn.label, "Yes, please");
        assert_eq!(draw("contracts", &json!({"title": "Terms"})).label, "Terms");
    }
}
