//! Consent boxes and contract boxes as publishing writes them: `<projectId>/boxes.json`, one file
//! for a project, loaded only by pages that show one.

use std::{borrow::Cow, collections::BTreeMap};

use askama::Template;
use domain::{
    collection::Collection,
    consent::ConsentCollection,
    documents::{
        self, Button, ButtonColor, Client, ConsentBox, ContractBox, DEFAULT_LANGUAGE, Screen,
    },
};
use serde::Serialize;
use serde_json::Value;

use super::{
    css,
    illustrations::Drawing,
    links::WebAddress,
    markup::filters,
    party::Party,
    speech::Speech,
    text::{Words, message, words_of},
    theme,
};
use crate::{objects::sha256_hex, sanitise::Sanitised};

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

    /// SHA-256 of the box as it is drawn, without the publication that the hash helps to name.
    pub fn hash(&self) -> String {
        sha256_hex(&self.bytes())
    }

    /// The box as it is drawn.
    pub fn bytes(&self) -> Vec<u8> {
        // Texts and flags: cannot fail.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

impl Boxes {
    /// No box yet, in the look of a project.
    pub fn new(client: &Client) -> Self {
        Self {
            css: theme::box_properties(client)
                + &css::boxes()
                + &theme::buttons(client, ".f button"),
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
    message: Option<Sanitised>,
    /// Name of the input in the form.
    name: Option<&'a str>,
    required: bool,
    buttons: &'a [Button],
    /// The icon in the corner; publishing has put a copy of it beside the file.
    picture: Option<WebAddress<'a>>,
    illustration: Option<Drawing>,
    file: Option<WebAddress<'a>>,
    confirmations: Vec<(&'a str, Screen)>,
    /// Rows of the overlay that explains the consent.
    details: Vec<Row<'a>>,
}

/// A row of the overlay.
struct Row<'a> {
    /// Key of its word.
    word: &'static str,
    facts: Vec<Fact<'a>>,
}

enum Fact<'a> {
    Text(Cow<'a, str>),
    Party(Party<'a>),
}

/// Draws a published document of `processings` or `contracts`; `None` of another collection.
pub fn draw(collection: Collection, document: &Value) -> Option<DrawnBox> {
    match ConsentCollection::of(collection)? {
        ConsentCollection::Processings => Some(consent_box(&documents::read_published(document))),
        ConsentCollection::Contracts => Some(contract_box(&documents::read_published(document))),
        ConsentCollection::Cookies => None,
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
        message: message(own.message.as_deref()),
        name: words_of(own.name.as_deref()),
        required: own.id_required,
        buttons: &own.buttons,
        picture: WebAddress::of(own.picture.as_deref()),
        illustration: Drawing::named(own.picture.as_deref()),
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
        message: message(own.message.as_deref()),
        name: words_of(own.name.as_deref()),
        required: own.id_required,
        buttons: &own.buttons,
        picture: None,
        illustration: None,
        file: WebAddress::of(own.file.as_deref()),
        confirmations: Vec::new(),
        details: Vec::new(),
    }
    .draw()
}

/// The markup of a box.
#[derive(Template)]
#[template(path = "box/box.html")]
struct Markup<'a> {
    question: &'a Question<'a>,
    words: &'a Words<'a>,
    speech: Speech,
    title: &'a str,
    label: &'a str,
    answers: Vec<Answer<'a>>,
    screens: Vec<Confirmation<'a>>,
    /// A link of a message opens a new tab, and a sentence says so.
    says_tabs: bool,
}

/// A button that answers.
struct Answer<'a> {
    class: &'static str,
    /// The value, as JSON.
    value: String,
    text: &'a str,
}

/// The screen that follows an answer.
struct Confirmation<'a> {
    /// The value of the answer's button.
    value: &'a str,
    title: &'a str,
    message: Option<Sanitised>,
    back: &'a str,
}

impl Question<'_> {
    fn draw(&self) -> DrawnBox {
        let words = Words::of_language(self.language);
        let title = self.title.unwrap_or_else(|| words.get("title"));
        let accepting = self.buttons.iter().find(|button| button.accepts());
        let accepting = accepting.and_then(|button| words_of(button.text.as_deref()));
        let label = accepting.unwrap_or(title);
        let buttons = self.buttons.iter();
        let confirmations = self.confirmations.iter();
        let screens: Vec<_> = confirmations
            .map(|(value, screen)| Confirmation::of(&words, value, screen))
            .collect();
        let says_tabs = screens
            .iter()
            .map(|screen| &screen.message)
            .chain([&self.message])
            .flatten()
            .any(Sanitised::opens_tabs);
        let markup = Markup {
            question: self,
            words: &words,
            speech: Speech::of(self.language),
            title,
            label,
            answers: buttons.map(|button| Answer::of(&words, button)).collect(),
            says_tabs,
            screens,
        };
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
            html: markup.to_string(),
        }
    }
}

