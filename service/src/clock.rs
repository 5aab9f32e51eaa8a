//! Time as a parameter: the injectable clock and the timestamp that both databases store alike.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// A moment: microseconds since 1970-01-01T00:00:00Z.
///
/// Stored as `BIGINT`, because SQLite would keep RFC 3339 text whose trimmed fractions sort
/// wrongly. In JSON it is RFC 3339, UTC, with milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
#[sqlx(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The moment `milliseconds` after 1970-01-01T00:00:00Z.
    pub fn from_millis(milliseconds: i64) -> Self {
        Self(milliseconds.saturating_mul(1000))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub fn millis(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// Whole seconds since 1970-01-01T00:00:00Z.
    pub fn seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// This moment plus `seconds`, which may be negative.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(1_000_000)))
    }

    /// This moment plus `milliseconds`, which may be negative.
    #[must_use]
    pub fn plus_millis(self, milliseconds: i64) -> Self {
        Self(self.0.saturating_add(milliseconds.saturating_mul(1000)))
    }

    /// True if so many milliseconds have passed since this moment. Also if it lies in the future: the clock was set back,
    /// and work that waited for the time would stand still.
    pub fn is_over(self, milliseconds: i64, now: Self) -> bool {
        now < self || self.plus_millis(milliseconds) <= now
    }

    /// This moment plus whole days, which may be negative.
    #[must_use]
    pub fn plus_days(self, days: i64) -> Self {
        self.plus_seconds(days.saturating_mul(86_400))
    }

    /// Whole days since 1970-01-01, UTC.
    pub fn day(self) -> i64 {
        self.seconds().div_euclid(86_400)
    }

    /// Seconds until the next day (UTC) begins.
    pub fn left_of_day(self) -> u64 {
        const DAY: i64 = 86_400;
        (DAY - self.seconds().rem_euclid(DAY)).unsigned_abs()
    }

    /// Reads RFC 3339, or a date alone (midnight, UTC).
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let moment = if text.len() == DATE.len() {
            OffsetDateTime::parse(&format!("{text}T00:00:00Z"), &Rfc3339)
        } else {
            OffsetDateTime::parse(text, &Rfc3339)
        };
        let nanoseconds = moment.ok()?.unix_timestamp_nanos();
        i64::try_from(nanoseconds.div_euclid(1000)).ok().map(Self)
    }

    /// Reads the end of a span, as [`Timestamp::parse`] does. A date alone includes its day.
    pub fn parse_end(text: &str) -> Option<Self> {
        let is_date = text.trim().len() == DATE.len();
        let end = Self::parse(text)?;
        Some(if is_date { end.plus_days(1) } else { end })
    }

    /// The date, UTC, as `2026-11-21`.
    pub fn date(self) -> String {
        let mut text = self.to_string();
        text.truncate(DATE.len());
        text
    }
}

/// The form of a date.
const DATE: &str = "2026-11-21";

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = OffsetDateTime::from_unix_timestamp(self.seconds())
            .unwrap_or(OffsetDateTime::UNIX_EPOCH);
        write!(
            formatter,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            moment.year(),
            u8::from(moment.month()),
            moment.day(),
            moment.hour(),
            moment.minute(),
            moment.second(),
            self.millis().rem_euclid(1000),
        )
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("not an RFC 3339 time"))
    }
}

impl utoipa::PartialSchema for Timestamp {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .format(Some(utoipa::openapi::SchemaFormat::KnownFormat(
                utoipa::openapi::KnownFormat::DateTime,
            )))
            .examples(["2026-11-21T09:30:00.000Z"])
            .into()
    }
}

impl utoipa::ToSchema for Timestamp {}

/// Source of the time.
pub trait Clock: Send + Sync + 'static {
    /// The present moment.
    fn now(&self) -> Timestamp;
}

/// A clock that everything shares.
pub type SharedClock = Arc<dyn Clock>;

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let nanoseconds = OffsetDateTime::now_utc().unix_timestamp_nanos();
        Timestamp(i64::try_from(nanoseconds.div_euclid(1000)).unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_and_reads_milliseconds() {
        let moment = Timestamp::from_millis(1_795_253_400_007);
        assert_eq!(moment.to_string(), "2026-11-21T09:30:00.007Z");
        assert_eq!(
            Timestamp::parse("2026-11-21T10:30:00.007+01:00"),
            Some(moment)
        );
        assert_eq!(
            Timestamp::parse("2026-11-21"),
            Some(moment).map(|m| Timestamp(m.day() * 86_400_000_000))
        );
        assert_eq!(Timestamp::parse("yesterday"), None);
        assert_eq!(moment.date(), "2026-11-21");
        // The end of a span includes a date, and not the moment that is named.
        assert_eq!(
            Timestamp::parse_end("2026-11-21"),
            Timestamp::parse("2026-11-22")
        );
        let named = "2026-11-21T09:30:00.007Z";
        assert_eq!(Timestamp::parse_end(named), Some(moment));
    }
}
