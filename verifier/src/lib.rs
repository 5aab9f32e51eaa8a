//! The module of the page that verifies a proof of consent in a browser. [`proof`] judges, as it does for
//! `placet-verify`; the page in `page/` asks and draws the answer.
#![warn(missing_docs)]

use proof::{
    bundle::MOST_BYTES,
    policy::Policy,
    verify::{plain, verify_file},
};
use wasm_bindgen::prelude::wasm_bindgen;

/// Most bytes of a file that is worth reading.
#[wasm_bindgen(js_name = mostBytes)]
pub fn most_bytes() -> usize {
    MOST_BYTES
}

/// Verifies a proof, the bytes of its file, and returns the report as JSON. `trusted` is a policy or keys of a ledger,
/// one a line. If it is empty, everything but the signatures is checked. A text that is neither is an error.
#[wasm_bindgen]
pub fn verify(file: &[u8], trusted: &str) -> Result<String, String> {
    let policy = match trusted.trim() {
        "" => None,
        _ => Some(Policy::read(trusted).map_err(|reason| plain(&reason.0))?),
    };
    let report = verify_file(file, policy.as_ref());
    serde_json::to_string(&report).map_err(|error| error.to_string())
}
