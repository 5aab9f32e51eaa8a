//! A field for a text with bold and italic words, links and lists, as visitors will see it.
//!
//! The server draws a text area with the HTML, which works while the page has not woken up yet. Then an editable
//! element takes its place. It writes the same HTML into the draft, so saving and checking are those of other fields.

mod dom;
mod surface;
mod tidy;
mod toolbar;

use domain::language::direction;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use self::surface::Surface;
use self::toolbar::{Link, toolbar};
use super::draft::Draft;
use super::field::{id_of, problem};
use super::focus::focus_when_there;
use crate::i18n::texts;
use crate::rcdata::rcdata;

/// Pasted markup above this many bytes is taken as plain text, which browsers insert in one piece.
const MOST_PASTED: usize = 500_000;

/// A text field with formatting under construction.
#[must_use]
pub struct RichField {
    draft: Draft,
    pointer: String,
    label: &'static str,
    hint: Option<&'static str>,
    optional: bool,
    language: Signal<String>,
}

/// A field for the HTML at a pointer, which is written in a language.
pub fn rich(
    draft: Draft,
    pointer: impl Into<String>,
    label: &'static str,
    language: impl Into<Signal<String>>,
) -> RichField {
    RichField {
        draft,
        pointer: pointer.into(),
        label,
        hint: None,
        optional: false,
        language: language.into(),
    }
}

impl RichField {
    pub fn hint(self, hint: &'static str) -> Self {
        Self {
            hint: Some(hint),
            ..self
        }
    }

    pub fn optional(self) -> Self {
        Self {
            optional: true,
            ..self
        }
    }

