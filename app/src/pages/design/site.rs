//! The look of a site, proposed for its widgets.

use domain::documents::{COLORS, DisplayMode, PROJECT, WIDGET_STYLE, WidgetStyle};
use domain::palette::Chosen;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Map, Value, json};

use super::looks::{self, Sketch};
use super::{LOGO, swatch};
use crate::components::draft::Draft;
use crate::components::field::text;
use crate::components::focus::focus;
use crate::components::layout::{Tone, busy_label, notice};
use crate::components::loading::error_message;
use crate::components::undo::Undo;
use crate::error::UiError;
use crate::fns::looks::{AccentFrom, FoundLook, SiteLook, read_site_look, take_site_logo};
use crate::i18n::{LookTexts, fill, texts};
use crate::icon::{Icon, icon};
use crate::pages::fields::label;

/// The look of a site that waits to be taken over, with the name of the site. The preview shows it meanwhile.
pub type Proposal = RwSignal<Option<(String, FoundLook)>>;

/// The design as it would be with this look.
pub fn with_look(design: &Value, look: &FoundLook) -> Value {
    let mut design = design.clone();
    for (pointer, value) in looks::FIELDS.into_iter().zip(values(&design, look)) {
        if let (Some(fields), Some(key)) = (design.as_object_mut(), pointer.strip_prefix('/')) {
            match value {
                Some(value) => drop(fields.insert(key.to_owned(), value)),
                None => drop(fields.shift_remove(key)),
            }
        }
    }
    design
}

/// The values of [`looks::FIELDS`] with this look. Colours belong together, so with an accent those of the site take the place
/// of all, and the widget makes those for dark pages from them. Without one, and for fonts and shapes, the rest stays.
fn values(design: &Value, look: &FoundLook) -> [Option<Value>; 4] {
    let kept = |pointer: &str| design.pointer(pointer).cloned();
    let own = |pointer: &str| {
        let kept = design.pointer(pointer).and_then(Value::as_object);
        kept.cloned().unwrap_or_default()
    };
    let colours: Map<String, Value> = colours(look)
        .into_iter()
        .filter_map(|(key, colour)| Some((key.to_owned(), json!(colour?))))
        .collect();
    let (light, dark) = if look.main.is_some() {
        (colours, None)
    } else {
        let mut merged = own("/colors");
        merged.extend(colours);
        (merged, kept("/darkColors"))
    };
    let mut fonts = own("/fonts");
    if let Some(text) = &look.text_font {
        fonts.insert("text".to_owned(), json!(text));
        // Titles have the font of the text unless the site has another one for them.
        fonts.shift_remove("title");
    }
    if let Some(title) = &look.title_font {
        fonts.insert("title".to_owned(), json!(title));
    }
    let mut style = own("/widgetStyle");
    if let Some(radius) = look.button_radius {
        style.insert("buttonRadius".to_owned(), json!(radius));
    }
    let filled = |fields: Map<String, Value>| (!fields.is_empty()).then(|| fields.into());
    [filled(light), dark, filled(fonts), filled(style)]
}

