//! The parts of the app that browsers load when they need them.
//!
//! Every page needs the first part: frame, router, common components. The pages stand in groups,
//! each a part of its own, loaded before the page wakes up (whoever comes by its address), at the
//! click (whoever comes by a link) or, most often, in a quiet moment before.
//! `cargo xtask build` takes the parts apart at the functions marked `wasm_split`.
//!
//! To add a page: name it in the table below, map its address in [`Part::of`], and route to
//! [`Lazy`]. What several parts use is shared between them by itself.

use std::sync::atomic::{AtomicU8, Ordering};

use futures::FutureExt;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::ChooseView;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use crate::components::loading::{block_skeleton, error_state};
use crate::error::UiError;
use crate::pages;

macro_rules! parts {
    ($(
        $(#[$doc:meta])*
        $part:ident = $module:ident { $($page:ident => $view:path,)+ }
    )+) => {
        /// A part besides the first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Part {
            $($(#[$doc])* $part,)+
        }

        /// A page that is in such a part.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Page {
            $($($page,)+)+
        }

        impl Page {
            fn part(self) -> Part {
                match self {
                    $($(Self::$page)|+ => Part::$part,)+
                }
            }

            /// Renders the page, after loading its part.
            async fn render(self) -> Result<AnyView, SplitLoaderError> {
                match self.part() {
                    $(Part::$part => $module::render(self).await,)+
                }
            }
        }

        impl Part {
            /// Its name among the files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$part => stringify!($module),)+
                }
            }

            async fn fetch(self) -> Result<(), SplitLoaderError> {
                match self {
                    $(Self::$part => $module::fetch().await,)+
                }
            }
        }

        $(
            mod $module {
                use super::*;

                // One function for all pages: a part is loaded through one door.
                #[wasm_split($module, fallible, preload(fetch))]
                pub fn render(page: Page) -> Result<AnyView, SplitLoaderError> {
                    Ok(match page {
                        $(Page::$page => $view(),)+
                        _ => ().into_any(),
                    })
                }
            }
        )+
    };
}

parts! {
    /// Before one is signed in.
    Gate = gate {
        SignIn => pages::gate::sign_in,
        SignUp => pages::gate::sign_up,
    }
    /// Where letters come from and lead to.
    Letters = letters {
        ForgotPassword => pages::gate::forgot_password,
        ResetPassword => pages::gate::reset_password,
        VerifyEmail => pages::gate::verify_email,
        Invitation => pages::gate::invitation,
    }
    /// Where one arrives.
    Home = home {
        Projects => pages::projects::list,
        Overview => pages::overview::page,
    }
    /// What visitors get to see, from editing to publishing.
    Widget = widget {
        Configurations => pages::widget::list,
        Configuration => pages::widget::editor,
        Vendors => pages::vendors::page,
        Design => pages::design::page,
        Publish => pages::publish::page,
        Install => pages::install::page,
    }
    /// What visitors agree to in forms.
    Boxes = boxes {
        Boxes => pages::boxes::list,
        ConsentBox => pages::boxes::consent_editor,
        ContractBox => pages::boxes::contract_editor,
    }
    /// What came of it.
    Records = records {
        Proofs => pages::proofs::list,
        Proof => pages::proofs::proof,
        Webhooks => pages::webhooks::list,
        Webhook => pages::webhooks::one,
    }
    /// Who works here, and how.
    Team = team {
        NewProject => pages::projects::create,
        People => pages::people::page,
        Settings => pages::settings::page,
        Organizations => pages::organizations::list,
        Organization => pages::organizations::one,
        Account => pages::account::page,
        Keys => pages::account::keys::page,
    }
}

/// Which parts the browser has, one bit for each.
static HERE: AtomicU8 = AtomicU8::new(0);

impl Part {
    /// The part that the page at a path is in; `None` for what is no page.
    pub fn of(path: &str) -> Option<Self> {
        let mut segments = path.split('/').filter(|segment| !segment.is_empty());
        let place = [segments.next(), segments.next(), segments.next()];
        Some(match place.map(Option::unwrap_or_default) {
            ["sign-in" | "sign-up", ..] => Self::Gate,
            [
                "forgot-password" | "reset-password" | "verify-email" | "invitation",
                ..,
            ] => Self::Letters,
            [
                "projects",
                _,
                "widget" | "vendors" | "design" | "publish" | "install",
            ] => Self::Widget,
            ["projects", _, "boxes"] => Self::Boxes,
            ["projects", _, "proofs" | "webhooks"] => Self::Records,
            ["projects", _, "people" | "settings"]
            | ["projects", "new", ""]
            | ["account" | "organizations", ..] => Self::Team,
            ["", ..] | ["projects", _, ""] => Self::Home,
            _ => return None,
        })
    }

    /// Whether its pages can be rendered at once; on the server always.
    fn is_here(self) -> bool {
        cfg!(feature = "ssr") || HERE.load(Ordering::Relaxed) & self.bit() != 0
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Makes sure that the browser has it.
    pub async fn load(self) -> Result<(), SplitLoaderError> {
        self.fetch().await?;
        HERE.fetch_or(self.bit(), Ordering::Relaxed);
        Ok(())
    }
}

/// A route's view: the page, once its part is there.
#[derive(Clone, Copy, Debug)]
pub struct Lazy(pub Page);

impl ChooseView for Lazy {
    async fn choose(self) -> AnyView {
        if self.0.part().is_here() {
            render(self.0)
        } else {
            render_when_loaded(self.0)
        }
    }

    async fn preload(&self) {}
}

/// Renders a page whose part is there.
fn render(page: Page) -> AnyView {
    match page.render().now_or_never() {
        Some(Ok(view)) => view,
        _ => missing(),
    }
}

/// Shows that something comes, then the page.
fn render_when_loaded(page: Page) -> AnyView {
    let loaded = RwSignal::new(None);
    spawn_local(async move {
        let outcome = page.part().load().await;
        // Whoever waited may have gone elsewhere.
        let _ = loaded.try_set(Some(outcome.is_ok()));
    });
    let content = move || match loaded.get() {
        None => block_skeleton(),
        Some(true) => render(page),
        Some(false) => missing(),
    };
    view! { {content} }.into_any()
}

/// Says that a part did not come. The page is loaded anew for the next try: its part may be gone
/// because the server has a newer version.
fn missing() -> AnyView {
    let again = Callback::new(|()| {
        let _ = window().location().reload();
    });
    error_state(&UiError::Unreachable, Some(again))
}
