//! Moments as people read them: relative, with the exact time on hover in their own zone.
//!
//! The server and the hydrating browser must render the same words, so both take "now" from one
//! value that travels with the page ([`Now`]); afterwards the browser's clock moves it on.

use leptos::prelude::*;
use std::time::Duration;

use crate::i18n::{Locale, fill, locale, texts};

/// Milliseconds since 1970 at which this page was rendered, moving on in the browser.
#[derive(Clone, Copy)]
pub struct Now(RwSignal<i64>);

impl Now {
    /// Starts from the moment of rendering, and ticks in the browser.
    pub fn start(rendered_at: i64) -> Self {
        let now = RwSignal::new(rendered_at);
        Effect::new(move |_| {
            // The difference of clocks is kept, so that "5 minutes ago" is right on a machine
            // whose clock is not.
            let offset = rendered_at as f64 - js_sys::Date::now();
            let tick = set_interval_with_handle(
                move || {
                    let _ = now.try_set((js_sys::Date::now() + offset) as i64);
                },
                Duration::from_secs(20),
            );
            if let Ok(tick) = tick {
                on_cleanup(move || tick.clear());
            }
        });
        Self(now)
    }
}

/// A calendar date and time in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    pub year: i64,
    pub month: u32,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
    pub milli: u32,
}

/// Splits milliseconds since 1970 into the Gregorian calendar (Howard Hinnant's algorithm).
pub fn civil(ms: i64) -> Civil {
    let days = ms.div_euclid(86_400_000);
    let rest = ms.rem_euclid(86_400_000);
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    Civil {
        year: yoe + era * 400 + i64::from(month <= 2),
        month: month as u32,
        day: (doy - (153 * mp + 2) / 5 + 1) as u32,
        hour: (rest / 3_600_000) as u32,
        minute: (rest / 60_000 % 60) as u32,
        second: (rest / 1000 % 60) as u32,
        milli: (rest % 1000) as u32,
    }
}

/// RFC 3339 in UTC with milliseconds.
pub fn rfc3339(ms: i64) -> String {
    let c = civil(ms);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        c.year, c.month, c.day, c.hour, c.minute, c.second, c.milli
    )
}

const MONTHS_EN: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
const MONTHS_FR: [&str; 12] = [
    "janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.",
    "déc.",
];

fn month(c: Civil) -> &'static str {
    let names = match locale() {
        Locale::En => &MONTHS_EN,
        Locale::Fr => &MONTHS_FR,
    };
    names.get(c.month as usize - 1).copied().unwrap_or_default()
}

/// A day without its year, for chart axes.
pub fn short_day(ms: i64) -> String {
    let c = civil(ms);
    format!("{} {}", c.day, month(c))
}

/// A day in UTC.
pub fn day(ms: i64) -> String {
    let c = civil(ms);
    format!("{} {} {}", c.day, month(c), c.year)
}

/// The exact moment in UTC.
pub fn exact(ms: i64) -> String {
    let c = civil(ms);
    format!(
        "{} {} {}, {:02}:{:02}:{:02} UTC",
        c.day,
        month(c),
        c.year,
        c.hour,
        c.minute,
        c.second
    )
}

fn relative(ms: i64, now: i64) -> String {
    let t = texts();
    let seconds = (now - ms).max(0) / 1000;
    let (text, n) = match seconds {
        ..45 => return t.just_now.to_owned(),
        45..3600 => (t.minutes_ago, (seconds / 60).max(1)),
        3600..86_400 => (t.hours_ago, seconds / 3600),
        86_400..1_209_600 => (t.days_ago, seconds / 86_400),
        _ => return day(ms),
    };
    fill(text, &[("n", &n.to_string())])
}

/// A moment, relative to now.
pub fn ago(ms: i64) -> AnyView {
    let now = use_context::<Now>();
    let current = locale();
    let title = RwSignal::new(exact(ms));
    Effect::new(move |_| title.set(in_viewers_zone(ms, current)));
    let text = move || match now {
        Some(Now(now)) => relative(ms, now.get()),
        None => exact(ms),
    };
    view! {
        <time class="nowrap" datetime=rfc3339(ms) title=title>
            {text}
        </time>
    }
    .into_any()
}

/// The exact moment, in UTC: for proofs, where the zone must not depend on who looks.
pub fn moment(ms: i64) -> AnyView {
    let milli = civil(ms).milli;
    in_utc(
        ms,
        format!("{}.{milli:03} UTC", exact(ms).trim_end_matches(" UTC")),
    )
}

/// The same to the second, for lists.
pub fn clock_time(ms: i64) -> AnyView {
    in_utc(ms, exact(ms))
}

fn in_utc(ms: i64, text: String) -> AnyView {
    let current = locale();
    let title = RwSignal::new(String::new());
    Effect::new(move |_| title.set(in_viewers_zone(ms, current)));
    view! { <time class="nowrap" datetime=rfc3339(ms) title=title>{text}</time> }.into_any()
}

/// The exact moment in the viewer's zone: for what is still to come. In UTC until the browser knows.
pub fn in_own_zone(ms: i64) -> AnyView {
    let current = locale();
    let text = RwSignal::new(exact(ms));
    Effect::new(move |_| text.set(in_viewers_zone(ms, current)));
    view! { <time datetime=rfc3339(ms) title=exact(ms)>{text}</time> }.into_any()
}

/// Milliseconds since 1970 of a date and time in the viewer's zone (HTML, "Local dates and times"). `None` if the text
/// is none. Only browsers know the zone.
pub fn of_own_zone(text: &str) -> Option<i64> {
    let ms = js_sys::Date::new(&text.into()).get_time();
    ms.is_finite().then_some(ms as i64)
}

fn in_viewers_zone(ms: i64, locale: Locale) -> String {
    let date = js_sys::Date::new(&(ms as f64).into());
    let options = js_sys::Object::new();
    let _ = js_sys::Reflect::set(&options, &"dateStyle".into(), &"long".into());
    let _ = js_sys::Reflect::set(&options, &"timeStyle".into(), &"long".into());
    date.to_locale_string(locale.code(), &options).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_moments_around_leap_days() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(rfc3339(1_795_255_133_042), "2026-11-21T09:58:53.042Z");
        assert_eq!(rfc3339(-1), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn speaks_relatively_until_two_weeks() {
        let now = 1_795_255_133_000;
        assert_eq!(relative(now - 10_000, now), "just now");
        assert_eq!(relative(now - 5 * 60_000, now), "5 min ago");
        assert_eq!(relative(now - 26 * 3_600_000, now), "1 d ago");
        assert_eq!(relative(now - 30 * 86_400_000, now), "22 Oct 2026");
    }
}
