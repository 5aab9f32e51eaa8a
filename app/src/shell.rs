//! The HTML document around the app.

use leptos::prelude::*;
use leptos_meta::MetaTags;

use crate::early;
use crate::i18n::Locale;
use crate::map::Part;
use crate::routes::App;
use crate::session::{Preferences, Theme};

/// Addresses of the files that a page loads, hashed names included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageAssets {
    /// The style sheet.
    pub css: String,
    /// The script that loads the app.
    pub js: String,
    /// The script that loads its parts.
    pub loader: String,
    /// The first part of the app.
    pub wasm: String,
    /// The files of the other parts, by the part's name.
    pub parts: Vec<(&'static str, String)>,
    /// The file that all other parts need.
    pub shared: String,
    /// The icon in the browser's tab.
    pub icon: String,
}

fn part_of_this_page() -> Option<Part> {
    #[cfg(feature = "ssr")]
    return {
        use crate::map::Page;
        let parts = use_context::<http::request::Parts>()?;
        Page::of(parts.uri.path()).map(Page::part)
    };
    #[cfg(not(feature = "ssr"))]
    None
}

/// Renders the document. The server provides [`PageAssets`] and [`Preferences`] in context.
pub fn shell() -> impl IntoView {
    let assets = use_context::<PageAssets>().unwrap_or_default();
    let preferences = Preferences::of_this_page();
    let nonce = leptos::nonce::use_nonce();
    // No hydration where the app was not built in: the pages still read and sign in.
    let hydration = (!assets.js.is_empty()).then(|| {
        let start = format!(
            "import start, {{ hydrate }} from {js:?};\
             start({{ module_or_path: {wasm:?} }}).then(() => hydrate());",
            js = assets.js,
            wasm = assets.wasm,
        );
        // All at once: the app would ask for its parts only when it runs.
        let needed = [
            part_of_this_page().map(Part::name),
            (preferences.locale == Locale::Fr).then_some("french"),
        ];
        let needs_parts = needed.iter().any(Option::is_some);
        let parts = assets.parts.into_iter();
        let modules = parts
            .filter(|(name, _)| needed.contains(&Some(*name)))
            .map(|(_, file)| file)
            .chain(needs_parts.then_some(assets.shared))
            .chain([assets.wasm])
            .map(|file| {
                view! { <link rel="preload" href=file r#as="fetch" crossorigin="anonymous" /> }
            })
            .collect_view();
        view! {
            <script nonce=nonce.clone()>{early::WATCH}</script>
            <link rel="modulepreload" href=assets.js.clone() nonce=nonce.clone() />
            <link rel="modulepreload" href=assets.loader nonce=nonce.clone() />
            {modules}
            <script type="module" nonce=nonce.clone()>
                {start}
            </script>
        }
    });
    view! {
        <!DOCTYPE html>
        <html lang=preferences.locale.code() data-theme=preferences.theme.map(Theme::code)>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <meta name="robots" content="noindex" />
                // Nothing is told to other sites; our own need to know that a form is ours.
                <meta name="referrer" content="same-origin" />
                <link rel="stylesheet" href=assets.css />
                <link rel="icon" href=assets.icon />
                {hydration}
                <MetaTags />
            </head>
            <body>
                <App />
            </body>
        </html>
    }
}
