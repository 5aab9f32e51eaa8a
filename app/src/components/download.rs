//! A file that the server makes for a request whose body holds a secret, kept by the browser as a download.

use std::time::Duration;

use futures::channel::oneshot;
use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use crate::i18n::Texts;

/// Time for which the browser can still read a file that it was given.
const KEPT: Duration = Duration::from_mins(1);

/// The answer to a request for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The browser has the file.
    Kept,
    /// The file is to be asked for again after so many seconds.
    Later(u32),
    /// Another status, 0 where none came.
    Refused(u16),
}

/// Sends JSON, and gives the browser the answer as a file of this name.
pub async fn download(address: &str, body: &str, name: &str) -> Answer {
    ask(address, body, name).await.unwrap_or(Answer::Refused(0))
}

async fn ask(address: &str, body: &str, name: &str) -> Result<Answer, JsValue> {
    let request = web_sys::XmlHttpRequest::new()?;
    request.open("POST", address)?;
    request.set_request_header("content-type", "application/json")?;
    js_sys::Reflect::set(&request, &"responseType".into(), &"blob".into())?;
    let (told, hears) = oneshot::channel();
    let ended = Closure::once_into_js(move || {
        let _ = told.send(());
    });
    request.set_onloadend(Some(ended.unchecked_ref()));
    request.send_with_opt_str(Some(body))?;
    let _ = hears.await;
    match request.status()? {
        200 => keep(&request.response()?, name).map(|()| Answer::Kept),
        202 => {
            let after = request.get_response_header("retry-after")?;
            let seconds = after.and_then(|after| after.parse().ok());
            Ok(Answer::Later(seconds.unwrap_or(10)))
        }
        status => Ok(Answer::Refused(status)),
    }
}

/// Follows a link to the file, as if somebody had.
fn keep(file: &JsValue, name: &str) -> Result<(), JsValue> {
    let urls = js_sys::Reflect::get(&window(), &"URL".into())?;
    let of_urls = |name: &str| -> Result<js_sys::Function, JsValue> {
        js_sys::Reflect::get(&urls, &name.into())?.dyn_into()
    };
    let address = of_urls("createObjectURL")?.call1(&urls, file)?;
    let link = document().create_element("a")?;
    let link: web_sys::HtmlAnchorElement = link.unchecked_into();
    link.set_href(&address.as_string().unwrap_or_default());
    link.set_download(name);
    link.click();
    let forget = of_urls("revokeObjectURL")?;
    set_timeout(
        move || {
            let _ = forget.call1(&urls, &address);
        },
        KEPT,
    );
    Ok(())
}

/// Waits.
pub async fn after(seconds: u32) {
    let (told, hears) = oneshot::channel();
    set_timeout(
        move || {
            let _ = told.send(());
        },
        Duration::from_secs(seconds.into()),
    );
    let _ = hears.await;
}

/// Why there is no file, by the status.
pub fn why_not(t: &'static Texts, status: u16) -> &'static str {
    match status {
        403 => t.error_forbidden,
        404 => t.error_not_found,
        0 => t.error_unreachable,
        408 | 429 | 503 => t.error_busy,
        _ => t.error_failed,
    }
}
