//! Validation of documents by their descriptions. Every broken field is reported at once.
//!
//! Only what one document says about itself is checked here; whether a project or a vendor exists
//! is the vault's question. Unknown fields are allowed and kept. `null` counts as absent.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::field::{ALL, Field, FileUse, IDS, Kind, LINE, LIST, Object, Reach, TAGS, TEXT, URL};
use super::{Illustration, bounds};
use crate::{
    collection::Collection,
    error_code::ErrorCode,
    field_error::{FieldError, MOST_ERRORS},
    format::{Format, is_http_url, is_uuid},
};

/// Everything that is wrong with `document` as a member of `collection`, [`MOST_ERRORS`] things at most.
pub fn validate(collection: Collection, document: &Value) -> Vec<FieldError> {
    let errors = bounds::check(document);
    if bounds::is_exceeded(&errors) {
        return errors;
    }
    let mut check = Check { errors };
    check.object("", document, super::of(collection));
    if collection == Collection::Cookies {
        check.errors.extend(super::iab::rules(document));
        check.errors.extend(super::languages::rules(document));
    }
    check.errors.truncate(MOST_ERRORS);
    check.errors
}

/// True if a value is one that a field may have.
pub(super) fn holds(kind: Kind, value: &Value) -> bool {
    let mut check = Check::default();
    check.kind("", value, kind);
    check.errors.is_empty()
}

/// The value of a field, unless absent or null.
pub(super) fn get<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    map.get(key).filter(|value| !value.is_null())
}

