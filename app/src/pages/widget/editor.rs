//! The editor of a cookie configuration: what there is on the left, its form in the middle, the
//! real widget on the right. It saves while somebody types; publishing is another page.

use domain::collection::Collection;
use domain::documents::{
    DisplayMode, Layout, OnClose, Scheme, Settings, asks_by_tcf, language_of, other_languages,
    translated_at, vendors_named,
};
use domain::fairness::{Concern, Finding, findings};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{query_signal_with_options, use_params_map};
use serde_json::{Value, json};

use super::languages;
use super::signals::signals;
use super::state::{Chosen, Editor, Place, asks, begin_when_asked};
use super::steps::{add_step, step_form, step_label, step_list};
use super::tcf;
use super::words::words;
use super::{language_name, language_options};
use crate::components::draft::Draft;
use crate::components::editor::{Head, editor_head, section};
use crate::components::field::{
    Picture, focus_when_there, id_of, number, pictures, select, select_control, select_or_default,
    switch, text,
};
use crate::components::icon::{Icon, icon};
use crate::components::items::{Words, items};
use crate::components::layout::{Tone, notice};
use crate::components::loading::{block_skeleton, loaded};
use crate::components::preview::{Beside, Clicked, Preview, segments};
use crate::components::save::Saver;
use crate::fns::widget::{EditorData, Shown, preview as draw_preview, read_editor};
use crate::i18n::{LanguageTexts, LookTexts, ServiceTexts, StepTexts, Texts, concern, fill, texts};
use crate::pages::design::{
    ENTRANCE, FORM, colour_fields, gallery, logo_fields, repairs, shape_fields,
};
use crate::pages::{conflict, fields, project_id};

pub fn page() -> AnyView {
    let project = project_id();
    let params = use_params_map();
    let configuration =
        Memo::new(move |_| params.with(|params| params.get("configuration").unwrap_or_default()));
    let data = Resource::new(
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
        project: (
            data.project.text("title"),
            format!("/projects/{}", data.project.id),
        ),
        list: (t.widget, "widget"),
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
        Place::Look => look(editor, design),
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
            <h2>{t.steps}</h2>
            {step_list(editor)}
            {add_step(editor)}
            <h2>{t.widget().whole_widget}</h2>
            {move || {
                let label = StepTexts::of_this_page().section;
                by_tcf.get().then(|| item(Place::Framework, label, Icon::People))
            }}
            {item(Place::General, t.widget().general, Icon::Settings)}
            {item(Place::Words, t.words, Icon::Text)}
            {item(Place::Languages, LanguageTexts::of_this_page().languages, Icon::Form)}
            {item(Place::Behaviour, t.fields().behaviour, Icon::Card)}
            {item(Place::Signals, t.signals, Icon::Plug)}
            {item(Place::Look, t.look, Icon::Palette)}
        </nav>
    }
    .into_any()
}

fn general(editor: Editor) -> AnyView {
    let Editor { draft, t, .. } = editor;
    let outside = move || {
        let shown = [
            "/title",
            "/name",
            "/language",
            "/country",
            "/isDefault",
            "/withSaveConsent",
            "/steps",
            "/voice",
            "/strings",
            "/settings",
            "/googleConsentMode",
            "/privacyPolicyUrl",
            "/alwaysOn",
            "/tcf",
            "/languages",
            "/translations",
        ];
        let problems = draft.problems_outside(&shown);
        (!problems.is_empty()).then(|| notice(Tone::Danger, problems.join(" ")))
    };
    let fields = view! {
        {outside}
        {text(draft, "/title", t.widget().configuration_title).hint(t.widget().configuration_title_hint).view()}
        {text(draft, "/name", t.configuration_name).hint(t.widget().configuration_name_hint).view()}
        <div class="form-pair">
            {select(draft, "/language", t.language, language_options(), None)}
            {text(draft, "/country", t.country).placeholder("FR").optional().view()}
        </div>
        {text(draft, "/privacyPolicyUrl", t.fields().privacy_policy).kind("url").hint(t.widget().privacy_policy_hint).optional().view()}
        {switch(draft, "/isDefault", t.fields().is_default, Some(t.widget().is_default_hint), false)}
        {switch(draft, "/withSaveConsent", t.fields().with_save_consent, Some(t.widget().with_save_consent_hint), true)}
    };
    view! {
        <div class="stack">
            {section(t.widget().general, t.widget().general_text, fields.into_any())}
            {always_on(editor)}
        </div>
    }
    .into_any()
}

