//! Steps of a widget: their list (added, moved, removed) and the form of one.

use domain::documents::{Layout, STEP, steps_beside_tcf};
use leptos::prelude::*;
use serde_json::{Value, json};

use super::buttons::icon_button;
use super::own_language;
use super::state::{Editor, Place, remove_steps_beside};
use super::vendors::step_vendors;
use super::words::{OwnWords, string_fields};
use crate::components::dialog::dialog;
use crate::components::draft::Draft;
use crate::components::field::{Picture, pictures};
use crate::components::focus::focus_when_there;
use crate::components::illustrations::picture;
use crate::components::layout::{Tone, notice};
use crate::components::rich::rich;
use crate::components::undo::Undo;
use crate::i18n::{StepTexts, Texts, fill};
use crate::icon::{Icon, icon};
use crate::pages::fields::{label, layout_name, layout_sketch, line, switch};

/// A sketch of a layout.
fn layout_picture(layout: Layout) -> AnyView {
    view! {
        <svg width="56" height="42" viewBox="0 0 56 42" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
            <rect x="2" y="2" width="52" height="38" rx="5"></rect>
            <path d=layout_sketch(layout)></path>
        </svg>
    }
    .into_any()
}

fn steps_of(draft: Draft) -> Vec<Value> {
    draft
        .at("/steps")
        .and_then(|steps| steps.as_array().cloned())
        .unwrap_or_default()
}

fn write_steps(draft: Draft, steps: Vec<Value>) {
    draft.set("/steps", Some(Value::Array(steps)));
}

/// The label of a step: its title, else its name. A step of TCF mostly has no title.
pub fn step_label(step: &Value, t: &'static Texts) -> String {
    let text = |key: &str| step.get(key).and_then(Value::as_str);
    let layout = Layout::of(step).filter(|layout| *layout == Layout::Iab);
    let layout = layout.map(layout_name);
    [text("title"), layout, text("name")]
        .into_iter()
        .flatten()
        .find(|text| !text.trim().is_empty())
        .unwrap_or(t.untitled)
        .to_owned()
}

/// Moves the item at `from` so that it stands at `to`.
fn moved<T>(mut items: Vec<T>, from: usize, to: usize) -> Vec<T> {
    if from < items.len() && to < items.len() {
        let item = items.remove(from);
        items.insert(to, item);
    }
    items
}

/// The list on the left; its steps can be dragged.
pub fn step_list(editor: Editor) -> AnyView {
    let Editor {
        draft, place, t, ..
    } = editor;
    let dragged = RwSignal::new(None::<usize>);
    let target = RwSignal::new(None::<usize>);
    // Only what the list shows: typing a message must not rebuild it.
    let labels = Memo::new(move |_| {
        steps_of(draft)
            .iter()
            .map(|step| (step_label(step, t), Layout::of(step)))
            .collect::<Vec<_>>()
    });
    let broken = move |index: usize| draft.problem(&format!("/steps/{index}")).is_some();
    let shift = move |from: usize, to: usize| move_step(editor, from, to);
    let rows = move || {
        let labels = labels.get();
        labels
            .into_iter()
            .enumerate()
            .map(|(index, (label, layout))| {
                let picture = if layout == Some(Layout::Category) { Icon::Bolt } else { Icon::Modal };
                view! {
                    <li
                        class="editor-item"
                        class:dragging=move || dragged.get() == Some(index)
                        class:target=move || target.get() == Some(index) && dragged.get() != Some(index)
                        draggable=move || if draft.read_only.get() { "false" } else { "true" }
                        on:dragstart=move |_| dragged.set(Some(index))
                        on:dragend=move |_| {
                            dragged.set(None);
                            target.set(None);
                        }
                        on:dragover=move |event| {
                            if dragged.get_untracked().is_some() {
                                event.prevent_default();
                                target.set(Some(index));
                            }
                        }
                        on:drop=move |event| {
                            event.prevent_default();
                            if let Some(from) = dragged.get_untracked() {
                                shift(from, index);
                            }
                        }
                    >
                        <a
                            href=format!("?at=step-{}", index + 1)
                            draggable="false"
                            aria-current=move || (place.get() == Place::Step(index)).then_some("true")
                        >
                            {icon(picture)}
                            <span class="truncate">{label}</span>
                            {move || broken(index).then(|| view! { <span class="dot"></span><span class="quiet">{t.widget().has_problems}</span> })}
                        </a>
                    </li>
                }
                .into_any()
            })
            .collect_view()
    };
    view! { <ol>{rows}</ol> }.into_any()
}

/// Moves a step; the form goes along.
fn move_step(editor: Editor, from: usize, to: usize) {
    let Editor {
        draft, place, go, ..
    } = editor;
    write_steps(draft, moved(steps_of_untracked(draft), from, to));
    if place.get_untracked() == Place::Step(from) {
        go.run(Place::Step(to));
    }
}

