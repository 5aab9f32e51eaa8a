//! Consent boxes and contract boxes as publishing writes them: `<projectId>/boxes.json`, one file
//! for a project, loaded only by pages that show one. Everything that is not a message (sanitised
//! by publishing) is escaped here, once.

use std::{collections::BTreeMap, fmt::Write};

use domain::{
    collection::Collection,
    documents::{
        self, Button, ButtonColor, Client, ConsentBox, ContractBox, DEFAULT_LANGUAGE, Screen,
    },
};
use serde::Serialize;
use serde_json::Value;

use super::{
    css,
    html::{escape, processor, speech, web_address, words_of},
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
    #[serde(skip)]
    identifier: String,
    collection: &'static str,
    name: String,
    language: String,
    publication: String,
    /// `name` of its checkbox.
    input: String,
    required: bool,
    /// Label of its checkbox.
    label: String,
    /// Label of the button that closes the box without an answer when it is shown over the page.
    close: String,
    html: String,
}

impl DrawnBox {
    /// Id of its document.
    pub fn identifier(&self) -> &str {
        &self.identifier
    }
}

impl Boxes {
    /// No box yet, in the look of a project.
    pub fn new(client: &Client) -> Self {
        Self {
            css: theme::box_properties(client) + &css::boxes(),
            boxes: BTreeMap::new(),
        }
    }

    /// Takes a box in.
    pub fn add(&mut self, publication: &str, mut one: DrawnBox) {
        publication.clone_into(&mut one.publication);
        self.boxes.insert(one.identifier.clone(), one);
    }

    /// True if there is no box.
    pub fn is_empty(&self) -> bool {
        self.boxes.is_empty()
    }
}

/// A box as it is drawn, whatever its collection.
struct Question<'a> {
    collection: Collection,
    identifier: &'a str,
    language: &'a str,
    title: Option<&'a str>,
    sub_title: Option<&'a str>,
    message: Option<&'a str>,
    /// Name of the input in the form.
    name: Option<&'a str>,
    required: bool,
    buttons: &'a [Button],
    picture: Option<&'a str>,
    file: Option<&'a str>,
    confirmations: Vec<(&'a str, Screen)>,
    /// Rows of the overlay that explains the consent.
    details: String,
}

/// Draws a published document of `processings` or `contracts`; `None` of another collection.
pub fn draw(collection: Collection, document: &Value) -> Option<DrawnBox> {
    match collection {
        Collection::Processings => Some(consent_box(&documents::read_published(document))),
        Collection::Contracts => Some(contract_box(&documents::read_published(document))),
        Collection::Projects | Collection::Cookies | Collection::Vendors => None,
    }
}

fn consent_box(own: &ConsentBox) -> DrawnBox {
    let language = own.language.as_deref().unwrap_or(DEFAULT_LANGUAGE);
    let screens = own.confirmations.iter();
    Question {
        collection: Collection::Processings,
        identifier: &own.identifier,
        language,
        title: words_of(own.title.as_deref()),
        sub_title: words_of(own.sub_title.as_deref()),
        message: words_of(own.message.as_deref()),
        name: words_of(own.name.as_deref()),
        required: own.id_required,
        buttons: &own.buttons,
        picture: own.picture.as_deref(),
        file: None,
        confirmations: screens
            .map(|(value, screen)| (value.as_str(), documents::read_published(screen)))
            .collect(),
        details: details(&Words::of_language(language), own),
    }
    .draw()
}

fn contract_box(own: &ContractBox) -> DrawnBox {
    Question {
        collection: Collection::Contracts,
        identifier: &own.identifier,
        language: own.language.as_deref().unwrap_or(DEFAULT_LANGUAGE),
        title: words_of(own.title.as_deref()),
        sub_title: words_of(own.sub_title.as_deref()),
        message: words_of(own.message.as_deref()),
        name: words_of(own.name.as_deref()),
        required: own.id_required,
        buttons: &own.buttons,
        picture: None,
        file: own.file.as_deref(),
        confirmations: Vec::new(),
        details: String::new(),
    }
    .draw()
}

