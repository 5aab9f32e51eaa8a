//! The operator's page about the Global Vendor List: the list in use, and the import of another.

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use crate::components::copy::copyable;
use crate::components::download;
use crate::components::layout::{Tone, badge, busy_label, notice, page_head};
use crate::components::loading::{block_skeleton, empty_state, live};
use crate::components::time::{ago, exact};
use crate::components::toast::toasts;
use crate::fns::assets::Refusal;
use crate::fns::tcf::{
    Fetch, IMPORT, Imported, OperatorsList, is_kept_by_this_person, read_operators_list,
};
use crate::i18n::{ListTexts, Texts, fill, number, texts, words};
use crate::icon::Icon;
use crate::map::Page;

pub fn page() -> AnyView {
    let t = texts();
    let w = ListTexts::of_this_page();
    let found = Resource::new(|| (), |()| read_operators_list());
    let refresh = Callback::new(move |()| found.refetch());
    let content = live(found, block_skeleton, move |found: Memo<OperatorsList>| {
        view! {
            <div class="stack-loose">
                {move || in_use(w, &found.get())}
                {import(t, w, refresh)}
            </div>
        }
        .into_any()
    });
    view! {
        <div class="page page-narrow">
            {page_head(t.vendor_list, w.lead, ())}
            {content}
        </div>
    }
    .into_any()
}

/// The way to the page, for those who may use it.
pub fn link_card() -> AnyView {
    let keeps = Resource::new(|| (), |()| is_kept_by_this_person());
    let card = move || {
        Suspend::new(async move {
            let (t, w) = (texts(), ListTexts::of_this_page());
            keeps.await.unwrap_or_default().then(|| {
                view! {
                    <section class="card" aria-labelledby="vendor-list-title">
                        <div class="card-head">
                            <h2 id="vendor-list-title">{t.vendor_list}</h2>
                        </div>
                        <div class="card-body">
                            <p class="muted">{w.lead}</p>
                            <div class="row">
                                <a class="button" href=Page::VendorList.path()>{w.open}</a>
                                <a class="button" href=Page::Ledger.path()>{t.ledger}</a>
                            </div>
                        </div>
                    </section>
                }
            })
        })
    };
    view! { <Transition fallback=|| ()>{card}</Transition> }.into_any()
}

fn in_use(w: &'static ListTexts, found: &OperatorsList) -> AnyView {
    let platform = match (found.cmp_id, found.is_test) {
        (None, _) => notice(Tone::Warn, w.platform_absent),
        (Some(id), true) => notice(
            Tone::Neutral,
            fill(w.platform_test, &[("id", &id.to_string())]),
        ),
        (Some(_), false) => ().into_any(),
    };
    let list = match &found.list {
        Some(list) => facts(w, list, found),
        None => view! {
            <div class="card">
                {empty_state(Icon::File, w.empty, w.empty_text, ().into_any())}
            </div>
        }
        .into_any(),
    };
    view! {
        {platform}
        {list}
        {fetching(w, found)}
    }
    .into_any()
}

/// The state of the files that the server fetches.
fn fetching(w: &'static ListTexts, found: &OperatorsList) -> AnyView {
    // Without a platform a server needs no list.
    if found.cmp_id.is_none() {
        return ().into_any();
    }
    if found.fetches.is_empty() {
        return notice(Tone::Neutral, w.fetching_off);
    }
    let files: Vec<_> = found.fetches.iter().map(|file| fetched(w, file)).collect();
    view! {
        <section class="card card-pad form form-wide" aria-label=w.fetching>
            <div class="stack-tight">
                <h2>{w.fetching}</h2>
                <p class="muted">{w.fetching_text}</p>
            </div>
            {files}
        </section>
    }
    .into_any()
}