impl<'a> Answer<'a> {
    fn of(words: &Words<'a>, button: &'a Button) -> Self {
        let word = if button.accepts() {
            "agree"
        } else {
            "disagree"
        };
        Self {
            class: match button.color {
                ButtonColor::Primary => "y",
                ButtonColor::Default => "n",
            },
            value: button.answer().to_string(),
            text: words_of(button.text.as_deref()).unwrap_or_else(|| words.get(word)),
        }
    }
}

impl<'a> Confirmation<'a> {
    fn of(words: &Words<'a>, value: &'a str, screen: &'a Screen) -> Self {
        let back = words_of(screen.back_button_text.as_deref());
        Self {
            value,
            title: words_of(screen.title.as_deref()).unwrap_or_else(|| words.get("saved")),
            message: message(screen.message.as_deref()),
            back: back.unwrap_or_else(|| words.get("prevStep")),
        }
    }
}

/// The rows that explain a consent; those without facts are left out.
fn details<'a>(words: &Words<'_>, own: &'a ConsentBox) -> Vec<Row<'a>> {
    let plain = |text: &'a Option<String>| {
        let text = words_of(text.as_deref());
        text.map(|text| Fact::Text(text.into()))
    };
    let controller = own.data_processor.as_ref();
    let others = own.processors.iter();
    let others = others.filter(|other| controller.is_none_or(|one| one.name != other.name));
    let parties = controller.into_iter().chain(others).filter_map(Party::of);
    let types = own.personal_data_types.iter();
    let months = own.storage_duration.iter();
    let rows = [
        ("purpose", plain(&own.purpose).into_iter().collect()),
        ("processors", parties.map(Fact::Party).collect()),
        (
            "dataTypes",
            types.map(|one| Fact::Text(one.into())).collect(),
        ),
        ("automated", automated(words, own)),
        (
            "withdraw",
            plain(&own.consent_withdraw).into_iter().collect(),
        ),
        (
            "storage",
            months
                .map(|months| Fact::Text(months.to_string().into()))
                .collect(),
        ),
    ];
    let rows = rows
        .into_iter()
        .map(|(word, facts): (_, Vec<_>)| Row { word, facts });
    rows.filter(|row| !row.facts.is_empty()).collect()
}

/// About decisions that machines take.
fn automated<'a>(words: &Words<'_>, own: &'a ConsentBox) -> Vec<Fact<'a>> {
    if !own.automated_decisions {
        return Vec::new();
    }
    let how = words_of(own.automated_decisions_details.as_deref()).map(Cow::from);
    let contact = words_of(own.automated_decisions_contact.as_deref());
    let contact = contact.map(|contact| format!("{}: {contact}", words.get("contact")).into());
    let mut facts: Vec<_> = how.into_iter().chain(contact).collect();
    if facts.is_empty() {
        facts.push("✓".into());
    }
    facts.into_iter().map(Fact::Text).collect()
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
                .contains("src=\"https://cdn.example/a.png?b&#38;c\"")
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
    fn a_box_says_its_titles_and_a_button_has_the_look_that_it_names() {
        for collection in [Collection::Processings, Collection::Contracts] {
            let drawn = draw(
                collection,
                &json!({
                    "identifier": "1", "title": "News", "subTitle": "Once a month", "message": "<b>Really</b>",
                    "buttons": [{"text": "Yes", "color": "primary", "value": true},
                        {"text": "Rarely", "color": "default", "value": "rarely"}, {"text": "No", "value": false}],
                }),
            )
            .unwrap();
            for said in [
                "part=title>News<",
                "part=subtitle>Once a month<",
                "part=message><b>Really</b><",
                "part=answer class=\"y\" data-value=\"true\">Yes<",
                "part=answer class=\"n\" data-value=\"&#34;rarely&#34;\">Rarely<",
                "part=answer class=\"n\" data-value=\"false\">No<",
            ] {
                assert!(drawn.html.contains(said), "{said} {}", drawn.html);
            }
        }
    }

    #[test]
    fn a_party_is_told_with_its_role_and_its_sentence() {
        let party =
            json!({"name": "Mailer", "role": "sends", "shortDescription": "A post office."});
        let drawn = draw(Collection::Processings, &json!({"processors": [party]})).unwrap();
        assert!(drawn.html.contains("Mailer"), "{}", drawn.html);
        assert!(drawn.html.contains("sends"), "{}", drawn.html);
        assert!(drawn.html.contains("A post office."), "{}", drawn.html);
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
        for accepting in [
            json!({"text": "Weekly"}),
            json!({"text": "Weekly", "value": "weekly"}),
        ] {
            let buttons = json!([{"text": "No", "value": false}, accepting]);
            let drawn = draw(
                Collection::Processings,
                &json!({"title": "News", "buttons": buttons}),
            );
            assert_eq!(drawn.unwrap().label, "Weekly");
        }
    }
}
