//! The section about the Transparency and Consent Framework: partners, purposes, and the owner's rules. The server
//! plans the draft while somebody edits it; its numbers and remarks stand beside the fields.

#![expect(
    clippy::unnecessary_wraps,
    reason = "fetching can fail, where having cannot"
)]

mod advice;
mod choice;
mod pager;
mod providers;
mod purposes;
mod remarks;
mod rules;
mod stacks;
mod state;
mod vendors;

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use self::advice::{Card, advice};
use self::remarks::remarks;
use super::own_language;
use super::state::Editor;
use crate::components::copy::code_block;
use crate::components::debounce::debounced;
use crate::components::draft::Draft;
use crate::components::editor::section;
use crate::components::loading::{block_skeleton, fetched};
use crate::fns::tcf::{Framework, Plan, Platform, plan_of_draft, read_framework};
use crate::i18n::{SectionTexts, fill};
use crate::pages::fields::{choice, line, switch};
use crate::split;

/// The fields of one line that this form draws.
#[cfg(test)]
pub const SHOWN: [&str; 4] = [
    "/tcf/publisherCC",
    "/tcf/applies",
    "/tcf/purposeOneTreatment",
    "/tcf/legitimateInterests",
];

/// State that the cards of the section share.
#[derive(Clone, Copy)]
struct Tcf {
    editor: Editor,
    /// The list to choose from.
    known: StoredValue<Framework>,
    /// The plan of the draft, once the server has made one.
    plan: RwSignal<Option<Plan>>,
    w: &'static SectionTexts,
}

impl Tcf {
    /// The name of a purpose, after its number.
    fn purpose(self, id: u16) -> String {
        let name = self.known.with_value(|known| {
            let found = known.purposes.iter().find(|purpose| purpose.id == id);
            found.map(|purpose| purpose.name.clone())
        });
        format!("{id} · {}", name.unwrap_or_default())
    }

    /// The remarks about a card.
    fn advice(self, card: Card) -> AnyView {
        let Editor { draft, .. } = self.editor;
        let found = Memo::new(move |_| {
            let draft = draft.value();
            self.plan.with(|plan| {
                self.known
                    .with_value(|known| advice(card, &draft, plan.as_ref(), known, self.w))
            })
        });
        remarks(self.editor, found)
    }
}

/// The section. `look` is the project.
pub fn framework(editor: Editor, look: Draft) -> AnyView {
    split::once_loaded(fetch(), move || split::now(section_of(editor, look)))
}

// Loaded when it opens: most banners do not ask by the framework.
#[wasm_split(tcf, fallible, preload(fetch))]
fn section_of(editor: Editor, look: Draft) -> Result<AnyView, SplitLoaderError> {
    Ok(cards(editor, look))
}

fn cards(editor: Editor, look: Draft) -> AnyView {
    let Editor { draft, project, .. } = editor;
    let language = Memo::new(move |_| own_language(draft));
    let read = move |language| read_framework(project.get_value(), language);
    fetched(language, block_skeleton, read, move |known| {
        let it = Tcf {
            editor,
            known: StoredValue::new(known),
            plan: live_plan(editor, look),
            w: SectionTexts::of_this_page(),
        };
        // Rows of a list find it here.
        provide_context(it);
        let has_list = it.known.with_value(|known| known.list.is_some());
        let choices = has_list.then(|| {
            view! {
                {vendors::card(it)}
                {purposes::card(it)}
                {stacks::card(it)}
                {interests(it)}
                {rules::card(it)}
                {providers::card(it)}
            }
        });
        view! {
            <div class="stack">
                {state::card(it)}
                {publisher(it, look)}
                {choices}
                {attestation(it, look)}
            </div>
        }
        .into_any()
    })
}

/// Plans the draft whenever somebody has paused in changing it.
fn live_plan(editor: Editor, look: Draft) -> RwSignal<Option<Plan>> {
    let Editor { draft, project, .. } = editor;
    let plan = RwSignal::new(None);
    let asked = StoredValue::new(0_u32);
    let text = Memo::new(move |_| format!("{}{}", draft.value(), look.value()));
    let settled = debounced(text);
    Effect::new(move |_| {
        // Empty until the first pause is over.
        if settled.with(String::is_empty) {
            return;
        }
        let number = asked.get_value() + 1;
        asked.set_value(number);
        let (look, draft) = (look.value_untracked(), draft.value_untracked());
        spawn_local(async move {
            let made = plan_of_draft(project.get_value(), look, draft).await;
            // A later one is on its way, or the page is gone. Without an answer the last numbers stay.
            if asked.try_get_value() == Some(number)
                && let Ok(made) = made
            {
                let _ = plan.try_set(Some(made));
            }
        });
    });
    plan
}

fn publisher(it: Tcf, look: Draft) -> AnyView {
    let (draft, w) = (it.editor.draft, it.w);
    let fields = view! {
        {it.advice(Card::Publisher)}
        {line(draft, "/tcf/publisherCC").example("FR").view()}
        {choice(draft, "/tcf/applies")}
        {line(look, "/tcfCmpId").view()}
        {switch(draft, "/tcf/purposeOneTreatment")}
    };
    section(w.publisher, w.publisher_text, fields.into_any())
}

fn interests(it: Tcf) -> AnyView {
    let (draft, w) = (it.editor.draft, it.w);
    let fields = view! {
        {it.advice(Card::Interests)}
        {switch(draft, "/tcf/legitimateInterests")}
    };
    section(w.interests, w.interests_text, fields.into_any())
}

/// The sentence that the policies ask a publisher to publish.
fn attestation(it: Tcf, look: Draft) -> AnyView {
    let w = it.w;
    let sentence = Memo::new(move |_| {
        let platform = it.plan.with(|plan| plan.as_ref().map(|plan| plan.platform));
        let (Platform::Registered(id) | Platform::Own(id)) = platform? else {
            return None;
        };
        let (title, id) = (look.text("/title"), id.to_string());
        let values = [("title", title.as_str()), ("id", id.as_str())];
        Some(fill(w.attestation_sentence, &values))
    });
    let is_there = Memo::new(move |_| sentence.with(Option::is_some));
    let text = Signal::derive(move || sentence.get().unwrap_or_default());
    let shown = move || {
        if is_there.get() {
            code_block(text, w.attestation_label)
        } else {
            view! { <p class="hint">{w.attestation_absent}</p> }.into_any()
        }
    };
    section(
        w.attestation,
        w.attestation_text,
        view! { {shown} }.into_any(),
    )
}
