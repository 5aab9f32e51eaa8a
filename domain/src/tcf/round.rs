//! Decides if a changed configuration asks visitors again ("Policies", 21(8)).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::RestrictionType;
use crate::documents::{Chosen, Restriction};

/// The questions of a publication. It keeps them, and the next publication compares its own with them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    /// The vendors that the owner has chosen.
    pub chosen: Chosen,
    /// The vendors that are disclosed.
    pub disclosed: Vec<u16>,
    /// Purposes that are asked.
    pub purposes: Vec<u16>,
    /// True if the owner names the purposes, where others follow from the vendors.
    pub own_purposes: bool,
    /// True if the owner hides purpose 1; `None` in publications of before, which did not say so.
    #[serde(default)]
    pub purpose_one_treatment: Option<bool>,
    /// Special features that are asked.
    pub special_features: Vec<u16>,
    /// True if the owner names the special features.
    pub own_special_features: bool,
    /// Providers of Additional Consent that are disclosed; publications of before knew none.
    #[serde(default)]
    pub providers: Vec<u16>,
    /// True if vendors may claim legitimate interests.
    pub legitimate_interests: bool,
    /// The restrictions as the owner writes them; `None` in publications of before, which did not say so.
    #[serde(default)]
    pub rules: Option<Vec<Restriction>>,
    /// Disclosed vendors under a restriction of the owner, by purpose and number of the restriction type.
    pub restricted: BTreeMap<String, Vec<u16>>,
}

impl Asked {
    /// True if the owner has added a vendor, a purpose, a special feature or a provider since `before`, or has
    /// lifted a restriction. Changes that come from the list alone ask nobody: with `all`, newcomers stay undisclosed
    /// until the next answer. `does` says if a vendor now does what a restriction kept it from: the purpose at all,
    /// without consent, or by consent.
    pub(super) fn asks_more_than(
        &self,
        before: &Self,
        does: impl Fn(u16, u16, RestrictionType) -> bool,
    ) -> bool {
        let all = matches!(
            (&self.chosen, &before.chosen),
            (Chosen::All(_), Chosen::All(_))
        );
        let same_vendors = self.chosen == before.chosen;
        let adds_vendors = !all && !same_vendors && adds(&self.disclosed, &before.disclosed);
        // Purposes that follow from the vendors are the owner's act only when the vendors are.
        let is_owners = |own: bool, owned: bool| own || owned || !(all || same_vendors);
        let adds_purposes = is_owners(self.own_purposes, before.own_purposes)
            && adds(&self.purposes, &before.purposes);
        let adds_features = is_owners(self.own_special_features, before.own_special_features)
            && adds(&self.special_features, &before.special_features);
        let adds_providers = adds(&self.providers, &before.providers);
        // Purpose 1 comes back by the owner's act alone, whoever chooses the purposes. If nobody knows whether it
        // was hidden, its absence decides: no string of before has an answer to it.
        let hid_purpose_one = before
            .purpose_one_treatment
            .unwrap_or(!before.purposes.contains(&1));
        let shows_purpose_one = hid_purpose_one && self.purposes.contains(&1);
        let lifts = self.legitimate_interests && !before.legitimate_interests;
        adds_vendors
            || adds_purposes
            || shows_purpose_one
            || adds_features
            || adds_providers
            || lifts
            || self.lifts_a_rule(before, does)
    }

    /// True if the owner has changed restrictions, and a vendor does now what one of before kept it from. A rule for
    /// `all` follows each list: vendors leave it that cannot stand under it any more.
    fn lifts_a_rule(
        &self,
        before: &Self,
        does: impl Fn(u16, u16, RestrictionType) -> bool,
    ) -> bool {
        if before.rules.is_some() && self.rules == before.rules {
            return false;
        }
        let names = |rule: &str, id: &u16| {
            let vendors = self.restricted.get(rule);
            vendors.is_some_and(|vendors| vendors.contains(id))
        };
        before.restricted.iter().any(|(rule, vendors)| {
            let Some((purpose, kind)) = read_key(rule) else {
                return false;
            };
            let forbidden = format!("{purpose}:0");
            let mut lifted = vendors
                .iter()
                .filter(|id| !names(rule, id) && !names(&forbidden, id));
            lifted.any(|id| self.disclosed.contains(id) && does(*id, purpose, kind))
        })
    }
}

/// The purpose and type in a key of [`Asked::restricted`].
fn read_key(key: &str) -> Option<(u16, RestrictionType)> {
    let (purpose, kind) = key.split_once(':')?;
    let kind = RestrictionType::of(kind.parse().ok()?)?;
    Some((purpose.parse().ok()?, kind))
}

