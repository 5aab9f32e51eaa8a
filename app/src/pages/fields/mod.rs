//! Fields of documents for people: their labels, the texts of those that hold one of several words, and their rows in
//! forms. Forms and lists of changes have them from here.

mod choices;
mod names;
mod paths;
mod rows;

pub use choices::{
    button_looks, entrance_name, image_place_name, layout_name, layout_sketch, mode_name,
    option_text, restrictions,
};
pub use names::{hint, label, needed, words};
pub use paths::in_labels;
pub use rows::{choice, choice_or, line, list, row, rows, select, switch};

#[cfg(test)]
mod tests {
    use domain::collection::Collection;
    use domain::documents::field::{Kind, Object, Reach};
    use domain::documents::{self, CONFIGURATION, CONSENT_BOX, PROJECT, VENDOR};

    use super::names::{FILE, TEXTS};
    use super::*;
    use crate::i18n::labels;

    /// The objects of all documents, and those in them.
    fn objects() -> Vec<&'static Object> {
        fn add(object: &'static Object, found: &mut Vec<&'static Object>) {
            found.push(object);
            let parts = object.fields.iter();
            for part in parts.filter_map(|field| field.rule.kind.part()) {
                add(part, found);
            }
        }
        let mut found = Vec::new();
        for collection in Collection::ALL {
            add(documents::of(collection), &mut found);
        }
        found
    }

    #[test]
    fn each_field_has_a_label_and_each_word_a_text() {
        for object in objects() {
            for field in object.fields {
                let is_told = field.rule.reach != Reach::Secret && field.key != "identifier";
                let is_owner = matches!(field.rule.kind, Kind::Id) && field.key == "projectId";
                if !is_told || is_owner {
                    continue;
                }
                let label = labels::label(object.name, field.key);
                assert!(label.is_some(), "{}.{}", object.name, field.key);
                if let Kind::Words(words) = field.rule.kind {
                    for word in words {
                        let text = option_text(field.key, word);
                        assert!(text.is_some(), "{}: {word}", field.key);
                    }
                }
            }
        }
        assert_eq!(option_text("onClose", "anything"), None);
        assert_eq!(option_text("message", "refuse"), None);
    }

    #[test]
    fn each_label_is_one_of_a_field() {
        let objects = objects();
        for (names, key) in labels::keys() {
            let mut named = objects.iter().filter(|object| names.contains(&object.name));
            let is_other = names == [TEXTS] || names == [FILE];
            assert!(
                is_other || named.any(|object| object.field(key).is_some()),
                "{names:?}.{key}"
            );
        }
    }

    #[test]
    fn fields_that_people_write_are_drawn_by_their_descriptions() {
        let rows = rows(&CONFIGURATION);
        for drawn in [
            "/privacyPolicyUrl",
            "/settings/onClose",
            "/googleConsentMode/microsoft",
        ] {
            assert!(rows.iter().any(|row| row == drawn), "{drawn}");
        }
        for other in [
            "/steps",
            "/identifier",
            "/contact",
            "/dataProcessor/name",
            "/projectId",
        ] {
            assert!(!rows.iter().any(|row| row == other), "{other}");
        }
    }

    #[test]
    fn paths_are_told_as_editors_name_them() {
        for (document, path, labels) in [
            (
                &CONFIGURATION,
                &["strings", "acceptAll"][..],
                "Texts › Accept all",
            ),
            (
                &CONFIGURATION,
                &["settings", "onClose"],
                "Position and behaviour › When a visitor closes the banner",
            ),
            (
                &PROJECT,
                &["client", "darkColors", "title"],
                "Design › Colours on dark pages › Titles",
            ),
            // The name of a step is nobody's label.
            (
                &CONFIGURATION,
                &["steps", "title", "title"],
                "Steps › title › Title",
            ),
            (
                &CONFIGURATION,
                &["steps", "a", "vendors", "ads", "name"],
                "Steps › a › Services › ads › Name",
            ),
            (
                &CONFIGURATION,
                &["alwaysOn", "1", "reason"],
                "Always on › 1 › Why it needs no consent",
            ),
            (
                &CONFIGURATION,
                &["translated", "fr", "steps", "a", "title"],
                "Languages › Français › Steps › a › Title",
            ),
            (
                &CONFIGURATION,
                &["translations", "fr", "steps", "a", "title"],
                "Languages › Français › Steps › a › Title",
            ),
            (
                &CONFIGURATION,
                &["tcf", "applies"],
                "Partners and purposes › Visitors to whom the law applies",
            ),
            (&CONSENT_BOX, &["name"], "Name of the field"),
            (
                &VENDOR,
                &["cookieFacts", "_ga", "name"],
                "Cookies › _ga › Cookie name",
            ),
            (
                &PROJECT,
                &["retention", "consentMonths"],
                "Proofs › Keep proofs for",
            ),
            (&PROJECT, &["ipMode"], "IP addresses"),
            (&PROJECT, &["unheard", "of"], "unheard › of"),
            // A name of the published file means nothing inside of a step.
            (
                &CONFIGURATION,
                &["steps", "a", "client", "logo"],
                "Steps › a › client › logo",
            ),
        ] {
            let path: Vec<String> = path.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(in_labels(document, &path).join(" › "), labels);
        }
    }
}
