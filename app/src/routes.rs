//! Every address of the admin UI.

use std::time::Duration;

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::components::{ParentRoute, Route, Router, Routes};
use leptos_router::{SsrMode, path};

use crate::components::time::Now;
use crate::components::toast::{Toasts, toast_region};
use crate::frame::Frame;
use crate::pages;
use crate::session::Preferences;

/// The moment of rendering, from the server's clock; the server provides it in context.
#[derive(Clone, Copy, Debug, Default)]
pub struct RenderedAt(pub i64);

/// The whole app.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    let preferences = Preferences::of_this_page();
    provide_context(preferences);
    provide_context(preferences.locale);
    provide_context(Toasts::new());
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
        <Title formatter=|title| format!("{title} · Placet") text="Placet" />
        <Router>
            <Routes fallback=pages::missing::page>
                <Route path=path!("/sign-in") view=pages::gate::sign_in ssr=SsrMode::Async />
                <Route path=path!("/sign-up") view=pages::gate::sign_up ssr=SsrMode::Async />
                <Route path=path!("/forgot-password") view=pages::gate::forgot_password ssr=SsrMode::Async />
                <Route path=path!("/reset-password") view=pages::gate::reset_password ssr=SsrMode::Async />
                <Route path=path!("/verify-email") view=pages::gate::verify_email ssr=SsrMode::Async />
                <Route path=path!("/invitation") view=pages::gate::invitation ssr=SsrMode::Async />
                <ParentRoute path=path!("") view=Frame ssr=SsrMode::Async>
                    <Route path=path!("/") view=pages::projects::list ssr=SsrMode::Async />
                    <Route path=path!("/projects/new") view=pages::projects::create ssr=SsrMode::Async />
                    <Route path=path!("/account") view=pages::account::page ssr=SsrMode::Async />
                    <Route path=path!("/account/keys") view=pages::account::keys::page ssr=SsrMode::Async />
                    <Route path=path!("/organizations") view=pages::organizations::list ssr=SsrMode::Async />
                    <Route path=path!("/organizations/:organization") view=pages::organizations::one ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project") view=pages::overview::page ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/widget") view=pages::widget::list ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/widget/:configuration") view=pages::widget::editor ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/vendors") view=pages::vendors::page ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/design") view=pages::design::page ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/publish") view=pages::publish::page ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/install") view=pages::install::page ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/proofs") view=pages::proofs::list ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/proofs/:consent") view=pages::proofs::proof ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/webhooks") view=pages::webhooks::list ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/webhooks/:webhook") view=pages::webhooks::one ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/people") view=pages::people::page ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/settings") view=pages::settings::page ssr=SsrMode::Async />
                </ParentRoute>
            </Routes>
        </Router>
        {toast_region()}
    }
}
