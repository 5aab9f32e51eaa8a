//! The live preview: the real widget in a sandboxed frame, fed by unsaved drafts.
//!
//! A new draft is drawn in a second frame behind the first, which it replaces once it is there:
//! nothing flickers while one types.

use std::time::Duration;

use futures::future::LocalBoxFuture;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;

use super::dialog::dialog;
use super::loading::error_message;
use crate::error::UiError;
use crate::i18n::texts;
use crate::icon::{Icon, icon};
use crate::session::{Preferences, Theme};

/// Long enough that typing a word draws once, short enough to feel live.
const PAUSE: Duration = Duration::from_millis(220);

/// A drawing that does not say that it shows something (it has no steps) is shown after this.
const PATIENCE: Duration = Duration::from_secs(2);

/// Pages that are not wider, as `style/editor.css` has it, have no room for a form and its preview.
const ROOM: f64 = 1100.0;

/// Up to this width a sheet begins with what a phone shows.
const PHONE: f64 = 760.0;

/// Position of a preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stand {
    /// In a page that is about it.
    Alone,
    /// Beside its form, if there is room.
    Beside,
    Sheet,
}

/// One drawn document.
#[derive(Clone, Debug, PartialEq)]
struct Drawing {
    id: u64,
    html: String,
    /// The way in which its widget comes, where the preview shows a new one.
    entrance: Option<String>,
}

/// A click in the preview: the part that was clicked, and its step and vendor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clicked {
    pub part: String,
    pub step: Option<String>,
    pub vendor: Option<String>,
}

/// A preview of something, without its types: the frames are the same for all.
#[derive(Clone, Copy)]
pub struct Preview {
    /// Reads what is drawn, to hear of its changes.
    watch: Callback<()>,
    /// Draws it as it is now, with the page's nonce, light or dark.
    draw: Callback<(String, bool), LocalBoxFuture<'static, Result<String, UiError>>>,
    clicked: Option<Callback<Clicked>>,
    /// Makes further controls of the bar.
    controls: Option<Callback<(), AnyView>>,
    /// Reads the way in which the widget comes.
    entrance: Option<Callback<(), String>>,
    /// True if it begins with what a phone shows, on every screen.
    on_phone: bool,
}

/// A preview beside its form, and the button that opens it as a sheet where the page is too narrow
/// for both.
pub struct Beside {
    pub button: AnyView,
    pub preview: AnyView,
}

impl Preview {
    /// Shows what `draw` makes. `input` is read reactively and handed to `draw` after a pause;
    /// `clicked` hears of clicks.
    pub fn new<I, F>(
        input: impl Fn() -> I + Send + Sync + 'static,
        draw: impl Fn(I, String, bool) -> F + Send + Sync + 'static,
        clicked: Option<Callback<Clicked>>,
    ) -> Self
    where
        I: Clone + PartialEq + Send + Sync + 'static,
        F: Future<Output = Result<String, UiError>> + 'static,
    {
        let input = Memo::new(move |_| input());
        Self {
            watch: Callback::new(move |()| input.with(|_| ())),
            draw: Callback::new(move |(nonce, dark)| {
                let drawn = draw(input.get_untracked(), nonce, dark);
                Box::pin(drawn) as LocalBoxFuture<'static, _>
            }),
            clicked,
            controls: None,
            entrance: None,
            on_phone: false,
        }
    }

    /// Lets the widget come in whenever it has another `entrance`. Else it does not move.
    #[must_use]
    pub fn entering(self, entrance: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self {
            entrance: Some(Callback::new(move |()| entrance())),
            ..self
        }
    }

    /// Puts further controls into the bar. They are made again for the sheet.
    #[must_use]
    pub fn with_controls(self, controls: Callback<(), AnyView>) -> Self {
        Self {
            controls: Some(controls),
            ..self
        }
    }

    /// Begins with what a phone shows.
    #[must_use]
    pub fn on_phone(self, on_phone: bool) -> Self {
        Self { on_phone, ..self }
    }

    /// In a page that is about it.
    pub fn alone(self) -> AnyView {
        frames(self, Stand::Alone)
    }

