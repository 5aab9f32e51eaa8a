//! The look of all widgets of a project: colours, shape, place, fonts.

mod looks;
mod site;

use domain::collection::Collection;
use domain::documents::{
    COLORS, DisplayMode, Entrance, ImagePlace, PROJECT, WIDGET_STYLE, asks_by_tcf,
};
use domain::palette::{Chosen, Pair, Repair, Shade, Shaded};
use leptos::prelude::*;
use serde_json::Value;

use super::{conflict, project_id};
use crate::components::draft::Draft;
use crate::components::editor::keep_saved;
use crate::components::field::{Picture, colour, pictures};
use crate::components::following::following;
use crate::components::history::History;
use crate::components::layout::{Tone, notice, page_head};
use crate::components::loading::{block_skeleton, empty_state, loaded};
use crate::components::preview::{Beside, Preview};
use crate::components::save::Saver;
use crate::components::upload::{Takes, upload};
use crate::fns::widget::{DesignData, Shown, preview as draw_preview, read_design};
use crate::i18n::{Locale, LookTexts, fill, locale, texts};
use crate::icon::Icon;
use crate::map::Page;
use crate::pages::fields::{self, choice, hint, label, line};

pub use looks::gallery;

/// The accent of a project without a colour of its own.
const ACCENT: &str = "#324fd1";

pub fn page() -> AnyView {
    let project = project_id();
    let data = following(move || project.get(), read_design);
    let content = loaded(data, block_skeleton, content);
    view! { <div class="page page-wide">{content}</div> }.into_any()
}

fn content(data: DesignData) -> AnyView {
    let t = texts();
    let saver = Saver::new(Collection::Projects, &data.project, conflict::table);
    let draft = saver.draft;
    let history = History::new(&[saver]);
    let conflicts = keep_saved(vec![saver], data.can_edit);
    history.keys();
    let can_edit = data.can_edit;
    let actions = view! {
        {saver.status()}
        {can_edit.then(|| history.buttons(t))}
    };
    let project = data.project.id.clone();
    let configuration = data.configuration.as_ref().map(|document| &document.data);
    let form = form_of(configuration);
    let by_tcf = configuration.is_some_and(asks_by_tcf);
    let proposal = site::Proposal::new(None);
    let site_look = can_edit.then(|| {
        let address = untrack(|| draft.text("/websiteURL"));
        site::section(draft, project.clone(), &address, form, proposal)
    });
    let logo = logo_fields(draft, project.clone());
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
                Shown::default(),
            )
        };
        let shown = move || {
            let design = draft.value();
            proposal.with(|found| match found {
                Some((_, look)) => site::with_look(&design, look),
                None => design,
            })
        };
        Preview::new(shown, draw, None)
            .entering(move || draft.text(ENTRANCE))
            .beside()
    } else {
        let link = view! {
            <a class="button button-primary" href=Page::Configurations.at(&[&project])>
                {t.go_to_widget}
            </a>
        };
        let nothing = view! {
            <div class="card">
                {empty_state(Icon::Cookie, t.design().nothing_to_preview, t.design().nothing_to_preview_text, link.into_any())}
            </div>
        };
        Beside {
            button: ().into_any(),
            preview: nothing.into_any(),
        }
    };
    let w = LookTexts::of_this_page();
    let fields = view! {
        <section class="card card-pad form form-wide" aria-labelledby="looks-title">
            <div>
                <h2 id="looks-title">{w.title}</h2>
                <p class="hint">{w.text}</p>
            </div>
            {gallery(draft, Signal::stored(form))}
        </section>
        {site_look}
        <section class="card card-pad form form-wide" aria-labelledby="logo-title">
            <div>
                <h2 id="logo-title">{label(&PROJECT, "logo")}</h2>
                <p class="hint">{hint(&PROJECT, "logo")}</p>
            </div>
            {logo}
        </section>
        <section class="card card-pad form form-wide" aria-labelledby="colours-title">
            <h2 id="colours-title">{label(&PROJECT, "colors")}</h2>
            {colour_fields(draft, Signal::stored(by_tcf))}
        </section>
        <section class="card card-pad form form-wide" aria-labelledby="shape-title">
            <h2 id="shape-title">{label(&PROJECT, "widgetStyle")}</h2>
            {shape_fields(draft)}
        </section>
        <section class="card card-pad form form-wide" aria-labelledby="fonts-title">
            <h2 id="fonts-title">{label(&PROJECT, "fonts")}</h2>
            <div class="form-pair">
                {line(draft, "/fonts/title").placeholder("system-ui").view()}
                {line(draft, "/fonts/text").placeholder("system-ui").view()}
            </div>
            <p class="hint">{hint(&PROJECT, "fonts")}</p>
        </section>
    };
    view! {
        {conflicts}
        {page_head(t.design, t.design().design_text, actions)}
        {button}
        <div class="split">
            <div class="stack">{fields}</div>
            {preview}
        </div>
    }
    .into_any()
}