impl Question<'_> {
    fn draw(&self) -> DrawnBox {
        let words = Words::of_language(self.language);
        let title = self.title.unwrap_or_else(|| words.get("title"));
        let accepting = self.buttons.iter().find(|button| accepts(button));
        let accepting = accepting.and_then(|button| words_of(button.text.as_deref()));
        let label = accepting.unwrap_or(title);
        let mut html = format!(
            "<div class=b part=box role=group aria-labelledby=t {}><section data-screen=\"\">{}<p class=h id=t tabindex=-1 part=title>{}</p>",
            speech(self.language),
            picture(self.picture),
            escape(title)
        );
        if let Some(sub) = self.sub_title {
            let _ = write!(html, "<p class=u part=subtitle>{}</p>", escape(sub));
        }
        message(&mut html, self.message);
        // With buttons the checkbox only carries the answer into the form; it can be focused all the
        // same, because browsers point at it when it is required and empty.
        let _ = write!(
            html,
            "<label class=\"k{}\" part=check><slot name=check></slot><span aria-hidden=true>{}</span></label>",
            if self.buttons.is_empty() { "" } else { " hid" },
            escape(label)
        );
        self.actions(&mut html, &words);
        self.links(&mut html, &words);
        html += "</section>";
        self.screens(&mut html, &words);
        let _ = write!(
            html,
            "<p class=s role=status part=status data-saved=\"{}\" data-failed=\"{}\"></p>",
            escape(words.get("saved")),
            escape(words.get("failed"))
        );
        if !self.details.is_empty() {
            let _ = write!(
                html,
                "<dialog part=dialog aria-label=\"{}\"><p class=h>{}</p><dl>{}</dl><div class=f><button type=button part=close>{}</button></div></dialog>",
                escape(words.get("details")),
                escape(title),
                self.details,
                escape(words.get("understood"))
            );
        }
        html += "</div>";
        DrawnBox {
            identifier: self.identifier.to_owned(),
            collection: self.collection.as_str(),
            name: self.name.unwrap_or(title).to_owned(),
            language: self.language.to_owned(),
            publication: String::new(),
            input: self.name.unwrap_or(self.identifier).to_owned(),
            required: self.required,
            label: label.to_owned(),
            close: words.get("close").to_owned(),
            html,
        }
    }

    fn actions(&self, html: &mut String, words: &Words<'_>) {
        if self.buttons.is_empty() {
            return;
        }
        *html += "<div class=f part=actions>";
        for button in self.buttons {
            let value = button.value.clone().unwrap_or(Value::Bool(true));
            let word = if is_yes(&value) { "agree" } else { "disagree" };
            let _ = write!(
                html,
                "<button type=button part=answer class=\"{}\" data-value=\"{}\">{}</button>",
                match button.color {
                    ButtonColor::Primary => "y",
                    ButtonColor::Default => "n",
                },
                escape(&value.to_string()),
                escape(words_of(button.text.as_deref()).unwrap_or_else(|| words.get(word)))
            );
        }
        *html += "</div>";
    }

    /// The file, and the button that opens the details.
    fn links(&self, html: &mut String, words: &Words<'_>) {
        let file = self.file.filter(|url| web_address(url));
        if self.details.is_empty() && file.is_none() {
            return;
        }
        *html += "<div class=e>";
        if let Some(file) = file {
            let _ = write!(
                html,
                "<a part=file href=\"{}\" target=_blank rel=\"noopener noreferrer\">{}<span class=hid> ({})</span></a>",
                escape(file),
                escape(words.get("openFile")),
                escape(words.get("newTab"))
            );
        }
        if !self.details.is_empty() {
            let _ = write!(
                html,
                "<button type=button part=details>{}</button>",
                escape(words.get("details"))
            );
        }
        *html += "</div>";
    }

    /// The screens that follow an answer, by the value of its button.
    fn screens(&self, html: &mut String, words: &Words<'_>) {
        for (value, screen) in &self.confirmations {
            let title = words_of(screen.title.as_deref()).unwrap_or_else(|| words.get("saved"));
            let _ = write!(
                html,
                "<section data-screen=\"{}\" part=confirmation hidden><p class=h tabindex=-1>{}</p>",
                escape(value),
                escape(title)
            );
            message(html, words_of(screen.message.as_deref()));
            let back = words_of(screen.back_button_text.as_deref());
            let _ = write!(
                html,
                "<div class=f><button type=button part=back>{}</button></div></section>",
                escape(back.unwrap_or_else(|| words.get("prevStep")))
            );
        }
    }
}