/// True if some of `now` is not among `before`.
fn adds(now: &[u16], before: &[u16]) -> bool {
    let before: BTreeSet<_> = before.iter().collect();
    now.iter().any(|id| !before.contains(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::All;

    fn asked() -> Asked {
        Asked {
            chosen: Chosen::Ids(vec![1, 2]),
            disclosed: vec![1, 2],
            purposes: vec![1, 7],
            special_features: vec![1],
            restricted: BTreeMap::from([("7:1".into(), vec![1, 2])]),
            ..Asked::default()
        }
    }

    #[test]
    fn only_acts_of_the_owner_ask_again() {
        let asks = |before: Asked, change: fn(&mut Asked)| {
            let mut now = before.clone();
            change(&mut now);
            now.asks_more_than(&before, |_, _, _| true)
        };
        let listed = |chosen| Asked { chosen, ..asked() };
        assert!(!asks(asked(), |_| {}));
        // The owner's acts.
        assert!(asks(asked(), |now| {
            now.chosen = Chosen::Ids(vec![1, 2, 3]);
            now.disclosed.push(3);
        }));
        assert!(asks(asked(), |now| {
            now.chosen = Chosen::All(All::All);
            now.disclosed.push(3);
        }));
        assert!(asks(asked(), |now| {
            now.own_purposes = true;
            now.purposes.push(8);
        }));
        assert!(asks(asked(), |now| {
            now.own_special_features = true;
            now.special_features.push(2);
        }));
        assert!(asks(asked(), |now| now.legitimate_interests = true));
        let hidden = || Asked {
            purposes: vec![7],
            purpose_one_treatment: Some(true),
            ..asked()
        };
        assert!(asks(hidden(), |now| {
            now.purpose_one_treatment = Some(false);
            now.purposes.insert(0, 1);
        }));
        // Nobody asks for it.
        assert!(!asks(hidden(), |now| now.purpose_one_treatment = Some(false)));
        // Also where Google's list has it only now: its string cannot leave it undisclosed.
        assert!(asks(asked(), |now| now.providers.push(89)));
        assert!(asks(asked(), |now| now.restricted.clear()));
        assert!(asks(asked(), |now| now.restricted =
            BTreeMap::from([("7:1".into(), vec![1])])));
        // Changes that ask less, or come from the list.
        assert!(!asks(asked(), |now| {
            now.chosen = Chosen::Ids(vec![1]);
            now.disclosed = vec![1];
            now.purposes = vec![1];
            now.restricted = BTreeMap::from([("7:1".into(), vec![1])]);
        }));
        assert!(!asks(asked(), |now| {
            now.purpose_one_treatment = Some(true);
            now.purposes = vec![7];
        }));
        // Purpose 1 was not hidden, so it comes from the list.
        let shown = || Asked {
            purposes: vec![7],
            purpose_one_treatment: Some(false),
            ..asked()
        };
        assert!(!asks(shown(), |now| now.purposes.push(1)));
        let provided = || Asked {
            providers: vec![7, 89],
            ..asked()
        };
        assert!(!asks(provided(), |now| now.providers = vec![89]));
        assert!(!asks(asked(), |now| now.purposes.push(8)));
        assert!(!asks(asked(), |now| now.disclosed.push(3)));
        assert!(!asks(listed(Chosen::All(All::All)), |now| {
            now.disclosed.push(3);
            now.purposes.push(8);
            now.special_features.push(2);
        }));
        assert!(!asks(asked(), |now| {
            now.restricted.insert("9:0".into(), vec![1]);
        }));
        assert!(!asks(asked(), |now| now.restricted =
            BTreeMap::from([("7:0".into(), vec![1, 2])])));
    }

    /// The stored form of the release before said nothing of purpose 1 and of the owner's restrictions.
    #[test]
    fn publications_of_before_are_compared_by_content() {
        let of_before = |purposes: &str| -> Asked {
            let text = format!(
                r#"{{"chosen": [1, 2], "disclosed": [1, 2], "purposes": {purposes}, "ownPurposes": false, "specialFeatures": [],
                "ownSpecialFeatures": false, "legitimateInterests": true, "restricted": {{"7:1": [1]}}}}"#
            );
            serde_json::from_str(&text).unwrap()
        };
        let now = |rules: Vec<Restriction>, restricted| Asked {
            chosen: Chosen::Ids(vec![1, 2]),
            disclosed: vec![1, 2],
            purposes: vec![1, 7],
            purpose_one_treatment: Some(false),
            legitimate_interests: true,
            rules: Some(rules),
            restricted,
            ..Asked::default()
        };
        let ruled = || BTreeMap::from([("7:1".into(), vec![1])]);
        let rule = || Restriction {
            purpose: 7,
            vendors: Chosen::All(All::All),
            ..Restriction::default()
        };
        let none = |_, _, _| false;
        let same = now(vec![rule()], ruled());
        assert!(!same.asks_more_than(&of_before("[1, 7]"), none));
        // It was hidden, since nobody was asked for it.
        assert!(same.asks_more_than(&of_before("[7]"), none));
        // A vendor that stands under no rule any more, with nothing that it does now.
        let free = now(vec![], BTreeMap::new());
        assert!(!free.asks_more_than(&of_before("[1, 7]"), none));
        let by_interest =
            |id, purpose, kind| (id, purpose) == (1, 7) && kind == RestrictionType::RequireConsent;
        assert!(free.asks_more_than(&of_before("[1, 7]"), by_interest));
        // The same rule of the owner, which a new list fits no more.
        let left = now(vec![rule()], BTreeMap::new());
        assert!(!left.asks_more_than(&same, by_interest));
        assert!(free.asks_more_than(&same, by_interest));
    }
}
