//! Tells when a project has fallen silent.

use crate::clock::Timestamp;

/// Days within which a project must have had consents. A project that was silent for longer is not used.
const REMEMBERED: i64 = 60;
/// The days before the silence that say whether it is unusual.
const WEEK: i64 = 7;
/// Consents of that week at least. With fewer, a day without any is no sign.
const ENOUGH: i64 = 50;
/// Days of that week with consents at least. An import brings many on one day.
const BUSY_DAYS: usize = 5;

/// The first day whose consents matter.
pub(super) fn first_day(today: i64) -> i64 {
    today - REMEMBERED - WEEK
}

/// The beginning of the silence, from the consents of days (number of the day, consents; oldest first). `None` if
/// there is none: consents came yesterday or today, or too few came before.
pub(super) fn since(days: &[(i64, i64)], today: i64) -> Option<Timestamp> {
    let (last, _) = days.last()?;
    let week = days.iter().filter(|(day, _)| *day > last - WEEK);
    let (busy, consents) = week.fold((0, 0), |(busy, sum), (_, of_day)| (busy + 1, sum + of_day));
    let is_silent = *last < today - 1 && *last >= today - REMEMBERED;
    let was_busy = consents >= ENOUGH && busy >= BUSY_DAYS;
    (is_silent && was_busy).then(|| Timestamp(0).plus_days(last + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn week(until: i64, of_day: i64) -> Vec<(i64, i64)> {
        (until - 6..=until).map(|day| (day, of_day)).collect()
    }

    #[test]
    fn a_busy_project_is_silent_after_a_whole_day_without_consents() {
        let begins = Some(Timestamp(0).plus_days(101));
        assert_eq!(since(&week(100, 8), 100), None);
        assert_eq!(since(&week(100, 8), 101), None);
        assert_eq!(since(&week(100, 8), 102), begins);
        assert_eq!(since(&week(100, 8), 160), begins);
        assert_eq!(since(&week(100, 8), 161), None);
    }

    #[test]
    fn a_quiet_project_and_an_imported_one_are_not() {
        assert_eq!(since(&week(100, 7), 102), None);
        assert_eq!(since(&[(100, 1_000_000)], 102), None);
        assert_eq!(since(&[], 102), None);
    }
}