/// True if a button gives consent. A button without a value counts as none here, although pressing
/// it gives consent.
fn accepts(button: &Button) -> bool {
    button.value.as_ref().is_some_and(is_yes)
}

/// True if the value of a button gives consent.
fn is_yes(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty() && text != "false",
        Value::Number(number) => number.as_f64() != Some(0.0),
        _ => true,
    }
}

/// The icon in the corner; publishing has put a copy of it beside the file.
fn picture(url: Option<&str>) -> String {
    url.filter(|url| web_address(url))
        .map(|url| {
            format!(
                "<img class=im part=picture alt=\"\" src=\"{}\">",
                escape(url)
            )
        })
        .unwrap_or_default()
}

fn message(html: &mut String, message: Option<&str>) {
    if let Some(message) = message {
        // Sanitised markup has links only as tags, so this never touches text.
        let message = message.replace("<a ", "<a target=_blank ");
        let _ = write!(html, "<div class=m part=message>{message}</div>");
    }
}

fn details(words: &Words<'_>, own: &ConsentBox) -> String {
    let mut html = String::new();
    let mut row = |key: &str, values: Vec<String>| {
        if !values.is_empty() {
            let _ = write!(html, "<dt>{}</dt>", escape(words.get(key)));
            for value in values {
                let _ = write!(html, "<dd>{value}</dd>");
            }
        }
    };
    let plain = |text: &Option<String>| -> Vec<String> {
        words_of(text.as_deref()).map(escape).into_iter().collect()
    };
    row("purpose", plain(&own.purpose));
    let controller = own.data_processor.as_ref();
    let others = own.processors.iter();
    let others = others.filter(|other| controller.is_none_or(|one| one.name != other.name));
    let parties = controller.into_iter().chain(others);
    row("processors", parties.filter_map(processor).collect());
    let types = own.personal_data_types.iter();
    row("dataTypes", types.map(|one| escape(one)).collect());
    if own.automated_decisions {
        let mut automated = plain(&own.automated_decisions_details);
        if let Some(contact) = words_of(own.automated_decisions_contact.as_deref()) {
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
    row("withdraw", plain(&own.consent_withdraw));
    let months = own.storage_duration.iter();
    row("storage", months.map(ToString::to_string).collect());
    html
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn everything_but_the_message_is_escaped() {
        let evil = "<img src=x onerror=alert(1)>\"'";
        let drawn = draw(
            Collection::Processings,
            &json!({
                "identifier": "1", "picture": "https://cdn.example/a.png?b&c", "title": evil, "subTitle": evil, "purpose": evil, "message": "<b>kept</b>",
                "buttons": [{"text": evil, "color": evil, "value": evil}],
                "confirmations": {evil: {"title": evil, "backButtonText": evil}},
                "processors": [{"name": evil, "role": evil, "website": "javascript:alert(1)"}],
                "personalDataTypes": [evil], "automatedDecisions": true, "automatedDecisionsContact": evil,
                "automatedDecisionsDetails": evil, "consentWithdraw": evil, "storageDuration": 12,
            }),
        )
        .unwrap();
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
    fn the_project_s_controller_stands_first_and_once() {
        let drawn = draw(
            Collection::Processings,
            &json!({
                "identifier": "1", "dataProcessor": {"name": "Shop Ltd", "website": "https://shop.example"},
                "processors": [{"name": "Mailer"}, {"name": "Shop Ltd"}],
            }),
        )
        .unwrap();
        let names: Vec<_> = drawn.html.split("<bdi>").skip(1).collect();
        assert!(
            names.len() == 2
                && names[0].starts_with("Shop Ltd<")
                && names[1].starts_with("Mailer<"),
            "{}",
            drawn.html
        );
    }

    #[test]
    fn the_label_is_what_accepting_says() {
        let buttons =
            json!([{"text": "No", "value": false}, {"text": "Yes, please", "value": true}]);
        let drawn = draw(
            Collection::Processings,
            &json!({"title": "News", "buttons": buttons}),
        )
        .unwrap();
        assert_eq!(drawn.label, "Yes, please");
        assert_eq!(
            draw(Collection::Contracts, &json!({"title": "Terms"}))
                .unwrap()
                .label,
            "Terms"
        );
    }
}