/// The services that need no consent.
fn always_on(editor: Editor) -> AnyView {
    const AT: &str = "/alwaysOn";
    fn entry(draft: Draft, index: usize) -> AnyView {
        let t = texts();
        view! {
            {text(draft, format!("{AT}/{index}/title"), t.fields().service_title).view()}
            {text(draft, format!("{AT}/{index}/reason"), t.fields().always_on_reason).view()}
        }
        .into_any()
    }
    let Editor { draft, t, .. } = editor;
    let words = Words {
        one: t.widget().always_on_n,
        add: t.widget().always_on_add,
    };
    let blank = |_: &[Value]| vec![json!({"title": "", "reason": ""})];
    section(
        t.fields().always_on,
        t.widget().always_on_text,
        items(draft, AT, words, blank, entry),
    )
}

fn behaviour(editor: Editor) -> AnyView {
    let Editor { draft, t, .. } = editor;
    let usual = Settings::default();
    let positions = fields::positions().into_iter();
    let positions = positions.map(|(word, label)| (word.to_owned(), label));
    let positions = std::iter::once((String::new(), t.widget().position_of_project.to_owned()))
        .chain(positions)
        .collect();
    let fields = view! {
        {forms(draft)}
        {select(draft, "/settings/position", t.position, positions, None)}
        {scheme(draft)}
        {switch(draft, "/settings/overlay", t.fields().overlay, Some(t.widget().overlay_hint), usual.overlay)}
        {switch(draft, "/settings/reopenButton", t.fields().reopen_button, Some(t.widget().reopen_button_hint), usual.reopen_button)}
        {switch(draft, "/settings/hideForVisitorsWithChoice", t.fields().hide_reopen, None, usual.hide_for_visitors_with_choice)}
        {on_close(draft, &usual)}
        {switch(draft, "/settings/reaskOnVendorChange", t.fields().reask, Some(t.widget().reask_hint), usual.reask_on_vendor_change)}
        {switch(draft, "/settings/respectGpc", t.fields().respect_gpc, Some(t.widget().respect_gpc_hint), usual.respect_gpc)}
        {number(draft, "/settings/cookieDurationDays", t.fields().duration).placeholder(usual.cookie_duration_days.to_string()).unit(t.days).hint(t.widget().duration_hint).view()}
    };
    section(
        t.fields().behaviour,
        t.widget().behaviour_text,
        fields.into_any(),
    )
}

/// Card, dialog or bar.
fn forms(draft: Draft) -> AnyView {
    let modes = DisplayMode::ALL.iter().map(|&mode| Picture {
        value: mode.as_str(),
        label: fields::mode_name(mode),
        picture: icon(match mode {
            DisplayMode::Card => Icon::Card,
            DisplayMode::Modal => Icon::Modal,
            DisplayMode::Bar => Icon::Bar,
        }),
        disabled: false,
    });
    let usual = DisplayMode::default().as_str();
    let label = texts().fields().display_mode;
    pictures(draft, FORM, label, usual, modes.collect())
}

/// Light or dark. The default stands for an absent value.
fn scheme(draft: Draft) -> AnyView {
    let t = texts();
    select_or_default(
        draft,
        "/settings/scheme",
        t.scheme,
        fields::schemes(),
        Scheme::default().as_str(),
        Some(t.widget().scheme_hint),
    )
}

/// The effect of closing the widget, and how long a refusal by closing holds.
fn on_close(draft: Draft, usual: &Settings) -> AnyView {
    const POINTER: &str = "/settings/onClose";
    let t = texts();
    let again = OnClose::AskAgain.as_str();
    let refuses = Memo::new(move |_| draft.text(POINTER) != again);
    let default = OnClose::default().as_str();
    let usual = usual.ask_again_after_days.to_string();
    let days = move || {
        refuses.get().then(|| {
            number(
                draft,
                "/settings/askAgainAfterDays",
                t.fields().ask_again_after,
            )
            .placeholder(usual.clone())
            .unit(t.days)
            .hint(t.widget().ask_again_after_hint)
            .view()
        })
    };
    view! {
        {select_or_default(draft, POINTER, t.fields().on_close, fields::closings(), default, Some(t.widget().on_close_hint))}
        {days}
    }
    .into_any()
}

