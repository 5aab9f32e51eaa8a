//! Texts of the Global Vendor List, as people can read them.

use crate::format;

/// A name or sentence of the list on one line: entities decoded once, characters without width or that turn the
/// text taken out, runs of white space made one space.
pub(super) fn clean(text: &str) -> String {
    let decoded = decode_entities(text);
    let visible = decoded.chars().filter_map(|c| match c {
        c if c.is_whitespace() => Some(' '),
        '\u{200c}' | '\u{200d}' => None,
        c if format::is_hidden(c) => None,
        c => Some(c),
    });
    let visible: String = visible.collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Decodes the entities that companies have in their names. Others stay as they are.
fn decode_entities(text: &str) -> String {
    const LONGEST: usize = 10;
    let mut decoded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        let entity = after.split_once(';');
        let known = entity
            .filter(|(name, _)| name.len() < LONGEST)
            .and_then(|(name, after)| Some((character(name)?, after)));
        if let Some((c, after)) = known {
            decoded.push(c);
            rest = after;
        } else {
            decoded.push('&');
            rest = after;
        }
    }
    decoded.push_str(rest);
    decoded
}

fn character(entity: &str) -> Option<char> {
    let number = match entity {
        "amp" => return Some('&'),
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        "nbsp" => return Some(' '),
        _ => entity.strip_prefix('#')?,
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?)
}

/// The day of a time such as `2023-09-07T16:07:28Z`, in days since 1970.
pub(super) fn day(time: &str) -> Option<u32> {
    let mut parts = time.get(..10)?.split('-').map(str::parse::<u32>);
    let (year, month, day) = (
        parts.next()?.ok()?,
        parts.next()?.ok()?,
        parts.next()?.ok()?,
    );
    let month_index = usize::try_from(month).ok()?.checked_sub(1)?;
    let leap = |year: u32| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let february = if leap(year) { 29 } else { 28 };
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = *months.get(month_index)?;
    if !(1970..=9999).contains(&year) || !(1..=length).contains(&day) {
        return None;
    }
    let years: u32 = (1970..year)
        .map(|year| if leap(year) { 366 } else { 365 })
        .sum();
    let months: u32 = months.iter().take(month_index).sum();
    Some(years + months + day - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_their_companies_meant() {
        for (sent, meant) in [
            ("Index Exchange Inc. \n", "Index Exchange Inc."),
            ("DoubleVerify Inc.\u{200b}", "DoubleVerify Inc."),
            ("A &amp; B&#39;s &#x26; C&nbsp;D", "A & B's & C D"),
            ("once &amp;lt;b&amp;gt;", "once &lt;b&gt;"),
            (
                "A&B; C & D &unknown; &#0x; &#xD800; &",
                "A&B; C & D &unknown; &#0x; &#xD800; &",
            ),
            ("a\tb\u{202e}c\u{a0}\u{feff} d", "a bc d"),
            ("&#9;x&#10;y&#0;", "x y"),
            ("", ""),
        ] {
            assert_eq!(clean(sent), meant, "{sent:?}");
        }
    }

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(day("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(day("2023-09-07T16:07:28Z"), Some(19_607));
        assert_eq!(day("2024-02-29"), Some(19_782));
        assert_eq!(day("2026-11-21T00:00:00Z"), Some(20_778));
        for bad in [
            "",
            "2023-02-29",
            "2023-13-01",
            "2023-00-01",
            "2023-01-00",
            "1969-12-31",
            "yesterday!",
            "2023-9-7T1",
        ] {
            assert_eq!(day(bad), None, "{bad}");
        }
    }
}
