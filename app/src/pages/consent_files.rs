//! Consents of a project to and from files.

use leptos::prelude::*;
use serde::Deserialize;

use super::project_id;
use crate::components::download::{file_form, why_not};
use crate::components::following::following;
use crate::components::layout::{Tone, busy_label, crumbs, notice, page_head, tile};
use crate::components::loading::{block_skeleton, loaded};
use crate::components::upload::send;
use crate::fns::proofs::{EXPORT, IMPORT, may_import};
use crate::i18n::{EvidenceTexts, Texts, fill, number, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;

pub fn page() -> AnyView {
    let project = project_id();
    let may = following(move || project.get(), may_import);
    let content = loaded(may, block_skeleton, move |may| {
        content(&project.get_untracked(), may)
    });
    view! { <div class="page page-narrow">{content}</div> }.into_any()
}

fn content(project: &str, may_import: bool) -> AnyView {
    let (t, w) = (texts(), EvidenceTexts::of_this_page());
    let import = if may_import {
        import(t, w, project)
    } else {
        view! { <p class="muted">{w.only_editors}</p> }.into_any()
    };
    view! {
        {crumbs(
            vec![(Page::Proofs.at(&[&project]), t.proofs.to_owned())],
            t.export_import.to_owned(),
        )}
        {page_head(t.export_import, w.lead, ())}
        {export(t, w, project)}
        <section class="card card-pad form form-wide" aria-labelledby="import-title">
            <h2 id="import-title">{w.import}</h2>
            {import}
        </section>
    }
    .into_any()
}

fn export(t: &'static Texts, w: &'static EvidenceTexts, project: &str) -> AnyView {
    let fields = view! {
        <input type="hidden" name="project" value=project.to_owned() />
        <div class="field">
            <label for="export-start">{t.from_day}</label>
            <input class="input" id="export-start" type="date" name="start" />
        </div>
        <div class="field">
            <label for="export-end">{t.to_day}</label>
            <input class="input" id="export-end" type="date" name="end" />
        </div>
        <div class="field">
            <label for="export-format">{w.format}</label>
            <span class="select">
                <select class="input" id="export-format" name="format">
                    <option value="csv">{w.csv}</option>
                    <option value="ndjson">{w.ndjson}</option>
                </select>
                {icon(Icon::ChevronDown)}
            </span>
        </div>
        <div class="form-actions">
            <button class="button button-primary">{w.export}</button>
        </div>
    };
    view! {
        <section class="card card-pad form form-wide" aria-labelledby="export-title">
            <div class="stack-tight">
                <h2 id="export-title">{w.export}</h2>
                <p class="muted">{w.export_text}</p>
            </div>
            {file_form(EXPORT, "form form-wide", fields.into_any())}
        </section>
    }
    .into_any()
}

/// The progress of an import.
#[derive(Clone, PartialEq)]
enum State {
    Idle,
    Sending(f64),
    Failed(&'static str),
    Ended(Report),
}

/// The result of an import, as the server tells it.
#[derive(Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    imported: u64,
    skipped: u64,
    erased: u64,
    error_count: u64,
    errors: Vec<RowError>,
    /// True if broken rows kept the others out.
    #[serde(skip)]
    is_refused: bool,
}

#[derive(Clone, PartialEq, Deserialize)]
struct RowError {
    row: u64,
    detail: String,
}

/// The format of a file by its name.
fn format_of(name: &str) -> Option<&'static str> {
    let (_, suffix) = name.rsplit_once('.')?;
    match suffix.to_ascii_lowercase().as_str() {
        "csv" => Some("csv"),
        "ndjson" | "jsonl" => Some("ndjson"),
        _ => None,
    }
}

/// The end of an import, by status and answer.
fn ended(t: &'static Texts, w: &'static EvidenceTexts, status: u16, answer: &str) -> State {
    match (status, serde_json::from_str::<Report>(answer)) {
        (200, Ok(imported)) => State::Ended(imported),
        (422, Ok(imported)) => State::Ended(Report {
            is_refused: true,
            ..imported
        }),
        (413, _) => State::Failed(w.too_large),
        _ => State::Failed(why_not(t, status, answer)),
    }
}

fn import(t: &'static Texts, w: &'static EvidenceTexts, project: &str) -> AnyView {
    let state = RwSignal::new(State::Idle);
    let project = project.to_owned();
    let file = NodeRef::<leptos::html::Input>::new();
    let partial = NodeRef::<leptos::html::Input>::new();
    let busy = Memo::new(move |_| state.with(|state| matches!(state, State::Sending(_))));
    let start = move || {
        let chosen = file.get_untracked().and_then(|field| field.files()?.get(0));
        let Some(chosen) = chosen.filter(|_| !busy.get_untracked()) else {
            return;
        };
        let Some(format) = format_of(&chosen.name()) else {
            state.set(State::Failed(w.wrong_file));
            return;
        };
        let partial = partial.get_untracked().is_some_and(|field| field.checked());
        let address = format!("{IMPORT}?project={project}&format={format}&partial={partial}");
        state.set(State::Sending(0.0));
        let progress = move |share| {
            let _ = state.try_set(State::Sending(share));
        };
        let done = move |status, answer: String| {
            // The page may be gone by now.
            let _ = state.try_set(ended(t, w, status, &answer));
        };
        if send(&chosen, &address, progress, done).is_err() {
            state.set(State::Failed(t.error_unreachable));
        }
    };
    view! {
        <p class="muted">{w.import_text}</p>
        {columns(w)}
        <form
            class="form form-wide"
            on:submit=move |event| {
                event.prevent_default();
                start();
            }
        >
            <div class="field">
                <label for="import-file">{w.file}</label>
                <input
                    class="input"
                    type="file"
                    id="import-file"
                    node_ref=file
                    required
                    accept=".csv,.ndjson,.jsonl"
                />
            </div>
            <div class="check">
                <input
                    type="checkbox"
                    id="import-partial"
                    node_ref=partial
                    aria-describedby="import-partial-hint"
                />
                <div>
                    <label for="import-partial">{w.partial}</label>
                    <p class="hint" id="import-partial-hint">{w.partial_hint}</p>
                </div>
            </div>
            <div class="form-actions">
                <button class="button button-primary" disabled=busy>
                    {busy_label(busy.into(), w.import)}
                </button>
            </div>
        </form>
        <div role="status" aria-live="polite">{move || state.with(|state| told(w, state))}</div>
    }
    .into_any()
}

