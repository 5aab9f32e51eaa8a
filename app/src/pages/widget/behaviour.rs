//! The sections for the behaviour of a widget and for its look.

use domain::documents::{DisplayMode, OnClose, Scheme, Settings};
use leptos::prelude::*;

use super::state::Editor;
use crate::components::draft::Draft;
use crate::components::editor::section;
use crate::components::field::{Picture, number, pictures, select, select_or_default, switch};
use crate::components::icon::{Icon, icon};
use crate::components::layout::{Tone, notice};
use crate::i18n::{LookTexts, texts};
use crate::pages::design::{FORM, colour_fields, gallery, logo_fields, shape_fields};
use crate::pages::fields;

pub fn behaviour(editor: Editor) -> AnyView {
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
        {colour_fields(design)}
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
