//! The look of all widgets of a project: colours, shape, place, fonts.

use domain::collection::Collection;
use leptos::ev;
use leptos::prelude::*;
use serde_json::Value;

use super::project_id;
use crate::components::draft::Draft;
use crate::components::field::{colour, number, select, text};
use crate::components::icon::Icon;
use crate::components::layout::{Tone, busy_label, notice, page_head};
use crate::components::loading::{block_skeleton, empty_state, loaded};
use crate::components::preview::preview;
use crate::components::save::Saver;
use crate::components::unsaved::guard;
use crate::fns::widget::{DesignData, preview as draw_preview, read_design};
use crate::i18n::{fill, texts};
use crate::pages::widget::position_options;

/// What the widget is drawn with where the project has no colour of its own.
const ACCENT: &str = "#324fd1";

pub fn page() -> AnyView {
    let t = texts();
    let project = project_id();
    let data = Resource::new(move || project.get(), read_design);
    let content = loaded(data, block_skeleton, content);
    view! {
        <div class="page page-wide">
            {page_head(t.design, t.design_text, ())}
            {content}
        </div>
    }
    .into_any()
}

fn content(data: DesignData) -> AnyView {
    let t = texts();
    let saver = Saver::new(Collection::Projects, &data.project);
    let draft = saver.draft;
    draft.read_only.set(!data.can_edit);
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        saver.save();
    };
    let project = data.project.id.clone();
    let beside = if let Some(configuration) = data.configuration {
        let project = StoredValue::new(project);
        let configuration = StoredValue::new(configuration.data);
        let draw = move |design: Value, nonce, dark| {
            draw_preview(
                project.get_value(),
                design,
                configuration.get_value(),
                nonce,
                dark,
                None,
            )
        };
        preview(move || draft.value(), draw, None)
    } else {
        let link = view! {
            <a class="button button-primary" href=format!("/projects/{project}/widget")>
                {t.go_to_widget}
            </a>
        };
        view! {
                <div class="card">
                    {empty_state(Icon::Cookie, t.nothing_to_preview, t.nothing_to_preview_text, link.into_any())}
                </div>
            }
            .into_any()
    };
    view! {
        {guard(Signal::derive(move || draft.dirty()))}
        {saver.conflict_dialog()}
        <div class="split">
            <form class="stack" on:submit=submit novalidate>
                <section class="card card-pad form form-wide" aria-labelledby="colours-title">
                    <h2 id="colours-title">{t.colours}</h2>
                    {colour_fields(draft)}
                </section>
                <section class="card card-pad form form-wide" aria-labelledby="shape-title">
                    <h2 id="shape-title">{t.shape}</h2>
                    {shape_fields(draft)}
                </section>
                <section class="card card-pad form form-wide" aria-labelledby="fonts-title">
                    <h2 id="fonts-title">{t.fonts}</h2>
                    <div class="form-pair">
                        {text(draft, "/fonts/title", t.font_title).placeholder("system-ui").optional().view()}
                        {text(draft, "/fonts/text", t.font_text).placeholder("system-ui").optional().view()}
                    </div>
                    <p class="hint">{t.fonts_hint}</p>
                </section>
                {data
                    .can_edit
                    .then(|| {
                        view! {
                            <div class="row">
                                <button class="button button-primary" disabled=saver.saving()>
                                    {busy_label(saver.saving(), t.save)}
                                </button>
                                {saver.status()}
                            </div>
                        }
                    })}
            </form>
            {beside}
        </div>
    }
    .into_any()
}

/// The colours, with a word on the pairs that are hard to read.
pub fn colour_fields(draft: Draft) -> AnyView {
    let t = texts();
    let poor = move || {
        let pairs = [
            (
                "/colors/buttonText",
                "#ffffff",
                "/colors/main",
                ACCENT,
                t.on_buttons,
            ),
            (
                "/colors/text",
                "#242424",
                "/colors/background",
                "#ffffff",
                t.on_background,
            ),
            (
                "/colors/title",
                "#0d0d0d",
                "/colors/background",
                "#ffffff",
                t.titles_on_background,
            ),
        ];
        let found: Vec<String> = pairs
            .into_iter()
            .filter_map(|(front, front_default, back, back_default, what)| {
                let pick = |at: &str, default: &str| {
                    let chosen = draft.text(at);
                    luminance(if chosen.is_empty() { default } else { &chosen })
                };
                let ratio = contrast(pick(front, front_default)?, pick(back, back_default)?);
                (ratio < 4.5).then(|| {
                    fill(
                        t.poor_contrast,
                        &[("what", what), ("ratio", &format!("{ratio:.1}"))],
                    )
                })
            })
            .collect();
        (!found.is_empty()).then(|| notice(Tone::Warn, found.join(" ")))
    };
    view! {
        <div class="form-pair form-pair-tight">
            {colour(draft, "/colors/main", t.colour_main, ACCENT)}
            {colour(draft, "/colors/buttonText", t.colour_button_text, "#ffffff")}
            {colour(draft, "/colors/background", t.colour_background, "#ffffff")}
            {colour(draft, "/colors/text", t.colour_text, "#242424")}
            {colour(draft, "/colors/title", t.colour_title, "#0d0d0d")}
            {colour(draft, "/colors/secondary", t.colour_secondary, ACCENT)}
            {colour(draft, "/colors/border", t.colour_border, "#e0e0e0")}
            {colour(draft, "/colors/danger", t.colour_danger, "#b91c1c")}
        </div>
        {poor}
    }
    .into_any()
}

/// Corners, padding, place.
pub fn shape_fields(draft: Draft) -> AnyView {
    let t = texts();
    let mut positions = position_options(t);
    if let Some(first) = positions.first_mut() {
        // The first place is what "not set" means.
        first.0 = String::new();
    }
    view! {
        <div class="form-pair form-pair-tight">
            {number(draft, "/widgetStyle/borderRadius", t.border_radius).unit("px").optional().view()}
            {number(draft, "/widgetStyle/padding", t.padding).unit("px").optional().view()}
        </div>
        {select(draft, "/widgetStyle/position", t.position, positions, None)}
    }
    .into_any()
}

/// Relative luminance (WCAG 2.2) of `#rgb` or `#rrggbb`, with or without opacity.
fn luminance(colour: &str) -> Option<f64> {
    let digits = colour.strip_prefix('#')?;
    let wide = match digits.len() {
        3 | 4 => digits
            .chars()
            .take(3)
            .flat_map(|digit| [digit, digit])
            .collect::<String>(),
        6 | 8 => digits.chars().take(6).collect(),
        _ => return None,
    };
    let channel = |from: usize| {
        let value = u8::from_str_radix(wide.get(from..from + 2)?, 16).ok()?;
        let share = f64::from(value) / 255.0;
        Some(if share <= 0.040_45 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        })
    };
    Some(0.2126 * channel(0)? + 0.7152 * channel(2)? + 0.0722 * channel(4)?)
}

fn contrast(a: f64, b: f64) -> f64 {
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(a: &str, b: &str) -> f64 {
        contrast(
            luminance(a).unwrap_or_default(),
            luminance(b).unwrap_or_default(),
        )
    }

    #[test]
    fn contrast_is_measured_as_wcag_does() {
        assert!((ratio("#000", "#ffffff") - 21.0).abs() < 0.01);
        assert!((ratio("#777777", "#fff") - 4.48).abs() < 0.01);
        assert_eq!(luminance("red"), None);
        assert_eq!(luminance("#é"), None);
    }
}
