//! The three cookies. A choice that is too large for one goes to `localStorage`, and the cookie
//! keeps what servers need (the keys that begin with `$$`). If cookies are refused (in a file, in
//! the view of an app, by a browser's setting), all of it goes to `localStorage`.

use alloc::string::String;

use domain::payload::flag;

use crate::{
    app::{App, choices, is_preview},
    dom::{Js, now, number_of, random, setting},
    names, signals,
    text::push,
};

/// Browsers drop a cookie above 4,096 bytes, attributes included.
const MOST: usize = 3800;
const DAY: f64 = 86_400_000.0;

/// A setting that renames a cookie, and our own name of it.
type Cookie = [&'static str; 2];
const CHOICE: Cookie = ["jsonCookieName", "placet_cookies"];
const ALLOWED: Cookie = ["authorizedVendorsCookieName", "placet_authorized_vendors"];
const KNOWN: Cookie = ["allVendorsCookieName", "placet_all_vendors"];

#[inline(never)]
fn name([key, own]: Cookie) -> Js {
    setting(Js::say(key)).or(Js::say(own))
}

/// Days for which a choice is kept. A site may wish others, but not for a refusal by closing.
pub fn days(app: &'static App, closed: bool) -> f64 {
    let wished = Js::PORT
        .get(names::SETTINGS)
        .number(names::USER_COOKIES_DURATION);
    if wished > 0.0 && !closed {
        wished
    } else {
        f64::from(app.payload.days(closed))
    }
}

/// `localStorage`, or nothing.
#[inline(never)]
pub fn local() -> Js {
    Js::PAGE.get(names::LOCAL_STORAGE)
}

fn encoded(value: Js) -> String {
    Js::PAGE.call(names::ENCODE_URI_COMPONENT, value).text()
}

#[inline(never)]
fn cookie() -> Js {
    Js::PORT.call(names::STORED, name(CHOICE))
}

#[inline(never)]
fn stored() -> Js {
    let cookie = cookie();
    if cookie.is() || takes_cookies() {
        cookie
    } else {
        local().get(name(CHOICE)).parsed()
    }
}

fn takes_cookies() -> bool {
    let protocol = Js::PAGE.get(names::LOCATION).get(names::PROTOCOL).text();
    let navigator = Js::PAGE.get(names::NAVIGATOR);
    protocol.starts_with("http") && navigator.get(Js::say("cookieEnabled")).is()
}

/// True if no page of the site keeps a choice.
pub fn is_empty() -> bool {
    !stored().is()
}

/// Looks whether the choice that was made on this page is in its cookie; if not, `js/odd.js` says why.
pub fn check(app: &'static App) {
    if !cookie().is() {
        Js::PORT.call(names::ODD, name(CHOICE));
    }
    app.unkept.set(is_empty());
}

fn is_ours(app: &'static App, stored: Js) -> bool {
    stored.get(names::S_PROJECT_ID).text() == app.payload.project()
}

/// Names the visitor: as the site does, else as is stored, else anew. A name of our own gives way
/// to a name that another page has stored first.
#[inline(never)]
fn name_visitor(cookie: Js) {
    let token = setting(names::TOKEN);
    if !token.is() || token.same(Js::PORT.get(names::TOKEN)) {
        let mut known_as = cookie.get(names::S_TOKEN).or(token);
        if !known_as.is() {
            known_as = random();
        }
        if !known_as.same(token) {
            Js::PORT.get(names::SETTINGS).set(names::TOKEN, known_as);
            Js::PORT.set(names::TOKEN, known_as);
            // Fields of forms hold it, and the site may know the visitor by it.
            Js::PORT.call2(names::EMIT, names::TOKEN_UPDATE, known_as);
        }
    }
}

/// True until what is stored has run out. A server may renew the cookie, never the choice. One that a wrong clock has
/// made in the future would last for years.
#[inline(never)]
fn counts(cookie: Js) -> bool {
    let made = Js::PAGE
        .get(names::DATE)
        .call(names::PARSE, cookie.get(names::S_DATE));
    let age = number_of(now()) - number_of(made);
    age > -DAY && age < cookie.number(names::S_DURATION) * DAY
}

/// Takes over what an earlier page stored. True if the visitor need not be asked.
pub fn restore(app: &'static App) -> bool {
    let cookie = stored();
    name_visitor(cookie);
    if !cookie.get(names::S_COMPLETED).is() || !is_ours(app, cookie) {
        return false;
    }
    if !counts(cookie) {
        return false;
    }
    // Storage is asked only for what the cookie lacks.
    let mut large = None;
    // A signal that came after the choice takes back what it refuses; what was chosen in spite of
    // it stays.
    let objects = signals::no_advertising(app) && !cookie.get(names::S_GPC).is();
    let mut all = true;
    for answer in &app.answers {
        let mut stored = cookie.number(answer.name);
        if stored.is_nan() {
            let large =
                large.get_or_insert_with(|| local().call(names::GET_ITEM, name(CHOICE)).parsed());
            // An older one stayed where a later one had no room.
            if large.get(names::S_DATE).text() == cookie.get(names::S_DATE).text() {
                stored = large.number(answer.name);
            }
        }
        all &= !stored.is_nan();
        if stored > 0.0 && objects && signals::is_advertising(answer) {
            app.objected.set(true);
            stored = 0.0;
        }
        answer.restore(stored > 0.0);
    }
    all || !app.payload.has(flag::REASK)
}

/// Writes what is in force now. With `days` the visitor has just decided it, for so long. Otherwise it is
/// as old as it was: a site that names its visitors, or a signal, prolongs no consent.
pub fn save(app: &'static App, days: f64) {
    if is_preview() {
        return;
    }
    // The cookie keeps what other configurations of the project know and this one does not, as long as that counts.
    let mut whole = stored();
    let is_ours = is_ours(app, whole);
    name_visitor(if is_ours { whole } else { Js::NONE });
    if !(is_ours && counts(whole)) {
        if days <= 0.0 {
            return;
        }
        whole = Js::object();
    }
    let version = Js::object();
    version.set(names::NAME, Js::say(app.payload.name()));
    version.set(names::IDENTIFIER, Js::say(app.payload.identifier()));
    let about = Js::object();
    about.set(names::S_TOKEN, setting(names::TOKEN));
    about.set(names::S_PROJECT_ID, Js::say(app.payload.project()));
    about.set(names::S_COOKIES_VERSION, version);
    if days > 0.0 {
        whole.set(
            names::S_DATE,
            Js::new(names::DATE).call0(Js::say("toISOString")),
        );
        whole.set(names::S_DURATION, Js::say_number(days));
    }
    // Also where the configuration does not heed it: sections of GPP do, and what was chosen in spite of it stays.
    if days > 0.0 || app.objected.get() {
        whole.set(names::S_GPC, Js::say_bool(signals::objects()));
    }
    for key in [names::S_DATE, names::S_DURATION, names::S_GPC] {
        about.set(key, whole.get(key));
    }
    about.set(names::S_COMPLETED, Js::say_bool(true));
    let object = Js::PAGE.get(names::OBJECT);
    object.call2(names::ASSIGN, whole, choices(app));
    object.call2(names::ASSIGN, whole, about);
    let json = whole.json();
    let days = whole.number(names::S_DURATION);
    let mut value = encoded(json);
    // Makes room, too.
    local().call(names::REMOVE_ITEM, name(CHOICE));
    let is_large = value.len() > MOST;
    if is_large {
        value = encoded(about.json());
    }
    if is_large || !takes_cookies() {
        local().call2(names::SET_ITEM, name(CHOICE), json);
    }
    write(days, CHOICE, &value);
    for (cookie, only_allowed) in [(ALLOWED, true), (KNOWN, false)] {
        let mut listed = encoded(list(app, only_allowed));
        // A browser would drop it and keep the one of before, which says something else.
        if listed.len() > MOST {
            listed.clear();
        }
        write(days, cookie, &listed);
    }
}

/// Names of vendors, the allowed ones or all, with a comma at both ends.
#[inline(never)]
pub fn list(app: &'static App, only_allowed: bool) -> Js {
    let mut list = String::from(",");
    for answer in &app.answers {
        if !only_allowed || answer.allows() {
            push(&mut list, &[answer.vendor.name, ","]);
        }
    }
    Js::say(&list)
}

/// Forgets every choice, and tells the site's other pages.
pub fn clear() {
    local().call(names::REMOVE_ITEM, name(CHOICE));
    for cookie in [CHOICE, ALLOWED, KNOWN] {
        write(0.0, cookie, "");
    }
    local().call2(names::SET_ITEM, names::PLACET_CLEAR, names::ZERO);
    local().call(names::REMOVE_ITEM, names::PLACET_CLEAR);
}

/// Sets a cookie; an empty value takes it away.
#[inline(never)]
fn write(days: f64, cookie: Cookie, value: &str) {
    let seconds = if value.is_empty() {
        0.0
    } else {
        days * DAY / 1000.0
    };
    let mut pair = name(cookie).text();
    push(&mut pair, &["=", value]);
    Js::PORT.call2(names::PUT, Js::say(&pair), Js::say_number(seconds));
}