/// The form of this widget, with finished looks in that form, and the project's look, edited from here: it saves into
/// the project.
fn look(editor: Editor, design: Saver) -> AnyView {
    let Editor { draft, t, .. } = editor;
    let w = LookTexts::of_this_page();
    let form = Signal::derive(move || DisplayMode::parse(&draft.text(FORM)).unwrap_or_default());
    let finished = view! {
        {forms(draft)}
        <p class="hint">{w.forms_hint}</p>
        {notice(Tone::Neutral, t.widget().look_is_shared)}
        {gallery(design.draft, form)}
    };
    let fields = view! {
        {notice(Tone::Neutral, t.widget().look_is_shared)}
        {logo_fields(design.draft, editor.project.get_value())}
        {colour_fields(design.draft)}
        {shape_fields(design.draft)}
        {design.status()}
    };
    view! {
        <div class="stack">
            {section(w.title, w.text, finished.into_any())}
            {section(t.look, t.widget().look_text, fields.into_any())}
        </div>
    }
    .into_any()
}

/// The design and the configuration that a preview draws, the place in them, and the number of changes of services.
type Input = (Value, Value, Shown, u32);

fn live_preview(editor: Editor, design: Draft) -> Beside {
    let Editor {
        draft,
        place,
        project,
        go,
        ..
    } = editor;
    let (language, languages) = preview_language(editor);
    let returning = RwSignal::new(false);
    let controls = Callback::new(move |()| {
        let t = editor.t.widget();
        let visitor = segments(
            t.visitor,
            returning,
            (Icon::Eye, t.visitor_first),
            (Icon::Redo, t.visitor_returning),
        );
        view! { {visitor} {languages.run(())} }.into_any()
    });
    let input = move || {
        let step = match place.get() {
            // Returning visitors find the same at each step.
            Place::Step(index) if !returning.get() => {
                Some(draft.text(&format!("/steps/{index}/name")))
            }
            _ => None,
        };
        let shown = Shown {
            step,
            language: language.get(),
            returning: returning.get(),
        };
        (
            design.value(),
            draft.value(),
            shown,
            editor.chosen.changes(),
        )
    };
    let draw = move |(design, configuration, shown, _): Input, nonce, dark| {
        draw_preview(
            project.get_value(),
            design,
            configuration,
            nonce,
            dark,
            shown,
        )
    };
    let clicked = Callback::new(move |clicked: Clicked| {
        let step = clicked
            .step
            .as_deref()
            .and_then(|name| step_index(draft, name));
        let (target, field) = match (clicked.part.as_str(), step) {
            ("accept", _) => (Place::Words, "/strings/acceptAll".to_owned()),
            ("refuse", _) => (Place::Words, "/strings/dismiss".to_owned()),
            ("configure", _) => (Place::Words, "/strings/configure".to_owned()),
            ("title" | "message", Some(index)) => (
                Place::Step(index),
                format!("/steps/{index}/{}", clicked.part),
            ),
            (_, Some(index)) => (Place::Step(index), format!("/steps/{index}/title")),
            _ => return,
        };
        let (target, field) = match place.get_untracked() {
            Place::Language(code) => {
                let there = draft.with_at("", |whole| translated_at(whole?, &code, &field));
                (Place::Language(code), there.unwrap_or(field))
            }
            _ => (target, field),
        };
        go.run(target);
        focus_when_there(vec![id_of(&field)]);
    });
    Preview::new(input, draw, Some(clicked))
        .entering(move || design.text(ENTRANCE))
        .with_controls(controls)
        .beside()
}

