//! The two text files that browsers load when a layer opens: lines and tabs, which take less room than JSON.
//!
//! No value holds a tab or a line break: names and sentences are on one line, addresses have neither. Both files
//! are UTF-8 with LF between lines and none at the end.

use std::{collections::BTreeMap, fmt::Write as _};

use super::{Disclosed, Ids, Plan, Retention, Storage, Text, Texts};

/// The file of the partners of one configuration in one language.
///
/// Fifteen lines, in this order. Lines 1 to 12 are columns of the disclosed vendors: each has one value for each
/// vendor, by ascending id, with a tab between vendors. An empty value says "none". Lines 13 to 15 are columns of
/// the providers of Additional Consent, and empty without them.
///
/// | line | column | written as |
/// |---:|---|---|
/// | 1 | id | decimal difference to the id before; the first to 0 |
/// | 2 | name | text |
/// | 3 | purposes by consent, after restrictions | mask |
/// | 4 | purposes by legitimate interest, after restrictions | mask |
/// | 5 | special purposes | mask |
/// | 6 | features | mask |
/// | 7 | special features that are asked | mask |
/// | 8 | categories of data | mask |
/// | 9 | privacy policy, in the language, else English, else any | address |
/// | 10 | explanation of legitimate interests | address; `=` if it is the privacy policy |
/// | 11 | days that data are kept | see below |
/// | 12 | storage on the device | see below |
/// | 13 | id of the provider | as line 1 |
/// | 14 | name | text |
/// | 15 | privacy policy | address |
///
/// A mask is a number in hexadecimal, lower case, without leading zeros, whose bit `id - 1` stands for an id; the
/// purposes 1 and 3 are `5`. 0 is empty.
///
/// Retention is the standard number of days, or nothing where none is declared, followed for each purpose with
/// another number by `,<purpose>:<days>` and for each special purpose by `,s<special purpose>:<days>`. So
/// `365,2:14,7:14,s1:30` keeps data of the purposes 2 and 7 for 14 days, of special purpose 1 for 30, of others for
/// 365; `,2:90` declares purpose 2 alone.
///
/// Storage is the number of seconds that the longest cookie lives (`0`: until the browser closes; `-`: it has
/// cookies and does not say how long; nothing: it has none), followed by `r` if it renews cookies, `n` if it uses
/// storage other than cookies, and `d` if it describes what it stores at its `deviceStorageDisclosureUrl`, which
/// `GET /v1/app/tcf/vendors/<id>/storage` reads.
pub fn partners(plan: &Plan) -> String {
    let vendors = &plan.vendors;
    let column = |of: &dyn Fn(&Disclosed) -> String| {
        let values: Vec<_> = vendors.iter().map(of).collect();
        values.join("\t")
    };
    let address = |url: &Option<String>| url.clone().unwrap_or_default();
    let of_providers = |of: &dyn Fn(&super::Provider) -> String| {
        let values: Vec<_> = plan.providers.iter().map(of).collect();
        values.join("\t")
    };
    let lines = [
        deltas(vendors.iter().map(|vendor| vendor.id)),
        column(&|vendor| vendor.name.clone()),
        column(&|vendor| mask(&vendor.consent)),
        column(&|vendor| mask(&vendor.interest)),
        column(&|vendor| mask(&vendor.special_purposes)),
        column(&|vendor| mask(&vendor.features)),
        column(&|vendor| mask(&vendor.special_features)),
        column(&|vendor| mask(&vendor.data_categories)),
        column(&|vendor| address(&vendor.policy_url)),
        column(&|vendor| match &vendor.interest_url {
            same if same.is_some() && *same == vendor.policy_url => "=".into(),
            other => address(other),
        }),
        column(&|vendor| retention(&vendor.retention)),
        column(&|vendor| storage(vendor.storage, vendor.describes_storage)),
        deltas(plan.providers.iter().map(|provider| provider.id)),
        of_providers(&|provider| provider.name.clone()),
        of_providers(&|provider| address(&provider.policy_url)),
    ];
    lines.join("\n")
}

