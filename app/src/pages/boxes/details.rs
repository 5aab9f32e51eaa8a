//! The details of a consent for visitors: purpose, processors, data, rights.

use leptos::prelude::*;
use serde_json::{Value, json};

use crate::components::draft::Draft;
use crate::components::field::{needed_mark, number, switch, text};
use crate::components::items::{Words, items};
use crate::components::lines::sentences;
use crate::i18n::{fill, texts};

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
                {text(draft, "/automatedDecisionsDetails", t.fields().box_automated_details).rows(2).optional().view()}
                {text(draft, "/automatedDecisionsContact", t.fields().box_automated_contact).hint(t.boxes().box_automated_contact_hint).optional().view()}
            }
        })
    };
    let is_alone = controller.is_none();
    let settings = format!("/projects/{project}/settings");
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
        {text(draft, "/purpose", t.fields().box_purpose).rows(2).hint(t.boxes().box_purpose_hint).needed().view()}
        {sentences(draft, "/personalDataTypes", t.fields().box_data_types, t.boxes().box_data_types_example, t.boxes().box_data_types_hint)}
        <div class="field">
            <span class="label">{t.fields().box_processors} {is_alone.then(needed_mark)}</span>
            <p class="hint">{t.boxes().box_processors_hint}</p>
            {controller}
        </div>
        {items(draft, PROCESSORS, words, blank, processor)}
        {text(draft, "/consentWithdraw", t.fields().box_withdraw).rows(2).hint(t.boxes().box_withdraw_hint).needed().view()}
        {number(draft, "/storageDuration", t.fields().box_storage).unit(t.months).hint(t.boxes().box_storage_hint).optional().view()}
        {switch(draft, "/automatedDecisions", t.fields().box_automated, Some(t.boxes().box_automated_hint), false)}
        {about_automated}
    }
    .into_any()
}

fn blank(_: &[Value]) -> Vec<Value> {
    vec![json!({"name": ""})]
}

fn processor(draft: Draft, index: usize) -> AnyView {
    let t = texts();
    let at = format!("{PROCESSORS}/{index}");
    view! {
        <div class="form-pair form-pair-tight">
            {text(draft, format!("{at}/name"), t.fields().box_processor_name).view()}
            {text(draft, format!("{at}/role"), t.role).optional().view()}
        </div>
        {text(draft, format!("{at}/shortDescription"), t.fields().service_short).optional().view()}
        {text(draft, format!("{at}/website"), t.fields().box_processor_website).kind("url").placeholder("https://").optional().view()}
    }
    .into_any()
}
