//! The sections for the behaviour of a widget and for its look.

use domain::documents::{CONFIGURATION, DisplayMode, OnClose, SETTINGS};
use leptos::prelude::*;

use super::state::{Editor, Place, asks, others};
use crate::components::draft::Draft;
use crate::components::editor::section;
use crate::components::field::{Picture, pictures};
use crate::components::layout::{Tone, notice};
use crate::i18n::LookTexts;
use crate::icon::{Icon, icon};
use crate::pages::design::{FORM, colour_fields, gallery, logo_fields, shape_fields};
use crate::pages::fields::{self, choice, choice_or, label, line, switch};

/// The fields of this form that it draws by itself.
const SHOWN: [&str; 11] = [
    FORM,
    "/settings/position",
    "/settings/scheme",
    "/settings/overlay",
    "/settings/reopenButton",
    "/settings/hideForVisitorsWithChoice",
    ON_CLOSE,
    ASK_AGAIN,
    "/settings/reaskOnVendorChange",
    "/settings/respectGpc",
    "/settings/cookieDurationDays",
];
const ON_CLOSE: &str = "/settings/onClose";
const ASK_AGAIN: &str = "/settings/askAgainAfterDays";

pub fn behaviour(editor: Editor) -> AnyView {
    let Editor { draft, t, .. } = editor;
    let fields = view! {
        {forms(draft)}
        {choice_or(draft, "/settings/position", t.widget().position_of_project)}
        {choice(draft, "/settings/scheme")}
        {switch(draft, "/settings/overlay")}
        {switch(draft, "/settings/reopenButton")}
        {switch(draft, "/settings/hideForVisitorsWithChoice")}
        {on_close(draft)}
        {switch(draft, "/settings/reaskOnVendorChange")}
        {switch(draft, "/settings/respectGpc")}
        {line(draft, "/settings/cookieDurationDays").view()}
        {others(draft, Place::Behaviour, &SHOWN)}
    };
    section(
        label(&CONFIGURATION, "settings"),
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
    let label = label(&SETTINGS, "displayMode");
    pictures(draft, FORM, label, usual, modes.collect())
}

/// The effect of closing the widget, and how long a refusal by closing holds.
fn on_close(draft: Draft) -> AnyView {
    let again = OnClose::AskAgain.as_str();
    let refuses = Memo::new(move |_| draft.text(ON_CLOSE) != again);
    let days = move || refuses.get().then(|| line(draft, ASK_AGAIN).view());
    view! {
        {choice(draft, ON_CLOSE)}
        {days}
    }
    .into_any()
}

/// The form of this widget, with finished looks in that form, and the project's look, edited from here: it saves into
/// the project.
pub fn look(editor: Editor, design: Draft) -> AnyView {
    let Editor { draft, t, .. } = editor;
    let w = LookTexts::of_this_page();
    let form = Signal::derive(move || DisplayMode::parse(&draft.text(FORM)).unwrap_or_default());
    let finished = view! {
        {forms(draft)}
        <p class="hint">{w.forms_hint}</p>
        {notice(Tone::Neutral, t.widget().look_is_shared)}
        {gallery(design, form)}
    };
    let fields = view! {
        {notice(Tone::Neutral, t.widget().look_is_shared)}
        {logo_fields(design, editor.project.get_value())}
        {colour_fields(design, asks(draft).into())}
        {shape_fields(design)}
    };
    view! {
        <div class="stack">
            {section(w.title, w.text, finished.into_any())}
            {section(t.look, t.widget().look_text, fields.into_any())}
        </div>
    }
    .into_any()
}
