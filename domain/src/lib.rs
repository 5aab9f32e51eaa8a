//! Nouns and rules of Placet, shared by the server, the admin UI and the browser SDK.
//!
//! Without features this crate is `no_std + alloc` and has no dependency, because `sdk-wasm`
//! links it and every byte travels to every visitor. Feature `serde` adds the JSON forms
//! (server, admin UI), feature `schema` the OpenAPI schemas (server).
//!
//! Nothing here does I/O or reads a clock. A rule that two crates must agree on belongs here;
//! to add one, put it in the module of its noun and test it there.
#![cfg_attr(not(feature = "serde"), no_std)]
#![warn(missing_docs)]

pub mod choices;
pub mod collection;
pub mod names;
pub mod payload;
pub mod role;
pub mod search;

#[cfg(feature = "serde")]
#[macro_use]
pub mod words;

#[cfg(feature = "serde")]
pub mod audit;
#[cfg(feature = "serde")]
mod bits;
#[cfg(feature = "serde")]
pub mod categories;
#[cfg(feature = "serde")]
pub mod colour;
#[cfg(feature = "serde")]
pub mod consent;
#[cfg(feature = "serde")]
pub mod differences;
#[cfg(feature = "serde")]
pub mod documents;
#[cfg(feature = "serde")]
pub mod error_code;
#[cfg(feature = "serde")]
pub mod fairness;
#[cfg(feature = "serde")]
pub mod field_error;
#[cfg(feature = "serde")]
pub mod format;
#[cfg(feature = "serde")]
pub mod gpp;
#[cfg(feature = "serde")]
pub mod html;
#[cfg(feature = "serde")]
pub mod json;
#[cfg(feature = "serde")]
pub mod language;
#[cfg(feature = "serde")]
pub mod palette;
#[cfg(feature = "serde")]
pub mod pictures;
#[cfg(feature = "serde")]
pub mod publish;
#[cfg(feature = "serde")]
pub mod published;
#[cfg(feature = "serde")]
pub mod scope;
#[cfg(feature = "serde")]
pub mod tcf;
#[cfg(feature = "serde")]
pub mod user_agent;
#[cfg(feature = "serde")]
pub mod webhook;
