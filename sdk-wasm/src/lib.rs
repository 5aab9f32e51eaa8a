//! The browser SDK: state, behaviour, storage, gating and events of the consent widget. The
//! markup comes rendered in the payload (`service::render`), so what a visitor downloads is small.
//!
//! `no_std` in the browser, because formatting, panic messages and their tables are most of what
//! a small module weighs; on the host it is an ordinary crate, so that tests and lints run.
//!
//! - `dom` is the only door to the browser, `names` what is spoken of there, `js/` the other side:
//!   listeners of sites and the start of each delivery
//! - `app` holds what is known, `api` is what sites call
//! - `view` the widget · `gate` scripts and frames that wait · `storage` cookies · `outbox` posts
//!   · `signals` Google Consent Mode and data layer · `text` texts without `core::fmt`
//!
//! Site code (listeners, activated scripts) may call back into the SDK at any moment. So state is
//! only in `Cell`s, of which nothing can be borrowed, and in properties of the loader's object.
#![cfg_attr(target_arch = "wasm32", no_std)]

extern crate alloc;

mod api;
mod app;
mod choices;
mod dom;
mod gate;
#[cfg(target_arch = "wasm32")]
mod memory;
mod names;
mod outbox;
mod signals;
mod storage;
mod text;
mod view;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static MEMORY: memory::Memory = memory::Memory::new();

#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
