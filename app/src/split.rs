//! Views of code that browsers load when they need it.

use futures::FutureExt;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_split_helpers::SplitLoaderError;

use crate::components::loading::{block_skeleton, error_state};
use crate::error::UiError;

/// The view that a loaded part renders.
pub fn now(view: impl Future<Output = Result<AnyView, SplitLoaderError>>) -> AnyView {
    match view.now_or_never() {
        Some(Ok(view)) => view,
        _ => missing(),
    }
}

/// Shows that something comes, then the view, which needs what is loaded. Browsers alone load it: the server would render
/// one or the other, as its tasks happen to run.
pub fn once_loaded(
    load: impl Future<Output = Result<(), SplitLoaderError>> + 'static,
    view: impl Fn() -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let loaded = RwSignal::new(None);
    if cfg!(target_family = "wasm") {
        spawn_local(async move {
            let outcome = load.await;
            // The person may have left meanwhile.
            let _ = loaded.try_set(Some(outcome.is_ok()));
        });
    }
    let content = move || match loaded.get() {
        None => block_skeleton(),
        Some(true) => view(),
        Some(false) => missing(),
    };
    view! { {content} }.into_any()
}

/// Says that a part did not load. The next try loads the whole page: the part may be gone because
/// the server has a newer version.
fn missing() -> AnyView {
    let again = Callback::new(|()| {
        let _ = window().location().reload();
    });
    error_state(&UiError::Unreachable, Some(again))
}
