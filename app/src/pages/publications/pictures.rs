//! The pictures of a publication.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::copy::copyable;
use crate::components::following::following;
use crate::components::layout::{Tone, busy_label, notice};
use crate::components::loading::{block_skeleton, error_notice, loaded};
use crate::components::time::moment;
use crate::error::UiError;
use crate::fns::pictures::{Layer, Pictures, State, ask_for_pictures, read_pictures};
use crate::i18n::{EvidenceTexts, fill, texts};

/// Time between two questions whether they are taken.
const EVERY: Duration = Duration::from_secs(2);

/// The pictures of a publication, once they are read.
pub(super) type Data = Resource<Result<Pictures, UiError>>;

/// The key of a publication: its project, its configuration and itself.
type Key = (String, String, String);

/// Asks for the pictures of a publication. The page must do it before it waits for the publication, see
/// [`fetched`](crate::components::loading::fetched).
pub(super) fn read(key: Memo<Key>) -> Data {
    following(
        move || key.get(),
        |(project, configuration, publication)| read_pictures(project, configuration, publication),
    )
}

/// The section of a publication.
pub(super) fn section(key: Key, data: Data) -> AnyView {
    let w = EvidenceTexts::of_this_page();
    let key = StoredValue::new(key);
    // Kept while the section is read again.
    let width = RwSignal::new(None::<u32>);
    Effect::new(move |_| {
        let is_asked =
            data.with(|found| matches!(found, Some(Ok(found)) if found.state == State::Asked));
        if is_asked && let Ok(timer) = set_timeout_with_handle(move || data.refetch(), EVERY) {
            on_cleanup(move || timer.clear());
        }
    });
    let content = loaded(data, block_skeleton, move |pictures| {
        content(pictures, data, key, width)
    });
    view! {
        <section class="card" aria-labelledby="pictures-title">
            <div class="card-head"><h2 id="pictures-title">{w.pictures}</h2></div>
            <div class="card-body stack">{content}</div>
        </section>
    }
    .into_any()
}

fn content(
    pictures: Pictures,
    data: Data,
    key: StoredValue<Key>,
    width: RwSignal<Option<u32>>,
) -> AnyView {
    let w = EvidenceTexts::of_this_page();
    let ask = (pictures.is_on && pictures.may_ask).then(|| button(pictures.state, data, key));
    let off = (!pictures.is_on).then_some(w.pictures_off);
    match pictures.state {
        State::Absent => view! { <p>{w.pictures_absent} " " {off}</p> {ask} }.into_any(),
        State::Asked => {
            view! { <p role="status">{busy_label(Signal::stored(true), w.pictures_asked)}</p> }
                .into_any()
        }
        State::Failed => {
            let text = fill(w.pictures_failed, &[("fault", &pictures.fault)]);
            view! { {notice(Tone::Warn, text)} {off.map(|off| view! { <p>{off}</p> })} {ask} }
                .into_any()
        }
        State::Taken => shown(pictures, width),
    }
}

/// Asks for pictures, and says why not.
fn button(state: State, data: Data, key: StoredValue<Key>) -> AnyView {
    let (t, w) = (texts(), EvidenceTexts::of_this_page());
    let label = if state == State::Failed {
        t.try_again
    } else {
        w.take_pictures
    };
    let pending = RwSignal::new(false);
    let refused = RwSignal::new(None::<UiError>);
    let ask = move |_| {
        if pending.get_untracked() {
            return;
        }
        pending.set(true);
        refused.set(None);
        let (project, configuration, publication) = key.get_value();
        spawn_local(async move {
            let asked = ask_for_pictures(project, configuration, publication).await;
            // The page may be gone.
            if pending.try_set(false).is_some() {
                return;
            }
            match asked {
                Ok(()) => data.refetch(),
                Err(error) => refused.set(Some(error)),
            }
        });
    };
    view! {
        {error_notice(refused.into())}
        <div>
            <button type="button" class="button" disabled=pending on:click=ask>
                {busy_label(pending.into(), label)}
            </button>
        </div>
    }
    .into_any()
}

fn shown(pictures: Pictures, chosen: RwSignal<Option<u32>>) -> AnyView {
    let w = EvidenceTexts::of_this_page();
    let first = pictures.layers.first();
    let widths: Vec<u32> = first
        .map(|layer| layer.pictures.iter().map(|picture| picture.width).collect())
        .unwrap_or_default();
    let widest = widths.last().copied().unwrap_or_default();
    let width = Memo::new(move |_| chosen.get().unwrap_or(widest));
    let choices = widths
        .into_iter()
        .map(|one| {
            view! {
                <button
                    type="button"
                    aria-pressed=move || if width.get() == one { "true" } else { "false" }
                    on:click=move |_| chosen.set(Some(one))
                >
                    {format!("{one} px")}
                </button>
            }
        })
        .collect_view();
    let layers = pictures
        .layers
        .into_iter()
        .map(|layer| figure(layer, width))
        .collect_view();
    let left_out = (!pictures.left_out.is_empty()).then(|| {
        let names = pictures.left_out.join(", ");
        view! { <p>{fill(w.pictures_left_out, &[("names", &names)])}</p> }
    });
    let findings = pictures.findings.map(|findings| {
        let text = fill(w.pictures_findings, &[("n", &findings.to_string())]);
        view! { <p>{text}</p> }
    });
    view! {
        <p class="muted">{fill(w.pictures_by, &[("browser", &pictures.browser)])} " " {moment(pictures.taken_at)}</p>
        <div class="segments" role="group" aria-label=w.pictures_width>{choices}</div>
        <div class="pictures">{layers}</div>
        {left_out}
        {findings}
        <dl class="facts">
            <dt><a href=pictures.list target="_blank" rel="external">{w.pictures_list}</a></dt>
            <dd>{copyable(pictures.hash, w.pictures_list)}</dd>
        </dl>
    }
    .into_any()
}

/// A layer in the chosen width, and its text.
fn figure(layer: Layer, width: Memo<u32>) -> AnyView {
    let w = EvidenceTexts::of_this_page();
    let name = layer.name;
    let pictures = layer
        .pictures
        .into_iter()
        .map(|picture| {
            let own = picture.width;
            let values = [("layer", name.as_str()), ("width", &own.to_string())];
            let alt = fill(w.picture_alt, &values);
            let source = picture.address.clone();
            view! {
                <a
                    href=picture.address
                    target="_blank"
                    rel="external"
                    hidden=move || width.get() != own
                >
                    <img src=source alt=alt width=own height=picture.height loading="lazy" />
                </a>
            }
        })
        .collect_view();
    view! {
        <figure class="stack-tight">
            <figcaption><code>{name}</code></figcaption>
            {pictures}
            <details>
                <summary>{w.picture_text}</summary>
                <p class="said">{layer.text}</p>
            </details>
        </figure>
    }
    .into_any()
}
