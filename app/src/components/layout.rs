//! The head of a page and other pieces that every page is laid out with.

use leptos::prelude::*;

use crate::i18n::texts;
use crate::icon::{Icon, icon};

/// The head of a page: title, a sentence, and its actions.
pub fn page_head(
    title: impl Into<String>,
    text: impl IntoView + 'static,
    actions: impl IntoView + 'static,
) -> AnyView {
    let title: String = title.into();
    view! {
        <header class="page-head">
            <div>
                <h1>{title}</h1>
                <p>{text.into_any()}</p>
            </div>
            <div class="page-actions">{actions.into_any()}</div>
        </header>
    }
    .into_any()
}

/// The way back up, for pages deeper than two levels: links, then the page itself.
pub fn crumbs(links: Vec<(String, String)>, here: String) -> AnyView {
    let t = texts();
    view! {
        <nav class="crumbs" aria-label=t.crumbs>
            <ol>
                {links
                    .into_iter()
                    .map(|(href, label)| view! { <li><a href=href>{label}</a></li> })
                    .collect_view()}
                <li aria-current="page" class="truncate">{here}</li>
            </ol>
        </nav>
    }
    .into_any()
}

/// The tone of a badge or notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Neutral,
    Ok,
    Warn,
    Danger,
    Accent,
}

/// A state in one word.
pub fn badge(tone: Tone, text: impl Into<String>) -> AnyView {
    let class = match tone {
        Tone::Neutral => "badge",
        Tone::Ok => "badge badge-ok",
        Tone::Warn => "badge badge-warn",
        Tone::Danger => "badge badge-danger",
        Tone::Accent => "badge badge-accent",
    };
    let text: String = text.into();
    view! { <span class=class>{text}</span> }.into_any()
}

/// A sentence that must not be missed.
pub fn notice(tone: Tone, content: impl IntoView + 'static) -> AnyView {
    let (class, picture) = match tone {
        Tone::Ok => ("notice notice-ok", Icon::Check),
        Tone::Warn => ("notice notice-warn", Icon::Warning),
        Tone::Danger => ("notice notice-danger", Icon::Warning),
        Tone::Neutral | Tone::Accent => ("notice", Icon::Bolt),
    };
    view! {
        <div class=class>
            {icon(picture)}
            <div>{content.into_any()}</div>
        </div>
    }
    .into_any()
}

/// A figure with its name and a remark.
pub fn tile(
    name: &'static str,
    figure: impl IntoView + 'static,
    remark: impl IntoView + 'static,
) -> AnyView {
    view! {
        <div class="tile">
            <dt>{name}</dt>
            <dd>{figure.into_any()}</dd>
            <dd class="hint">{remark.into_any()}</dd>
        </div>
    }
    .into_any()
}

/// Writes a button's face: its label, or the work in progress.
pub fn busy_label(busy: Signal<bool>, label: &'static str) -> AnyView {
    view! {
        {move || busy.get().then(|| view! { <span class="spinner" aria-hidden="true"></span> })}
        {label}
    }
    .into_any()
}
