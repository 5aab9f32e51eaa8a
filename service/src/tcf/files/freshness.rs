//! The time for which an answer holds (RFC 9111).

use http::{HeaderMap, header};

use crate::clock::Timestamp;

/// Longest time that is believed. Numbers beyond it are mistakes, and the file would never be asked for again.
const MOST_SECONDS: i64 = 366 * 86_400;
const WEEK: i64 = 7 * 86_400;
/// Thursday, 17:10 in Central European Time: 1970 began on a Thursday, and lists come at 17:00.
const THURSDAY: i64 = 16 * 3_600 + 10 * 60;

/// The time until which an answer that came `now` holds; `None` where it does not say.
pub(super) fn fresh_until(headers: &HeaderMap, now: Timestamp) -> Option<Timestamp> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let age: i64 = text(header::AGE)
        .and_then(|age| age.trim().parse().ok())
        .unwrap_or(0);
    let seconds = max_age(headers).map(|seconds| seconds.saturating_sub(age.max(0)));
    let seconds = seconds.or_else(|| {
        let date = text(header::DATE).and_then(moment).unwrap_or(now.seconds());
        let expires = text(header::EXPIRES)?;
        // A date that nobody can read is in the past.
        Some(moment(expires).map_or(0, |expires| expires - date))
    })?;
    Some(now.plus_seconds(seconds.clamp(0, MOST_SECONDS)))
}

/// The time of `Retry-After`.
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Timestamp> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    let seconds = text.parse().ok();
    let seconds = seconds.or_else(|| Some(moment(text)? - now.seconds()))?;
    Some(now.plus_seconds(seconds.clamp(0, MOST_SECONDS)))
}

/// The first Thursday evening after `now`, up to an hour late, so that not everybody comes at once.
pub(in crate::tcf) fn weekly(now: Timestamp, jitter: u16) -> Timestamp {
    let weeks = (now.seconds() - THURSDAY).div_euclid(WEEK) + 1;
    Timestamp(0).plus_seconds(weeks * WEEK + THURSDAY + i64::from(jitter % 3_600))
}

fn max_age(headers: &HeaderMap) -> Option<i64> {
    let values = headers.get_all(header::CACHE_CONTROL).iter();
    let texts = values.filter_map(|value| value.to_str().ok());
    let mut found = None;
    for directive in texts.flat_map(|text| text.split(',')) {
        let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
        match name.trim().to_ascii_lowercase().as_str() {
            "no-store" | "no-cache" => return Some(0),
            "max-age" => found = value.trim().trim_matches('"').parse().ok().or(found),
            _ => {}
        }
    }
    found
}

/// Seconds from 1970 to a date of HTTP.
fn moment(text: &str) -> Option<i64> {
    let date = chrono::DateTime::parse_from_rfc2822(text.trim()).ok()?;
    Some(date.timestamp())
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    /// Wednesday, 25 November 2026, 11:00.
    const NOW: Timestamp = Timestamp(1_795_604_400_000_000);

    fn seconds(lines: &[(&str, &str)]) -> Option<i64> {
        let headers = lines.iter().map(|(name, value)| {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            (name, HeaderValue::from_str(value).unwrap())
        });
        let until = fresh_until(&headers.collect(), NOW)?;
        Some(until.seconds() - NOW.seconds())
    }

    #[test]
    fn an_answer_says_how_long_it_holds() {
        let date = ("date", "Wed, 25 Nov 2026 10:59:00 GMT");
        let expires = ("expires", "Wed, 25 Nov 2026 12:59:00 GMT");
        assert_eq!(seconds(&[]), None);
        assert_eq!(seconds(&[("cache-control", "public")]), None);
        assert_eq!(
            seconds(&[("cache-control", "public, max-age=604800")]),
            Some(604_800)
        );
        assert_eq!(
            seconds(&[("cache-control", "Max-Age=\"100\""), ("age", "40")]),
            Some(60)
        );
        assert_eq!(
            seconds(&[("cache-control", "max-age=9"), ("age", "40")]),
            Some(0)
        );
        assert_eq!(
            seconds(&[("cache-control", "max-age=9, no-cache")]),
            Some(0)
        );
        assert_eq!(
            seconds(&[("cache-control", "max-age=99999999999999")]),
            Some(MOST_SECONDS)
        );
        assert_eq!(seconds(&[date, expires]), Some(7_200));
        assert_eq!(seconds(&[expires]), Some(7_140));
        assert_eq!(seconds(&[("expires", "0")]), Some(0));
        assert_eq!(seconds(&[("cache-control", "max-age=5"), expires]), Some(5));
    }

    #[test]
    fn a_list_comes_on_thursdays() {
        let at = |time: &str, jitter| weekly(Timestamp::parse(time).unwrap(), jitter).to_string();
        let thursday = "2026-11-26T16:10:00.000Z";
        assert_eq!(at("2026-11-25T11:00:00Z", 0), thursday);
        assert_eq!(at("2026-11-26T16:09:59Z", 0), thursday);
        assert_eq!(at("2026-11-26T16:10:00Z", 0), "2026-12-03T16:10:00.000Z");
        assert_eq!(
            at("2026-11-25T11:00:00Z", 3_661),
            "2026-11-26T16:11:01.000Z"
        );
    }
}
