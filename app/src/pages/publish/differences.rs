//! The changes of a document, field by field, in words.

use domain::collection::Collection;
use leptos::prelude::*;
use serde_json::Value;

use crate::fns::publish::{Change, FieldChange, How};
use crate::i18n::{PublishTexts, Texts, count, fill, texts};
use crate::pages::collections::kind;

/// The fields in which a document differs; nothing where it is new or gone.
pub fn of_document(how: &How) -> Option<AnyView> {
    let How::Changed { fields, omitted } = how else {
        return None;
    };
    let w = PublishTexts::of_this_page();
    let (first, later) = (w.field_differs, w.fields_differ);
    let number = fields.len() as u64 + omitted;
    if number == 0 {
        return None;
    }
    let rows = fields.iter().map(row).collect_view();
    let more = (*omitted > 0).then(|| {
        let text = fill(w.more, &[("n", &omitted.to_string())]);
        view! { <p class="muted small">{text}</p> }
    });
    let shown = view! {
        <details class="differences">
            <summary>{count(number, first, later)}</summary>
            <dl>{rows}</dl>
            {more}
        </details>
    };
    Some(shown.into_any())
}

/// The documents that another publish changes; `same` says that there are none.
pub fn of_documents(changes: &[Change], same: &'static str) -> AnyView {
    let (t, w) = (texts(), PublishTexts::of_this_page());
    if changes.is_empty() {
        return view! { <p class="muted" role="status">{same}</p> }.into_any();
    }
    let rows = changes.iter().map(|change| {
        let word = match &change.how {
            How::New => w.comes,
            How::Removed => w.goes,
            How::Changed { .. } | How::Broken(_) => t.changed_lower,
        };
        view! {
            <li>
                <div class="row-between">
                    <span class="row">
                        <span class="wrap-anywhere">{change.title.clone()}</span>
                        <span class="muted">{kind_of(t, change.collection)}</span>
                    </span>
                    <span class="muted small">{word}</span>
                </div>
                {of_document(&change.how)}
            </li>
        }
    });
    view! { <ul class="card-rows">{rows.collect_view()}</ul> }.into_any()
}

/// The kind of a document. A project is published with its look.
pub fn kind_of(t: &'static Texts, collection: Collection) -> &'static str {
    match collection {
        Collection::Projects => t.kind_project,
        collection => kind(t, collection),
    }
}

fn row(change: &FieldChange) -> AnyView {
    let (t, w) = (texts(), PublishTexts::of_this_page());
    let path: Vec<&str> = change.path.iter().map(|name| named(t, name)).collect();
    view! {
        <div>
            <dt>{path.join(" › ")}</dt>
            <dd>
                <span class="quiet">{w.before} ": "</span>
                <del>{in_words(w, &change.before)}</del>
                " "
                <span class="quiet">{w.after} ": "</span>
                <ins>{in_words(w, &change.after)}</ins>
            </dd>
        </div>
    }
    .into_any()
}

/// A value for people.
fn in_words(w: &PublishTexts, value: &Value) -> String {
    match value {
        Value::Null => w.nothing.to_owned(),
        Value::Bool(true) => w.yes.to_owned(),
        Value::Bool(false) => w.no.to_owned(),
        Value::String(text) if text.is_empty() => w.nothing.to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(entries)
            if !entries.is_empty() && entries.iter().all(|one| !one.is_object()) =>
        {
            let entries: Vec<_> = entries.iter().map(|one| in_words(w, one)).collect();
            entries.join(", ")
        }
        Value::Array(entries) if entries.is_empty() => w.nothing.to_owned(),
        other => other.to_string(),
    }
}

/// A part of a path: a field as its editor names it, else as the API does, or the name of an entry.
fn named<'a>(t: &'static Texts, name: &'a str) -> &'a str {
    match name {
        "client" => t.design,
        "colors" => t.colours,
        "main" => t.colour_main,
        "buttonText" => t.colour_button_text,
        "background" => t.colour_background,
        "text" => t.colour_text,
        "border" => t.colour_border,
        "danger" => t.colour_danger,
        "fonts" => t.fonts,
        "domains" => t.domains,
        "settings" => t.behaviour,
        "steps" => t.steps,
        "vendors" => t.services,
        "strings" => t.words,
        "title" => t.step_title,
        "topTitle" => t.step_top_title,
        "subTitle" => t.step_sub_title,
        "message" => t.step_message,
        "image" => t.step_image,
        "layout" => t.layout,
        "showToggleAllSwitch" => t.toggle_all,
        "groupByCategory" => t.group_by_category,
        "position" => t.position,
        "displayMode" => t.display_mode,
        "overlay" => t.overlay,
        "reopenButton" => t.reopen_button,
        "hideForVisitorsWithChoice" => t.hide_reopen,
        "reaskOnVendorChange" => t.reask,
        "respectGpc" => t.respect_gpc,
        "cookieDurationDays" => t.duration,
        "askAgainAfterDays" => t.ask_again_after,
        "isDefault" => t.is_default,
        "withSaveConsent" => t.with_save_consent,
        "googleConsentMode" => t.consent_mode,
        "language" | "translated" => t.language,
        "country" => t.country,
        "privacyPolicyUrl" | "policyUrl" => t.privacy_policy,
        "shortDescription" => t.service_short,
        "longDescription" => t.service_long,
        "company" => t.service_company,
        "domain" => t.service_domain,
        "purpose" => t.box_purpose,
        "consentWithdraw" => t.box_withdraw,
        "personalDataTypes" => t.box_data_types,
        "storageDuration" => t.box_storage,
        "automatedDecisions" => t.box_automated,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_told_in_words() {
        let w = PublishTexts::of_this_page();
        for (value, words) in [
            (json!(null), "nothing"),
            (json!(""), "nothing"),
            (json!([]), "nothing"),
            (json!(true), "yes"),
            (json!(["a", 1]), "a, 1"),
            (json!({"a": 1}), r#"{"a":1}"#),
            (json!([{"a": 1}]), r#"[{"a":1}]"#),
        ] {
            assert_eq!(in_words(w, &value), words);
        }
    }
}
