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
use crate::parts::{Lazy, Page};
use crate::rcdata::rcdata;
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
        <Title formatter=|title| rcdata(format!("{title} · Placet")) text="Placet" />
        <Router>
            <Routes fallback=pages::missing::page>
                <Route path=path!("/sign-in") view=Lazy(Page::SignIn) ssr=SsrMode::Async />
                <Route path=path!("/sign-up") view=Lazy(Page::SignUp) ssr=SsrMode::Async />
                <Route path=path!("/forgot-password") view=Lazy(Page::ForgotPassword) ssr=SsrMode::Async />
                <Route path=path!("/reset-password") view=Lazy(Page::ResetPassword) ssr=SsrMode::Async />
                <Route path=path!("/verify-email") view=Lazy(Page::VerifyEmail) ssr=SsrMode::Async />
                <Route path=path!("/invitation") view=Lazy(Page::Invitation) ssr=SsrMode::Async />
                <ParentRoute path=path!("") view=Frame ssr=SsrMode::Async>
                    <Route path=path!("/") view=Lazy(Page::Projects) ssr=SsrMode::Async />
                    <Route path=path!("/projects/new") view=Lazy(Page::NewProject) ssr=SsrMode::Async />
                    <Route path=path!("/account") view=Lazy(Page::Account) ssr=SsrMode::Async />
                    <Route path=path!("/account/keys") view=Lazy(Page::Keys) ssr=SsrMode::Async />
                    <Route path=path!("/organizations") view=Lazy(Page::Organizations) ssr=SsrMode::Async />
                    <Route path=path!("/organizations/:organization") view=Lazy(Page::Organization) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project") view=Lazy(Page::Overview) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/widget") view=Lazy(Page::Configurations) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/widget/:configuration") view=Lazy(Page::Configuration) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/boxes") view=Lazy(Page::Boxes) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/boxes/consent/:box") view=Lazy(Page::ConsentBox) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/boxes/contract/:box") view=Lazy(Page::ContractBox) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/vendors") view=Lazy(Page::Vendors) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/design") view=Lazy(Page::Design) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/publish") view=Lazy(Page::Publish) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/install") view=Lazy(Page::Install) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/proofs") view=Lazy(Page::Proofs) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/proofs/:consent") view=Lazy(Page::Proof) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/webhooks") view=Lazy(Page::Webhooks) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/webhooks/:webhook") view=Lazy(Page::Webhook) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/people") view=Lazy(Page::People) ssr=SsrMode::Async />
                    <Route path=path!("/projects/:project/settings") view=Lazy(Page::Settings) ssr=SsrMode::Async />
                </ParentRoute>
            </Routes>
        </Router>
        {toast_region()}
    }
}
