//! The comparison of a TC string with the publication that its visitor saw.

use serde::{Deserialize, Serialize};

use super::TcString;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// The first respect in which a TC string does not fit what the visitor saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Unfit {
    /// Nobody can read the string.
    Unreadable,
    /// The consent names no publication of this project, or one that does not ask by TCF.
    Publication,
    /// Another consent management platform, or another version of it.
    Cmp,
    /// Another version of the Global Vendor List, or of its policies.
    List,
    /// Other vendors than those that were shown.
    Disclosed,
    /// Other restrictions of the publisher.
    Restrictions,
    /// It allows a purpose, a feature or a vendor that the visitor was not asked about.
    Choices,
    /// The day in the string is another day than that of the decision.
    Day,
}

/// Compares the TC string of a consent with `everything`, the string of its publication that allows all that was
/// asked, and with the time of the decision in milliseconds from 1970.
///
/// # Errors
/// The first respect in which they differ.
pub fn verify(string: &str, everything: Option<&str>, decided_at: i64) -> Result<(), Unfit> {
    let said = TcString::decode(string).map_err(|_| Unfit::Unreadable)?;
    let asked = everything.and_then(|text| TcString::decode(text).ok());
    let asked = asked.ok_or(Unfit::Publication)?;
    let allowed = |string: &TcString| {
        [
            string.purpose_consents.clone(),
            string.purpose_legitimate_interests.clone(),
            string.special_feature_optins.clone(),
            string.vendor_consents.clone(),
            string.vendor_legitimate_interests.clone(),
        ]
    };
    let mut choices = allowed(&said).into_iter().zip(allowed(&asked));
    // Tenths of a second. Clocks of visitors may be past midnight while the server is not.
    let created = i64::try_from(said.created)
        .unwrap_or(i64::MAX)
        .saturating_mul(100);
    let days = (created.div_euclid(DAY) - decided_at.div_euclid(DAY)).abs();
    for (fits, reason) in [
        (
            (said.cmp_id, said.cmp_version) == (asked.cmp_id, asked.cmp_version),
            Unfit::Cmp,
        ),
        (
            (said.vendor_list_version, said.policy_version)
                == (asked.vendor_list_version, asked.policy_version),
            Unfit::List,
        ),
        (
            said.disclosed_vendors == asked.disclosed_vendors,
            Unfit::Disclosed,
        ),
        (
            said.publisher_restrictions == asked.publisher_restrictions,
            Unfit::Restrictions,
        ),
        (
            choices.all(|(said, asked)| said.is_within(&asked)),
            Unfit::Choices,
        ),
        (days <= 1, Unfit::Day),
    ] {
        if !fits {
            return Err(reason);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcf::{Ids, PublisherRestriction, RestrictionType};

    /// 21 November 2026, 09:30 UTC.
    const DECIDED: i64 = 1_795_253_400_000;

    /// A string that allows everything that was asked, after a change.
    fn string(change: impl Fn(&mut TcString)) -> String {
        let ids = |last: u16| -> Ids { (1..=last).collect() };
        let day = u64::try_from(DECIDED.div_euclid(DAY) * DAY / 100).unwrap();
        let mut string = TcString {
            created: day,
            last_updated: day,
            cmp_id: 31,
            cmp_version: 1,
            consent_screen: 1,
            consent_language: "EN".to_owned(),
            vendor_list_version: 178,
            policy_version: 5,
            is_service_specific: true,
            use_non_standard_texts: false,
            special_feature_optins: ids(1),
            purpose_consents: ids(4),
            purpose_legitimate_interests: [2, 7].into_iter().collect(),
            purpose_one_treatment: false,
            publisher_country_code: "FR".to_owned(),
            vendor_consents: ids(30),
            vendor_legitimate_interests: ids(5),
            publisher_restrictions: Vec::new(),
            disclosed_vendors: Some(ids(30)),
        };
        change(&mut string);
        string.encode().unwrap()
    }

    #[test]
    fn a_string_fits_its_publication_or_says_where_it_does_not() {
        let asked = string(|_| ());
        let of = |change: fn(&mut TcString)| verify(&string(change), Some(&asked), DECIDED);
        assert_eq!(of(|_| ()), Ok(()));
        assert_eq!(of(|said| said.purpose_consents = Ids::default()), Ok(()));
        assert_eq!(of(|said| said.consent_screen = 4), Ok(()));
        for (change, reason) in [
            ((|said| said.cmp_id = 32) as fn(&mut TcString), Unfit::Cmp),
            (|said| said.cmp_version = 2, Unfit::Cmp),
            (|said| said.vendor_list_version = 177, Unfit::List),
            (|said| said.policy_version = 4, Unfit::List),
            (
                |said| said.disclosed_vendors = Some((1..=29).collect()),
                Unfit::Disclosed,
            ),
            (
                |said| {
                    said.publisher_restrictions = vec![PublisherRestriction {
                        purpose_id: 2,
                        restriction_type: RestrictionType::RequireConsent,
                        vendors: [3].into_iter().collect(),
                    }];
                },
                Unfit::Restrictions,
            ),
            (
                |said| said.purpose_consents = (1..=5).collect(),
                Unfit::Choices,
            ),
            (
                |said| said.vendor_legitimate_interests = [6].into_iter().collect(),
                Unfit::Choices,
            ),
        ] {
            assert_eq!(of(change), Err(reason));
        }
        assert_eq!(verify("x", Some(&asked), DECIDED), Err(Unfit::Unreadable));
        assert_eq!(verify(&asked, None, DECIDED), Err(Unfit::Publication));
        assert_eq!(verify(&asked, Some(&asked), DECIDED + DAY), Ok(()));
        assert_eq!(
            verify(&asked, Some(&asked), DECIDED + 2 * DAY),
            Err(Unfit::Day)
        );
    }
}