/// The head of a step's form: which it is, and what can be done to it.
fn step_bar(editor: Editor, index: usize) -> AnyView {
    let Editor { draft, go, t, .. } = editor;
    let undo = Undo::of(draft);
    let count = Memo::new(move |_| steps_of(draft).len());
    let remove = move || {
        let before = draft.value_untracked();
        let mut steps = steps_of_untracked(draft);
        if index >= steps.len() {
            return;
        }
        let gone = step_label(&steps.remove(index), t);
        let left = steps.len();
        write_steps(draft, steps);
        let next = index.min(left.saturating_sub(1));
        go.run(Place::Step(next));
        focus_when_there(vec![
            format!("step-{next}-of-{left}"),
            "add-step".to_owned(),
        ]);
        undo.offer(fill(t.step_removed, &[("title", &gone)]), before);
    };
    let title = move || {
        let (n, total) = ((index + 1).to_string(), count.get().to_string());
        fill(t.widget().step_n_of, &[("n", &n), ("total", &total)])
    };
    let buttons = move || {
        let last = index + 1 >= count.get();
        (!draft.read_only.get()).then(|| {
            view! {
                <div class="row step-actions">
                    {icon_button(format!("step-{index}-up"), t.move_up.to_owned(), Icon::ChevronUp, index == 0, move || {
                        let to = index.saturating_sub(1);
                        move_step(editor, index, to);
                        focus_when_there(["up", "down"].map(|what| format!("step-{to}-{what}")).into());
                    })}
                    {icon_button(format!("step-{index}-down"), t.move_down.to_owned(), Icon::ChevronDown, last, move || {
                        let to = index + 1;
                        move_step(editor, index, to);
                        focus_when_there(["down", "up"].map(|what| format!("step-{to}-{what}")).into());
                    })}
                    {icon_button(format!("step-{index}-remove"), t.widget().remove_step.to_owned(), Icon::Trash, false, remove)}
                </div>
            }
        })
    };
    view! {
        <div class="row-between">
            <h2 id=move || format!("step-{index}-of-{}", count.get()) tabindex="-1">{title}</h2>
            {buttons}
        </div>
    }
    .into_any()
}

fn steps_of_untracked(draft: Draft) -> Vec<Value> {
    untrack(|| steps_of(draft))
}

/// Adding a step: a choice among pictures.
pub fn add_step(editor: Editor) -> AnyView {
    let Editor { draft, go, t, .. } = editor;
    let w = StepTexts::of_this_page();
    let open = RwSignal::new(false);
    let undo = Undo::of(draft);
    let add = move |layout: Layout| {
        let before = draft.value_untracked();
        let mut steps = steps_of_untracked(draft);
        let mut step = json!({"name": free_name(&steps, layout), "layout": layout});
        if layout == Layout::Category
            && let Some(fields) = step.as_object_mut()
        {
            fields.insert("vendors".into(), json!([]));
            // As in a new configuration.
            fields.insert("groupByCategory".into(), json!(true));
        }
        steps.push(step);
        let last = steps.len() - 1;
        write_steps(draft, steps);
        open.set(false);
        if layout == Layout::Iab {
            if remove_steps_beside(draft) {
                undo.offer(w.steps_removed, before);
            }
            go.run(Place::Framework);
        } else {
            go.run(Place::Step(last));
        }
    };
    let content = move || {
        let choices = Layout::ALL
            .iter()
            .map(|&layout| {
                view! {
                    <button type="button" class="choice" on:click=move |_| add(layout)>
                        {layout_picture(layout)}
                        <span>{layout_name(layout)}</span>
                    </button>
                }
            })
            .collect_view();
        view! {
            <div class="dialog-body">
                <p class="muted">{t.widget().add_step_text}</p>
                <div class="choices">{choices}</div>
            </div>
        }
        .into_any()
    };
    view! {
        {move || {
            (!draft.read_only.get())
                .then(|| {
                    view! {
                        <div class="editor-item">
                            <button type="button" id="add-step" on:click=move |_| open.set(true)>
                                {icon(Icon::Plus)}
                                {t.widget().add_step}
                            </button>
                        </div>
                    }
                })
        }}
        {dialog(open, t.widget().add_step, false, content)}
    }
    .into_any()
}

/// A name for a new step that no other step has.
fn free_name(steps: &[Value], layout: Layout) -> String {
    let taken = |name: &str| {
        steps
            .iter()
            .any(|step| step.get("name").and_then(Value::as_str) == Some(name))
    };
    let base = if layout == Layout::Category {
        "services"
    } else {
        layout.as_str()
    };
    // One more try than there are steps finds a free one.
    (1..=steps.len() + 1)
        .map(|n| {
            if n == 1 {
                base.to_owned()
            } else {
                format!("{base}-{n}")
            }
        })
        .find(|name| !taken(name))
        .unwrap_or_default()
}