/// The language of the preview, absent for the default one, with the select that chooses it where there are several. A
/// form of translations begins with its own, and a choice holds until then.
fn preview_language(editor: Editor) -> (Memo<Option<String>>, Callback<(), AnyView>) {
    let Editor { draft, place, .. } = editor;
    let chosen = RwSignal::new(None::<String>);
    let languages = Memo::new(move |_| {
        draft.with_at("", |whole| {
            let whole = whole.unwrap_or(&Value::Null);
            let all = std::iter::once(language_of(whole)).chain(other_languages(whole));
            all.map(str::to_owned).collect::<Vec<_>>()
        })
    });
    Effect::new(move |before: Option<Place>| {
        let place = place.get();
        if before.is_some_and(|before| before != place) && matches!(place, Place::Language(_)) {
            chosen.set(None);
        }
        place
    });
    let language = Memo::new(move |_| {
        let of_form = || match place.get() {
            Place::Language(code) => Some(code),
            _ => None,
        };
        let wished = chosen.get().or_else(of_form);
        // The first one is the default, which needs no name.
        let others = languages.get().into_iter().skip(1);
        wished.filter(|wished| others.into_iter().any(|other| other == *wished))
    });
    let controls = Callback::new(move |()| {
        let label = LanguageTexts::of_this_page().preview;
        let select = move || {
            let all = languages.get();
            let default = all.first().cloned().unwrap_or_default();
            let options = all
                .iter()
                .map(|code| (code.clone(), language_name(code.clone())))
                .collect();
            let current = Signal::derive(move || language.get().unwrap_or_else(|| default.clone()));
            (all.len() > 1).then(|| {
                let control = select_control(
                    "preview-language".to_owned(),
                    options,
                    current,
                    move |code| chosen.set(Some(code)),
                    false.into(),
                );
                view! {
                    <label class="preview-language">
                        <span class="quiet">{label}</span>
                        {control}
                    </label>
                }
            })
        };
        view! { {select} }.into_any()
    });
    (language, controls)
}

fn step_index(draft: Draft, name: &str) -> Option<usize> {
    let steps = draft.at("/steps")?;
    steps
        .as_array()?
        .iter()
        .position(|step| step.get("name").and_then(Value::as_str) == Some(name))
}

/// A problem for the law or for visitors, and the place to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Warning {
    text: String,
    place: Place,
    /// The field that makes it so, if it is one.
    field: Option<String>,
}

impl Warning {
    fn new(text: impl Into<String>, place: Place) -> Self {
        Self {
            text: text.into(),
            place,
            field: None,
        }
    }
}

