//! The admin UI: rendered on the server, then alive in the browser.
//!
//! [`map`] lists every page; to add one, write it in `pages/`, add a row there and its words in
//! `i18n/`. `pages/` has a folder or file for each area of the map, `fns/` the server functions that
//! the pages call (thin calls into `service`, where authorisation happens), `components/` the
//! controls, `i18n/` every word, [`parts`] what browsers load and when.

// A view is one expression, however deep its type.
#![recursion_limit = "256"]

#[cfg(not(erase_components))]
compile_error!(
    "the admin UI is built with `--cfg erase_components` (`.cargo/config.toml`); a RUSTFLAGS of your own has to \
     say so, too"
);

#[macro_use]
pub mod map;

pub mod address;
pub mod components;
#[cfg(feature = "ssr")]
pub mod cookies;
mod early;
pub mod error;
pub mod fns;
mod frame;
pub mod i18n;
pub mod icon;
#[cfg(feature = "ssr")]
pub mod onward;
pub mod pages;
mod palette;
pub mod parts;
mod passkeys;
mod rcdata;
mod routes;
pub mod session;
mod shell;
mod split;
mod switcher;
#[cfg(feature = "hydrate")]
mod wake;

pub use routes::{App, RenderedAt};
pub use shell::{PageAssets, shell};
#[cfg(feature = "hydrate")]
pub use wake::wake;
