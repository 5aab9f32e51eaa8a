//! Fields that a draft may lack and a published document may not.

use serde_json::Value;

use super::{
    Processor, Project, check,
    field::{Field, Needed},
    languages::POLICY,
    publish,
};
use crate::{collection::Collection, error_code::ErrorCode, field_error::FieldError};

/// The project's field with the party that answers for the data.
pub const DATA_PROCESSOR: &str = "dataProcessor";

/// One error for each field that keeps a document from being published. `project` is the document of
/// its project.
pub fn missing(collection: Collection, document: &Value, project: &Value) -> Vec<FieldError> {
    let fields = super::of(collection).fields.iter();
    let lacking = fields.filter(|field| {
        let is_needed = match field.rule.to_publish {
            None => false,
            Some(Needed::Always) => true,
            Some(Needed::WithoutParty(party)) => !says(project.get(party)),
        };
        is_needed && !says(document.get(field.key))
    });
    lacking.map(error).collect()
}

fn error(field: &Field) -> FieldError {
    let about = field.about.trim().trim_end_matches('.');
    FieldError::new(
        check::below("", field.key),
        ErrorCode::Required,
        format!("Needed to publish: {about}."),
    )
}

/// True if people can read something in a value. A party says something by its name.
fn says(value: Option<&Value>) -> bool {
    match value {
        Some(Value::String(text)) => text.chars().any(char::is_alphanumeric),
        Some(Value::Array(items)) => items.iter().any(|item| says(Some(item))),
        Some(Value::Object(party)) => says(party.get("name")),
        _ => false,
    }
}

/// Name and web site of the party that answers for a project's data, if the project names one.
pub fn controller(project: &Value) -> Option<Processor> {
    if !says(project.get(DATA_PROCESSOR)) {
        return None;
    }
    let party = publish::read::<Project>(project).data_processor?;
    Some(Processor {
        name: party.name,
        website: party.website,
        ..Processor::default()
    })
}

/// Address at which visitors reach the data protection officer of a project, or else the party that answers for
/// its data: e-mail, web site, telephone or postal address, in this order.
pub fn contact(project: &Value) -> Option<String> {
    let project = publish::read::<Project>(project);
    let parties = [project.dpo, project.data_processor].into_iter().flatten();
    let ways = parties.flat_map(|party| [party.email, party.website, party.phone, party.address]);
    let mut told = ways.flatten().filter(|way| !way.trim().is_empty());
    told.next()
}

/// Address of the privacy policy of a configuration, or else that of its project.
pub fn privacy_policy(configuration: &Value, project: &Value) -> Option<String> {
    let named = [configuration, project].map(|document| document.get(POLICY)?.as_str());
    let mut named = named.into_iter().flatten();
    named.find(|address| !address.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lacks(document: &Value, project: &Value) -> Vec<String> {
        let missing = missing(Collection::Processings, document, project);
        missing.into_iter().map(|error| error.pointer).collect()
    }

    #[test]
    fn a_consent_needs_purpose_processor_and_withdrawal() {
        let nobody = json!({});
        let empty = json!({"title": "News", "purpose": " \u{200b}", "processors": [{"role": "x"}]});
        let all = ["/purpose", "/processors", "/consentWithdraw"];
        assert_eq!(lacks(&empty, &nobody), all);
        let whole = json!({"purpose": "News", "processors": [{}, {"name": "Shop"}],
            "consentWithdraw": "Write to us."});
        assert_eq!(lacks(&whole, &nobody), [""; 0]);
        for collection in [Collection::Cookies, Collection::Contracts] {
            assert_eq!(missing(collection, &nobody, &nobody), []);
        }
    }

    #[test]
    fn the_project_names_the_controller_of_all_its_boxes() {
        let named = json!({"dataProcessor": {"name": "Shop", "email": "a@shop.example"}});
        assert_eq!(lacks(&json!({}), &named), ["/purpose", "/consentWithdraw"]);
        let shown = controller(&named).unwrap();
        assert_eq!(
            serde_json::to_value(shown).unwrap(),
            json!({"name": "Shop"})
        );
        let nameless = json!({"dataProcessor": {"name": " ", "email": "a@shop.example"}});
        assert_eq!(controller(&nameless), None);
        assert_eq!(contact(&named).as_deref(), Some("a@shop.example"));
        let officer = json!({"dpo": {"email": " ", "website": "https://dpo.example", "phone": "1"},
            "dataProcessor": {"email": "a@shop.example"}});
        assert_eq!(contact(&officer).as_deref(), Some("https://dpo.example"));
        assert_eq!(contact(&json!({"dpo": {"name": "Ada"}})), None);
        assert_eq!(lacks(&json!({}), &nameless).len(), 3);
    }
}
