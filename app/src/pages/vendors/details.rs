//! The drawer: all that is known of a service, its key, and the lines for the site.

use domain::documents::VENDOR;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};

use super::{Service, badges, life, lines, step_path, title_of};
use crate::components::copy::{code_block, copyable};
use crate::components::dialog::confirm;
use crate::components::layout::{Tone, notice};
use crate::components::loading::{block_skeleton, fetched};
use crate::fns::vendors::read_service;
use crate::i18n::{ServiceTexts, count, fill, locale, number, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;
use crate::pages::fields::label;

/// Domains that are listed; some services have hundreds.
const DOMAINS: usize = 30;

/// Actions on the document of an id.
#[derive(Clone, Copy)]
pub struct Actions {
    pub edit: Callback<String>,
    pub delete: Callback<String>,
}

/// The content of the drawer. It is read anew when `changed` changes, and tells its title.
pub fn details(
    project: Memo<String>,
    shown: Memo<Option<String>>,
    changed: RwSignal<u32>,
    title: RwSignal<String>,
    actions: Actions,
) -> AnyView {
    let language = locale().code();
    // The last service stays while the drawer closes.
    let input = Memo::new(move |last: Option<&(String, String, u32)>| {
        let last = last.map(|(_, service, _)| service.clone());
        let service = shown.get().or(last).unwrap_or_default();
        (project.get(), service, changed.get())
    });
    title.set(texts().service.to_owned());
    let read = move |(project, service, _)| read_service(project, service, language.to_owned());
    let content = fetched(input, block_skeleton, read, move |service: Service| {
        title.set(title_of(&service.row.card));
        content(&project.get_untracked(), service, actions)
    });
    view! { <div class="dialog-body">{content}</div> }.into_any()
}

/// The name of a country in the language of this page.
fn country(code: &str) -> String {
    let name = || {
        let get = |of: &JsValue, name: &str| js_sys::Reflect::get(of, &name.into());
        let class = get(&get(&js_sys::global(), "Intl")?, "DisplayNames")?;
        let options = js_sys::Object::new();
        js_sys::Reflect::set(&options, &"type".into(), &"region".into())?;
        let arguments = js_sys::Array::of2(&locale().code().into(), &options);
        let names =
            js_sys::Reflect::construct(class.unchecked_ref::<js_sys::Function>(), &arguments)?;
        let of = get(&names, "of")?;
        of.unchecked_ref::<js_sys::Function>()
            .call1(&names, &code.into())
    };
    let name: Result<JsValue, JsValue> = name();
    name.ok()
        .and_then(|name| name.as_string())
        .unwrap_or_else(|| code.to_owned())
}

fn fact(name: &'static str, value: impl IntoView + 'static) -> AnyView {
    view! {
        <dt>{name}</dt>
        <dd>{value.into_any()}</dd>
    }
    .into_any()
}

/// A fact with a text, if there is one.
fn known(name: &'static str, text: &str) -> Option<AnyView> {
    (!text.is_empty()).then(|| fact(name, text.to_owned()))
}

fn link(name: &'static str, url: Option<String>) -> Option<AnyView> {
    let url = url?;
    let shown = url.clone();
    Some(fact(
        name,
        view! {
            <a href=url target="_blank" rel="noopener noreferrer">{shown}</a>
        },
    ))
}

fn content(project: &str, service: Service, actions: Actions) -> AnyView {
    let w = ServiceTexts::of_this_page();
    let Service {
        row,
        description,
        language,
        website,
        policy_url,
        domains,
        cookies,
        can_edit,
    } = service;
    let steps = steps(project, &row.steps, row.total_steps);
    let card = row.card.clone();
    if card.missing {
        return view! {
            {notice(Tone::Danger, w.gone_text)}
            {steps}
        }
        .into_any();
    }
    let country = country_fact(label(&VENDOR, "country"), &row.country);
    let key = card.name.clone();
    let more = domains.len().saturating_sub(DOMAINS);
    let more = (more > 0).then(|| format!(" {}", count(more as u64, w.more_steps, w.more_steps)));
    let domains: Vec<String> = domains.into_iter().take(DOMAINS).collect();
    let domains =
        (!domains.is_empty()).then(|| fact(w.domains, view! { {domains.join(", ")} {more} }));
    let cookies = if cookies.is_empty() {
        view! { <p class="muted">{w.no_cookies}</p> }.into_any()
    } else {
        let rows = cookies.into_iter().map(|cookie| {
            view! {
                <tr>
                    <td><code class="wrap-anywhere">{cookie.name}</code></td>
                    <td class="number">{life(cookie.max_age)}</td>
                </tr>
            }
        });
        view! {
            <table class="table table-plain">
                <thead>
                    <tr>
                        <th scope="col">{label(&VENDOR, "cookieFacts")}</th>
                        <th scope="col" class="number">{w.life}</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        }
        .into_any()
    };
    // Custom services say what their authors wrote.
    let language = (!card.custom).then_some(language);
    let mut forms = [
        (w.script, lines::script(&key)),
        (w.frame, lines::frame(&key)),
    ];
    if row.is_frame {
        forms.reverse();
    }
    let forms = forms.map(|(label, line)| {
        view! {
            <div class="stack-tight">
                <h4 class="hint">{label}</h4>
                {code_block(Signal::stored(line), label)}
            </div>
        }
    });
    let foot = can_edit.then(|| own_actions(&card.id, row.total_steps > 0, actions));
    view! {
        <div class="row">{badges(&card)}</div>
        {(!description.is_empty()).then(|| view! { <p lang=language dir="auto">{description}</p> })}
        <dl class="facts">
            {fact(w.key, copyable(key, w.key))}
            {known(w.category, &card.category)}
            {known(label(&VENDOR, "company"), &card.company)}
            {country}
            {link(w.website, website)}
            {link(label(&VENDOR, "policyUrl"), policy_url)}
            {domains}
        </dl>
        <section class="stack-tight">
            <h3>{label(&VENDOR, "cookieFacts")}</h3>
            {cookies}
        </section>
        {steps}
        <section class="stack-tight">
            <h3>{w.on_site}</h3>
            <p class="muted">{w.on_site_text}</p>
            {forms.into_iter().collect_view()}
        </section>
        {foot}
    }
    .into_any()
}

fn country_fact(name: &'static str, code: &str) -> Option<AnyView> {
    (!code.is_empty()).then(|| fact(name, country(code)))
}

/// The steps that ask for the service.
fn steps(project: &str, steps: &[super::StepLink], total: u64) -> AnyView {
    let (t, w) = (texts(), ServiceTexts::of_this_page());
    let list = if steps.is_empty() {
        view! {
            <p class="muted">{w.not_asked}</p>
            <div class="row">
                <a class="button button-small" href=Page::Configurations.at(&[&project])>{t.open_widget}</a>
            </div>
        }
        .into_any()
    } else {
        let items = steps.iter().map(|link| {
            let n = number(link.step);
            let values = [
                ("title", link.title.as_str()),
                ("n", n.as_str()),
                ("step", link.step_title.as_str()),
            ];
            view! { <li><a href=step_path(project, link)>{fill(w.step_n, &values)}</a></li> }
        });
        let shown = steps.len() as u64;
        let first = (total > shown)
            .then(|| view! { <p class="hint">{count(shown, w.first_steps, w.first_steps)}</p> });
        view! {
            <ul class="links">{items.collect_view()}</ul>
            {first}
        }
        .into_any()
    };
    view! {
        <section class="stack-tight">
            <h3>{w.asked_by}</h3>
            {list}
        </section>
    }
    .into_any()
}

/// The buttons of a custom service. Deleting one that steps ask for is asked about.
fn own_actions(id: &str, is_used: bool, actions: Actions) -> AnyView {
    let (t, w) = (texts(), ServiceTexts::of_this_page());
    let (edited, deleted, asked) = (id.to_owned(), id.to_owned(), id.to_owned());
    let ask = confirm(w.delete_title, w.delete_text, w.delete, true, move || {
        actions.delete.try_run(asked.clone());
    });
    view! {
        <div class="row">
            <button type="button" class="button" on:click=move |_| actions.edit.run(edited.clone())>
                {t.edit}
            </button>
            <button
                type="button"
                class="button button-quiet"
                on:click=move |_| {
                    if is_used {
                        ask();
                    } else {
                        actions.delete.run(deleted.clone());
                    }
                }
            >
                {icon(Icon::Trash)}
                {w.delete}
            </button>
        </div>
    }
    .into_any()
}