/// JSON Pointer (RFC 6901) of a member.
pub fn below(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// Collects what is wrong.
#[derive(Default)]
struct Check {
    errors: Vec<FieldError>,
}

impl Check {
    fn refuse(&mut self, pointer: &str, code: ErrorCode, detail: &str) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(FieldError::new(pointer, code, detail));
        }
    }

    fn object(&mut self, pointer: &str, value: &Value, object: &Object) {
        let Some(map) = value.as_object() else {
            let detail = if pointer.is_empty() {
                "The document must be a JSON object."
            } else {
                "This field must be an object."
            };
            return self.refuse(pointer, ErrorCode::InvalidType, detail);
        };
        let known = object.fields.iter();
        for field in known.filter(|field| field.rule.reach != Reach::Made) {
            self.field(&below(pointer, field.key), map, field);
        }
    }

    fn field(&mut self, pointer: &str, map: &Map<String, Value>, field: &Field) {
        let value = get(map, field.key);
        let is_blank = |value: &Value| value.as_str().is_some_and(|text| text.trim().is_empty());
        if field.rule.is_required && value.is_none_or(is_blank) {
            return self.refuse(pointer, ErrorCode::Required, "This field is required.");
        }
        let Some(value) = value else { return };
        if let Some(only) = field.rule.only
            && let Some(word) = get(map, only.field).and_then(Value::as_str)
            && !only.words.contains(&word)
            && value.as_array().is_none_or(|list| !list.is_empty())
        {
            let detail = format!("Only with {} {}.", only.field, only.words.join(", "));
            return self.refuse(pointer, ErrorCode::NotAllowed, &detail);
        }
        self.kind(pointer, value, field.rule.kind);
    }

    fn kind(&mut self, pointer: &str, value: &Value, kind: Kind) {
        match kind {
            Kind::Line => {
                self.text(pointer, value, LINE);
            }
            Kind::Text => {
                self.text(pointer, value, TEXT);
            }
            Kind::Html => {
                if let Some(text) = self.text(pointer, value, TEXT)
                    && text.matches('<').count() > TAGS
                {
                    let detail = format!("At most {TAGS} tags, with those that end an element.");
                    self.refuse(pointer, ErrorCode::TooManyTags, &detail);
                }
            }
            Kind::Formatted(format) => self.formatted(pointer, value, format),
            Kind::Secret(least, most) => {
                if let Some(text) = self.text(pointer, value, LINE)
                    && !(least..=most).contains(&text.chars().count())
                {
                    let detail = format!("{least} to {most} characters; 32 random ones are best.");
                    self.refuse(pointer, ErrorCode::InvalidLength, &detail);
                }
            }
            Kind::Url => {
                if let Some(text) = self.text(pointer, value, URL)
                    && !text.is_empty()
                    && !is_http_url(text)
                {
                    let detail = "An address beginning with https:// or http://.";
                    self.refuse(pointer, ErrorCode::InvalidUrl, detail);
                }
            }
            Kind::File(used) => {
                let is_named = |text: &str| {
                    let is_drawn = used == FileUse::Picture && Illustration::named(text).is_some();
                    is_uuid(text) || is_drawn
                };
                if !value.as_str().is_some_and(is_named) {
                    self.kind(pointer, value, Kind::Url);
                }
            }
            Kind::Id => {
                if !value.as_str().is_some_and(is_uuid) {
                    let detail = "An id is a UUID, hyphenated and in lower case.";
                    self.refuse(pointer, ErrorCode::InvalidId, detail);
                }
            }
            Kind::Flag => {
                if !value.is_boolean() {
                    let detail = "This field must be true or false.";
                    self.refuse(pointer, ErrorCode::InvalidType, detail);
                }
            }
            Kind::Whole(..) if value.is_f64() => {
                self.refuse(
                    pointer,
                    ErrorCode::InvalidType,
                    "This number must be whole.",
                );
            }
            Kind::Number(least, most) | Kind::Whole(least, most) => {
                self.number(pointer, value, least, most);
            }
            Kind::Words(words) => {
                if let Some(word) = self.text(pointer, value, LINE)
                    && !words.contains(&word)
                {
                    let detail = format!("One of: {}.", words.join(", "));
                    self.refuse(pointer, ErrorCode::InvalidValue, &detail);
                }
            }
            Kind::Texts => {
                for (pointer, value) in self.members(pointer, value) {
                    if !is_text(value, LINE) {
                        let detail = "Each entry must be a short string.";
                        self.refuse(&pointer, ErrorCode::InvalidType, detail);
                    }
                }
            }
            Kind::Object(object) => self.object(pointer, value, object),
            Kind::FlagOr(object) => {
                if !value.is_boolean() {
                    self.object(pointer, value, object);
                }
            }
            Kind::Named(object) => {
                for (pointer, value) in self.members(pointer, value) {
                    self.object(&pointer, value, object);
                }
            }
            Kind::Lines => {
                for (pointer, value) in self.list(pointer, value) {
                    if !is_text(value, LINE) {
                        let detail = "Each entry must be a short string.";
                        self.refuse(&pointer, ErrorCode::InvalidType, detail);
                    }
                }
            }
            Kind::ListOf(format) => {
                for (pointer, value) in self.list(pointer, value) {
                    if !value.as_str().is_some_and(format.holds) {
                        self.refuse(&pointer, format.code, format.about);
                    }
                }
            }
            Kind::AllOrIds(_) if value.is_string() => {
                if value.as_str() != Some(ALL) {
                    let detail = format!("A list of ids, or the word {ALL}.");
                    self.refuse(pointer, ErrorCode::InvalidValue, &detail);
                }
            }
            Kind::Ids(most) | Kind::AllOrIds(most) => {
                let mut seen = HashSet::new();
                for (pointer, value) in self.entries(pointer, value, IDS) {
                    self.kind(&pointer, value, Kind::Whole(1.0, f64::from(most)));
                    if value.as_u64().is_some_and(|id| !seen.insert(id)) {
                        let detail = "The id is there twice.";
                        self.refuse(&pointer, ErrorCode::Duplicate, detail);
                    }
                }
            }
            Kind::Objects(object, unique) => {
                let mut seen = HashSet::new();
                for (pointer, value) in self.list(pointer, value) {
                    if let Some(key) = unique
                        && let Some(text) = value.get(key).and_then(Value::as_str)
                        && !seen.insert(text)
                    {
                        let detail = format!("Another entry has this {key}.");
                        self.refuse(&below(&pointer, key), ErrorCode::Duplicate, &detail);
                    }
                    self.object(&pointer, value, object);
                }
            }
            Kind::Vendors => {
                for (pointer, value) in self.list(pointer, value) {
                    if super::publish::vendor_id(value).is_none() {
                        let detail = "A vendor is an id, or an object with `id`.";
                        self.refuse(&pointer, ErrorCode::InvalidType, detail);
                    }
                }
            }
            Kind::Any => {}
        }
    }

    fn text<'a>(&mut self, pointer: &str, value: &'a Value, longest: usize) -> Option<&'a str> {
        let Some(text) = value.as_str() else {
            self.refuse(
                pointer,
                ErrorCode::InvalidType,
                "This field must be a string.",
            );
            return None;
        };
        if text.chars().count() > longest {
            let detail = format!("At most {longest} characters.");
            self.refuse(pointer, ErrorCode::TooLong, &detail);
            return None;
        }
        Some(text)
    }

    fn formatted(&mut self, pointer: &str, value: &Value, format: &Format) {
        if let Some(text) = self.text(pointer, value, LINE)
            && !(format.holds)(text)
        {
            self.refuse(pointer, format.code, format.about);
        }
    }

    fn number(&mut self, pointer: &str, value: &Value, least: f64, most: f64) {
        match value.as_f64() {
            None => self.refuse(
                pointer,
                ErrorCode::InvalidType,
                "This field must be a number.",
            ),
            Some(number) if number < least || number > most => {
                let detail = format!("This number must be from {least} to {most}.");
                self.refuse(pointer, ErrorCode::OutOfRange, &detail);
            }
            Some(_) => {}
        }
    }

    /// The members of an object that are not null, with their pointers, as many as a list may have.
    fn members<'a>(&mut self, pointer: &str, value: &'a Value) -> Vec<(String, &'a Value)> {
        let Some(map) = value.as_object() else {
            self.refuse(
                pointer,
                ErrorCode::InvalidType,
                "This field must be an object.",
            );
            return Vec::new();
        };
        if map.len() > LIST {
            let detail = format!("At most {LIST} entries.");
            self.refuse(pointer, ErrorCode::TooLong, &detail);
            return Vec::new();
        }
        map.iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (below(pointer, key), value))
            .collect()
    }

    /// The entries of a list with their pointers.
    fn list<'a>(&mut self, pointer: &str, value: &'a Value) -> Vec<(String, &'a Value)> {
        self.entries(pointer, value, LIST)
    }

    /// The entries of a list of so many at most.
    fn entries<'a>(
        &mut self,
        pointer: &str,
        value: &'a Value,
        most: usize,
    ) -> Vec<(String, &'a Value)> {
        let Some(items) = value.as_array() else {
            self.refuse(
                pointer,
                ErrorCode::InvalidType,
                "This field must be an array.",
            );
            return Vec::new();
        };
        if items.len() > most {
            let detail = format!("At most {most} entries.");
            self.refuse(pointer, ErrorCode::TooLong, &detail);
            return Vec::new();
        }
        items
            .iter()
            .enumerate()
            .map(|(index, item)| (below(pointer, &index.to_string()), item))
            .collect()
    }
}

