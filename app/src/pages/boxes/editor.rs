//! The editor of a box: its form on the left, the box itself on the right, drawn in a form by the
//! script that draws it on sites. It saves while somebody types; publishing is another page.

use domain::documents::{CONSENT_BOX, CONTRACT_BOX};
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use serde_json::Value;

use super::{Kind, answers, box_languages, details, screens};
use crate::components::copy::code_block;
use crate::components::draft::Draft;
use crate::components::editor::{Head, editor_head, section};
use crate::components::field::id_of;
use crate::components::focus::focus;
use crate::components::following::following;
use crate::components::illustrations::picture;
use crate::components::layout::{Tone, notice};
use crate::components::loading::{block_skeleton, loaded};
use crate::components::preview::{Beside, Clicked, Preview};
use crate::components::rich::rich;
use crate::components::save::Saver;
use crate::components::upload::{Takes, upload};
use crate::fns::boxes::{BoxData, preview_box, read_box};
use crate::i18n::{fill, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;
use crate::pages::fields::{label, line, select};
use crate::pages::widget::language_name;
use crate::pages::{conflict, project_id};

pub fn consent() -> AnyView {
    page(Kind::Consent)
}

pub fn contract() -> AnyView {
    page(Kind::Contract)
}

fn page(kind: Kind) -> AnyView {
    let project = project_id();
    let params = use_params_map();
    let document = Memo::new(move |_| params.with(|params| params.get("box").unwrap_or_default()));
    let data = following(
        move || (project.get(), document.get()),
        move |(project, document)| read_box(project, kind.collection(), document),
    );
    let content = loaded(data, block_skeleton, move |data| {
        content(kind, project.get_untracked(), data)
    });
    view! { <div class="page page-wide">{content}</div> }.into_any()
}

fn content(kind: Kind, project: String, data: BoxData) -> AnyView {
    let t = texts();
    let saver = Saver::new(kind.collection(), &data.document, conflict::table);
    let draft = saver.draft;
    let title = Memo::new(move |_| {
        let title = draft.text("/title");
        if title.trim().is_empty() {
            t.untitled.to_owned()
        } else {
            title
        }
    });
    let Beside { button, preview } = live_preview(kind, draft, project.clone());
    let head = Head {
        project: (project.clone(), data.project_title),
        list: Page::Boxes,
        title,
        can_edit: data.can_edit,
        preview: button,
    };
    let head = editor_head(saver, None, head);
    let id = data.document.id;
    let common = data.project_language;
    let language = Signal::derive({
        let common = common.clone();
        move || match draft.text("/language") {
            own if own.is_empty() => common.clone(),
            own => own,
        }
    });
    let last = match kind {
        Kind::Consent => view! {
            {section(label(&CONSENT_BOX, "confirmations"), t.boxes().box_screens_text, screens::fields(draft, language))}
            {section(t.boxes().box_details, t.boxes().box_details_text, details::fields(draft, &project, data.controller.as_deref()))}
        }
        .into_any(),
        Kind::Contract => ().into_any(),
    };
    view! {
        {head}
        <div class="split">
            <div class="editor-form">
                {outside(kind, draft)}
                {section(t.boxes().box_words, t.boxes().box_words_text, words(kind, draft, &project, (&common, language)))}
                {section(label(&CONSENT_BOX, "buttons"), t.boxes().box_answers_text, answers::fields(draft, kind, &id))}
                {last}
                {embed(kind, draft, &project, id)}
            </div>
            {preview}
        </div>
    }
    .into_any()
}

/// Problems of fields that are not shown here.
fn outside(kind: Kind, draft: Draft) -> AnyView {
    const SHARED: [&str; 7] = [
        "/title",
        "/subTitle",
        "/message",
        "/language",
        "/name",
        "/idRequired",
        answers::BUTTONS,
    ];
    const CONSENT: [&str; 9] = [
        "/picture",
        "/confirmations",
        "/purpose",
        "/personalDataTypes",
        details::PROCESSORS,
        "/consentWithdraw",
        "/storageDuration",
        "/automatedDecisionsContact",
        "/automatedDecisionsDetails",
    ];
    let own: &'static [&'static str] = match kind {
        Kind::Consent => &CONSENT,
        Kind::Contract => &["/file"],
    };
    let view = move || {
        let shown: Vec<&str> = SHARED.iter().chain(own).copied().collect();
        let problems = draft.problems_outside(&shown);
        (!problems.is_empty()).then(|| notice(Tone::Danger, problems.join(" ")))
    };
    view! { <div role="alert">{view}</div> }.into_any()
}

/// The texts that every visitor reads, in the language of the box, with the common one of the project.
fn words(
    kind: Kind,
    draft: Draft,
    project: &str,
    (common, language): (&str, Signal<String>),
) -> AnyView {
    let t = texts();
    let of_project = fill(
        t.boxes().box_language_of,
        &[("language", &language_name(common.to_owned()))],
    );
    let languages = box_languages(of_project);
    let (document, picture) = match kind {
        Kind::Consent => (
            ().into_any(),
            picture(
                draft,
                project.to_owned(),
                "/picture",
                label(&CONSENT_BOX, "picture"),
            ),
        ),
        Kind::Contract => {
            let file = upload(
                draft,
                project.to_owned(),
                "/file",
                label(&CONTRACT_BOX, "file"),
                Takes::Document,
            );
            (file, ().into_any())
        }
    };
    view! {
        {document}
        {line(draft, "/title").view()}
        {line(draft, "/subTitle").view()}
        {rich(draft, "/message", label(&CONSENT_BOX, "message"), language).optional().view()}
        {picture}
        {select(draft, "/language", languages)}
    }
    .into_any()
}

/// The lines for a form of the site.
fn embed(kind: Kind, draft: Draft, project: &str, id: String) -> AnyView {
    let t = texts();
    let line = format!("<div {}=\"{id}\"></div>", kind.attribute());
    let names = move || {
        let name = draft.text("/name");
        let name = if name.trim().is_empty() {
            id.as_str()
        } else {
            name.trim()
        };
        fill(t.boxes().box_embed_fields, &[("name", name)])
    };
    view! {
        <section class="card card-pad form form-wide" aria-labelledby="embed-title">
            <div class="row-between">
                <h2 id="embed-title">{t.boxes().box_embed}</h2>
                <a class="button button-small" href=Page::Install.at(&[&project])>{icon(Icon::Code)} {t.install}</a>
            </div>
            <p class="muted">{t.boxes().box_embed_text}</p>
            {code_block(Signal::stored(line), t.snippet)}
            <p class="hint wrap-anywhere">{names}</p>
        </section>
    }
    .into_any()
}

fn live_preview(kind: Kind, draft: Draft, project: String) -> Beside {
    let project = StoredValue::new(project);
    let draw = move |draft: Value, nonce, dark| {
        preview_box(project.get_value(), kind.collection(), draft, nonce, dark)
    };
    let clicked = Callback::new(move |clicked: Clicked| {
        let field = match clicked.part.as_str() {
            "title" | "box" | "check" => "/title",
            "subtitle" => "/subTitle",
            "message" => "/message",
            "picture" => "/picture",
            "file" => "/file",
            "answer" => "/buttons/0/text",
            "details" => "/purpose",
            _ => return,
        };
        // A field that shows a file is found by the button that replaces it.
        let id = id_of(field);
        let found = [format!("{id}-file"), id];
        if let Some(element) = found.iter().find_map(|id| document().get_element_by_id(id)) {
            focus(&element);
        }
    });
    Preview::new(move || draft.value(), draw, Some(clicked)).beside()
}
