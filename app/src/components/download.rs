//! Files that the server makes, kept by the browser as downloads: for a request whose body holds a secret, and for a form.

use std::time::Duration;

use futures::channel::oneshot;
use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use super::toast::toasts;
use crate::fns::assets::Refusal;
use crate::i18n::{Texts, texts, words};

/// Time for which the browser can still read a file that it was given.
const KEPT: Duration = Duration::from_mins(1);

/// The answer to a request for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The browser has the file.
    Kept,
    /// The file is to be asked for again after so many seconds.
    Later(u32),
    /// There is no file, and the reason in words.
    Refused(&'static str),
}

/// Sends JSON, and gives the browser the answer as a file of this name.
pub async fn download(t: &'static Texts, address: &str, body: &str, name: &str) -> Answer {
    let answer = ask(t, address, body, name).await;
    answer.unwrap_or(Answer::Refused(t.error_unreachable))
}

async fn ask(t: &'static Texts, address: &str, body: &str, name: &str) -> Result<Answer, JsValue> {
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
        status => {
            let answer = said(request.response()?).await.unwrap_or_default();
            Ok(Answer::Refused(why_not(t, status, &answer)))
        }
    }
}

/// The text of an answer that came as a file.
async fn said(file: JsValue) -> Result<String, JsValue> {
    let file: web_sys::Blob = file.dyn_into()?;
    let text = file.text().await?;
    Ok(text.as_string().unwrap_or_default())
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

/// The frame that gets the answers of forms.
const FRAME: &str = "file";

/// A form whose answer is a file, which the browser keeps while it comes. A hidden frame asks for it: a page that loads
/// there is a refusal, and a notice says it.
pub fn file_form(action: &'static str, class: &'static str, fields: AnyView) -> AnyView {
    let (t, toasts) = (texts(), toasts());
    let target = RwSignal::new(None::<&'static str>);
    // Without a script nobody would see a refusal in the frame.
    Effect::new(move |_| target.set(Some(FRAME)));
    let loaded = move |event: web_sys::Event| {
        let frame = event_target::<web_sys::HtmlIFrameElement>(&event);
        let document = frame.content_document();
        // Frames begin with an empty page.
        if document.as_ref().and_then(|it| it.url().ok()).as_deref() == Some("about:blank") {
            return;
        }
        let text = document.and_then(|it| it.body()?.text_content());
        let text = text.unwrap_or_default();
        let problem = serde_json::from_str::<Problem>(&text).ok();
        let status = problem.map_or(0, |problem| problem.status);
        toasts.problem(why_not(t, status, &text));
    };
    view! {
        <form
            class=class
            method="POST"
            action=action
            target=move || target.get()
            on:submit=move |_| toasts.done(t.file_comes)
        >
            {fields}
        </form>
        <iframe name=FRAME hidden on:load=loaded></iframe>
    }
    .into_any()
}

/// The part of a problem that names its status, which a frame does not tell.
#[derive(serde::Deserialize)]
struct Problem {
    status: u16,
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

/// The cause of a refusal: by the code of the answer, else by its status.
pub fn why_not(t: &'static Texts, status: u16, answer: &str) -> &'static str {
    let refusal = serde_json::from_str::<Refusal>(answer).ok();
    let text = refusal.and_then(|refusal| words(t, refusal.code));
    text.unwrap_or_else(|| why_not_by(t, status))
}

/// The cause of a refusal by the status that came for a file, 0 where none came.
pub fn why_not_by(t: &'static Texts, status: u16) -> &'static str {
    match status {
        403 => t.error_forbidden,
        404 => t.error_not_found,
        0 => t.error_unreachable,
        429 => t.error_too_often,
        408 | 503 => t.error_busy,
        _ => t.error_failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    #[test]
    fn a_refusal_says_its_cause() {
        let t = Locale::En.texts();
        let ended = r#"{"status":403,"code":"unauthenticated"}"#;
        assert_eq!(why_not(t, 403, ended), t.error_signed_out);
        assert_eq!(why_not(t, 403, ""), t.error_forbidden);
        assert_eq!(
            why_not(t, 429, r#"{"code":"too_many_requests"}"#),
            t.error_too_often
        );
        assert_eq!(why_not(t, 0, ""), t.error_unreachable);
    }
}
