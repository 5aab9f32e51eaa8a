//! The app: router, context for all pages, document titles.

use std::time::Duration;

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::components::{ParentRoute, Route, Router, Routes};
use leptos_router::{SsrMode, path};

use crate::components::time::Now;
use crate::components::toast::{Toasts, toast_region};
use crate::frame::{Frame, ProjectTitle};
use crate::map::Page;
use crate::pages;
use crate::parts::Lazy;
use crate::rcdata::rcdata;
use crate::session::Preferences;

/// The moment of rendering, from the server's clock; the server provides it in context.
#[derive(Clone, Copy, Debug, Default)]
pub struct RenderedAt(pub i64);

macro_rules! routes {
    (
        before_sign_in { $($before:ident = $a:ident, $before_path:tt, $($b:ident)::+, $c:ident $(, $d:ident)?;)+ }
        signed_in { $($after:ident = $e:ident, $after_path:tt, $($f:ident)::+, $g:ident $(, $h:ident $($i:literal)?)?;)+ }
    ) => {
        fn routes() -> impl IntoView {
            view! {
                <Routes fallback=pages::missing::page>
                    $(<Route path=path!($before_path) view=Lazy(Page::$before) ssr=SsrMode::Async />)+
                    <ParentRoute path=path!("") view=Frame ssr=SsrMode::Async>
                        $(<Route path=path!($after_path) view=Lazy(Page::$after) ssr=SsrMode::Async />)+
                    </ParentRoute>
                </Routes>
            }
        }
    };
}

pages! { routes }

/// The whole app.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    let preferences = Preferences::of_this_page();
    provide_context(preferences);
    provide_context(preferences.locale);
    provide_context(Toasts::new());
    let project = ProjectTitle::default();
    provide_context(project.clone());
    let rendered_at =
        SharedValue::new(|| use_context::<RenderedAt>().unwrap_or_default().0).into_inner();
    provide_context(Now::start(rendered_at));
    // Tells tests that the page is alive: what waits for data hydrates in microtasks, which all
    // run before the next timer.
    Effect::new(|_| {
        set_timeout(
            || {
                if let Some(html) = document().document_element() {
                    let _ = html.set_attribute("data-alive", "");
                }
            },
            Duration::ZERO,
        );
    });
    view! {
        <Title formatter=move |title| rcdata(project.in_title(title)) text="Placet" />
        <Router>{routes()}</Router>
        {toast_region()}
    }
}
