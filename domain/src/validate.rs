//! Validation of vault documents: the tables of `interface.md` and the project and configuration
//! fields of `decisions.md`, "Vault". Every broken field is reported at once.
//!
//! Only what one document says about itself is checked here; whether a project or a vendor exists
//! is the vault's question. Unknown fields are allowed and kept. `null` counts as absent.

mod check;
mod documents;

use serde_json::Value;

pub use check::{is_host, is_http_url};
pub use documents::is_region;

use crate::{collection::Collection, field_error::FieldError};

/// Everything that is wrong with `document` as a member of `collection`.
pub fn validate(collection: Collection, document: &Value) -> Vec<FieldError> {
    let mut check = check::Check::default();
    check.no_nul("", document);
    if let Some(fields) = check.root(document) {
        match collection {
            Collection::Projects => documents::project(&mut check, &fields),
            Collection::Cookies => documents::configuration(&mut check, &fields),
            Collection::Vendors => documents::vendor(&mut check, &fields),
            Collection::Processings => documents::consent_box(&mut check, &fields),
            Collection::Contracts => documents::contract_box(&mut check, &fields),
        }
    }
    check.into_errors()
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
                "/storageDuration invalid_type",
                "/buttons/0/color invalid_value",
                "/confirmations/true/title invalid_type",
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
