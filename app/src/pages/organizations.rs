//! Organizations: the list, and one with its people.

use domain::role::Role;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_params_map, use_query_map};
use serde_json::{Value, json};

use super::people::people;
use crate::components::copy::copyable;
use crate::components::dialog::{confirm, dialog};
use crate::components::draft::Draft;
use crate::components::field::{focus_first_problem, text};
use crate::components::icon::{Icon, icon};
use crate::components::layout::{Tone, badge, busy_label, notice, page_head};
use crate::components::loading::{
    block_skeleton, empty_state, error_message, loaded, table_skeleton,
};
use crate::components::role::role_name;
use crate::components::table::pager;
use crate::components::toast::toasts;
use crate::error::UiError;
use crate::fns::organizations::{
    Organization, OrganizationPage, create_organization, delete_organization, organizations,
    read_organization, rename_organization,
};
use crate::fns::people::Circle;
use crate::i18n::{Texts, fill, texts};

pub fn list() -> AnyView {
    let t = texts();
    let query = use_query_map();
    let page = Memo::new(move |_| {
        let page = query.with(|query| query.get("page").unwrap_or_default());
        page.parse::<u32>().unwrap_or(1).max(1)
    });
    let found = Resource::new(move || page.get(), organizations);
    let open = RwSignal::new(false);
    let new = move || {
        view! {
            <button type="button" class="button button-primary" on:click=move |_| open.set(true)>
                {icon(Icon::Plus)}
                {t.new_organization}
            </button>
        }
        .into_any()
    };
    let content = loaded(found, table_skeleton, move |page: OrganizationPage| {
        if page.total == 0 {
            return view! {
                <div class="card">
                    {empty_state(
                        Icon::Account,
                        t.no_organizations_title,
                        t.no_organizations_text,
                        new(),
                    )}
                </div>
            }
            .into_any();
        }
        let rows = page
            .items
            .iter()
            .map(|organization| {
                view! {
                    <li class="row-between">
                        <a class="strong wrap-anywhere" href=format!("/organizations/{}", organization.id)>
                            {organization.name.clone()}
                        </a>
                        {badge(Tone::Neutral, role_name(t, organization.role))}
                    </li>
                }
            })
            .collect_view();
        view! {
            <section class="card" aria-label=t.organizations>
                <div class="card-body"><ul class="card-rows">{rows}</ul></div>
                {(page.total > u64::from(page.per_page))
                    .then(|| {
                        pager(page.page, page.per_page, page.total, |number| {
                            format!("/organizations?page={number}")
                        })
                    })}
            </section>
        }
        .into_any()
    });
    let navigate = StoredValue::new(use_navigate());
    let form = move || {
        let made = Callback::new(move |organization: Organization| {
            let path = format!("/organizations/{}", organization.id);
            navigate.try_with_value(|navigate| navigate(&path, NavigateOptions::default()));
        });
        name_form(None, made, Some(open))
    };
    view! {
        <div class="page page-narrow">
            {page_head(t.organizations, t.organizations_text, new())}
            {dialog(open, t.new_organization, false, form)}
            {content}
        </div>
    }
    .into_any()
}

pub fn one() -> AnyView {
    let t = texts();
    let params = use_params_map();
    let id =
        Memo::new(move |_| params.with(|params| params.get("organization").unwrap_or_default()));
    let found = Resource::new(move || id.get(), read_organization);
    let circle = Memo::new(move |_| Circle::Organization(id.get()));
    let base = Signal::derive(move || format!("/organizations/{}", id.get()));
    let content = loaded(found, block_skeleton, move |organization: Organization| {
        let owner = organization.role == Role::Owner;
        let name = RwSignal::new(organization.name.clone());
        let renamed = Callback::new(move |organization: Organization| name.set(organization.name));
        let rename = owner.then(|| {
            view! {
                <section class="card" aria-labelledby="name-title">
                    <div class="card-head">
                        <h2 id="name-title">{t.organization_name}</h2>
                        {copyable(organization.id.clone(), t.organization_id)}
                    </div>
                    <div class="card-body">{name_form(Some(organization.clone()), renamed, None)}</div>
                </section>
            }
        });
        view! {
            {move || page_head(name.get(), t.organization_text, ())}
            {people(circle, base)}
            {rename}
            {owner.then(|| danger(t, &organization))}
        }
        .into_any()
    });
    view! { <div class="page">{content}</div> }.into_any()
}

