//! The module of the page that verifies a proof of consent in a browser. [`proof`] judges, as it does for
//! `placet-verify`; the page in `page/` asks and draws the answer.
#![warn(missing_docs)]

use proof::{
    bundle::MOST_BYTES,
    policy::Policy,
    promise::Promise,
    verify::{Against, plain, verify_file, verify_promise},
};
use wasm_bindgen::prelude::wasm_bindgen;

/// Most bytes of a file that is worth reading.
#[wasm_bindgen(js_name = mostBytes)]
pub fn most_bytes() -> usize {
    MOST_BYTES
}

/// Verifies a proof or a promise, the bytes of its file, and returns the report as JSON. `trusted` is a policy or keys of a
/// ledger, one a line. If it is empty, everything but the signatures is checked. A text that is neither is an error.
/// `other` is a second file: of both, one is a promise, and the other one the proof of its consent.
#[wasm_bindgen]
pub fn verify(file: &[u8], trusted: &str, other: Option<Vec<u8>>) -> Result<String, String> {
    let policy = match trusted.trim() {
        "" => None,
        _ => Some(Policy::read(trusted).map_err(|reason| plain(&reason.0))?),
    };
    let policy = policy.as_ref();
    let report = match &other {
        None => verify_file(file, policy),
        Some(other) => {
            let texts = [file, other].map(|bytes| str::from_utf8(bytes).unwrap_or_default());
            let (promise, proof) = match texts.map(Promise::is_one) {
                [true, false] => (file, texts[1]),
                [false, true] => (other.as_slice(), texts[0]),
                _ => return Err("of two files, one is a promise and one a proof".to_owned()),
            };
            verify_promise(promise, policy, Against::Proof(proof))
        }
    };
    serde_json::to_string(&report).map_err(|error| error.to_string())
}
