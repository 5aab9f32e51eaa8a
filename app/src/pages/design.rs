//! The look of all widgets of a project: colours, shape, place, fonts.

use domain::collection::Collection;
use domain::documents::Position;
use domain::palette::{Chosen, Pair, Repair};
use leptos::prelude::*;
use serde_json::Value;

use super::project_id;
use crate::components::draft::Draft;
use crate::components::field::{colour, number, select, text};
use crate::components::form::Form;
use crate::components::icon::Icon;
use crate::components::layout::{Tone, notice, page_head};
use crate::components::loading::{block_skeleton, empty_state, loaded};
use crate::components::preview::{Beside, Preview};
use crate::components::save::Saver;
use crate::fns::widget::{DesignData, preview as draw_preview, read_design};
use crate::i18n::{Locale, Texts, fill, locale, texts};

/// The accent of a project without a colour of its own.
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
    let project = data.project.id.clone();
    let Beside { button, preview } = if let Some(configuration) = data.configuration {
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
        Preview::new(move || draft.value(), draw, None).beside()
    } else {
        let link = view! {
            <a class="button button-primary" href=format!("/projects/{project}/widget")>
                {t.go_to_widget}
            </a>
        };
        let nothing = view! {
            <div class="card">
                {empty_state(Icon::Cookie, t.nothing_to_preview, t.nothing_to_preview_text, link.into_any())}
            </div>
        };
        Beside {
            button: ().into_any(),
            preview: nothing.into_any(),
        }
    };
    let fields = view! {
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
    };
    view! {
        {button}
        <div class="split">
            {Form::saving(saver).class("stack").view(fields.into_any())}
            {preview}
        </div>
    }
    .into_any()
}

/// The colours, with what the widget does about those that nobody could read.
pub fn colour_fields(draft: Draft) -> AnyView {
    let t = texts();
    let found = Memo::new(move |_| repairs(&draft.value()));
    let poor = move || {
        let found = found.get();
        (!found.is_empty()).then(|| {
            let rows = found
                .into_iter()
                .map(|repair| repair_row(draft, repair))
                .collect_view();
            let content = view! {
                <p class="strong">{t.contrast_title}</p>
                <ul class="repairs">{rows}</ul>
            };
            notice(Tone::Warn, content)
        })
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
        <div aria-live="polite">{poor}</div>
    }
    .into_any()
}

/// Colours of a project that the widget does not use as they are.
pub fn repairs(design: &Value) -> Vec<Repair> {
    let colours = design.get("colors");
    Chosen::read(|key| colours?.get(key)?.as_str()).repairs()
}

/// Which pair it is, what was found and what is drawn instead, with a button to take that over.
fn repair_row(draft: Draft, repair: Repair) -> AnyView {
    let t = texts();
    let Repair {
        pair,
        chosen,
        ground,
        found,
        needed,
        used,
    } = repair;
    let (pointer, what) = match pair {
        Pair::Text => ("/colors/text", t.colour_text),
        Pair::Title => ("/colors/title", t.colour_title),
        Pair::Button => ("/colors/main", t.colour_main),
        Pair::ButtonText => ("/colors/buttonText", t.colour_button_text),
        Pair::Link => ("/colors/main", t.colour_links),
        Pair::Danger => ("/colors/danger", t.colour_danger),
    };
    let used = used.to_string();
    let text = fill(
        t.contrast_text,
        &[
            ("what", what),
            ("chosen", &chosen.to_string()),
            ("ground", &ground.to_string()),
            ("ratio", &ratio(found)),
            ("needed", &ratio(needed)),
            ("used", &used),
        ],
    );
    let (chosen, ground) = (chosen.to_string(), ground.to_string());
    let samples = view! {
        <span class="samples" aria-hidden="true">
            {sample(&chosen, &ground)} "→" {sample(&used, &ground)}
        </span>
    };
    let label = fill(t.contrast_use, &[("used", &used)]);
    let action = move || {
        let (label, used) = (label.clone(), used.clone());
        (!draft.read_only.get()).then(|| {
            let name = format!("{label}: {what}");
            view! {
                <button
                    type="button"
                    class="button button-small"
                    aria-label=name
                    on:click=move |_| draft.set_text(pointer, &used)
                >
                    {label.clone()}
                </button>
            }
        })
    };
    view! {
        <li>
            {samples}
            <span class="grow">{text}</span>
            {action}
        </li>
    }
    .into_any()
}

/// Two letters in a colour on another. Drawn, because the page's policy lets no element bring a
/// style of its own.
fn sample(front: &str, back: &str) -> AnyView {
    view! {
        <svg width="34" height="24" viewBox="0 0 34 24">
            <rect x="0.5" y="0.5" width="33" height="23" rx="4" fill=back.to_owned() stroke="#8888" />
            <text x="17" y="16.5" text-anchor="middle" font-size="13" font-weight="600" fill=front.to_owned()>
                "Aa"
            </text>
        </svg>
    }
    .into_any()
}

/// A contrast with one digit, never rounded up to one that would do.
fn ratio(contrast: f64) -> String {
    let text = format!("{:.1}", (contrast * 10.0).floor() / 10.0);
    match locale() {
        Locale::En => text,
        Locale::Fr => text.replace('.', ","),
    }
}

/// The places of a banner.
pub fn position_options(t: &'static Texts) -> Vec<(String, String)> {
    let label = |position| match position {
        Position::BottomLeft => t.position_bottom_left,
        Position::BottomRight => t.position_bottom_right,
        Position::Bottom => t.position_bottom,
        Position::Top => t.position_top,
        Position::Center => t.position_center,
    };
    Position::ALL
        .iter()
        .map(|&position| (position.as_str().to_owned(), label(position).to_owned()))
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_design_is_told_what_the_widget_repairs() {
        let design = json!({"colors": {"main": "#888888", "buttonText": "#777777"}});
        let found = repairs(&design);
        assert!(found.iter().any(|repair| repair.pair == Pair::ButtonText));
        assert_eq!(repairs(&json!({"colors": {"main": 7}})), []);
        assert_eq!(repairs(&json!({})), []);
    }

    #[test]
    fn a_contrast_that_is_too_low_never_looks_like_enough() {
        assert_eq!(ratio(4.49), "4.4");
        assert_eq!(ratio(4.5), "4.5");
    }
}
