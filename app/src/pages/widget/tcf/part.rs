//! The section as browsers load it: a part of its own, because few banners ask by the Framework.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_split_helpers::SplitLoaderError;

use super::super::state::{Editor, Place};
use super::framework;
use crate::components::draft::Draft;
use crate::components::loading::{block_skeleton, error_state};
use crate::error::UiError;

/// Name of the part among the files.
pub const NAME: &str = "framework";

static IS_HERE: AtomicBool = AtomicBool::new(cfg!(feature = "ssr"));

#[expect(
    clippy::unnecessary_wraps,
    reason = "fetching can fail, where having cannot"
)]
mod apart {
    use super::{AnyView, Draft, Editor, SplitLoaderError, framework};
    use wasm_split_helpers::wasm_split;

    #[wasm_split(framework, fallible, preload(fetch))]
    pub(super) fn render(editor: Editor, look: Draft) -> Result<AnyView, SplitLoaderError> {
        Ok(framework(editor, look))
    }
}

/// True if the query of an editor's address shows the section.
pub fn is_shown(query: &str) -> bool {
    let shown = format!("at={}", Place::Framework.code());
    let query = query.trim_start_matches('?');
    query.split('&').any(|pair| pair == shown)
}

/// Makes sure that the browser has the part.
pub async fn load() -> Result<(), SplitLoaderError> {
    apart::fetch().await?;
    IS_HERE.store(true, Ordering::Relaxed);
    Ok(())
}

/// The section, once its part is there. `look` is the project.
pub fn section(editor: Editor, look: Draft) -> AnyView {
    if IS_HERE.load(Ordering::Relaxed) {
        return render_now(editor, look);
    }
    let loaded = RwSignal::new(None);
    spawn_local(async move {
        let outcome = load().await;
        // The person may have left meanwhile.
        let _ = loaded.try_set(Some(outcome.is_ok()));
    });
    let content = move || match loaded.get() {
        None => block_skeleton(),
        Some(true) => render_now(editor, look),
        Some(false) => missing(),
    };
    view! { {content} }.into_any()
}

fn render_now(editor: Editor, look: Draft) -> AnyView {
    match apart::render(editor, look).now_or_never() {
        Some(Ok(view)) => view,
        _ => missing(),
    }
}

/// Says that the part did not load. The next try loads the whole page, because the server may have a newer version.
fn missing() -> AnyView {
    let again = Callback::new(|()| {
        let _ = window().location().reload();
    });
    error_state(&UiError::Unreachable, Some(again))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_tells_whether_the_section_is_shown() {
        for (query, shown) in [
            ("?at=tcf", true),
            ("a=b&at=tcf", true),
            ("?at=tcf2", false),
            ("", false),
        ] {
            assert_eq!(is_shown(query), shown, "{query}");
        }
    }
}