fn colours(look: &FoundLook) -> [(&'static str, Option<&String>); 5] {
    [
        ("main", look.main.as_ref().map(|(main, _)| main)),
        ("buttonText", look.button_text.as_ref()),
        ("background", look.background.as_ref()),
        ("text", look.text.as_ref()),
        ("title", look.title.as_ref()),
    ]
}

/// Asks for an address, reads the look there, and offers to take it over.
pub fn section(
    draft: Draft,
    project: String,
    site: &str,
    form_of_widget: DisplayMode,
    proposal: Proposal,
) -> AnyView {
    let w = LookTexts::of_this_page();
    let form = Draft::new(json!({"siteAddress": site}));
    let project = StoredValue::new(project);
    let busy = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let button = NodeRef::<html::Button>::new();
    let read = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        problem.set(None);
        proposal.set(None);
        let address = untrack(|| form.text("/siteAddress"));
        spawn_local(async move {
            let answer = read_site_look(project.get_value(), address.clone()).await;
            // The page may be gone by now.
            if busy.try_set(false).is_some() {
                return;
            }
            let name = host(&address);
            match answer {
                // A logo is all that it found, and the project has one.
                Ok(SiteLook::Found(look))
                    if !untrack(|| has_no_logo(draft))
                        && (FoundLook {
                            logo: None,
                            ..*look.clone()
                        }) == FoundLook::default() =>
                {
                    problem.set(Some(said(&Ok(SiteLook::Nothing), &name)));
                }
                Ok(SiteLook::Found(look)) => proposal.set(Some((name, *look))),
                other => problem.set(Some(said(&other, &name))),
            }
        });
    };
    let offered = NodeRef::<html::Div>::new();
    let leave = Callback::new(move |()| {
        let offer = offered.get_untracked();
        let goes = has_focus(offer.as_deref().map(|offer| -> &web_sys::Element { offer }));
        proposal.set(None);
        if goes && let Some(button) = button.get_untracked() {
            focus(&button);
        }
    });
    let answer = move || {
        if let Some(problem) = problem.get() {
            return Some(notice(Tone::Warn, problem));
        }
        let name = proposal.with(|found| found.as_ref().map(|(name, _)| name.clone()))?;
        Some(view! { <p class="strong">{fill(w.site_found, &[("site", &name)])}</p> }.into_any())
    };
    let found = move || {
        let (name, look) = proposal.get()?;
        let look = offer(draft, &name, look, form_of_widget, project, leave);
        Some(view! { <div class="stack" node_ref=offered>{look}</div> })
    };
    view! {
        <section class="card card-pad form form-wide" aria-labelledby="site-look-title">
            <div>
                <h2 id="site-look-title">{w.site_title}</h2>
                <p class="hint">{w.site_text}</p>
            </div>
            <form class="form form-wide" on:submit=read novalidate>
                {text(form, "/siteAddress", w.site_address).kind("url").placeholder("https://").view()}
                <div class="row">
                    <button type="submit" class="button" node_ref=button>
                        {icon(Icon::Search)}
                        {busy_label(busy.into(), w.site_read)}
                    </button>
                </div>
            </form>
            <div role="status" aria-live="polite">{answer}</div>
            {found}
        </section>
    }
    .into_any()
}

/// True if the focus is in this element, or nowhere. A person who has gone on to another field, while a logo is copied,
/// stays there.
fn has_focus(element: Option<&web_sys::Element>) -> bool {
    let Some(focused) = document().active_element() else {
        return true;
    };
    focused.tag_name() == "BODY" || element.is_some_and(|it| it.contains(Some(&focused)))
}