fn columns(w: &'static EvidenceTexts) -> AnyView {
    let rows = [
        ("token", true, w.column_token),
        ("collection", true, w.column_collection),
        ("identifier", true, w.column_identifier),
        ("accept", true, w.column_accept),
        ("date", false, w.column_date),
        ("value", false, w.column_value),
        ("preferences", false, w.column_preferences),
        ("consentId", false, w.column_id),
    ]
    .map(|(name, is_required, meaning)| {
        view! {
            <tr>
                <td><code>{name}</code></td>
                <td>{meaning} {is_required.then(|| format!(" ({})", w.required))}</td>
            </tr>
        }
    });
    view! {
        <details>
            <summary>{w.columns}</summary>
            <div class="table-scroll">
                <table class="table">
                    <thead>
                        <tr>
                            <th scope="col">{w.column}</th>
                            <th scope="col">{w.meaning}</th>
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </details>
    }
    .into_any()
}

/// The state in words.
fn told(w: &'static EvidenceTexts, state: &State) -> AnyView {
    match state {
        State::Idle => ().into_any(),
        State::Failed(why) => notice(Tone::Danger, *why),
        State::Sending(share) if *share > 0.0 && *share < 1.0 => view! {
            <div class="upload-progress">
                <progress aria-label=w.sending max="1" value=share.to_string()></progress>
                <span class="hint">{w.sending}</span>
            </div>
        }
        .into_any(),
        State::Sending(share) => {
            let text = if *share > 0.0 { w.storing } else { w.sending };
            view! {
                <div class="upload-progress">
                    <progress aria-label=text></progress>
                    <span class="hint">{text}</span>
                </div>
            }
            .into_any()
        }
        State::Ended(imported) => result(w, imported),
    }
}

fn result(w: &'static EvidenceTexts, imported: &Report) -> AnyView {
    let said = if imported.is_refused {
        notice(Tone::Danger, w.nothing_imported)
    } else if imported.error_count > 0 {
        notice(Tone::Warn, w.done_in_part)
    } else {
        notice(Tone::Ok, w.done)
    };
    let listed = imported.errors.len() as u64;
    let values = [("n", number(listed)), ("all", number(imported.error_count))];
    let values = values
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let caption = (listed < imported.error_count)
        .then(|| view! { <p class="hint">{fill(w.first_rows, &values)}</p> });
    let rows = imported
        .errors
        .iter()
        .map(|error| {
            view! {
                <tr>
                    <td>{number(error.row)}</td>
                    <td lang="en">{error.detail.clone()}</td>
                </tr>
            }
        })
        .collect_view();
    let errors = (listed > 0).then(|| {
        view! {
            {caption}
            <div class="table-scroll">
                <table class="table">
                    <thead>
                        <tr>
                            <th scope="col">{w.row}</th>
                            <th scope="col">{w.problem}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
    });
    view! {
        <div class="stack">
            {said}
            <dl class="tiles">
                {tile(w.imported, number(imported.imported), ())}
                {tile(w.skipped, number(imported.skipped), ())}
                {tile(w.skipped_erased, number(imported.erased), ())}
                {tile(w.invalid, number(imported.error_count), ())}
            </dl>
            {errors}
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    #[test]
    fn the_end_of_an_import_is_told_by_status_and_answer() {
        let (t, w) = (Locale::En.texts(), EvidenceTexts::of_this_page());
        let answer = r#"{"imported":2,"skipped":1,"erased":0,"errorCount":1,"errors":[{"row":3,"detail":"D."}]}"#;
        let is_refused = |status| match ended(t, w, status, answer) {
            State::Ended(imported) => Some((imported.is_refused, imported.errors.len())),
            _ => None,
        };
        assert_eq!(is_refused(200), Some((false, 1)));
        assert_eq!(is_refused(422), Some((true, 1)));
        assert!(ended(t, w, 413, "") == State::Failed(w.too_large));
        assert!(ended(t, w, 422, "{}") == State::Failed(t.error_failed));
        assert!(ended(t, w, 0, "") == State::Failed(t.error_unreachable));
        let signed_out = r#"{"status":403,"code":"unauthenticated"}"#;
        assert!(ended(t, w, 403, signed_out) == State::Failed(t.error_signed_out));
    }

    #[test]
    fn files_are_known_by_their_names() {
        assert_eq!(format_of("a.b.CSV"), Some("csv"));
        assert_eq!(format_of("a.jsonl"), Some("ndjson"));
        assert_eq!(format_of("csv"), None);
        assert_eq!(format_of("a.xlsx"), None);
    }
}