fn fetched(w: &'static ListTexts, file: &Fetch) -> AnyView {
    let state = match (&file.failure, file.fetched_at) {
        (Some(_), _) => badge(Tone::Danger, w.fetch_failed),
        (None, Some(_)) => badge(Tone::Ok, w.fetched),
        (None, None) => badge(Tone::Neutral, w.fetch_waits),
    };
    let time = |at: Option<i64>| at.map_or_else(|| w.never.into_any(), ago);
    let failure = file.failure.clone().map(|why| {
        view! {
            <dt>{w.tried_at}</dt>
            <dd>{time(file.tried_at)}</dd>
            <dt>{w.failure}</dt>
            <dd>{why}</dd>
        }
    });
    let next = file.next_at.map_or_else(|| w.next_soon.to_owned(), exact);
    view! {
        <div class="stack-tight">
            <div class="row-between">
                <h3 class="wrap-anywhere">{file.url.clone()}</h3>
                {state}
            </div>
            <dl class="facts">
                <dt>{w.fetched_at}</dt>
                <dd>{time(file.fetched_at)}</dd>
                {failure}
                <dt>{w.next_at}</dt>
                <dd>{next}</dd>
            </dl>
        </div>
    }
    .into_any()
}

fn facts(w: &'static ListTexts, list: &Imported, found: &OperatorsList) -> AnyView {
    let state = if list.is_old {
        badge(Tone::Warn, w.old)
    } else {
        badge(Tone::Ok, w.current)
    };
    let languages = if found.languages.is_empty() {
        w.english_only.to_owned()
    } else {
        format!("en, {}", found.languages.join(", "))
    };
    let providers = found.providers.as_ref().map_or_else(
        || w.providers_none.to_owned(),
        |list| {
            let (n, when) = (number(list.providers), exact(list.imported_at));
            fill(w.providers_text, &[("n", &n), ("when", &when)])
        },
    );
    let platform = found.cmp_id.map(|id| {
        view! {
            <dt>{w.platform}</dt>
            <dd>{id}</dd>
        }
    });
    view! {
        <section class="card card-pad form form-wide" aria-label=w.in_use>
            <div class="row-between">
                <h2>{w.in_use}</h2>
                {state}
            </div>
            {list.is_old.then(|| notice(Tone::Warn, w.old_text))}
            <dl class="facts">
                <dt>{w.version}</dt>
                <dd>{list.version}</dd>
                <dt>{w.updated}</dt>
                <dd>{ago(list.updated_at)}</dd>
                <dt>{w.imported}</dt>
                <dd>{ago(list.imported_at)}</dd>
                <dt>{w.source}</dt>
                <dd class="wrap-anywhere">{list.source.clone()}</dd>
                <dt>{w.vendors}</dt>
                <dd>{number(list.vendors)}</dd>
                <dt>{w.languages}</dt>
                <dd>{languages}</dd>
                <dt>{w.providers}</dt>
                <dd>{providers}</dd>
                <dt>{w.policy_version}</dt>
                <dd>{list.policy}</dd>
                {platform}
                <dt>{w.sha256}</dt>
                <dd>
                    <span class="copyable-wrap">{copyable(list.sha256.clone(), w.sha256)}</span>
                    <p class="hint">{w.sha256_hint}</p>
                </dd>
            </dl>
        </section>
    }
    .into_any()
}

