//! Wakes the server's pages up in the browser.

use wasm_bindgen::prelude::wasm_bindgen;

/// Called by the page once the module is there.
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    wasm_bindgen_futures::spawn_local(app::wake());
}
