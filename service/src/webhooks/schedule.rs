//! The schedule of retries.

use time::{OffsetDateTime, format_description::well_known::Rfc2822};

use crate::{clock::Timestamp, random};

/// Seconds before each retry. After the last one, three days on, the delivery is given up.
const SCHEDULE: [i64; 9] = [
    5,
    5 * 60,
    30 * 60,
    2 * 3_600,
    5 * 3_600,
    10 * 3_600,
    14 * 3_600,
    20 * 3_600,
    24 * 3_600,
];
/// When a delivery is given up, its endpoint is turned off if it has accepted nothing for this long.
pub(super) const OFF_AFTER_DAYS: i64 = 3;
/// Days that failed deliveries are listed and can be retried by hand.
pub(super) const FAILED_DAYS: i64 = 30;
/// Longest wait that an endpoint can ask for.
const LONGEST_WAIT: i64 = 24 * 3_600;

/// Milliseconds until the next attempt, after `attempts` of them. Returns `None` after the last one.
///
/// Up to a tenth is added at random, so that an endpoint that was away does not get everything at once.
/// `Retry-After` delays an attempt by up to a day, and never brings it forward.
pub(super) fn wait_millis(attempts: i64, retry_after: Option<i64>) -> Option<i64> {
    let index = usize::try_from(attempts - 1).ok()?;
    let seconds = *SCHEDULE.get(index)?;
    let seconds = seconds.max(retry_after.unwrap_or(0).clamp(0, LONGEST_WAIT));
    let mut chance = [0_u8; 2];
    random::fill(&mut chance);
    let chance = i64::from(u16::from_be_bytes(chance));
    Some(seconds * 1_000 + seconds * 100 * chance / i64::from(u16::MAX))
}

/// Seconds that `Retry-After` asks for, given as a number or a date.
pub(super) fn retry_after(header: &str, now: Timestamp) -> Option<i64> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<u32>() {
        return Some(i64::from(seconds));
    }
    let date = OffsetDateTime::parse(header, &Rfc2822).ok()?;
    Some((date.unix_timestamp() - now.seconds()).max(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_attempts_over_three_days_with_a_random_tenth() {
        let mut least = 0;
        for attempts in 1..=9 {
            let wait = wait_millis(attempts, None).unwrap();
            let planned = SCHEDULE[attempts as usize - 1] * 1_000;
            assert!(
                (planned..=planned * 11 / 10).contains(&wait),
                "{attempts}: {wait}"
            );
            least += planned;
        }
        assert_eq!(least, ((75 * 60 + 35) * 60 + 5) * 1_000);
        assert_eq!(wait_millis(10, None), None);
        assert_eq!(wait_millis(11, Some(60)), None);
    }

    #[test]
    fn an_endpoint_may_ask_for_time_within_bounds() {
        let seconds = |attempts, asked| wait_millis(attempts, asked).unwrap() / 1_000;
        assert!((600..=660).contains(&seconds(1, Some(600))));
        assert!(
            (300..=330).contains(&seconds(2, Some(1))),
            "not sooner than planned"
        );
        assert!(
            (86_400..=95_040).contains(&seconds(1, Some(i64::MAX))),
            "a day at most"
        );
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = Timestamp::parse("1994-11-06T08:49:07Z").unwrap();
        assert_eq!(retry_after("120", now), Some(120));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now), Some(30));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), Some(0));
        for other in ["", "soon", "-1", "1e9"] {
            assert_eq!(retry_after(other, now), None, "{other}");
        }
    }
}
