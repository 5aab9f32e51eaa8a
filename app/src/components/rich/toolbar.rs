//! The buttons above a text, and the address of a link.

use domain::html::address_of;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;

use super::surface::{Change, Surface};
use crate::components::field::problem;
use crate::components::focus::focus;
use crate::i18n::RichTexts;

/// The address of a link while somebody writes it.
#[derive(Clone, Copy)]
pub struct Link {
    surface: Surface,
    open: RwSignal<bool>,
    written: RwSignal<String>,
    wrong: RwSignal<bool>,
    field: NodeRef<html::Input>,
}

impl Link {
    pub fn new(surface: Surface) -> Self {
        Self {
            surface,
            open: RwSignal::new(false),
            written: RwSignal::new(String::new()),
            wrong: RwSignal::new(false),
            field: NodeRef::new(),
        }
    }

    /// Asks for the address.
    pub fn ask(self) {
        self.surface.look();
        let now = self
            .surface
            .marks
            .with_untracked(|marks| marks.address.clone());
        self.written.set(now.unwrap_or_default());
        self.wrong.set(false);
        self.open.set(true);
        // It can take the focus once it is shown.
        request_animation_frame(move || {
            if let Some(field) = self.field.get_untracked() {
                focus(&field);
                field.select();
            }
        });
    }

    fn set(self) {
        if let Some(address) = address_of(&self.written.get_untracked()) {
            self.open.set(false);
            return self.surface.lead_to(address);
        }
        self.wrong.set(true);
        if let Some(field) = self.field.get_untracked() {
            focus(&field);
        }
    }

    fn remove(self) {
        self.open.set(false);
        self.surface.lead_nowhere();
    }

    fn leave(self) {
        self.open.set(false);
        self.surface.enter();
    }

    fn view(self, id: &str) -> AnyView {
        let w = RichTexts::of_this_page();
        let Self {
            open,
            written,
            wrong,
            field,
            surface,
        } = self;
        let field_id = format!("{id}-link");
        let problem_id = format!("{field_id}-problem");
        let hint_id = format!("{field_id}-hint");
        let key = move |event: ev::KeyboardEvent| {
            match event.key().as_str() {
                "Enter" => self.set(),
                "Escape" => self.leave(),
                _ => return,
            }
            // A form or a dialog around the field must not react.
            event.prevent_default();
            event.stop_propagation();
        };
        let is_link = Memo::new(move |_| surface.marks.with(|marks| marks.address.is_some()));
        let remove = move || {
            is_link.get().then(|| {
                view! {
                    <button type="button" class="button button-small" on:click=move |_| self.remove()>{w.remove}</button>
                }
            })
        };
        view! {
            <div class="rich-link field" hidden=move || !open.get()>
                <label for=field_id.clone()>{w.address}</label>
                <div class="row">
                    <input
                        node_ref=field
                        id=field_id
                        class="input grow"
                        type="text"
                        inputmode="url"
                        autocomplete="off"
                        spellcheck="false"
                        dir="ltr"
                        aria-describedby=format!("{hint_id} {problem_id}")
                        aria-invalid=move || wrong.get().then_some("true")
                        prop:value=written
                        on:input:target=move |event| {
                            wrong.set(false);
                            written.set(event.target().value());
                        }
                        on:keydown=key
                    />
                    <button type="button" class="button button-small" on:click=move |_| self.set()>{w.set}</button>
                    {remove}
                </div>
                <p class="hint" id=hint_id>{w.address_hint}</p>
                {problem(problem_id, move || wrong.get().then(|| w.address_wrong.to_owned()))}
            </div>
        }
        .into_any()
    }
}

/// A button of the bar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Button {
    Change(Change),
    Link,
}

const BUTTONS: [Button; 5] = [
    Button::Change(Change::Bold),
    Button::Change(Change::Italic),
    Button::Link,
    Button::Change(Change::Bullets),
    Button::Change(Change::Numbers),
];