/// Everything to warn of in a configuration.
fn warnings(configuration: &Value, project: &Value, t: &'static Texts) -> Vec<Warning> {
    let steps: Vec<&Value> = configuration
        .get("steps")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .collect();
    if steps.is_empty() {
        return vec![Warning::new(t.widget().warn_no_steps, Place::General)];
    }
    let mut found: Vec<Warning> = findings(configuration, project)
        .into_iter()
        .map(|finding| unfair(&finding, configuration, &steps, t))
        .collect();
    let asked = vendors_named(configuration);
    // By TCF the partners of its list are asked for.
    if asked.is_empty() && !asks_by_tcf(configuration) {
        let at = steps
            .iter()
            .position(|step| Layout::of(step) == Some(Layout::Category))
            .unwrap_or(0);
        found.push(Warning::new(t.widget().warn_no_services, Place::Step(at)));
    }
    for (index, step) in steps.iter().enumerate() {
        let place = || Place::Step(index);
        let layout = Layout::of(step);
        if layout == Some(Layout::Category) {
            let empty = step
                .get("vendors")
                .and_then(Value::as_array)
                .is_none_or(Vec::is_empty);
            if empty && !asked.is_empty() {
                found.push(Warning::new(t.widget().warn_empty_step, place()));
            }
        }
        let silent = ["title", "message"].iter().all(|key| {
            step.get(*key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .trim()
                .is_empty()
        });
        // A step of TCF has the sentences of its rules.
        if silent && layout != Some(Layout::Iab) {
            found.push(Warning::new(t.widget().warn_silent_step, place()));
        }
    }
    found
}

/// Custom services without a purpose. No text names them, no signal follows them, and a refusal of advertising does
/// not concern them.
fn purposeless(configuration: &Value, chosen: Chosen) -> Vec<Warning> {
    let w = ServiceTexts::of_this_page();
    let steps = configuration.get("steps").and_then(Value::as_array);
    let steps = steps.into_iter().flatten().enumerate();
    let found = steps.flat_map(|(index, step)| {
        let titles = chosen.without_purpose(step).into_iter();
        titles.map(move |title| {
            let text = fill(w.warn_no_purpose, &[("title", &title)]);
            Warning {
                field: Some(format!("/steps/{index}/vendors")),
                ..Warning::new(text, Place::Step(index))
            }
        })
    });
    found.collect()
}

/// A finding in words, with the step that it is about.
fn unfair(
    finding: &Finding,
    configuration: &Value,
    steps: &[&Value],
    t: &'static Texts,
) -> Warning {
    let text = concern(t, finding.concern);
    let place = Place::of_field(&finding.pointer);
    let about = match &place {
        Place::Step(index) => steps.get(*index).map(|step| step_label(step, t)),
        Place::Language(code) => Some(languages::name_of(code).to_owned()),
        _ => None,
    };
    let missing = match (&place, finding.concern) {
        (Place::Language(code), Concern::Untranslated) => languages::warning(configuration, code),
        _ => None,
    };
    let text = match (missing, about) {
        (Some(missing), _) => missing,
        (None, Some(about)) => fill(t.widget().warn_in_step, &[("step", &about), ("text", text)]),
        (None, None) => text.to_owned(),
    };
    Warning {
        text,
        place,
        field: Some(finding.pointer.clone()),
    }
}

fn warnings_view(editor: Editor, design: Draft) -> AnyView {
    let Editor { draft, t, go, .. } = editor;
    let list = Memo::new(move |_| {
        let configuration = draft.value();
        let project = design.value();
        let mut list = warnings(&configuration, &project, t);
        list.extend(purposeless(&configuration, editor.chosen));
        if !repairs(&project).is_empty() {
            list.push(Warning::new(t.widget().warn_contrast, Place::Look));
        }
        list
    });
    let view = move || {
        let list = list.get();
        if list.is_empty() {
            return ().into_any();
        }
        let rows = list
            .into_iter()
            .enumerate()
            .map(|(index, Warning { text, place, field })| {
                let id = format!("warning-{index}");
                let described = id.clone();
                // Viewers have nothing to fix.
                let fix = (!draft.read_only.get()).then(move || {
                    view! {
                        <button
                            type="button"
                            class="button button-small"
                            aria-describedby=described
                            on:click=move |_| {
                                go.run(place.clone());
                                if let Some(field) = &field {
                                    focus_when_there(vec![id_of(field)]);
                                }
                            }
                        >
                            {t.widget().fix}
                        </button>
                    }
                });
                view! {
                    <li>
                        <span class="grow" id=id>{text}</span>
                        {fix}
                    </li>
                }
            })
            .collect_view();
        notice(
            Tone::Warn,
            view! { <ul class="repairs" aria-label=t.warnings>{rows}</ul> },
        )
    };
    view! { {view} }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;
    use serde_json::json;

    #[test]
    fn warns_of_what_a_visitor_would_stumble_over() {
        let t = Locale::En.texts();
        let good = json!({"privacyPolicyUrl": "https://shop.example/privacy", "steps": [
            {"layout": "welcome", "title": "Hello"},
            {"layout": "category", "title": "Services", "vendors": ["a"]},
        ]});
        assert_eq!(warnings(&good, &json!({}), t), []);
        let bad = json!({"steps": [{"layout": "welcome"}, {"layout": "category", "title": "x"}]});
        assert_eq!(
            warnings(&bad, &json!({}), t),
            [
                Warning::new(t.widget().warn_no_services, Place::Step(1)),
                Warning::new(t.widget().warn_silent_step, Place::Step(0)),
            ]
        );
        // Its partners and sentences come from the list.
        assert_eq!(
            warnings(&json!({"steps": [{"layout": "iab"}]}), &json!({}), t),
            []
        );
        assert_eq!(
            warnings(&json!({}), &json!({}), t),
            [Warning::new(t.widget().warn_no_steps, Place::General)]
        );
    }

    #[test]
    fn what_is_not_fair_is_told_at_its_place() {
        let t = Locale::En.texts();
        let unfair = json!({
            "steps": [
                {"layout": "welcome", "title": "Hello", "message": "By continuing you accept."},
                {"layout": "category", "title": "Services", "vendors": ["a"]},
            ],
            "strings": {"dismiss": "–"},
            "settings": {"reopenButton": false},
        });
        let found = warnings(&unfair, &json!({}), t);
        let places: Vec<_> = found
            .iter()
            .map(|warning| (&warning.place, warning.field.as_deref()))
            .collect();
        assert_eq!(
            places,
            [
                (&Place::Words, Some("/strings/dismiss")),
                (&Place::Step(0), Some("/steps/0/message")),
                (&Place::General, Some("/privacyPolicyUrl")),
                (&Place::Step(0), Some("/steps/0/message")),
                (&Place::Behaviour, Some("/settings/reopenButton")),
            ]
        );
        let project = json!({"privacyPolicyUrl": "https://shop.example/privacy"});
        assert_eq!(warnings(&unfair, &project, t).len(), found.len() - 1);
        assert!(found[1].text.starts_with("Hello: "), "{}", found[1].text);
    }
}