/// The form of one step.
pub fn step_form(editor: Editor, index: usize) -> AnyView {
    let Editor { draft, t, .. } = editor;
    let at = format!("/steps/{index}");
    let there = {
        let at = at.clone();
        Memo::new(move |_| draft.at(&at).is_some())
    };
    let layout = {
        let at = format!("{at}/layout");
        Memo::new(move |_| Layout::parse(&draft.text(&at)))
    };
    let form = move || {
        if !there.get() {
            return view! { <p class="muted card card-pad">{t.widget().no_step_here}</p> }
                .into_any();
        }
        let layout = layout.get();
        let options = Layout::ALL
            .iter()
            .map(|layout| Picture {
                value: layout.as_str(),
                label: layout_name(*layout),
                picture: layout_picture(*layout),
                disabled: false,
            })
            .collect();
        let is_tcf = layout == Some(Layout::Iab);
        let asks = layout.is_none_or(Layout::takes_vendors);
        let services = asks.then(|| step_vendors(editor, index));
        let timeout = layout
            .is_some_and(Layout::is_notice)
            .then(|| line(draft, format!("{at}/timeout")).view());
        let message = rich(
            draft,
            format!("{at}/message"),
            label(&STEP, "message"),
            Signal::derive(move || own_language(draft)),
        );
        let message = if index == 0 {
            message.hint(t.widget().first_message_hint)
        } else {
            message
        };
        let message = message.view();
        view! {
            <section class="card card-pad form form-wide" aria-label=t.step>
                {step_bar(editor, index)}
                {is_tcf.then(|| about_tcf(draft))}
                {line(draft, format!("{at}/title")).view()}
                {message}
                {(asks && !is_tcf).then(|| switch(draft, format!("{at}/showToggleAllSwitch")))}
                {(layout == Some(Layout::Category)).then(|| switch(draft, format!("{at}/groupByCategory")))}
                {timeout}
            </section>
            {services}
            <section class="card card-pad form form-wide" aria-label=t.widget().more_of_step>
                {pictures(draft, format!("{at}/layout"), label(&STEP, "layout"), "", options)}
                <div class="form-pair">
                    {line(draft, format!("{at}/topTitle")).view()}
                    {line(draft, format!("{at}/subTitle")).view()}
                </div>
                {picture(draft, editor.project.get_value(), format!("{at}/image"), label(&STEP, "image"))}
                {line(draft, format!("{at}/name")).view()}
            </section>
            {step_words(editor, at.clone())}
        }
        .into_any()
    };
    view! { <div class="stack">{form}</div> }.into_any()
}

/// Leads a step that asks by TCF on to the choices that it needs.
fn about_tcf(draft: Draft) -> AnyView {
    let w = StepTexts::of_this_page();
    let others = Memo::new(move |_| {
        draft.with_at("", |whole| whole.map_or(0, |it| steps_beside_tcf(it).len()))
    });
    let beside = move || {
        (others.get() > 0).then(|| {
            let content = view! {
                <p>{w.steps_beside}</p>
                <div class="row">
                    <button
                        type="button"
                        class="button button-small"
                        disabled=draft.read_only
                        on:click=move |_| {
                            remove_steps_beside(draft);
                        }
                    >
                        {w.steps_remove}
                    </button>
                </div>
            };
            notice(Tone::Danger, content)
        })
    };
    let lead = view! {
        <p>{w.lead}</p>
        <div class="row">
            <a class="button button-small" href=format!("?at={}", Place::Framework.code())>{w.lead_button}</a>
        </div>
    };
    view! {
        {beside}
        {notice(Tone::Neutral, lead)}
    }
    .into_any()
}

/// The step's own words: few want them, so they are fetched and shown when asked for.
fn step_words(editor: Editor, at: String) -> AnyView {
    let t = editor.t;
    let open = RwSignal::new(false);
    let fields = move || {
        open.get().then(|| {
            view! {
                <div class="stack">
                    <p class="muted">{t.widget().step_words_text}</p>
                    {string_fields(editor, OwnWords::in_own_language(editor.draft, at.clone()))}
                </div>
            }
        })
    };
    view! {
        <details class="card card-pad form form-wide" on:toggle:target=move |event| open.set(event.target().open())>
            <summary>{label(&STEP, "strings")}</summary>
            {fields}
        </details>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_keeps_every_item_once() {
        assert_eq!(moved(vec![1, 2, 3], 0, 2), [2, 3, 1]);
        assert_eq!(moved(vec![1, 2, 3], 2, 0), [3, 1, 2]);
        assert_eq!(moved(vec![1, 2, 3], 0, 3), [1, 2, 3]);
    }

    #[test]
    fn new_steps_have_free_names() {
        let steps = [json!({"name": "services"}), json!({"name": "services-2"})];
        assert_eq!(free_name(&steps, Layout::Category), "services-3");
        assert_eq!(free_name(&steps, Layout::Welcome), "welcome");
    }
}
