//! Passkeys in the browser (W3C Web Authentication, level 3): options and answers are JSON, as the browser's own
//! parser and `toJSON` have them.

use wasm_bindgen::prelude::*;

use crate::error::UiError;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = PublicKeyCredential, js_name = parseCreationOptionsFromJSON)]
    fn creation_options(options: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = PublicKeyCredential, js_name = parseRequestOptionsFromJSON)]
    fn request_options(options: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["navigator", "credentials"])]
    async fn create(options: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["navigator", "credentials"])]
    async fn get(options: &JsValue) -> Result<JsValue, JsValue>;
}

/// Has the browser make a passkey.
///
/// # Errors
///
/// [`UiError::NoPasskey`] if the person declines, or the browser knows no passkeys.
pub async fn make(options: &str) -> Result<String, UiError> {
    let options = parsed(options, creation_options)?;
    said(create(&options).await)
}

/// Has the browser prove that it has a passkey.
///
/// # Errors
///
/// As [`make`].
pub async fn prove(options: &str) -> Result<String, UiError> {
    let options = parsed(options, request_options)?;
    said(get(&options).await)
}

fn parsed(
    options: &str,
    parse: fn(&JsValue) -> Result<JsValue, JsValue>,
) -> Result<JsValue, UiError> {
    let options = js_sys::JSON::parse(options).and_then(|options| parse(&options));
    let options = options.map_err(|_| UiError::NoPasskey)?;
    let all = js_sys::Object::new();
    js_sys::Reflect::set(&all, &"publicKey".into(), &options).map_err(|_| UiError::NoPasskey)?;
    Ok(all.into())
}

fn said(credential: Result<JsValue, JsValue>) -> Result<String, UiError> {
    let text = credential.and_then(|credential| js_sys::JSON::stringify(&credential));
    text.map(String::from).map_err(|_| UiError::NoPasskey)
}