/// The file of the standard texts of a list in one language; it is the same for all configurations.
///
/// Each line is one entry, its values with tabs between them. The first value says which:
///
/// | first value | entry | values after it |
/// |---|---|---|
/// | `p<id>` | purpose | name, description, then each illustration |
/// | `s<id>` | special purpose | the same |
/// | `f<id>` | feature | the same |
/// | `x<id>` | special feature | the same |
/// | `c<id>` | category of data | name, description |
/// | `t<name>` | standard sentence, such as `tfeatures` | the sentence |
///
/// Lines of a kind stand together, by ascending id. Stacks are not here: the first layer is drawn with them.
pub fn standard_texts(texts: &Texts) -> String {
    let mut lines = Vec::new();
    let kinds: [(char, &BTreeMap<u16, Text>); 5] = [
        ('p', &texts.purposes),
        ('s', &texts.special_purposes),
        ('f', &texts.features),
        ('x', &texts.special_features),
        ('c', &texts.data_categories),
    ];
    for (kind, entries) in kinds {
        for (id, text) in entries {
            let mut line = format!("{kind}{id}\t{}\t{}", text.name, text.description);
            for illustration in &text.illustrations {
                line.push('\t');
                line.push_str(illustration);
            }
            lines.push(line);
        }
    }
    let standard = texts.standard.iter();
    lines.extend(standard.map(|(name, text)| format!("t{name}\t{text}")));
    lines.join("\n")
}

/// Names of partners by their ids.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub vendors: BTreeMap<u16, String>,
    pub providers: BTreeMap<u16, String>,
}

/// Reads the names in a file of [`partners`].
pub(super) fn names_in(partners: &str) -> Names {
    let lines: Vec<&str> = partners.split('\n').collect();
    let named = |ids: usize| {
        let line = |at: usize| lines.get(at).filter(|line| !line.is_empty());
        let (Some(ids), Some(names)) = (line(ids), line(ids + 1)) else {
            return BTreeMap::new();
        };
        let ids = ids.split('\t').scan(0_u16, |id, delta| {
            *id = id.checked_add(delta.parse().ok()?)?;
            Some(*id)
        });
        ids.zip(names.split('\t').map(str::to_owned)).collect()
    };
    Names {
        vendors: named(0),
        providers: named(12),
    }
}

/// Reads the names of the entries of a kind in a file of [`standard_texts`].
pub(super) fn names_of_texts(texts: &str, kind: char) -> BTreeMap<u16, String> {
    let named = texts.split('\n').filter_map(|line| {
        let mut values = line.split('\t');
        let id = values.next()?.strip_prefix(kind)?.parse().ok()?;
        Some((id, values.next()?.to_owned()))
    });
    named.collect()
}

fn deltas(ids: impl Iterator<Item = u16>) -> String {
    let mut before = 0;
    let deltas = ids.map(|id| {
        let delta = id - before;
        before = id;
        delta.to_string()
    });
    deltas.collect::<Vec<_>>().join("\t")
}

fn mask(ids: &Ids) -> String {
    // The list is refused if an id is above 32.
    let mask = ids.iter().fold(0_u64, |mask, id| mask | 1 << (id - 1));
    match mask {
        0 => String::new(),
        mask => format!("{mask:x}"),
    }
}

fn retention(days: &Retention) -> String {
    let standard = days.standard;
    let mut text = standard.map(|days| days.to_string()).unwrap_or_default();
    for (mark, by_id) in [("", &days.purposes), ("s", &days.special_purposes)] {
        for (id, days) in by_id.iter().filter(|(_, days)| Some(**days) != standard) {
            // Writing to a string cannot fail.
            let _ = write!(text, ",{mark}{id}:{days}");
        }
    }
    text
}

fn storage(storage: Storage, describes: bool) -> String {
    let mut text = match (storage.cookies, storage.seconds) {
        (false, _) => String::new(),
        (true, Some(seconds)) => seconds.to_string(),
        (true, None) => "-".to_owned(),
    };
    let marks = [
        (storage.refreshes, 'r'),
        (storage.others, 'n'),
        (describes, 'd'),
    ];
    text.extend(
        marks
            .into_iter()
            .filter(|(is, _)| *is)
            .map(|(_, mark)| mark),
    );
    text
}