fn is_text(value: &Value, longest: usize) -> bool {
    let text = value.as_str();
    text.is_some_and(|text| text.chars().count() <= longest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn codes(collection: Collection, document: &Value) -> Vec<String> {
        validate(collection, document)
            .into_iter()
            .map(|error| format!("{} {}", error.pointer, error.code))
            .collect()
    }

    #[test]
    fn html_has_few_tags() {
        let with = |tags: usize| {
            let message = "<p>".repeat(tags);
            codes(
                Collection::Cookies,
                &json!({"projectId": PROJECT, "name": "en", "message": message,
                "steps": [{"name": "a", "layout": "welcome", "message": message}]}),
            )
        };
        assert_eq!(with(TAGS), Vec::<String>::new());
        assert_eq!(with(TAGS + 1), ["/steps/0/message too_many_tags"]);
    }

    #[test]
    fn consent_mode_is_on_or_off_or_says_what_is_special() {
        let with = |mode: Value| {
            let document = json!({"projectId": PROJECT, "name": "en", "googleConsentMode": mode});
            codes(Collection::Cookies, &document)
        };
        for good in [
            json!(null),
            json!(true),
            json!({}),
            json!({"enabled": false, "region": ["FR", "US-CA"], "waitForUpdate": 500, "other": 1}),
        ] {
            assert_eq!(with(good), Vec::<String>::new());
        }
        assert_eq!(with(json!("on")), ["/googleConsentMode invalid_type"]);
        assert_eq!(
            with(
                json!({"microsoft": "yes", "waitForUpdate": -1, "region": ["FR", "fr", "</script>"]})
            ),
            [
                "/googleConsentMode/microsoft invalid_type",
                "/googleConsentMode/waitForUpdate out_of_range",
                "/googleConsentMode/region/1 invalid_value",
                "/googleConsentMode/region/2 invalid_value",
            ]
        );
    }

    const PROJECT: &str = "01900000-0000-7000-8000-000000000000";

    #[test]
    fn a_project_needs_its_site_and_title_and_reports_all_at_once() {
        assert_eq!(
            codes(
                Collection::Projects,
                &json!({"colors": {"main": "red;}", "other": 1}})
            ),
            [
                "/websiteURL required",
                "/title required",
                "/colors/main invalid_color"
            ],
        );
        assert!(
            codes(
                Collection::Projects,
                &json!({"websiteURL": "https://shop.example", "title": "Shop", "x": [1],
                        "domains": ["shop.example"], "retention": {"consentMonths": 13, "ipMode": "hash"}})
            )
            .is_empty()
        );
    }

    #[test]
    fn the_privacy_policy_is_an_address() {
        let with = |url: &str| {
            let document = json!({"projectId": PROJECT, "privacyPolicyUrl": url});
            codes(Collection::Cookies, &document)
        };
        assert_eq!(with("https://shop.example/privacy"), Vec::<String>::new());
        assert_eq!(
            with("javascript:alert(1)"),
            ["/privacyPolicyUrl invalid_url"]
        );
    }

    #[test]
    fn timeout_and_vendors_belong_to_their_layouts() {
        assert_eq!(
            codes(
                Collection::Cookies,
                &json!({"projectId": PROJECT, "steps": [
                    {"name": "a", "layout": "welcome", "vendors": ["x"], "timeout": 5},
                    {"name": "a", "layout": "category", "vendors": [7]},
                    {"name": "b", "layout": "poster"},
                ]})
            ),
            [
                "/steps/0/vendors not_allowed",
                "/steps/0/timeout not_allowed",
                "/steps/1/name duplicate",
                "/steps/1/vendors/0 invalid_type",
                "/steps/2/layout invalid_value",
            ],
        );
    }

    #[test]
    fn names_that_could_leave_their_folder_are_refused() {
        for name in ["../x", "a/b", "", ".."] {
            assert_eq!(
                codes(
                    Collection::Cookies,
                    &json!({"projectId": PROJECT, "name": name})
                ),
                ["/name invalid_name"],
                "{name}"
            );
        }
    }

    #[test]
    fn nul_is_refused_anywhere() {
        assert_eq!(
            codes(
                Collection::Vendors,
                &json!({"name": "a", "deep": [{"x": "a\u{0}b"}]})
            ),
            ["/deep/0/x invalid_character"],
        );
    }

    #[test]
    fn boxes_check_their_buttons_and_screens() {
        assert_eq!(
            codes(
                Collection::Processings,
                &json!({"projectId": PROJECT, "buttons": [{"text": "Yes", "color": "red"}],
                        "confirmations": {"true": {"title": 1}}, "storageDuration": "ever"})
            ),
            [
                "/buttons/0/color invalid_value",
                "/confirmations/true/title invalid_type",
                "/storageDuration invalid_type",
            ],
        );
        assert_eq!(
            codes(
                Collection::Contracts,
                &json!({"projectId": "x", "file": "javascript:alert(1)"})
            ),
            ["/projectId invalid_id", "/file invalid_url"],
        );
    }
}
