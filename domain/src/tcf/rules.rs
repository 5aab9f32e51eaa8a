//! Applies the owner's restrictions to the declarations of vendors ("Publisher Restrictions Section").

use std::collections::BTreeMap;

use super::{
    CONSENT_ONLY, Disclosed, Ids, List, ListedVendor, Notice, PublisherRestriction, RestrictionType,
};
use crate::{
    documents::{Chosen, Restriction, RestrictionKind, Tcf},
    error_code::ErrorCode,
    field_error::FieldError,
};

/// The owner's restrictions, by purpose and vendor.
pub(super) struct Rules {
    named: BTreeMap<u16, BTreeMap<u16, RestrictionType>>,
    allows_interests: bool,
}

/// Purposes of a vendor, after the rules.
#[derive(Default)]
pub(super) struct Effect {
    /// By consent.
    pub consent: Ids,
    /// By legitimate interest.
    pub interest: Ids,
}

impl Effect {
    /// True if a purpose is left.
    pub fn has(&self, purpose: u16) -> bool {
        self.consent.contains(purpose) || self.interest.contains(purpose)
    }

    /// True if no purpose is left.
    pub fn is_empty(&self) -> bool {
        self.consent.is_empty() && self.interest.is_empty()
    }

    /// The same declaration without the purposes that are not asked.
    pub fn within(&self, purposes: &Ids) -> Self {
        let within = |ids: &Ids| ids.iter().filter(|id| purposes.contains(*id)).collect();
        Self {
            consent: within(&self.consent),
            interest: within(&self.interest),
        }
    }
}

impl Rules {
    /// Reads the restrictions of a configuration. One that names a vendor to whom it cannot apply is an error,
    /// because leaving it out would allow more than the owner wants. When a live configuration follows a new list,
    /// nobody is there to mend it: such a rule then forbids the purpose to the vendor, which never allows more.
    pub fn new(
        tcf: &Tcf,
        vendors: &BTreeMap<u16, &ListedVendor>,
        follows_list: bool,
        notices: &mut Vec<Notice>,
        errors: &mut Vec<FieldError>,
    ) -> Self {
        let mut named: BTreeMap<u16, BTreeMap<u16, RestrictionType>> = BTreeMap::new();
        for (at, rule) in tcf.restrictions.iter().enumerate() {
            let of_purpose = named.entry(rule.purpose).or_default();
            for (id, vendor) in vendors {
                if rule.vendors.contains(*id) && applies(rule, vendor) {
                    of_purpose.entry(*id).or_insert(kind(rule.kind));
                }
            }
            let Chosen::Ids(ids) = &rule.vendors else {
                continue;
            };
            for (index, id) in ids.iter().enumerate() {
                let unfit = vendors.get(id).is_some_and(|vendor| !applies(rule, vendor));
                if unfit && follows_list {
                    of_purpose.insert(*id, RestrictionType::NotAllowed);
                    notices.push(Notice::RuleTightened {
                        rule: at,
                        vendor: *id,
                    });
                } else if unfit {
                    let detail = match rule.kind {
                        RestrictionKind::NotAllowed => "The vendor does not declare this purpose.",
                        _ => "The vendor is not flexible for this purpose.",
                    };
                    let pointer = format!("/tcf/restrictions/{at}/vendors/{index}");
                    errors.push(FieldError::new(pointer, ErrorCode::InvalidValue, detail));
                }
            }
        }
        Self {
            named,
            allows_interests: tcf.legitimate_interests,
        }
    }

    /// Applies the restrictions to a vendor's purposes.
    pub fn effect(&self, id: u16, vendor: &ListedVendor) -> Effect {
        let rule = |purpose| {
            self.named
                .get(&purpose)
                .and_then(|rules| rules.get(&id))
                .copied()
        };
        let (mut consent, mut interest) = (Vec::new(), Vec::new());
        let declared = vendor.purposes.iter().map(|purpose| (purpose, false));
        for (purpose, claims) in
            declared.chain(vendor.interests.iter().map(|purpose| (purpose, true)))
        {
            let claims = match rule(purpose) {
                Some(RestrictionType::NotAllowed) => continue,
                Some(RestrictionType::RequireConsent) => false,
                Some(RestrictionType::RequireLegitimateInterest) => true,
                None => claims,
            };
            if !claims {
                consent.push(purpose);
            } else if self.allows_interests {
                interest.push(purpose);
            } else if vendor.flexible.contains(purpose) {
                consent.push(purpose);
            }
        }
        Effect {
            consent: consent.into_iter().collect(),
            interest: interest.into_iter().collect(),
        }
    }

