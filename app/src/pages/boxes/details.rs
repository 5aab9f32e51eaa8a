//! The details of a consent for visitors: purpose, processors, data, rights.

use domain::documents::CONSENT_BOX;
use leptos::prelude::*;
use serde_json::{Value, json};

use crate::components::draft::Draft;
use crate::components::field::needed_mark;
use crate::components::items::{Words, items};
use crate::i18n::{fill, texts};
use crate::map::Page;
use crate::pages::fields::{hint, label, line, list, switch};

pub const PROCESSORS: &str = "/processors";

/// The fields of the details. The project's `controller` answers for the data of all its boxes.
pub fn fields(draft: Draft, project: &str, controller: Option<&str>) -> AnyView {
    let t = texts();
    let automated = Memo::new(move |_| draft.at("/automatedDecisions") == Some(json!(true)));
    let words = Words {
        one: t.boxes().box_processor_n,
        add: t.boxes().box_processor_add,
    };
    let about_automated = move || {
        automated.get().then(|| {
            view! {
                {line(draft, "/automatedDecisionsDetails").view()}
                {line(draft, "/automatedDecisionsContact").view()}
            }
        })
    };
    let is_alone = controller.is_none();
    let settings = Page::Settings.at(&[&project]);
    let controller = match controller {
        Some(name) => {
            let text = fill(t.boxes().box_controller, &[("name", name)]);
            view! { <p class="hint wrap-anywhere">{text}</p> }.into_any()
        }
        None => view! {
            <p class="hint">{t.boxes().box_controller_missing} " " <a href=settings>{t.settings}</a></p>
        }
        .into_any(),
    };
    view! {
        {line(draft, "/purpose").view()}
        {list(draft, "/personalDataTypes", t.boxes().box_data_types_example)}
        <div class="field">
            <span class="label">{label(&CONSENT_BOX, "processors")} {is_alone.then(needed_mark)}</span>
            <p class="hint">{hint(&CONSENT_BOX, "processors")}</p>
            {controller}
        </div>
        {items(draft, PROCESSORS, words, blank, processor)}
        {line(draft, "/consentWithdraw").view()}
        {line(draft, "/storageDuration").view()}
        {switch(draft, "/automatedDecisions")}
        {about_automated}
    }
    .into_any()
}

fn blank(_: &[Value]) -> Vec<Value> {
    vec![json!({"name": ""})]
}

fn processor(draft: Draft, index: usize) -> AnyView {
    let at = format!("{PROCESSORS}/{index}");
    view! {
        <div class="form-pair form-pair-tight">
            {line(draft, format!("{at}/name")).view()}
            {line(draft, format!("{at}/role")).view()}
        </div>
        {line(draft, format!("{at}/shortDescription")).view()}
        {line(draft, format!("{at}/website")).view()}
    }
    .into_any()
}