    pub fn view(self) -> AnyView {
        let t = texts();
        let Self {
            draft,
            pointer,
            label,
            hint,
            optional,
            language: spoken,
        } = self;
        let id = id_of(&pointer);
        let label_id = format!("{id}-label");
        let hint_id = format!("{id}-hint");
        let problem_id = format!("{id}-problem");
        let described = match hint {
            Some(_) => format!("{hint_id} {problem_id}"),
            None => problem_id.clone(),
        };
        let read = {
            let pointer = pointer.clone();
            Memo::new(move |_| draft.text(&pointer))
        };
        let invalid = {
            let pointer = pointer.clone();
            Memo::new(move |_| draft.problem(&pointer).is_some())
        };
        let write = {
            let pointer = pointer.clone();
            move |html: &str| draft.set_text(&pointer, html)
        };
        let awake = RwSignal::new(false);
        let source = NodeRef::<html::Textarea>::new();
        let surface = Surface::new();
        let shown = follow(surface, read);
        wake(awake, source, id.clone());
        // Only one of both elements is the field, with its id.
        let id_if = |is_awake: bool| {
            let id = id.clone();
            move || (awake.get() == is_awake).then(|| id.clone())
        };
        let type_source = {
            let write = write.clone();
            move |text: String| write(&text)
        };
        let invalid_mark = move || invalid.get().then_some("true");
        let area = view! {
            <textarea
                node_ref=source
                id=id_if(false)
                class="input"
                lang=spoken
                dir=move || spoken.with(|spoken| direction(spoken))
                rows="3"
                hidden=awake
                aria-describedby=described.clone()
                aria-invalid=invalid_mark
                disabled=draft.read_only
                prop:value=read
                on:input:target=move |event| type_source(event.target().value())
            >
                {rcdata(read.get_untracked())}
            </textarea>
        };
        let link = Link::new(surface);
        let bar = {
            let (id, label_id) = (id.clone(), label_id.clone());
            move || (!draft.read_only.get()).then(|| toolbar(surface, link, &id, label_id.clone()))
        };
        let typed = move || {
            if let Some(element) = surface.text.get_untracked() {
                let html = dom::html_of(&dom::read(&element));
                shown.set_value(Some(html.clone()));
                write(&html);
            }
            surface.look();
        };
        let labelled = {
            let label_id = label_id.clone();
            move || awake.get().then(|| label_id.clone())
        };
        let text = view! {
            <div
                node_ref=surface.text
                id=id_if(true)
                class="rich-text"
                role="textbox"
                aria-multiline="true"
                aria-labelledby=labelled
                aria-describedby=described
                aria-invalid=invalid_mark
                aria-disabled=move || draft.read_only.get().then_some("true")
                contenteditable=move || (!draft.read_only.get()).then_some("true")
                tabindex="0"
                lang=spoken
                dir=move || spoken.with(|spoken| direction(spoken))
                on:focus=move |_| surface.begin()
                on:keyup=move |_| surface.look()
                on:pointerup=move |_| surface.look()
                on:input=move |_| typed()
                on:keydown=move |event| keys(&event, link)
                on:paste=move |event| paste(&event, surface)
                // Pasting cleans foreign markup, and dropping does not.
                on:drop=|event| event.prevent_default()
            ></div>
        };
        let enter = move |_| {
            if awake.get_untracked() {
                surface.enter();
            }
        };
        view! {
            <div class="field">
                <label for=id_if(false) id=label_id on:click=enter>
                    {label} {optional.then(|| view! { <span class="optional">" " {t.optional}</span> })}
                </label>
                {area}
                <div class="rich" hidden=move || !awake.get()>{bar} {text}</div>
                {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
                {problem(problem_id, move || draft.problem(&pointer))}
            </div>
        }
        .into_any()
    }
}

/// Draws the text again when anything but typing changes it, such as an undo of the editor. Returns the HTML that the
/// element shows.
fn follow(surface: Surface, read: Memo<String>) -> StoredValue<Option<String>> {
    let shown = StoredValue::new(None::<String>);
    Effect::new(move |_| {
        let (html, element) = (read.get(), surface.text.get());
        let is_shown = shown.with_value(|shown| shown.as_ref() == Some(&html));
        if let Some(element) = element.filter(|_| !is_shown) {
            dom::show(&element, &dom::parse(&html));
            shown.set_value(Some(html));
        }
    });
    shown
}

/// Puts the editable element in the place of the text area, which may have the focus.
fn wake(awake: RwSignal<bool>, source: NodeRef<html::Textarea>, id: String) {
    Effect::new(move |_| {
        let Some(source) = source.get() else {
            return;
        };
        let source: web_sys::Element = source.into();
        if document().active_element() == Some(source) {
            focus_when_there(vec![id.clone()]);
        }
        awake.set(true);
    });
}

fn keys(event: &ev::KeyboardEvent, link: Link) {
    if (event.ctrl_key() || event.meta_key()) && event.key().eq_ignore_ascii_case("k") {
        event.prevent_default();
        link.ask();
    }
}

/// Takes what the text may hold from the clipboard.
fn paste(event: &ev::Event, surface: Surface) {
    let Some(clipboard) = event
        .dyn_ref::<web_sys::ClipboardEvent>()
        .and_then(web_sys::ClipboardEvent::clipboard_data)
    else {
        return;
    };
    event.prevent_default();
    let content = |kind| clipboard.get_data(kind).unwrap_or_default();
    let html = content("text/html");
    let nodes = match html.len() {
        1..=MOST_PASTED => dom::parse(&html),
        _ => Vec::new(),
    };
    if nodes.is_empty() {
        surface.insert_plain(&content("text/plain"));
    } else {
        surface.insert(&nodes);
    }
}

/// A text as visitors see it, for people who look at it. Without its language it runs as its first letter does. The
/// server writes its HTML as text.
pub fn as_shown(html: String, language: Option<String>) -> AnyView {
    let place = NodeRef::<html::Div>::new();
    {
        let html = html.clone();
        Effect::new(move |_| {
            if let Some(place) = place.get() {
                dom::show(&place, &dom::parse(&html));
            }
        });
    }
    let dir = language.as_deref().map_or("auto", direction);
    view! { <div node_ref=place class="rich-shown" lang=language dir=dir>{html}</div> }.into_any()
}
