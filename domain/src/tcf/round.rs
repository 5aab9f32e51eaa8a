//! Decides if a changed configuration asks visitors again ("Policies", 21(8)).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::documents::Chosen;

/// The questions of a publication. It keeps them, and the next publication compares its own with them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of the owner, and none rules another out"
)]
pub struct Asked {
    /// The vendors that the owner has chosen.
    pub chosen: Chosen,
    /// The vendors that are disclosed.
    pub disclosed: Vec<u16>,
    /// Purposes that are asked.
    pub purposes: Vec<u16>,
    /// True if the owner names the purposes, where others follow from the vendors.
    pub own_purposes: bool,
    /// True if the owner hides purpose 1; publications of before did not say so.
    #[serde(default)]
    pub purpose_one_treatment: bool,
    /// Special features that are asked.
    pub special_features: Vec<u16>,
    /// True if the owner names the special features.
    pub own_special_features: bool,
    /// Providers of Additional Consent that are disclosed; publications of before knew none.
    #[serde(default)]
    pub providers: Vec<u16>,
    /// True if vendors may claim legitimate interests.
    pub legitimate_interests: bool,
    /// Disclosed vendors under a restriction of the owner, by purpose and number of the restriction type.
    pub restricted: BTreeMap<String, Vec<u16>>,
}

impl Asked {
    /// True if the owner has added a vendor, a purpose, a special feature or a provider since `before`, or has
    /// lifted a restriction. Changes that come from the list alone ask nobody: with `all`, newcomers stay undisclosed
    /// until the next answer.
    pub fn asks_more_than(&self, before: &Self) -> bool {
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
        // Purpose 1 comes back by the owner's act alone, whoever chooses the purposes.
        let shows_purpose_one = before.purpose_one_treatment
            && !self.purpose_one_treatment
            && self.purposes.contains(&1);
        let lifts = self.legitimate_interests && !before.legitimate_interests;
        adds_vendors
            || adds_purposes
            || shows_purpose_one
            || adds_features
            || adds_providers
            || lifts
            || self.lifts_a_rule(before)
    }

    fn lifts_a_rule(&self, before: &Self) -> bool {
        let names = |rule: &str, id: &u16| {
            let vendors = self.restricted.get(rule);
            vendors.is_some_and(|vendors| vendors.contains(id))
        };
        before.restricted.iter().any(|(rule, vendors)| {
            let purpose = rule.split(':').next().unwrap_or_default();
            let forbidden = format!("{purpose}:0");
            let mut lifted = vendors
                .iter()
                .filter(|id| !names(rule, id) && !names(&forbidden, id));
            lifted.any(|id| self.disclosed.contains(id))
        })
    }
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
            now.asks_more_than(&before)
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
            purpose_one_treatment: true,
            ..asked()
        };
        assert!(asks(hidden(), |now| {
            now.purpose_one_treatment = false;
            now.purposes.insert(0, 1);
        }));
        // Nobody asks for it.
        assert!(!asks(hidden(), |now| now.purpose_one_treatment = false));
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
            now.purpose_one_treatment = true;
            now.purposes = vec![7];
        }));
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
}
