//! The editor of a cookie configuration: what there is on the left, its form in the middle, the
//! real widget on the right. It saves while somebody types; publishing is another page.

use domain::collection::Collection;
use domain::documents::CONFIGURATION;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{query_signal_with_options, use_params_map};

use super::behaviour::{behaviour, look};
use super::general::general;
use super::languages;
use super::preview::live_preview;
use super::signals::signals;
use super::state::{Chosen, Editor, Place, asks, begin_when_asked};
use super::steps::{add_step, step_form, step_list};
use super::tcf;
use super::warnings::warnings_view;
use super::words::words;
use crate::components::editor::{Head, editor_head};
use crate::components::following::following;
use crate::components::loading::{block_skeleton, loaded};
use crate::components::preview::Beside;
use crate::components::save::Saver;
use crate::fns::widget::{EditorData, read_editor};
use crate::i18n::{LanguageTexts, StepTexts, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;
use crate::pages::fields::label;
use crate::pages::{conflict, project_id};

pub fn page() -> AnyView {
    let project = project_id();
    let params = use_params_map();
    let configuration =
        Memo::new(move |_| params.with(|params| params.get("configuration").unwrap_or_default()));
    let data = following(
        move || (project.get(), configuration.get()),
        |(project, configuration)| read_editor(project, configuration),
    );
    let content = loaded(data, block_skeleton, content);
    view! { <div class="page page-wide">{content}</div> }.into_any()
}

fn content(data: EditorData) -> AnyView {
    let t = texts();
    let options = NavigateOptions {
        replace: true,
        scroll: false,
        ..Default::default()
    };
    let (at, set_at) = query_signal_with_options::<String>("at", options);
    let place = Memo::new(move |_| at.with(|at| Place::parse(at.as_deref())));
    let saver = Saver::new(Collection::Cookies, &data.configuration, conflict::table);
    let design = Saver::new(Collection::Projects, &data.project, conflict::table);
    let editor = Editor {
        draft: saver.draft,
        place,
        go: Callback::new(move |place: Place| set_at.set(Some(place.code()))),
        chosen: Chosen::new(data.vendors),
        project: StoredValue::new(data.project.id.clone()),
        t,
    };
    let title = Memo::new(move |_| {
        let draft = saver.draft;
        [draft.text("/title"), draft.text("/name")]
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or_else(|| t.untitled.to_owned())
    });
    let Beside { button, preview } = live_preview(editor, design.draft);
    let head = Head {
        project: (data.project.id.clone(), data.project.text("title")),
        list: Page::Configurations,
        title,
        can_edit: data.can_edit,
        preview: button,
    };
    let head = editor_head(saver, Some(design), head);
    let by_tcf = asks(editor.draft);
    begin_when_asked(editor.draft, by_tcf);
    languages::follow(editor.draft);
    let form = move || match place.get() {
        Place::General => general(editor),
        Place::Step(index) => step_form(editor, index),
        Place::Words => words(editor),
        Place::Behaviour => behaviour(editor),
        Place::Signals => signals(editor),
        Place::Look => look(editor, design.draft),
        Place::Framework if by_tcf.get() => tcf::framework(editor, design.draft),
        Place::Framework => nobody_asks(),
        Place::Languages => languages::languages(editor),
        Place::Language(code) => languages::translation(editor, code),
    };
    view! {
        {head}
        {warnings_view(editor, design.draft)}
        <div class="editor">
            {sections(editor, by_tcf)}
            <div class="editor-form">{form}</div>
            {preview}
        </div>
    }
    .into_any()
}

/// In place of the section about TCF, as when its step is gone again.
fn nobody_asks() -> AnyView {
    view! { <p class="muted card card-pad">{StepTexts::of_this_page().no_step}</p> }.into_any()
}

fn sections(editor: Editor, by_tcf: Memo<bool>) -> AnyView {
    let t = editor.t;
    let item = move |place: Place, label: &'static str, picture: Icon| {
        let href = format!("?at={}", place.code());
        view! {
            <div class="editor-item">
                <a
                    href=href
                    aria-current=move || editor.place.with(|now| now.is_in(&place).then_some("true"))
                >
                    {icon(picture)}
                    {label}
                </a>
            </div>
        }
        .into_any()
    };
    view! {
        <nav class="editor-list" aria-label=t.parts>
            <h2>{label(&CONFIGURATION, "steps")}</h2>
            {step_list(editor)}
            {add_step(editor)}
            <h2>{t.widget().whole_widget}</h2>
            {move || {
                by_tcf.get().then(|| item(Place::Framework, label(&CONFIGURATION, "tcf"), Icon::People))
            }}
            {item(Place::General, t.widget().general, Icon::Settings)}
            {item(Place::Words, label(&CONFIGURATION, "strings"), Icon::Text)}
            {item(Place::Languages, LanguageTexts::of_this_page().languages, Icon::Form)}
            {item(Place::Behaviour, label(&CONFIGURATION, "settings"), Icon::Card)}
            {item(Place::Signals, t.signals, Icon::Plug)}
            {item(Place::Look, t.look, Icon::Palette)}
        </nav>
    }
    .into_any()
}