/// Pointer of the form of a configuration's widget.
pub const FORM: &str = "/settings/displayMode";

/// The form of the widget that a configuration has.
fn form_of(configuration: Option<&Value>) -> DisplayMode {
    let word = configuration.and_then(|configuration| configuration.pointer(FORM)?.as_str());
    word.and_then(DisplayMode::parse).unwrap_or_default()
}

/// The names of a scheme's colours in a project, and the widget's own.
struct Colours {
    /// Pointer of their object.
    at: &'static str,
    defaults: [&'static str; 8],
}

const LIGHT: Colours = Colours {
    at: "/colors",
    defaults: [
        ACCENT, "#ffffff", "#ffffff", "#242424", "#0d0d0d", ACCENT, "#e0e0e0", "#b42318",
    ],
};

/// Without colours of the light scheme.
const DARK: Colours = Colours {
    at: "/darkColors",
    defaults: [
        "#4761d6", "#ffffff", "#1c1f27", "#dfe0e1", "#f4f4f4", ACCENT, "#373a41", "#d27b74",
    ],
};

/// The colours, with what a widget does about those that nobody could read. One that asks `by_tcf` does more.
pub fn colour_fields(draft: Draft, by_tcf: Signal<bool>) -> AnyView {
    let repaired = Memo::new(move |_| chosen(&draft.value()).repairs());
    let shaded = Memo::new(move |_| chosen(&draft.value()).shades(by_tcf.get()));
    let dark_repaired = Memo::new(move |_| {
        let design = draft.value();
        chosen(&design).dark_repairs(&chosen_for_dark(&design))
    });
    let dark_shaded = Memo::new(move |_| {
        let design = draft.value();
        chosen(&design).dark_shades(&chosen_for_dark(&design), by_tcf.get())
    });
    // Projects with colours for dark pages see them at once.
    let has_dark = untrack(|| draft.at(DARK.at)).is_some_and(|colours| {
        let colours = colours.as_object();
        colours.is_some_and(|colours| !colours.is_empty())
    });
    view! {
        {scheme_fields(draft, &LIGHT)}
        <div aria-live="polite">{findings(draft, LIGHT.at, repaired, shaded)}</div>
        <details class="form" open=has_dark>
            <summary>{label(&PROJECT, "darkColors")}</summary>
            <div class="stack" role="group" aria-label=label(&PROJECT, "darkColors")>
                <p class="hint">{hint(&PROJECT, "darkColors")}</p>
                {scheme_fields(draft, &DARK)}
                <div aria-live="polite">{findings(draft, DARK.at, dark_repaired, dark_shaded)}</div>
            </div>
        </details>
    }
    .into_any()
}

fn scheme_fields(draft: Draft, colours: &Colours) -> AnyView {
    let names = [
        "main",
        "buttonText",
        "background",
        "text",
        "title",
        "secondary",
        "border",
        "danger",
    ];
    let fields = names
        .into_iter()
        .zip(colours.defaults)
        // Only boxes report failures, and they are light.
        .filter(|(key, _)| colours.at == LIGHT.at || *key != "danger")
        .map(|(key, default)| {
            let pointer = format!("{}/{key}", colours.at);
            colour(draft, pointer, label(&COLORS, key), default)
        })
        .collect_view();
    view! { <div class="form-pair form-pair-tight">{fields}</div> }.into_any()
}

/// Colours that are replaced, and shades of the main one.
fn findings(
    draft: Draft,
    at: &'static str,
    repaired: Memo<Vec<Repair>>,
    shaded: Memo<Vec<Shade>>,
) -> AnyView {
    let t = texts();
    let poor = move || {
        let found = repaired.get();
        (!found.is_empty()).then(|| {
            let rows = found
                .into_iter()
                .map(|repair| repair_row(draft, at, repair))
                .collect_view();
            let content = view! {
                <p class="strong">{t.design().contrast_title}</p>
                <ul class="repairs">{rows}</ul>
            };
            notice(Tone::Warn, content)
        })
    };
    let shades = move || {
        let found = shaded.get();
        (!found.is_empty()).then(|| {
            let title = if found.iter().any(|shade| shade.of == Shaded::Buttons) {
                t.design().shades_title_tcf
            } else {
                t.design().shades_title
            };
            let rows = found.into_iter().map(shade_row).collect_view();
            let content = view! {
                <p class="strong">{title}</p>
                <ul class="repairs">{rows}</ul>
            };
            notice(Tone::Neutral, content)
        })
    };
    view! { {poor} {shades} }.into_any()
}

/// Colours of a project that the widget does not use as they are.
pub fn repairs(design: &Value) -> Vec<Repair> {
    let light = chosen(design);
    let mut found = light.repairs();
    found.extend(light.dark_repairs(&chosen_for_dark(design)));
    found
}

fn chosen(design: &Value) -> Chosen {
    let colours = design.pointer(LIGHT.at);
    Chosen::read(|key| colours?.get(key)?.as_str())
}

fn chosen_for_dark(design: &Value) -> Chosen {
    let colours = design.pointer(DARK.at);
    Chosen::read(|key| colours?.get(key)?.as_str())
}

/// A shade of the main colour and its use. There is nothing to correct.
fn shade_row(shade: Shade) -> AnyView {
    let t = texts();
    let Shade { of, chosen, used } = shade;
    let what = match of {
        Shaded::Buttons => t.design().shade_buttons,
        Shaded::Links => t.design().shade_links,
        Shaded::Switches => t.design().shade_switches,
        Shaded::Edge => t.design().shade_edge,
    };
    let (chosen, used) = (chosen.to_string(), used.to_string());
    let text = fill(
        t.design().shade_text,
        &[("what", what), ("chosen", &chosen), ("used", &used)],
    );
    view! {
        <li>
            <span class="samples" aria-hidden="true">{swatch(&chosen)} "→" {swatch(&used)}</span>
            <span class="grow">{text}</span>
        </li>
    }
    .into_any()
}

/// Which pair it is, what was found and what is drawn instead, with a button to take that over.
fn repair_row(draft: Draft, at: &'static str, repair: Repair) -> AnyView {
    let t = texts();
    let Repair {
        pair,
        chosen,
        ground,
        found,
        needed,
        used,
    } = repair;
    let key = match pair {
        Pair::Text => "text",
        Pair::Title => "title",
        Pair::ButtonText => "buttonText",
        Pair::Danger => "danger",
    };
    let what = label(&COLORS, key);
    let pointer = StoredValue::new(format!("{at}/{key}"));
    let used = used.to_string();
    let text = fill(
        t.design().contrast_text,
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
    let use_it = fill(t.design().contrast_use, &[("used", &used)]);
    let action = move || {
        let (use_it, used) = (use_it.clone(), used.clone());
        (!draft.read_only.get()).then(|| {
            let name = format!("{use_it}: {what}");
            view! {
                <button
                    type="button"
                    class="button button-small"
                    aria-label=name
                    on:click=move |_| pointer.with_value(|pointer| draft.set_text(pointer, &used))
                >
                    {use_it.clone()}
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

/// A patch of a colour.
fn swatch(colour: &str) -> AnyView {
    view! {
        <svg width="34" height="24" viewBox="0 0 34 24">
            <rect x="0.5" y="0.5" width="33" height="23" rx="4" fill=colour.to_owned() stroke="#8888" />
        </svg>
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

/// Corners, padding, place.
pub fn shape_fields(draft: Draft) -> AnyView {
    view! {
        <div class="form-pair form-pair-tight">
            {line(draft, "/widgetStyle/borderRadius").view()}
            {line(draft, "/widgetStyle/padding").view()}
        </div>
        {choice(draft, "/widgetStyle/position")}
        {entrance_field(draft)}
        {image_field(draft)}
        {button_fields(draft)}
    }
    .into_any()
}

/// Pointer of the entrance.
pub const ENTRANCE: &str = "/widgetStyle/entrance";

/// The way in which the widget comes. Previews show it when it is chosen.
fn entrance_field(draft: Draft) -> AnyView {
    let choices = Entrance::ALL.iter().map(|&entrance| Picture {
        value: entrance.as_str(),
        label: fields::entrance_name(entrance),
        picture: entrance_sketch(entrance),
        disabled: false,
    });
    let usual = Entrance::default().as_str();
    view! {
        {pictures(draft, ENTRANCE, label(&WIDGET_STYLE, "entrance"), usual, choices.collect())}
        <p class="hint">{hint(&WIDGET_STYLE, "entrance")}</p>
    }
    .into_any()
}

/// Pointer of the place of pictures.
pub const IMAGE_PLACE: &str = "/widgetStyle/imagePlace";

/// The place of the pictures of steps.
fn image_field(draft: Draft) -> AnyView {
    let choices = ImagePlace::ALL.iter().map(|&place| Picture {
        value: place.as_str(),
        label: fields::image_place_name(place),
        picture: image_sketch(place),
        disabled: false,
    });
    let usual = ImagePlace::default().as_str();
    view! {
        {pictures(draft, IMAGE_PLACE, label(&WIDGET_STYLE, "imagePlace"), usual, choices.collect())}
        <p class="hint">{hint(&WIDGET_STYLE, "imagePlace")}</p>
    }
    .into_any()
}

/// A card with a picture, a title and a line.
fn image_sketch(place: ImagePlace) -> AnyView {
    let path = match place {
        ImagePlace::Beside => "M14 6h3v3h-3zM7 7.5h4M7 12h10M7 15.5h7",
        ImagePlace::Above => "M4 9.5h16M7 13h6M7 16.5h10",
    };
    sketch(view! {
        <rect x="4" y="3" width="16" height="18" rx="2" />
        <path d=path />
    })
}

/// A small drawing of a choice.
fn sketch(lines: impl IntoView) -> AnyView {
    view! {
        <svg
            class="icon"
            viewBox="0 0 24 24"
            width="24"
            height="24"
            fill="none"
            stroke="currentColor"
            stroke-width="1.6"
            stroke-linecap="round"
            stroke-linejoin="round"
            aria-hidden="true"
        >
            {lines}
        </svg>
    }
    .into_any()
}

/// A card, and the way that it has come.
fn entrance_sketch(entrance: Entrance) -> AnyView {
    let way = match entrance {
        Entrance::None => "",
        Entrance::Rise => "M12 21.5V15M9.5 17.5 12 15l2.5 2.5",
        Entrance::Spring => "M9 21.5l6-1.6-6-1.6 6-1.6-6-1.6",
    };
    let y = if entrance == Entrance::None { 7 } else { 3 };
    sketch(view! {
        <rect x="4" y=y width="16" height="10" rx="2" />
        <path d=way />
    })
}

/// Pointer of the logo.
const LOGO: &str = "/logo";

/// The logo of the site, and one for dark pages where there is a logo.
pub fn logo_fields(draft: Draft, project: String) -> AnyView {
    let has_logo = Memo::new(move |_| {
        let of_dark = draft.text("/darkLogo");
        !draft.text(LOGO).is_empty() || !of_dark.is_empty()
    });
    let dark = {
        let project = project.clone();
        move || {
            has_logo.get().then(|| {
                view! {
                    {upload(draft, project.clone(), "/darkLogo", label(&PROJECT, "darkLogo"), Takes::Picture)}
                    <p class="hint">{hint(&PROJECT, "darkLogo")}</p>
                }
            })
        }
    };
    view! {
        {upload(draft, project, LOGO, label(&PROJECT, "logo"), Takes::Picture)}
        {dark}
    }
    .into_any()
}

/// The shape of all buttons.
fn button_fields(draft: Draft) -> AnyView {
    view! {
        {line(draft, "/widgetStyle/buttonRadius").view()}
        <div class="form-pair">
            {choice(draft, "/widgetStyle/buttonWeight")}
            {choice(draft, "/widgetStyle/buttonCase")}
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::colour::Colour;
    use serde_json::json;

    #[test]
    fn the_design_is_told_what_the_widget_repairs() {
        let design = json!({"colors": {"main": "#888888", "buttonText": "#777777"}});
        let found = repairs(&design);
        assert!(found.iter().any(|repair| repair.pair == Pair::ButtonText));
        let dark = json!({"darkColors": {"background": "#000000", "text": "#333333"}});
        let pairs: Vec<_> = repairs(&dark).iter().map(|repair| repair.pair).collect();
        assert_eq!(pairs, [Pair::Text]);
        assert_eq!(repairs(&json!({"colors": {"main": 7}})), []);
        assert_eq!(repairs(&json!({})), []);
    }

    #[test]
    fn fields_show_the_colours_that_the_widget_has_by_itself() {
        let none = Chosen::default();
        let dark = none.dark(&none).unwrap();
        for (fields, palette) in [(LIGHT, none.palette()), (DARK, dark)] {
            let own = [
                palette.accent,
                palette.on_accent,
                palette.background,
                palette.text,
                palette.title,
                domain::palette::ACCENT,
                palette.line,
                palette.danger,
            ];
            let shown = fields.defaults.map(Colour::read);
            assert_eq!(shown, own.map(Some), "{} {own:?}", fields.at);
        }
    }

    #[test]
    fn a_contrast_that_is_too_low_never_looks_like_enough() {
        assert_eq!(ratio(4.49), "4.4");
        assert_eq!(ratio(4.5), "4.5");
    }
}
