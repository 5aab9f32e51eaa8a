//! Consent and contract boxes: questions inside a form.

use serde_json::{Map, Value};

use super::{
    complete::DATA_PROCESSOR,
    field::{Absent, FileUse, Kind, Needed, Reach, Unit, document_words, object},
    project::MOST_MONTHS,
};
use crate::format;

document_words! {
    /// Look of a button.
    pub enum ButtonColor {
        /// As the button that matters.
        Primary = "primary",
        /// As any other.
        #[default] Default = "default",
    }
}

object! {
    /// A button that answers.
    pub struct Button, BUTTON {
        /// Its words.
        "text" text: Option<String>, Kind::Line.optional().expected();
        /// Its look.
        "color" color: ButtonColor, Kind::Words(ButtonColor::WORDS).optional();
        /// The value of the answer; `false` refuses. `true` when absent.
        "value" value: Option<Value>, Kind::Any.optional();
    }
}

impl Button {
    /// The value of the answer.
    pub fn answer(&self) -> Value {
        self.value.clone().unwrap_or(Value::Bool(true))
    }

    /// True if pressing it gives consent.
    pub fn accepts(&self) -> bool {
        match self.answer() {
            Value::Null | Value::Bool(false) => false,
            Value::String(text) => !text.is_empty() && text != "false",
            Value::Number(number) => number.as_f64() != Some(0.0),
            _ => true,
        }
    }
}

object! {
    /// A screen that follows an answer.
    pub struct Screen, SCREEN {
        /// Title.
        "title" title: Option<String>, Kind::Line.optional().expected();
        /// Text.
        "message" message: Option<String>, Kind::Html.optional();
        /// Words of the button back to the question.
        "backButtonText" back_button_text: Option<String>, Kind::Line.optional();
    }
}

object! {
    /// Somebody who processes the data.
    pub struct Processor, PROCESSOR {
        /// Name.
        "name" name: Option<String>, Kind::Line.optional().expected();
        /// One sentence.
        "shortDescription" short_description: Option<String>, Kind::Line.optional();
        /// The role in the processing.
        "role" role: Option<String>, Kind::Line.optional();
        /// Web site.
        "website" website: Option<String>, Kind::Url.optional();
    }
}

object! {
    /// A consent box: a question about one processing of personal data, inside a form.
    pub struct ConsentBox, CONSENT_BOX {
        /// The project that it belongs to.
        "projectId" project_id: Option<String>, Kind::Id.required().seen_by(Reach::Private), skip_serializing;
        /// The document's id.
        "identifier" identifier: String, Kind::Id.optional().seen_by(Reach::Made);
        /// Language of the box (ISO 639-1); that of the project when absent.
        "language" language: Option<String>, Kind::Formatted(&format::LANGUAGE).optional();
        /// Title.
        "title" title: Option<String>, Kind::Line.optional().expected();
        /// Line below the title.
        "subTitle" sub_title: Option<String>, Kind::Line.optional();
        /// Picture in the upper right corner.
        "picture" picture: Option<String>, Kind::File(FileUse::Picture).optional();
        /// Text under the titles.
        "message" message: Option<String>, Kind::Html.optional();
        /// Purpose of the processing.
        "purpose" purpose: Option<String>, Kind::Text.optional().to_publish(Needed::Always);
        /// The answers.
        "buttons" buttons: Vec<Button>, Kind::Objects(&BUTTON, None).optional();
        /// Screens that follow an answer, by its value.
        "confirmations" confirmations: Map<String, Value>, Kind::Named(&SCREEN).optional();
        /// The parties that process the data.
        "processors" processors: Vec<Processor>, Kind::Objects(&PROCESSOR, None).optional().to_publish(Needed::WithoutParty(DATA_PROCESSOR));
        /// Name and web site of the project's `dataProcessor`.
        "dataProcessor" data_processor: Option<Processor>, Kind::Object(&PROCESSOR).optional().seen_by(Reach::Made);
        /// Kinds of personal data.
        "personalDataTypes" personal_data_types: Vec<String>, Kind::Lines.optional();
        /// True if machines take decisions.
        "automatedDecisions" automated_decisions: bool, Kind::Flag.optional();
        /// Contact for questions about such decisions.
        "automatedDecisionsContact" automated_decisions_contact: Option<String>, Kind::Line.optional();
        /// Explanation of how such decisions come about.
        "automatedDecisionsDetails" automated_decisions_details: Option<String>, Kind::Text.optional();
        /// Explanation of how to withdraw the consent.
        "consentWithdraw" consent_withdraw: Option<String>, Kind::Text.optional().to_publish(Needed::Always);
        /// Months that the data is stored.
        "storageDuration" storage_duration: Option<f64>, Kind::Number(0.0, MOST_MONTHS).optional().in_unit(Unit::Months).ruling_consents();
        /// Name of the input in the form.
        "name" name: Option<String>, Kind::Line.optional();
        /// True if the form needs an answer.
        "idRequired" id_required: bool, Kind::Flag.optional();
    }
}

object! {
    /// A contract box: a checkbox for a document that opens in a new tab, inside a form.
    pub struct ContractBox, CONTRACT_BOX {
        /// The project that it belongs to.
        "projectId" project_id: Option<String>, Kind::Id.required().seen_by(Reach::Private), skip_serializing;
        /// The document's id.
        "identifier" identifier: String, Kind::Id.optional().seen_by(Reach::Made);
        /// Language of the box (ISO 639-1); that of the project when absent.
        "language" language: Option<String>, Kind::Formatted(&format::LANGUAGE).optional();
        /// The document.
        "file" file: Option<String>, Kind::File(FileUse::Document).optional();
        /// Title.
        "title" title: Option<String>, Kind::Line.optional().expected();
        /// Line below the title.
        "subTitle" sub_title: Option<String>, Kind::Line.optional();
        /// Name of the checkbox in the form.
        "name" name: Option<String>, Kind::Line.optional();
        /// Text under the titles.
        "message" message: Option<String>, Kind::Html.optional();
        /// True if the form needs the checkbox ticked.
        "idRequired" id_required: bool, Kind::Flag.optional();
        /// The answers.
        "buttons" buttons: Vec<Button>, Kind::Objects(&BUTTON, None).optional();
    }
}