/// The host of an address, as somebody typed it.
fn host(address: &str) -> String {
    let rest = address.trim();
    let rest = rest.split_once("://").map_or(rest, |(_, rest)| rest);
    rest.split(['/', '?', '#'])
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// The reason why nothing was found.
fn said(answer: &Result<SiteLook, UiError>, site: &str) -> String {
    let w = LookTexts::of_this_page();
    let status;
    let text = match answer {
        Err(error) => return error_message(texts(), error),
        Ok(SiteLook::Status(found)) => {
            status = found.to_string();
            return fill(w.site_status, &[("site", site), ("status", &status)]);
        }
        Ok(SiteLook::Found(_) | SiteLook::Nothing) => w.site_nothing,
        Ok(SiteLook::NoPage) => w.site_no_page,
        Ok(SiteLook::Redirects) => w.site_redirects,
        Ok(SiteLook::Late) => w.site_late,
        Ok(SiteLook::TooMuch) => w.site_too_much,
        Ok(SiteLook::Unreachable) => w.site_unreachable,
        Ok(SiteLook::Refused) => w.site_refused,
        Ok(SiteLook::NoAddress) => return w.site_no_address.to_owned(),
    };
    fill(text, &[("site", site)])
}

fn has_no_logo(draft: Draft) -> bool {
    draft.text(LOGO).is_empty() && draft.text("/darkLogo").is_empty()
}

/// The look that was found, before and after, with buttons to take it over or to leave it.
fn offer(
    draft: Draft,
    site: &str,
    look: FoundLook,
    form: DisplayMode,
    project: StoredValue<String>,
    leave: Callback<()>,
) -> AnyView {
    let w = LookTexts::of_this_page();
    let look = StoredValue::new(look);
    // A project keeps the logo that it has.
    let logo = Memo::new(move |_| {
        let has_none = has_no_logo(draft);
        look.with_value(|look| look.logo.clone().filter(|_| has_none))
    });
    let is_there = Memo::new(move |_| {
        let design = draft.value();
        logo.with(Option::is_none) && look.with_value(|look| with_look(&design, look) == design)
    });
    let undo = Undo::of(draft);
    let site = StoredValue::new(site.to_owned());
    let apply = move |file: Option<String>, text: &'static str| {
        let said = site.with_value(|site| fill(text, &[("site", site)]));
        let values = look.with_value(|look| values(&draft.value_untracked(), look));
        looks::take(draft, undo, values, file.as_deref(), said);
        leave.run(());
    };
    let busy = RwSignal::new(false);
    let take = move |_| {
        if busy.get_untracked() {
            return;
        }
        let Some(address) = logo.get_untracked() else {
            return apply(None, w.site_taken);
        };
        busy.set(true);
        let taking = take_site_logo(project.get_value(), address);
        spawn_local(async move {
            let file = taking.await.ok().flatten();
            // The page may be gone by now, or the offer.
            if busy.try_set(false).is_some() {
                return;
            }
            // Somebody may have chosen a logo meanwhile.
            let is_free = untrack(|| has_no_logo(draft));
            let text = if file.is_some() || !is_free {
                w.site_taken
            } else {
                w.site_taken_without_logo
            };
            apply(file.filter(|_| is_free), text);
        });
    };
    let picture = move |label: &'static str, is_after: bool| {
        let drawn = move || {
            let design = draft.value();
            let design = if is_after {
                look.with_value(|look| with_look(&design, look))
            } else {
                design
            };
            looks::picture(&sketch(&design, form), "#e9ebef")
        };
        view! { <figure class="stack-tight">{drawn} <figcaption class="muted small">{label}</figcaption></figure> }
    };
    view! {
            <div class="before-after">{picture(w.site_before, false)} {picture(w.site_after, true)}</div>
            <ul class="repairs" aria-label=w.site_values>
                {look.with_value(rows)}
                {move || logo.get().map(|address| logo_row(&address))}
            </ul>
            <p class="hint">{w.site_hint}</p>
            <div class="row">
                {move || {
                    if is_there.get() {
                        view! { <p>{w.site_same}</p> }.into_any()
                    } else {
                        view! {
                            <button type="button" class="button button-primary" on:click=take>
                                {busy_label(busy.into(), w.site_take)}
                            </button>
                        }
                            .into_any()
                    }
                }}
                <button type="button" class="button" on:click=move |_| leave.run(())>
                    {w.site_leave}
                </button>
            </div>
    }
    .into_any()
}

/// A row for each value.
fn rows(look: &FoundLook) -> Vec<AnyView> {
    let w = LookTexts::of_this_page();
    let from = look.main.as_ref().map(|(_, from)| match from {
        AccentFrom::Button => w.from_button,
        AccentFrom::Variable => w.from_variable,
        AccentFrom::Rule => w.from_rule,
        AccentFrom::ThemeColour => w.from_theme_colour,
        AccentFrom::Link => w.from_link,
    });
    let colours = colours(look).into_iter().filter_map(|(key, colour)| {
        let colour = colour?;
        let hint = from.filter(|_| key == "main");
        let label = label(&COLORS, key);
        Some(row(Some(swatch(colour)), label, colour.clone(), hint))
    });
    let plain = [
        (
            label(&WIDGET_STYLE, "buttonRadius"),
            look.button_radius.map(|radius| format!("{radius} px")),
        ),
        (w.site_title_font, look.title_font.clone()),
        (w.site_text_font, look.text_font.clone()),
    ];
    let plain = plain
        .into_iter()
        .filter_map(|(label, value)| Some(row(None, label, value?, None)));
    colours.chain(plain).collect()
}

