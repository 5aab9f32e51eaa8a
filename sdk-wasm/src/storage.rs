//! The three cookies. A choice that is too large for one goes to `localStorage`, and the cookie
//! keeps what servers need (the keys that begin with `$$`).

use alloc::string::String;

use crate::{
    app::{App, is_preview, setting},
    dom::{self, Js},
    events,
    text::{self, decimal, fill, push},
};

/// Browsers drop a cookie above 4,096 bytes, attributes included.
const MOST: usize = 3800;
const DAY: f64 = 86_400_000.0;

const JSON: [&str; 2] = ["jsonCookieName", "placet_cookies"];
const ALLOWED: [&str; 2] = ["authorizedVendorsCookieName", "placet_authorized_vendors"];
const KNOWN: [&str; 2] = ["allVendorsCookieName", "placet_all_vendors"];

const ABOUT: &str = "{\"$$token\":\u{1},\"$$date\":\"\u{1}\",\"$$projectId\":\"\u{1}\",\"$$cookiesVersion\":{\"name\":\"\u{1}\",\"identifier\":\"\u{1}\"},\"$$duration\":\u{1},\"$$completed\":true}";

/// The name of a cookie: what the page sets, else our own.
#[inline(never)]
fn name([key, otherwise]: [&str; 2]) -> String {
    setting(key).unwrap_or_else(|| otherwise.into())
}

fn days(app: &'static App) -> f64 {
    let wished = Js::PORT.get("settings").number("userCookiesDuration");
    if wished > 0.0 {
        wished
    } else {
        f64::from(app.payload.days())
    }
}

fn local() -> Js {
    Js::PAGE.get("localStorage")
}

fn stored() -> Js {
    let cookies = Js::DOCUMENT.text("cookie");
    let value = text::cookie(&cookies, &name(JSON));
    Js::parse(Js::PAGE.call_text("decodeURIComponent", value))
}

/// Takes over what an earlier page stored. True if the visitor need not be asked.
pub fn restore(app: &'static App) -> bool {
    let cookie = stored();
    let settings = Js::PORT.get("settings");
    if setting("token").is_none() {
        let known = cookie.get("$$token");
        settings.set("token", if known.is() { known } else { dom::random() });
    }
    let project = cookie.text("$$projectId");
    let made = Js::PAGE.get("Date").call("parse", cookie.get("$$date"));
    // A server may renew the cookie, never the choice.
    let over = dom::now() > dom::number_of(made) + cookie.number("$$duration") * DAY;
    let foreign = !project.is_empty() && project != app.payload.project();
    if !cookie.get("$$completed").is() || over || foreign {
        return false;
    }
    let large = Js::parse(local().call_text("getItem", &name(JSON)));
    let mut all = !app.payload.has(domain::payload::flag::REASK);
    let mut known = true;
    for answer in &app.answers {
        let mut stored = cookie.number(answer.vendor.name);
        if stored.is_nan() {
            stored = large.number(answer.vendor.name);
        }
        known &= !stored.is_nan();
        answer.restore(stored > 0.0);
    }
    all |= known;
    all
}

/// Writes what is in force now.
pub fn save(app: &'static App) {
    if is_preview() {
        return;
    }
    let payload = app.payload;
    let days = days(app);
    let mut about = String::new();
    fill(
        &mut about,
        ABOUT,
        &[
            &Js::PORT.get("settings").get("token").to_json(),
            &Js::new("Date").call0("toISOString").as_text(),
            payload.project(),
            payload.name(),
            payload.identifier(),
            &decimal(days as u32),
        ],
    );
    // What other configurations of the project know and this one does not is kept.
    let mut before = stored();
    if before.text("$$projectId") != payload.project() {
        before = Js::new("Object");
    }
    let object = Js::PAGE.get("Object");
    object.call2("assign", before, events::choices(app));
    let whole = object.call2("assign", before, Js::json(&about)).to_json();
    let name = name(JSON);
    let small = whole.len() < MOST;
    local().call_texts(if small { "removeItem" } else { "setItem" }, &name, &whole);
    let seconds = days * DAY / 1000.0;
    write(JSON, if small { &whole } else { &about }, seconds);
    write(ALLOWED, &list(app, true), seconds);
    write(KNOWN, &list(app, false), seconds);
}

/// Names of vendors, the allowed ones or all, with a comma at both ends.
#[inline(never)]
pub fn list(app: &'static App, allowed: bool) -> String {
    let mut list = String::from(",");
    for answer in &app.answers {
        if !allowed || answer.allows() {
            push(&mut list, &[answer.vendor.name, ","]);
        }
    }
    list
}

/// Forgets every choice.
pub fn clear() {
    local().call_text("removeItem", &name(JSON));
    for cookie in [JSON, ALLOWED, KNOWN] {
        write(cookie, "", 0.0);
    }
}

#[inline(never)]
fn write(cookie: [&str; 2], value: &str, seconds: f64) {
    let mut text = name(cookie);
    let same_site = setting("userCookiesSameSite");
    fill(
        &mut text,
        "=\u{1};path=/;max-age=\u{1};SameSite=\u{1}",
        &[
            &Js::PAGE.call_text("encodeURIComponent", value).as_text(),
            &decimal(seconds as u32),
            same_site.as_deref().unwrap_or("Lax"),
        ],
    );
    if let Some(domain) = setting("userCookiesDomain") {
        push(&mut text, &[";domain=", &domain]);
    }
    let wished = Js::PORT.get("settings").number("userCookiesSecure");
    let https = Js::PAGE.get("location").text("protocol") == "https:";
    if wished > 0.0 || (wished.is_nan() && https) {
        text.push_str(";Secure");
    }
    Js::DOCUMENT.set_text("cookie", &text);
}