    /// In the page of its form.
    pub fn beside(self) -> Beside {
        let t = texts();
        let open = RwSignal::new(false);
        let leave = move |clicked: Callback<Clicked>| {
            Callback::new(move |what: Clicked| {
                open.set(false);
                // Below an open sheet no field can have the focus.
                set_timeout(
                    move || {
                        clicked.try_run(what);
                    },
                    Duration::ZERO,
                );
            })
        };
        let sheet = Self {
            clicked: self.clicked.map(leave),
            ..self
        };
        let button = view! {
            <button
                type="button"
                class="button preview-open"
                aria-haspopup="dialog"
                on:click=move |_| open.set(true)
            >
                {icon(Icon::Eye)}
                {t.preview_open}
            </button>
        };
        let preview = view! {
            {frames(self, Stand::Beside)}
            {dialog(open, t.preview, false, move || frames(sheet, Stand::Sheet))}
        };
        Beside {
            button: button.into_any(),
            preview: preview.into_any(),
        }
    }
}

fn frames(what: Preview, stand: Stand) -> AnyView {
    let t = texts();
    let phone = RwSignal::new(what.on_phone || stand == Stand::Sheet && !wider_than(PHONE));
    let dark = RwSignal::new(false);
    let drawings = RwSignal::new(Vec::<Drawing>::new());
    let failed = RwSignal::new(None::<UiError>);
    let counter = StoredValue::new(0_u64);
    let stage = NodeRef::<html::Div>::new();
    let seen = seen(stand);

    // The server does not know what the system prefers.
    Effect::new(move |_| {
        if page_is_dark() {
            dark.set(true);
        }
    });
    Effect::new(move |drawn: Option<bool>| {
        if !seen.get() {
            return false;
        }
        what.watch.run(());
        let dark = dark.get();
        let draw_now = move || {
            let id = counter.get_value() + 1;
            counter.set_value(id);
            let drawing = what.draw.run((page_nonce(), dark));
            let entrance = what.entrance.map(|entrance| untrack(|| entrance.run(())));
            spawn_local(async move {
                let result = drawing.await;
                // A newer draft is on its way, or the page is gone.
                if counter.try_get_value() != Some(id) {
                    return;
                }
                match result {
                    Ok(html) => {
                        failed.set(None);
                        drawings.update(|drawings| {
                            drawings.truncate(1);
                            drawings.push(Drawing { id, html, entrance });
                        });
                    }
                    Err(error) => failed.set(Some(error)),
                }
            });
        };
        if drawn == Some(true) {
            let timer = set_timeout_with_handle(draw_now, PAUSE).ok();
            on_cleanup(move || {
                if let Some(timer) = timer {
                    timer.clear();
                }
            });
        } else {
            draw_now();
        }
        true
    });
    // The newest drawing takes the place of older ones once it shows something.
    let shown = StoredValue::new(None::<String>);
    let ready = move |id: u64| {
        let first = drawings.try_update(|all| {
            all.retain(|other| other.id >= id);
            all.first().filter(|first| first.id == id).cloned()
        });
        let Some(Some(Drawing { entrance, .. })) = first else {
            return;
        };
        let before = shown.get_value();
        if before.is_some() && before != entrance {
            let_in(stage, id);
        }
        shown.set_value(entrance);
    };
    listen(stage, Callback::new(ready), what.clicked);

    let frame = move |drawing: Drawing| {
        let id = drawing.id;
        view! {
            <iframe
                class:waiting=move || drawings.with(|all| all.first().is_some_and(|first| first.id != id))
                title=t.preview
                sandbox="allow-scripts"
                srcdoc=drawing.html
                data-drawing=id.to_string()
                on:load=move |_| set_timeout(move || ready(id), PATIENCE)
            ></iframe>
        }
    };
    view! {
        <section class="preview" aria-label=t.preview>
            <div class="preview-bar">
                {segments(
                    t.preview_width,
                    phone,
                    (Icon::Desktop, t.desktop),
                    (Icon::Phone, t.phone),
                )}
                {segments(t.theme, dark, (Icon::Sun, t.theme_light), (Icon::Moon, t.theme_dark))}
                {what.controls.map(|controls| controls.run(()))}
            </div>
            <div node_ref=stage class="preview-stage" class:phone=phone class:desktop=move || !phone.get()>
                <For each=move || drawings.get() key=|drawing| drawing.id children=frame />
                <noscript><p class="preview-note">{t.needs_script}</p></noscript>
            </div>
            {move || {
                failed
                    .get()
                    .map(|error| {
                        let text = match &error {
                            UiError::Invalid { .. } if drawings.with(Vec::is_empty) => {
                                t.preview_not_yet.to_owned()
                            }
                            UiError::Invalid { .. } => t.preview_invalid.to_owned(),
                            other => error_message(t, other),
                        };
                        view! { <p class="preview-note" role="status">{text}</p> }
                    })
            }}
        </section>
    }
    .into_any()
}

