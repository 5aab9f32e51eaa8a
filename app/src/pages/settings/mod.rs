//! The settings of a project: site, title, responsible people, allowed sites, how long
//! proofs are kept, and its end.

mod tokens;

use domain::collection::Collection;
use domain::documents::{DATA_PROCESSOR, PROJECT, language_of};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use serde_json::Value;

use super::{conflict, project_id};
use crate::components::copy::copyable;
use crate::components::danger::danger;
use crate::components::draft::Draft;
use crate::components::following::following;
use crate::components::form::Form;
use crate::components::layout::page_head;
use crate::components::loading::{block_skeleton, error_message, fetched, loaded};
use crate::components::save::Saver;
use crate::components::toast::toasts;
use crate::fns::documents::{Document, delete_document, restore_document};
use crate::fns::organizations::{Organization, organization_choices};
use crate::fns::widget::{DesignData, read_design};
use crate::frame::Rail;
use crate::i18n::{fill, texts};
use crate::map::Page;
use crate::pages::fields::{choice, hint, label, line, list, select, switch};
use crate::pages::widget::{language_name, language_options};

pub fn page() -> AnyView {
    let t = texts();
    let project = project_id();
    let data = following(move || project.get(), read_design);
    let content = loaded(data, block_skeleton, content);
    view! {
        <div class="page page-narrow">
            {page_head(t.settings, t.settings().settings_text, ())}
            {content}
        </div>
    }
    .into_any()
}

fn content(data: DesignData) -> AnyView {
    let t = texts();
    let rail = Rail::refresher();
    let saver = Saver::new(Collection::Projects, &data.project, conflict::table);
    let draft = saver.draft;
    let signed = RwSignal::new(data.project.tokens_signed);
    let title = RwSignal::new(data.project.text("title"));
    let saver = saver.after(Callback::new(move |saved: Document| {
        rail();
        title.set(saved.text("title"));
        signed.set(saved.tokens_signed);
        draft.forget(tokens::SECRET);
    }));
    draft.read_only.set(!data.can_edit);
    let controller_hint = hint(&PROJECT, DATA_PROCESSOR).unwrap_or_default();
    let fields = view! {
        <section class="card" aria-labelledby="site-title">
            <div class="card-head">
                <h2 id="site-title">{t.settings().site_section}</h2>
                {copyable(data.project.id.clone(), t.project_id)}
            </div>
            <div class="card-body form">
                {line(draft, "/title").view()}
                {line(draft, "/websiteURL").view()}
                {line(draft, "/privacyPolicyUrl").view()}
                {select(draft, "/language", form_languages())}
                {data.is_owner.then(|| organization(draft))}
                {list(draft, "/domains", "shop.example")}
            </div>
        </section>
        <section class="card" aria-labelledby="contact-title">
            <div class="card-head"><h2 id="contact-title">{t.settings().contact_section}</h2></div>
            <div class="card-body form">
                {line(draft, "/dataProcessor/name").label(label(&PROJECT, DATA_PROCESSOR)).hint(controller_hint).view()}
                <div class="form-pair">
                    {line(draft, "/dpo/name").label(label(&PROJECT, "dpo")).view()}
                    {line(draft, "/dpo/email").label(t.settings().dpo_email).kind("email").view()}
                </div>
            </div>
        </section>
        <section class="card" aria-labelledby="retention-title">
            <div class="card-head"><h2 id="retention-title">{label(&PROJECT, "retention")}</h2></div>
            <div class="card-body form">
                {line(draft, "/retention/consentMonths").view()}
                {choice(draft, "/retention/ipMode")}
                {switch(draft, "/retention/visitorErasure")}
            </div>
        </section>
        {data.is_owner.then(|| view! {
            <section class="card" aria-labelledby="publishing-title">
                <div class="card-head"><h2 id="publishing-title">{t.settings().publishing_section}</h2></div>
                <div class="card-body form">
                    {switch(draft, "/approval")}
                </div>
            </section>
        })}
        {tokens::section(draft, signed)}
    };
    view! {
        {Form::saving(saver).class("stack-loose").view(fields.into_any())}
        {data.is_owner.then(|| deletion(data.project.id.clone(), title))}
    }
    .into_any()
}

/// The languages of consent boxes and contract boxes that name none.
fn form_languages() -> Vec<(String, String)> {
    let usual = language_name(language_of(&Value::Null).to_owned());
    let none = fill(
        texts().settings().form_language_none,
        &[("language", &usual)],
    );
    std::iter::once((String::new(), none))
        .chain(language_options())
        .collect()
}

/// The organization whose members take part; nothing where there is none to choose.
fn organization(draft: Draft) -> AnyView {
    let t = texts();
    let always = Memo::new(|_| ());
    let read = |()| organization_choices();
    fetched(
        always,
        block_skeleton,
        read,
        move |found: Vec<Organization>| {
            let current = untrack(|| draft.text("/organizationId"));
            let options: Vec<(String, String)> = found
                .into_iter()
                .filter(|one| one.governs || one.id == current)
                .map(|one| (one.id, one.name))
                .collect();
            if options.is_empty() && current.is_empty() {
                return ().into_any();
            }
            let mut options = options;
            options.insert(0, (String::new(), t.settings().no_organization.to_owned()));
            select(draft, "/organizationId", options)
        },
    )
}

/// Deletes the project, whose proofs do not come back after the days of the trash: this needs its title.
fn deletion(id: String, title: RwSignal<String>) -> AnyView {
    let t = texts();
    let toasts = toasts();
    let rail = Rail::refresher();
    let navigate = StoredValue::new(use_navigate());
    let run = move || {
        let id = id.clone();
        spawn_local(async move {
            match delete_document(Collection::Projects, id.clone()).await {
                Ok(()) => {
                    let restore = move || {
                        let id = id.clone();
                        spawn_local(async move {
                            if let Err(error) = restore_document(Collection::Projects, id).await {
                                toasts.problem(error_message(t, &error));
                            }
                            rail();
                        });
                    };
                    toasts.done_with(t.settings().project_deleted, t.undo, restore);
                    rail();
                    navigate.try_with_value(|navigate| {
                        navigate(Page::Projects.path(), NavigateOptions::default());
                    });
                }
                Err(error) => toasts.problem(error_message(t, &error)),
            }
        });
    };
    danger(
        title.into(),
        t.settings().delete_project_text,
        t.settings().delete_project,
        run,
    )
}