/// A row with the file of the logo. The page's policy lets no picture of another site in.
fn logo_row(address: &str) -> AnyView {
    let w = LookTexts::of_this_page();
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default();
    row(
        None,
        label(&PROJECT, "logo"),
        file.to_owned(),
        Some(w.site_logo_hint),
    )
}

fn row(
    sample: Option<AnyView>,
    label: &'static str,
    value: String,
    hint: Option<&'static str>,
) -> AnyView {
    view! {
        <li>
            {sample.map(|sample| view! { <span class="samples" aria-hidden="true">{sample}</span> })}
            <span class="grow">
                <span class="strong">{label}</span> " " <span>{value}</span>
                {hint.map(|hint| view! { " " <span class="muted">{hint}</span> })}
            </span>
        </li>
    }
    .into_any()
}

/// The widget of a design, with the colours that it is drawn with.
fn sketch(design: &Value, form: DisplayMode) -> Sketch {
    let colours = design.pointer("/colors");
    let palette = Chosen::read(|key| colours?.get(key)?.as_str()).palette();
    let style = design.pointer("/widgetStyle").cloned().unwrap_or_default();
    let style: WidgetStyle = serde_json::from_value(style).unwrap_or_default();
    Sketch {
        form,
        main: palette.accent.to_string(),
        button_text: palette.on_accent.to_string(),
        background: palette.background.to_string(),
        text: palette.text.to_string(),
        title: palette.title.to_string(),
        border: palette.line.to_string(),
        radius: style.radius(),
        button_radius: style.radius_of_buttons(),
        position: style.position.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use domain::collection::Collection;
    use domain::documents;

    use super::*;

    fn found() -> FoundLook {
        FoundLook {
            main: Some(("#cc0000".to_owned(), AccentFrom::Button)),
            background: Some("#fff".to_owned()),
            button_radius: Some(4),
            text_font: Some("Inter, sans-serif".to_owned()),
            ..FoundLook::default()
        }
    }

    #[test]
    fn colours_of_the_site_take_the_place_of_all_and_the_rest_stays() {
        let design = json!({"title": "Shop", "websiteURL": "https://shop.example",
            "colors": {"main": "#000", "border": "#000"}, "darkColors": {"main": "#fff"},
            "fonts": {"title": "Georgia, serif"}, "widgetStyle": {"padding": 7, "buttonRadius": 0}});
        let taken = with_look(&design, &found());
        assert_eq!(
            taken,
            json!({"title": "Shop", "websiteURL": "https://shop.example",
            "colors": {"main": "#cc0000", "background": "#fff"},
            "fonts": {"text": "Inter, sans-serif"}, "widgetStyle": {"padding": 7, "buttonRadius": 4}})
        );
        assert_eq!(documents::validate(Collection::Projects, &taken), []);
        assert_eq!(with_look(&taken, &found()), taken);
        // Without an accent there is no new whole.
        let ground = FoundLook {
            main: None,
            ..found()
        };
        let taken = with_look(&design, &ground);
        assert_eq!(
            (&taken["colors"], &taken["darkColors"]),
            (
                &json!({"main": "#000", "border": "#000", "background": "#fff"}),
                &json!({"main": "#fff"})
            )
        );
    }

    #[test]
    fn sketches_have_the_colours_that_the_widget_is_drawn_with() {
        let design = json!({"colors": {"main": "#ffe600", "buttonText": "#fff"}, "widgetStyle": {"borderRadius": 6}});
        let sketch = sketch(&design, DisplayMode::Card);
        assert_eq!((&*sketch.main, &*sketch.background), ("#ffe600", "#fff"));
        assert_ne!(sketch.button_text, "#fff");
        assert!((sketch.button_radius - 4.0).abs() < 1e-9);
    }

    #[test]
    fn hosts_are_those_that_were_typed() {
        assert_eq!(host(" https://shop.example/a?b"), "shop.example");
        assert_eq!(host("shop.example"), "shop.example");
        assert_eq!(host(""), "");
    }
}