/// True while the preview is visible. A hidden one is not drawn.
fn seen(stand: Stand) -> Memo<bool> {
    let resized = RwSignal::new(());
    Effect::new(move |_| {
        let listener = window_event_listener(ev::resize, move |_| resized.set(()));
        on_cleanup(move || listener.remove());
    });
    Memo::new(move |_| {
        resized.track();
        stand != Stand::Beside || wider_than(ROOM)
    })
}

/// True if this page is drawn in dark colours.
fn page_is_dark() -> bool {
    if let Some(theme) = Preferences::of_this_page().theme {
        return theme == Theme::Dark;
    }
    let asked = window().match_media("(prefers-color-scheme: dark)");
    asked.ok().flatten().is_some_and(|asked| asked.matches())
}

fn wider_than(pixels: f64) -> bool {
    let width = window().inner_width().ok();
    width
        .and_then(|width| width.as_f64())
        .is_some_and(|width| width > pixels)
}

/// Two ways to see the same thing.
pub fn segments(
    label: &'static str,
    second: RwSignal<bool>,
    off: (Icon, &'static str),
    on: (Icon, &'static str),
) -> AnyView {
    let button = move |value: bool, (picture, text): (Icon, &'static str)| {
        view! {
            <button
                type="button"
                aria-pressed=move || if second.get() == value { "true" } else { "false" }
                on:click=move |_| second.set(value)
            >
                {icon(picture)}
                <span class="segment-text">{text}</span>
            </button>
        }
    };
    view! {
        <div class="segments" role="group" aria-label=label>
            {button(false, off)}
            {button(true, on)}
        </div>
    }
    .into_any()
}

/// The nonce of this page's scripts, which a frame made from text inherits the need for.
fn page_nonce() -> String {
    document()
        .query_selector("script[nonce]")
        .ok()
        .flatten()
        .and_then(|script| js_sys::Reflect::get(&script, &"nonce".into()).ok())
        .and_then(|nonce| nonce.as_string())
        .unwrap_or_default()
}

/// Asks the widget of a drawing to come in.
fn let_in(stage: NodeRef<html::Div>, id: u64) {
    let frame = stage.get_untracked().and_then(|stage| {
        let frame = stage.query_selector(&format!("iframe[data-drawing='{id}']"));
        frame.ok().flatten()
    });
    let frame = frame.and_then(|frame| frame.dyn_into::<web_sys::HtmlIFrameElement>().ok());
    let message = js_sys::Object::new();
    let named = js_sys::Reflect::set(&message, &"placetPreviewEnters".into(), &true.into());
    if let (Some(window), Ok(true)) = (frame.and_then(|frame| frame.content_window()), named) {
        // The sandboxed document has no origin to name. A frame that is gone needs no message.
        let _ = window.post_message(&message, "*");
    }
}

/// Hears the frames in `stage`, and nothing else: which shows something, and what was clicked.
fn listen(stage: NodeRef<html::Div>, ready: Callback<u64>, clicked: Option<Callback<Clicked>>) {
    Effect::new(move |_| {
        let listener = window_event_listener(ev::message, move |event| {
            let Some(stage) = stage.get_untracked() else {
                return;
            };
            let Ok(frames) = stage.query_selector_all("iframe") else {
                return;
            };
            let source = event.source();
            let frame = (0..frames.length())
                .filter_map(|index| {
                    frames
                        .get(index)?
                        .dyn_into::<web_sys::HtmlIFrameElement>()
                        .ok()
                })
                .find(|frame| {
                    let window = frame.content_window().map(js_sys::Object::from);
                    window.is_some() && window == source
                });
            let Some(frame) = frame else {
                return;
            };
            let Ok(message) = js_sys::Reflect::get(&event.data(), &"placetPreview".into()) else {
                return;
            };
            let field = |name: &str| {
                js_sys::Reflect::get(&message, &name.into())
                    .ok()
                    .and_then(|value| value.as_string())
            };
            match (field("part"), clicked) {
                (Some(part), Some(clicked)) => {
                    clicked.run(Clicked {
                        part,
                        step: field("step"),
                        vendor: field("vendor"),
                    });
                }
                (Some(_), None) => {}
                (None, _) => {
                    let id = frame
                        .get_attribute("data-drawing")
                        .and_then(|id| id.parse().ok());
                    if let Some(id) = id {
                        ready.run(id);
                    }
                }
            }
        });
        on_cleanup(move || listener.remove());
    });
}
