//! There is no such page.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::i18n::texts;
use crate::icon::{Icon, icon, mark};
use crate::map::Page;

pub fn page() -> AnyView {
    let t = texts();
    #[cfg(feature = "ssr")]
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        response.set_status(http::StatusCode::NOT_FOUND);
    }
    view! {
        <Title text=t.not_found_title />
        <div class="gate">
            <header><a class="brand" href=Page::Projects.path()>{mark()} "Placet"</a></header>
            <main>
                <div class="empty">
                    {icon(Icon::Search)}
                    <h1>{t.not_found_title}</h1>
                    <p>{t.error_not_found}</p>
                    <a class="button" href=Page::Projects.path()>{t.to_projects}</a>
                </div>
            </main>
            <span></span>
        </div>
    }
    .into_any()
}
