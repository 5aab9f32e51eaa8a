//! The parts of the app that browsers load when they need them.
//!
//! Every page needs the first part: frame, router, common components. The other pages are in groups (`map.rs`), and "Go
//! to" is a part of its own (`palette/`). Browsers load the part of the first page before the page wakes up, and
//! another part when somebody points at a link to one of its pages.
//! `cargo xtask build` splits the module at the functions marked `wasm_split`, and shares between
//! parts what several of them use.

use std::sync::atomic::{AtomicU16, Ordering};

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::ChooseView;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use crate::i18n::texts;
use crate::map::{Page, Part};
use crate::pages;
use crate::split::{now, once_loaded};

macro_rules! split {
    ($($(#[$doc:meta])* $part:ident = $name:ident;)+) => {
        $(
            mod $name {
                use super::*;

                // One function for all pages: a part is loaded through one door.
                #[wasm_split($name, fallible, preload(fetch))]
                pub fn render(page: Page) -> Result<AnyView, SplitLoaderError> {
                    Ok(view_in::<{ Part::$part as u8 }>(page))
                }
            }
        )+

        impl Part {
            /// Renders a page of this part, after loading the part.
            async fn render(self, page: Page) -> Result<AnyView, SplitLoaderError> {
                match self {
                    $(Self::$part => $name::render(page).await,)+
                }
            }

            async fn fetch(self) -> Result<(), SplitLoaderError> {
                match self {
                    $(Self::$part => $name::fetch().await,)+
                }
            }
        }
    };
}

macro_rules! views {
    (before_sign_in { $($before:tt)+ } signed_in { $($after:tt)+ }) => {
        views! { @rows $($before)+ $($after)+ }
    };
    (@rows $($page:ident = $part:ident, $path:tt, $($view:ident)::+, $title:ident $(, $icon:ident $($key:literal)?)?;)+) => {
        /// The view of a page of one part. The branches of other parts are constant and gone before
        /// code is made of them, so that a part refers to its own pages only.
        fn view_in<const PART: u8>(page: Page) -> AnyView {
            match page {
                $(Page::$page => {
                    if const { Part::$part as u8 == PART } {
                        pages::$($view)::+()
                    } else {
                        ().into_any()
                    }
                })+
            }
        }
    };
}

parts! { split }
pages! { views }

/// The parts that the browser has, one bit for each.
static HERE: AtomicU16 = AtomicU16::new(0);

impl Part {
    /// Whether its pages can be rendered at once; on the server always.
    fn is_here(self) -> bool {
        cfg!(feature = "ssr") || HERE.load(Ordering::Relaxed) & self.bit() != 0
    }

    fn bit(self) -> u16 {
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
        let page = self.0;
        let view = if page.part().is_here() {
            render(page)
        } else {
            once_loaded(page.part().load(), move || render(page))
        };
        // A page with a title of its own sets it over this one.
        view! {
            <Title text=page.title(texts()) />
            {view}
        }
        .into_any()
    }

    async fn preload(&self) {}
}

/// Renders a page whose part is there.
fn render(page: Page) -> AnyView {
    now(page.part().render(page))
}