impl Button {
    fn label(self) -> &'static str {
        let w = RichTexts::of_this_page();
        match self {
            Self::Change(Change::Bold) => w.bold,
            Self::Change(Change::Italic) => w.italic,
            Self::Change(Change::Bullets) => w.bullets,
            Self::Change(Change::Numbers) => w.numbers,
            Self::Link => w.link,
        }
    }

    /// The letter that does the same with Ctrl or ⌘.
    fn letter(self) -> Option<char> {
        match self {
            Self::Change(Change::Bold) => Some('B'),
            Self::Change(Change::Italic) => Some('I'),
            Self::Link => Some('K'),
            Self::Change(Change::Bullets | Change::Numbers) => None,
        }
    }

    /// The lines of its icon, on a grid of 16 × 16. The shared icons travel with the first page, which has no such text.
    fn path(self) -> &'static str {
        match self {
            Self::Change(Change::Bold) => {
                "M4.8 2.8h3.7a2.5 2.5 0 0 1 0 5H4.8zM4.8 7.8h4.4a2.7 2.7 0 0 1 0 5.4H4.8z"
            }
            Self::Change(Change::Italic) => "M6.5 2.8h5M4.5 13.2h5M9.4 2.8l-2.8 10.4",
            Self::Change(Change::Bullets) => "M6.5 4h7M6.5 8h7M6.5 12h7M3 4h.01M3 8h.01M3 12h.01",
            Self::Change(Change::Numbers) => {
                "M7 4h6.5M7 8h6.5M7 12h6.5M2.4 3.2l1-.6v3M2.3 10.9c.2-1 2-1 1.8.2-.1.7-1.8 1.3-1.8 2.3h2"
            }
            Self::Link => {
                "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.4-2.4a2.6 2.6 0 0 0-3.7-3.7L8 4.3M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.1 9.2a2.6 2.6 0 0 0 3.7 3.7L8 11.7"
            }
        }
    }
}

/// The bar of the text with this id, described by its label, and the address of a link beneath it. One button is in the
/// order of Tab, and arrows lead to the others (ARIA Authoring Practices, toolbar).
pub fn toolbar(surface: Surface, link: Link, id: &str, label_id: String) -> AnyView {
    let w = RichTexts::of_this_page();
    let at = RwSignal::new(0_usize);
    let bar = NodeRef::<html::Div>::new();
    let key = move |event: ev::KeyboardEvent| {
        let (now, last) = (at.get_untracked(), BUTTONS.len() - 1);
        let to = match event.key().as_str() {
            "ArrowRight" if now == last => 0,
            "ArrowRight" => now + 1,
            "ArrowLeft" if now == 0 => last,
            "ArrowLeft" => now - 1,
            "Home" => 0,
            "End" => last,
            "Escape" => return surface.enter(),
            _ => return,
        };
        event.prevent_default();
        at.set(to);
        let buttons = bar.get_untracked().map(|bar| bar.children());
        if let Some(button) = u32::try_from(to).ok().and_then(|to| buttons?.item(to)) {
            focus(&button);
        }
    };
    let buttons = BUTTONS.into_iter().enumerate();
    let buttons = buttons.map(|(index, button)| {
        let is_on = Memo::new(move |_| {
            surface.marks.with(|marks| match button {
                Button::Change(change) => marks.has(change),
                Button::Link => marks.address.is_some(),
            })
        });
        let press = move |_| {
            at.set(index);
            match button {
                Button::Change(change) => surface.make(change),
                Button::Link => link.ask(),
            }
        };
        let label = button.label();
        let title = match button.letter() {
            Some(letter) => format!("{label} (Ctrl/⌘ {letter})"),
            None => label.to_owned(),
        };
        view! {
            <button
                type="button"
                class="button button-quiet button-small button-icon"
                aria-label=label
                title=title
                aria-keyshortcuts=button.letter().map(|letter| format!("Control+{letter} Meta+{letter}"))
                aria-pressed=move || if is_on.get() { "true" } else { "false" }
                aria-expanded=(button == Button::Link).then_some(move || if link.open.get() { "true" } else { "false" })
                tabindex=move || if at.get() == index { "0" } else { "-1" }
                // The selection stays in the text.
                on:mousedown=|event| event.prevent_default()
                on:click=press
            >
                <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
                    <path d=button.path()></path>
                </svg>
            </button>
        }
    });
    let buttons = buttons.collect_view();
    view! {
        <div
            node_ref=bar
            class="rich-bar"
            role="toolbar"
            aria-label=w.toolbar
            aria-describedby=label_id
            aria-controls=id.to_owned()
            on:keydown=key
        >
            {buttons}
        </div>
        {link.view(id)}
    }
    .into_any()
}
