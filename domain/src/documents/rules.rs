//! The fields that decide about consents which are there: for how long they are kept, who may erase them, and whose
//! answers count.

use serde_json::Value;

use super::{
    check,
    field::{Kind, Object},
};
use crate::collection::Collection;

/// True if two versions of a document decide alike about consents. A field that is absent counts as its default. A
/// secret stands in no stored version, so one that is named differs.
pub fn rule_alike(collection: Collection, one: &Value, other: &Value) -> bool {
    alike(super::of(collection), one, other)
}

/// True if two versions of an object decide alike. Looks into its parts, and neither into lists nor into parts by name,
/// which have no such field.
fn alike(object: &Object, one: &Value, other: &Value) -> bool {
    object.fields.iter().all(|field| {
        let value = |of: &Value| {
            let there = of.as_object().and_then(|map| check::get(map, field.key));
            there.cloned().or_else(|| field.default_value())
        };
        match field.rule.kind {
            Kind::Object(part) => {
                let [one, other] = [one, other].map(|of| value(of).unwrap_or_default());
                alike(part, &one, &other)
            }
            _ => !field.rule.rules_consents || same(value(one).as_ref(), value(other).as_ref()),
        }
    })
}

/// True for equal values. Programs write 36 as 36.0, too.
fn same(one: Option<&Value>, other: Option<&Value>) -> bool {
    let numbers = one
        .and_then(Value::as_f64)
        .zip(other.and_then(Value::as_f64));
    numbers.map_or(one == other, |(one, other)| one.total_cmp(&other).is_eq())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// True if a field of the object decides about consents, or one anywhere below it.
    fn rules(object: &Object) -> bool {
        object.fields.iter().any(|field| {
            field.rule.rules_consents
                || match field.rule.kind {
                    Kind::Object(part)
                    | Kind::FlagOr(part)
                    | Kind::Named(part)
                    | Kind::Objects(part, _) => rules(part),
                    _ => false,
                }
        })
    }

    fn check_looked_into(object: &Object) {
        for field in object.fields {
            match field.rule.kind {
                Kind::Object(part) => check_looked_into(part),
                Kind::FlagOr(part) | Kind::Named(part) | Kind::Objects(part, _) => {
                    assert!(!rules(part), "{} is not looked into", field.key);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn each_field_that_decides_about_consents_is_compared() {
        for collection in Collection::ALL {
            check_looked_into(super::super::of(collection));
        }
    }

    #[test]
    fn what_decides_about_consents_is_found_wherever_it_stands() {
        let alike = |one: Value, other: Value| rule_alike(Collection::Projects, &one, &other);
        let kept = json!({"title": "Shop", "retention": {"consentMonths": 36, "ipMode": "hash"}});
        for same in [
            json!({"title": "Other", "retention": {"ipMode": "full", "consentMonths": 36}}),
            json!({"retention": {"consentMonths": 36, "visitorErasure": false}, "tokenSecret": null}),
        ] {
            assert!(alike(kept.clone(), same.clone()), "{same}");
        }
        for other in [
            json!({"title": "Shop", "retention": {"consentMonths": 1, "ipMode": "hash"}}),
            json!({"title": "Shop", "retention": {"consentMonths": 36, "visitorErasure": true}}),
            json!({"title": "Shop", "retention": {"ipMode": "hash"}}),
            json!({"title": "Shop"}),
            json!({"retention": {"consentMonths": 36}, "tokenSecret": "0123456789abcdef"}),
        ] {
            assert!(!alike(kept.clone(), other.clone()), "{other}");
        }
        let letters = |months: u32| json!({"title": "Letters", "storageDuration": months});
        let of_boxes = |one: u32, other: u32| {
            rule_alike(Collection::Processings, &letters(one), &letters(other))
        };
        assert!(of_boxes(36, 36) && !of_boxes(36, 1));
        let written = json!({"title": "Letters", "storageDuration": 36.0});
        assert!(rule_alike(Collection::Processings, &letters(36), &written));
    }
}