/// The form that sends files.
fn import(t: &'static Texts, w: &'static ListTexts, refresh: Callback<()>) -> AnyView {
    let toasts = toasts();
    let busy = RwSignal::new(false);
    let failed = RwSignal::new(None::<String>);
    let send = move |form: web_sys::HtmlFormElement| {
        if busy.get_untracked() {
            return;
        }
        failed.set(None);
        busy.set(true);
        spawn_local(async move {
            let (status, answer) = post(&form).await.unwrap_or_default();
            // The page may be gone by now.
            if busy.is_disposed() {
                return;
            }
            busy.set(false);
            if status == 200 {
                form.reset();
                toasts.done(said(w, &answer));
                refresh.run(());
            } else {
                failed.set(Some(why_not(t, w, status, &answer)));
            }
        });
    };
    let problem = move || {
        failed
            .get()
            .map(|text| view! { <div role="alert">{notice(Tone::Danger, text)}</div> })
    };
    view! {
        <section class="card card-pad form form-wide" aria-label=w.import>
            <div class="stack-tight">
                <h2>{w.import}</h2>
                <p class="muted">{w.import_text}</p>
            </div>
            <form
                class="form form-wide"
                on:submit:target=move |event| {
                    event.prevent_default();
                    send(event.target());
                }
            >
                {problem}
                <div class="field">
                    <label for="vendor-list-files">{w.files}</label>
                    <input
                        class="input"
                        type="file"
                        id="vendor-list-files"
                        name="file"
                        multiple
                        required
                        accept="application/json,text/csv,.json,.csv"
                    />
                </div>
                <div class="check">
                    <input
                        type="checkbox"
                        id="vendor-list-force"
                        name="force"
                        value="true"
                        aria-describedby="vendor-list-force-hint"
                    />
                    <div>
                        <label for="vendor-list-force">{w.force}</label>
                        <p class="hint" id="vendor-list-force-hint">{w.force_hint}</p>
                    </div>
                </div>
                <div class="form-actions">
                    <button class="button button-primary" disabled=busy>
                        {busy_label(busy.into(), w.import_button)}
                    </button>
                </div>
            </form>
        </section>
    }
    .into_any()
}

/// The answer to an import for the person who made it.
fn said(w: &ListTexts, answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    let version = answer.pointer("/list/version").and_then(Value::as_u64);
    let version = version.unwrap_or_default().to_string();
    fill(w.import_done, &[("version", &version)])
}

/// The reason for which files were not taken, for the person who chose them.
fn why_not(t: &'static Texts, w: &'static ListTexts, status: u16, answer: &str) -> String {
    // The words for its code name the bound of uploads.
    if status == 413 {
        return w.file_large.to_owned();
    }
    let refusal: Option<Refusal> = serde_json::from_str(answer).ok();
    if let Some(refusal) = refusal {
        let first = refusal.errors.first();
        // It names the file and what is wrong with it.
        if let Some(detail) = first
            .map(|error| &error.detail)
            .filter(|text| !text.is_empty())
        {
            return detail.clone();
        }
        if let Some(text) = words(t, refusal.code) {
            return text.to_owned();
        }
    }
    let text = match status {
        409 => w.contradicts,
        _ => download::why_not(t, status, answer),
    };
    text.to_owned()
}

/// Sends a form. Answers status and body, 0 where nothing came.
async fn post(form: &web_sys::HtmlFormElement) -> Result<(u16, String), JsValue> {
    let data = web_sys::FormData::new_with_form(form)?;
    let request = web_sys::XmlHttpRequest::new()?;
    request.open("POST", IMPORT)?;
    let (told, hears) = futures::channel::oneshot::channel();
    let ended = Closure::once_into_js(move || {
        let _ = told.send(());
    });
    request.set_onloadend(Some(ended.unchecked_ref()));
    request.send_with_opt_form_data(Some(&data))?;
    let _ = hears.await;
    let body = request.response_text().ok().flatten();
    Ok((
        request.status().unwrap_or_default(),
        body.unwrap_or_default(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    #[test]
    fn a_refusal_says_its_cause() {
        let (t, w) = (Locale::En.texts(), ListTexts::of_this_page());
        let broken = r#"{"code":"validation_failed","errors":[{"pointer":"/file","code":"broken_file","detail":"a.json is no JSON"}]}"#;
        assert_eq!(why_not(t, w, 422, broken), "a.json is no JSON");
        let contradicts = r#"{"code":"list_contradicts","detail":"D."}"#;
        assert_eq!(why_not(t, w, 409, contradicts), w.contradicts);
        assert_eq!(why_not(t, w, 413, ""), w.file_large);
        let large = r#"{"code":"body_too_large","detail":"D."}"#;
        assert_eq!(why_not(t, w, 413, large), w.file_large);
        assert_eq!(why_not(t, w, 0, ""), t.error_unreachable);
    }

    #[test]
    fn an_import_says_the_version() {
        let w = ListTexts::of_this_page();
        let answer = r#"{"list":{"version":178}}"#;
        assert_eq!(said(w, answer), "Imported. The list in use is version 178.");
    }
}