/// Names a new organization, or an existing one anew.
fn name_form(
    existing: Option<Organization>,
    done: Callback<Organization>,
    dialog: Option<RwSignal<bool>>,
) -> AnyView {
    let t = texts();
    let toasts = toasts();
    let name = existing
        .as_ref()
        .map(|organization| organization.name.clone());
    let id = existing.map(|organization| organization.id);
    let draft = Draft::new(json!({"name": name.unwrap_or_default()}));
    let busy = RwSignal::new(false);
    let failed = RwSignal::new(None::<UiError>);
    let label = if id.is_some() {
        t.rename
    } else {
        t.create_organization
    };
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        failed.set(None);
        let sent = draft.value_untracked();
        let name = sent.get("name").and_then(Value::as_str);
        let name = name.unwrap_or_default().to_owned();
        let id = id.clone();
        spawn_local(async move {
            let (renames, saved) = match id {
                Some(id) => (true, rename_organization(id, name).await),
                None => (false, create_organization(name).await),
            };
            if busy.try_set(false).is_some() {
                return;
            }
            match saved {
                Ok(organization) => {
                    if renames {
                        toasts.done(t.saved);
                    }
                    done.run(organization);
                }
                Err(error) => {
                    draft.refuse(&error);
                    failed.set(error.fields().is_empty().then_some(error));
                    request_animation_frame(move || focus_first_problem(draft));
                }
            }
        });
    };
    let problem = move || {
        failed.get().map(|error| {
            view! { <div role="alert">{notice(Tone::Danger, error_message(t, &error))}</div> }
        })
    };
    let field = text(draft, "/name", t.organization_name).view();
    let button = view! {
        <button class="button button-primary" disabled=busy>{busy_label(busy.into(), label)}</button>
    };
    match dialog {
        Some(open) => view! {
            <form on:submit=submit novalidate>
                <div class="dialog-body">{problem} {field}</div>
                <div class="dialog-foot">
                    <button type="button" class="button" on:click=move |_| open.set(false)>
                        {t.cancel}
                    </button>
                    {button}
                </div>
            </form>
        }
        .into_any(),
        None => view! {
            <form class="form" on:submit=submit novalidate>
                {problem} {field}
                <div class="form-actions">{button}</div>
            </form>
        }
        .into_any(),
    }
}

fn danger(t: &'static Texts, organization: &Organization) -> AnyView {
    let toasts = toasts();
    let id = organization.id.clone();
    let navigate = StoredValue::new(use_navigate());
    let run = move || {
        let id = id.clone();
        spawn_local(async move {
            match delete_organization(id).await {
                Ok(()) => {
                    toasts.done(t.organization_deleted);
                    navigate.try_with_value(|navigate| {
                        navigate("/organizations", NavigateOptions::default());
                    });
                }
                Err(UiError::Refused { code, .. }) if code == "organization_in_use" => {
                    toasts.problem(t.organization_in_use);
                }
                Err(UiError::Refused { code, .. }) if code == "organization_subscribed" => {
                    toasts.problem(t.organization_subscribed);
                }
                Err(error) => toasts.problem(error_message(t, &error)),
            }
        });
    };
    let text = fill(t.delete_organization_text, &[("name", &organization.name)]);
    let (title, action) = (t.delete_organization, t.delete_organization);
    let ask = confirm(title, text.clone(), action, true, run);
    view! {
        <section class="card" aria-labelledby="danger-title">
            <div class="card-head"><h2 id="danger-title">{t.danger_section}</h2></div>
            <div class="card-body">
                <p class="muted">{text}</p>
                <div>
                    <button type="button" class="button" on:click=move |_| ask()>
                        {t.delete_organization}
                    </button>
                </div>
            </div>
        </section>
    }
    .into_any()
}
