//! A field for a file: chosen, dropped, or named by its address. The document holds the id that the
//! upload answers with, or the address.
//!
//! The file itself goes to the server as it is ([`UPLOAD`]), with its progress shown; what it is, is
//! read there from its content.

use domain::error_code::ErrorCode;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use super::download;
use super::draft::Draft;
use super::field::{id_of, problem};
use crate::address::percent_encode;
use crate::error::UiError;
use crate::fns::assets::{MOST_BYTES, Refusal, StoredFile, UPLOAD, read_asset};
use crate::i18n::{Texts, fill, number, texts, words};
use crate::icon::{Icon, icon};

/// The files that a field accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Picture,
    /// A PDF.
    Document,
}

impl Takes {
    /// For the browser's file dialog.
    fn accept(self) -> &'static str {
        match self {
            Self::Picture => "image/png,image/jpeg,image/webp,image/gif,image/avif,image/svg+xml",
            Self::Document => "application/pdf",
        }
    }

    fn code(self) -> &'static str {
        match self {
            Self::Picture => "picture",
            Self::Document => "document",
        }
    }

    fn hint(self, t: &'static Texts) -> &'static str {
        match self {
            Self::Picture => t.upload_picture_hint,
            Self::Document => t.upload_document_hint,
        }
    }

    fn wrong(self, t: &'static Texts) -> &'static str {
        match self {
            Self::Picture => t.upload_no_picture,
            Self::Document => t.upload_no_document,
        }
    }

    /// True if the browser knows that a file is of another type. The server looks at the
    /// others.
    fn refuses(self, media: &str) -> bool {
        let fits = match self {
            Self::Picture => media.starts_with("image/"),
            Self::Document => media == "application/pdf",
        };
        !media.is_empty() && !fits
    }
}

/// True if a document's value is the id of a file, not an address.
fn is_id(value: &str) -> bool {
    value.len() == 36 && !value.contains([':', '/'])
}

/// Progress of sending a file.
#[derive(Clone, Debug, PartialEq)]
enum Sending {
    Nothing,
    /// Share of the file that is sent.
    Share(f64),
    Failed(String),
}

/// A field for the picture or document at a pointer, which is kept for `project`.
pub fn upload(
    draft: Draft,
    project: String,
    pointer: impl Into<String>,
    label: &'static str,
    takes: Takes,
) -> AnyView {
    let pointer: String = pointer.into();
    let value = {
        let pointer = pointer.clone();
        Memo::new(move |_| draft.text(&pointer))
    };
    let named = Memo::new(move |_| value.with(|value| is_id(value).then(|| value.clone())));
    let known = RwSignal::new(None);
    look_up(named, known);
    let field = Upload {
        draft,
        project: StoredValue::new(project),
        pointer: StoredValue::new(pointer),
        label,
        takes,
        value,
        named,
        known,
        sending: RwSignal::new(Sending::Nothing),
    };
    field.view()
}

/// The field and its state.
#[derive(Clone, Copy)]
struct Upload {
    draft: Draft,
    project: StoredValue<String>,
    pointer: StoredValue<String>,
    label: &'static str,
    takes: Takes,
    /// The text of the document.
    value: Memo<String>,
    /// The file that it names, if it names one of ours.
    named: Memo<Option<String>>,
    /// The description of that file, once the server has answered.
    known: RwSignal<Option<Result<StoredFile, UiError>>>,
    sending: RwSignal<Sending>,
}

impl Upload {
    fn id(self) -> String {
        self.pointer.with_value(|pointer| id_of(pointer))
    }

    fn set(self, text: &str) {
        self.pointer
            .with_value(|pointer| self.draft.set_text(pointer, text));
    }

    /// Sends a file and names it in the document.
    fn take(self, file: &web_sys::File) {
        let t = texts();
        let (takes, sending) = (self.takes, self.sending);
        if self.draft.read_only.get_untracked() {
            return;
        }
        if takes.refuses(&file.type_()) {
            sending.set(Sending::Failed(takes.wrong(t).to_owned()));
            return;
        }
        if file.size() > MOST_BYTES as f64 {
            sending.set(Sending::Failed(t.upload_too_large.to_owned()));
            return;
        }
        sending.set(Sending::Share(0.0));
        let address = self.project.with_value(|project| {
            let name = percent_encode(&file.name());
            format!(
                "{UPLOAD}?project={project}&for={}&name={name}",
                takes.code()
            )
        });
        let progress = move |share| {
            let _ = sending.try_set(Sending::Share(share));
        };
        let done = move |status, answer: String| {
            // The page may be gone by now.
            if sending.is_disposed() {
                return;
            }
            match (status, serde_json::from_str(&answer)) {
                (201, Ok(file)) => self.keep(file),
                _ => sending.set(Sending::Failed(why_not(t, takes, status, &answer))),
            }
        };
        if send(file, &address, progress, done).is_err() {
            sending.set(Sending::Failed(t.error_unreachable.to_owned()));
        }
    }

    fn keep(self, file: StoredFile) {
        let id = file.id.clone();
        self.known.set(Some(Ok(file)));
        self.sending.set(Sending::Nothing);
        self.set(&id);
    }

    fn remove(self) {
        self.sending.set(Sending::Nothing);
        self.set("");
    }

    /// The reason for which the last file was not taken, else the problem of the document.
    fn problem(self) -> Option<String> {
        let failed = self.sending.with(|sending| match sending {
            Sending::Failed(why) => Some(why.clone()),
            _ => None,
        });
        let gone = || {
            let gone = matches!(self.known.get(), Some(Err(UiError::NotFound)));
            (gone && self.named.get().is_some()).then(|| texts().upload_gone.to_owned())
        };
        let of_document = || {
            self.pointer
                .with_value(|pointer| self.draft.problem(pointer))
        };
        failed.or_else(gone).or_else(of_document)
    }

    fn view(self) -> AnyView {
        let t = texts();
        let (id, label, named, sending) = (self.id(), self.label, self.named, self.sending);
        let label_id = format!("{id}-label");
        view! {
            <div class="field" role="group" aria-labelledby=label_id.clone()>
                <span class="label">
                    <span id=label_id.clone()>{label}</span>
                    <span class="optional">" " {t.optional}</span>
                </span>
                {dropping(self.draft, move |file| self.take(&file), view! {
                    {move || about(t, self.takes, named.get(), self.known.get())}
                    {self.picker()}
                    {move || (named.get().is_some() && !self.draft.read_only.get()).then(|| self.remove_button())}
                }.into_any())}
                <div role="status" aria-live="polite">{move || progress_bar(t, &sending.get())}</div>
                {move || named.get().is_none().then(|| self.address())}
                {problem(problem_id_of(&id), move || self.problem())}
            </div>
        }
        .into_any()
    }

    fn remove_button(self) -> AnyView {
        let t = texts();
        view! {
            <button
                type="button"
                class="button button-quiet button-small button-icon"
                aria-label=format!("{}: {}", t.remove, self.label)
                title=t.remove
                on:click=move |_| self.remove()
            >
                {icon(Icon::Trash)}
            </button>
        }
        .into_any()
    }

    /// The field for the address of a picture or document elsewhere.
    fn address(self) -> AnyView {
        let id = self.id();
        let has_problem = Memo::new(move |_| self.problem().is_some());
        view! {
            <div class="upload-address">
                <label class="hint" id=format!("{id}-address") for=id.clone()>{texts().upload_address}</label>
                <input
                    id=id.clone()
                    class="input"
                    type="url"
                    autocomplete="off"
                    placeholder="https://"
                    aria-labelledby=format!("{id}-label {id}-address")
                    aria-describedby=problem_id_of(&id)
                    aria-invalid=move || has_problem.get().then_some("true")
                    disabled=self.draft.read_only
                    value=self.value.get_untracked()
                    prop:value=self.value
                    on:input:target=move |event| {
                        self.sending.set(Sending::Nothing);
                        self.set(event.target().value().trim());
                    }
                />
            </div>
        }
        .into_any()
    }

    /// The button that opens the browser's file dialog: a real file field behind its label.
    fn picker(self) -> AnyView {
        let t = texts();
        let text = move || {
            if self.named.with(Option::is_some) {
                t.upload_replace
            } else {
                t.upload_choose
            }
        };
        let busy = Memo::new(move |_| {
            self.sending
                .with(|sending| matches!(sending, Sending::Share(_)))
        });
        let disabled = move || busy.get() || self.draft.read_only.get();
        view! {
            <label class="button button-small upload-pick" aria-disabled=move || disabled().then_some("true")>
                <input
                    type="file"
                    class="quiet"
                    id=format!("{}-file", self.id())
                    accept=self.takes.accept()
                    aria-label=move || format!("{}: {}", self.label, text())
                    disabled=disabled
                    on:change:target=move |event| {
                        let field = event.target();
                        if let Some(file) = field.files().and_then(|files| files.get(0)) {
                            self.take(&file);
                        }
                        // The same file may be chosen again, once it is mended.
                        field.set_value("");
                    }
                />
                {icon(Icon::Publish)}
                {text}
            </label>
        }
        .into_any()
    }
}

fn problem_id_of(id: &str) -> String {
    format!("{id}-problem")
}

/// Finds out what a named file is, unless it was sent just now.
fn look_up(named: Memo<Option<String>>, known: RwSignal<Option<Result<StoredFile, UiError>>>) {
    Effect::new(move |_| {
        let Some(id) = named.get() else { return };
        let here = known.with_untracked(|known| matches!(known, Some(Ok(file)) if file.id == id));
        if here {
            return;
        }
        known.set(None);
        spawn_local(async move {
            let found = read_asset(id.clone()).await;
            // Another file may have taken its place, or the page may be gone.
            if named.try_get_untracked() == Some(Some(id)) {
                let _ = known.try_set(Some(found));
            }
        });
    });
}

/// The frame that files can be dropped into.
fn dropping(draft: Draft, take: impl Fn(web_sys::File) + 'static, content: AnyView) -> AnyView {
    let over = RwSignal::new(false);
    view! {
        <div
            class="upload"
            class:over=over
            on:dragover=move |event| {
                if !draft.read_only.get_untracked() {
                    event.prevent_default();
                    over.set(true);
                }
            }
            on:dragleave=move |_| over.set(false)
            on:drop=move |event| {
                event.prevent_default();
                over.set(false);
                let files = event.data_transfer().and_then(|dropped| dropped.files());
                if let Some(file) = files.and_then(|files| files.get(0)) {
                    take(file);
                }
            }
        >
            {content}
        </div>
    }
    .into_any()
}

/// The present picture or document, or a hint which files fit.
fn about(
    t: &'static Texts,
    takes: Takes,
    named: Option<String>,
    known: Option<Result<StoredFile, UiError>>,
) -> AnyView {
    let Some(id) = named else {
        let hint = view! { <p class="hint grow">{t.upload_drop} " " {takes.hint(t)}</p> };
        return hint.into_any();
    };
    let address = format!("/v1/assets/{id}");
    let thumbnail = match takes {
        Takes::Picture => {
            let small = format!("{address}?w=128&h=128");
            view! { <img class="upload-thumbnail" src=small alt="" /> }.into_any()
        }
        Takes::Document => {
            view! { <span class="upload-thumbnail">{icon(Icon::File)}</span> }.into_any()
        }
    };
    let (name, size) = match known {
        Some(Ok(file)) => {
            let kilobytes = number(file.size.div_ceil(1024));
            (file.original_name, fill(t.kilobytes, &[("n", &kilobytes)]))
        }
        _ => (t.upload_kept.to_owned(), String::new()),
    };
    view! {
        {thumbnail}
        <div class="grow">
            <a class="truncate upload-name" href=address target="_blank" rel="noopener">{name}</a>
            <p class="hint">{size}</p>
        </div>
    }
    .into_any()
}

fn progress_bar(t: &'static Texts, sending: &Sending) -> Option<AnyView> {
    let Sending::Share(share) = sending else {
        return None;
    };
    let share = *share;
    let bar = if share > 0.0 && share < 1.0 {
        view! { <progress aria-label=t.uploading max="1" value=share.to_string()></progress> }
            .into_any()
    } else {
        // Nothing is known before the first bytes, nor while the server looks at the file.
        view! { <progress aria-label=t.uploading></progress> }.into_any()
    };
    Some(
        view! {
            <div class="upload-progress">
                {bar}
                <span class="hint">{t.uploading}</span>
            </div>
        }
        .into_any(),
    )
}

/// The reason for which a file was not taken, for the person who chose it.
fn why_not(t: &'static Texts, takes: Takes, status: u16, answer: &str) -> String {
    let refusal: Option<Refusal> = serde_json::from_str(answer).ok();
    let first = refusal.as_ref().and_then(|refusal| refusal.errors.first());
    let code = first.map(|error| error.code);
    let code = code.or(refusal.as_ref().map(|refusal| refusal.code));
    if code == Some(ErrorCode::UnsupportedType) {
        return takes.wrong(t).to_owned();
    }
    if let Some(text) = code.and_then(|code| words(t, code)) {
        return text.to_owned();
    }
    let text = match (status, first) {
        (_, Some(error)) => return error.detail.clone(),
        (413, _) => t.upload_too_large,
        _ => download::why_not_by(t, status),
    };
    text.to_owned()
}

/// Sends a file as it is; `progress` hears the share that is sent, `done` the status and the answer,
/// 0 where none came.
pub fn send(
    file: &web_sys::File,
    address: &str,
    progress: impl Fn(f64) + 'static,
    done: impl FnOnce(u16, String) + 'static,
) -> Result<(), JsValue> {
    let request = web_sys::XmlHttpRequest::new()?;
    request.open("POST", address)?;
    let told =
        Closure::<dyn Fn(web_sys::ProgressEvent)>::new(move |event: web_sys::ProgressEvent| {
            if event.length_computable() && event.total() > 0.0 {
                progress(event.loaded() / event.total());
            }
        });
    request
        .upload()?
        .set_onprogress(Some(told.as_ref().unchecked_ref()));
    let answered = request.clone();
    let ended = Closure::once_into_js(move || {
        drop(told);
        done(
            answered.status().unwrap_or_default(),
            answered.response_text().ok().flatten().unwrap_or_default(),
        );
    });
    request.set_onloadend(Some(ended.unchecked_ref()));
    request.send_with_opt_blob(Some(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    #[test]
    fn a_refusal_says_its_cause() {
        let t = Locale::En.texts();
        let said = |status, answer: &str| why_not(t, Takes::Picture, status, answer);
        let broken = |code: &str| {
            format!(
                r#"{{"code":"validation_failed","errors":[{{"pointer":"/file","code":"{code}","detail":"D."}}]}}"#
            )
        };
        assert_eq!(said(413, ""), t.upload_too_large);
        assert_eq!(said(422, &broken("unsupported_type")), t.upload_no_picture);
        assert_eq!(said(422, &broken("broken_file")), t.upload_broken);
        assert_eq!(said(422, &broken("not_drawn")), "D.");
        assert_eq!(
            said(409, r#"{"code":"too_many_assets"}"#),
            t.upload_too_many
        );
        assert_eq!(said(403, r#"{"code":"role_too_weak"}"#), t.error_forbidden);
        assert_eq!(said(0, ""), t.error_unreachable);
        assert_eq!(said(500, "<html>"), t.error_failed);
    }

    #[test]
    fn ids_are_told_from_addresses() {
        assert!(is_id("019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70"));
        assert!(!is_id("https://shop.example/a-picture.png-x"));
        assert!(!is_id(""));
    }

    #[test]
    fn what_the_browser_knows_is_no_picture_is_not_sent() {
        assert!(Takes::Picture.refuses("application/pdf"));
        assert!(Takes::Document.refuses("image/png"));
        assert!(!Takes::Picture.refuses("image/svg+xml") && !Takes::Picture.refuses(""));
    }
}