    /// The restrictions as TC strings hold them. Ranges go over ids that are not disclosed, which makes them
    /// short ("RangeEntry"), and no vendor is in two of a purpose.
    pub fn written(
        &self,
        list: &List,
        disclosed: &Ids,
        vendors: &[Disclosed],
    ) -> Vec<PublisherRestriction> {
        let mut written = Vec::new();
        let max = vendors
            .iter()
            .map(|vendor| vendor.id)
            .max()
            .unwrap_or_default();
        for purpose in list.texts.purposes.keys().copied() {
            let named = self.named.get(&purpose);
            let of = |kind: RestrictionType| -> Ids {
                let named = named.into_iter().flatten();
                // A rule that followed a new list may forbid what a vendor does not declare any more.
                let forbids = kind == RestrictionType::NotAllowed;
                let means = |id: &u16| !forbids || declares(list, *id, purpose);
                let ids = named
                    .filter(|(id, rule)| **rule == kind && disclosed.contains(**id) && means(id));
                ids.map(|(id, _)| *id).collect()
            };
            // With a rule for all others, the gaps are theirs.
            let claimed = list
                .vendors
                .iter()
                .any(|(id, vendor)| disclosed.contains(*id) && vendor.interests.contains(purpose));
            let covers_all = !self.allows_interests && claimed && !CONSENT_ONLY.contains(&purpose);
            for kind in [
                RestrictionType::NotAllowed,
                RestrictionType::RequireConsent,
                RestrictionType::RequireLegitimateInterest,
            ] {
                let mut ids = of(kind);
                if covers_all && kind == RestrictionType::RequireConsent {
                    let forbidden = of(RestrictionType::NotAllowed);
                    ids = (1..=max).filter(|id| !forbidden.contains(*id)).collect();
                } else if !covers_all {
                    let others: Ids = disclosed.iter().filter(|id| !ids.contains(*id)).collect();
                    ids = ids.across_gaps(&others);
                }
                if !ids.is_empty() {
                    let purpose_id = purpose.try_into().unwrap_or_default();
                    written.push(PublisherRestriction {
                        purpose_id,
                        restriction_type: kind,
                        vendors: ids,
                    });
                }
            }
        }
        written
    }

    /// The vendors of each purpose and type, such as `7:1`.
    pub fn by_purpose(&self) -> BTreeMap<String, Vec<u16>> {
        let mut all: BTreeMap<String, Vec<u16>> = BTreeMap::new();
        for (purpose, rules) in &self.named {
            for (id, kind) in rules {
                all.entry(key(*purpose, *kind)).or_default().push(*id);
            }
        }
        all
    }
}

/// The key of restrictions of a purpose and type in [`super::Asked::restricted`].
pub fn restriction_key(purpose: u16, of: RestrictionKind) -> String {
    key(purpose, kind(of))
}

fn key(purpose: u16, kind: RestrictionType) -> String {
    format!("{purpose}:{}", kind as u8)
}

fn kind(kind: RestrictionKind) -> RestrictionType {
    match kind {
        RestrictionKind::NotAllowed => RestrictionType::NotAllowed,
        RestrictionKind::Consent => RestrictionType::RequireConsent,
        RestrictionKind::LegitimateInterest => RestrictionType::RequireLegitimateInterest,
    }
}

fn declares(list: &List, id: u16, purpose: u16) -> bool {
    let vendor = list.vendors.get(&id);
    vendor.is_some_and(|vendor| vendor.declares(purpose))
}

/// True if a vendor's declaration is one that the rule changes.
fn applies(rule: &Restriction, vendor: &ListedVendor) -> bool {
    let purpose = rule.purpose;
    match rule.kind {
        RestrictionKind::NotAllowed => vendor.declares(purpose),
        RestrictionKind::Consent | RestrictionKind::LegitimateInterest => {
            vendor.flexible.contains(purpose)
        }
    }
}
