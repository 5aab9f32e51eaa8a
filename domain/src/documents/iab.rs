//! The parts of a cookie configuration about IAB's frameworks: `tcf` and `gpp`.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::{
    Layout,
    check::below,
    configuration::{CookieConfiguration, Settings},
    field::{Absent, Kind, Needed, document_words, object},
    publish::{self, read},
};
use crate::{error_code::ErrorCode, field_error::FieldError, format, tcf::CONSENT_ONLY};

/// Days that a choice may be kept beside TCF: Google takes no string that is older than 13 months.
pub const MOST_DAYS: u32 = 390;
const MOST_PURPOSE: u16 = 24;
const MOST_SPECIAL_FEATURE: u16 = 12;
const MOST_STACK: u16 = 4_095;

document_words! {
    /// Visitors to whom the law applies.
    pub enum Applies {
        /// All.
        #[default] Always = "always",
        /// The page says it: `placetSettings.gdprApplies`.
        Site = "site",
    }
}

document_words! {
    /// A rule for vendors and a purpose.
    pub enum RestrictionKind {
        /// The vendors may not have the purpose.
        #[default] NotAllowed = "not_allowed",
        /// They need consent.
        Consent = "consent",
        /// They need a legitimate interest.
        LegitimateInterest = "legitimate_interest",
    }
}

document_words! {
    /// A mode of the Multi-State Privacy Agreement.
    pub enum Mspa {
        /// Vendors may be told of opt-outs.
        #[default] OptOut = "opt_out",
        /// Vendors are service providers alone.
        ServiceProvider = "service_provider",
    }
}

/// Vendors of the Global Vendor List.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum Chosen {
    /// All of them.
    All(
        /// The word.
        All,
    ),
    /// Those with these ids.
    Ids(
        /// The ids.
        Vec<u16>,
    ),
}

/// The word `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum All {
    /// All.
    #[serde(rename = "all")]
    All,
}

impl Default for Chosen {
    fn default() -> Self {
        Self::Ids(Vec::new())
    }
}

impl Absent for Chosen {}
impl Absent for u16 {
    fn plain(&self) -> Value {
        (*self).into()
    }
}

impl Chosen {
    /// True if an id is among them.
    pub fn contains(&self, id: u16) -> bool {
        match self {
            Self::All(_) => true,
            Self::Ids(ids) => ids.contains(&id),
        }
    }
}

/// The vendors that the rules of one purpose name, as far as they were read.
#[derive(Default)]
struct Named {
    rules: usize,
    all: bool,
    ids: HashSet<u16>,
}

impl Named {
    /// Adds the vendors of a rule. True if an earlier rule may name one of them.
    fn meets(&mut self, vendors: &Chosen) -> bool {
        let meets = match vendors {
            Chosen::All(_) => {
                self.all = true;
                self.rules > 0
            }
            Chosen::Ids(ids) => {
                // Each of them is added, so no `any`, which would stop at the first.
                let known = ids.iter().filter(|id| !self.ids.insert(**id)).count();
                known > 0 || self.all
            }
        };
        self.rules += 1;
        meets
    }
}

object! {
    /// A rule for vendors and a purpose, stronger than their declarations.
    pub struct Restriction, RESTRICTION {
        /// The purpose.
        "purpose" purpose: u16, Kind::Whole(1.0, 24.0).required();
        /// The rule. `consent` and `legitimate_interest` are for vendors that are flexible there.
        "type" kind: RestrictionKind, Kind::Words(RestrictionKind::WORDS).required();
        /// Ids of the vendors, or `all`: those to whom the rule can apply.
        "vendors" vendors: Chosen, Kind::AllOrIds(u16::MAX).required();
    }
}

impl Eq for Restriction {}

object! {
    /// IAB Europe's Transparency and Consent Framework, which the layout `iab` asks by.
    pub struct Tcf, TCF {
        /// Country whose law the publisher follows (ISO 3166-1 alpha-2).
        "publisherCC" publisher_cc: Option<String>, Kind::Formatted(&format::COUNTRY).optional().to_publish(Needed::Always);
        /// Ids of vendors of the Global Vendor List, or `all`.
        "vendors" vendors: Chosen, Kind::AllOrIds(u16::MAX).required();
        /// Purposes that visitors are asked about; those that the vendors declare when absent. Nobody has the
        /// others.
        "purposes" purposes: Option<Vec<u16>>, Kind::Ids(MOST_PURPOSE).optional();
        /// Special features that visitors are asked about; those that the vendors declare when absent.
        "specialFeatures" special_features: Option<Vec<u16>>, Kind::Ids(MOST_SPECIAL_FEATURE).optional();
        /// Stacks that stand for their purposes on the first layer. No two share a purpose.
        "stacks" stacks: Vec<u16>, Kind::Ids(MOST_STACK).optional();
        /// False if vendors may claim no legitimate interest. Those that are flexible need consent then; others lose the
        /// purpose.
        "legitimateInterests" legitimate_interests: bool = true, Kind::Flag.optional();
        /// Rules for vendors and purposes.
        "restrictions" restrictions: Vec<Restriction>, Kind::Objects(&RESTRICTION, None).optional();
        /// True if visitors are not asked about purpose 1, because the publisher's law does not ask for it.
        "purposeOneTreatment" purpose_one_treatment: bool, Kind::Flag.optional();
        /// Ids of Google's ad technology providers that take part by Additional Consent. Publishing leaves out those
        /// that Google's list does not have, and needs that list.
        "additionalConsent" additional_consent: Vec<u16>, Kind::Ids(u16::MAX).optional();
        /// Visitors to whom the law applies.
        "applies" applies: Applies, Kind::Words(Applies::WORDS).optional();
    }
}

object! {
    /// IAB's Global Privacy Platform.
    pub struct Gpp, GPP {
        /// Sections besides that of TCF: `usnat`, the national one of the United States.
        "sections" sections: Vec<String>, Kind::ListOf(&format::GPP_SECTION).optional();
        /// Mode of the Multi-State Privacy Agreement, if the publisher has signed it.
        "mspa" mspa: Option<Mspa>, Kind::Words(Mspa::WORDS).optional();
    }
}

/// Rules between the fields of a configuration.
pub(super) fn rules(document: &Value) -> Vec<FieldError> {
    let mut errors = steps(document);
    let configuration = read::<CookieConfiguration>(document);
    if errors.is_empty() && asks_by_tcf(document) {
        errors.extend(duration(&configuration.settings));
    }
    if let Some(tcf) = document.get("tcf").filter(|tcf| tcf.is_object()) {
        errors.extend(restrictions(&read::<Tcf>(tcf)));
    }
    errors
}

/// True if a step of a configuration, as it is sent, has the layout `iab`.
pub fn asks_by_tcf(configuration: &Value) -> bool {
    publish::steps(configuration).any(|step| Layout::of(step) == Some(Layout::Iab))
}

/// Indexes of the steps that cannot stand beside a step of TCF: only notices may stand before it, and nothing after
/// it.
pub fn steps_beside_tcf(configuration: &Value) -> Vec<usize> {
    let layouts: Vec<_> = publish::steps(configuration).map(Layout::of).collect();
    let Some(iab) = layouts
        .iter()
        .position(|layout| *layout == Some(Layout::Iab))
    else {
        return Vec::new();
    };
    let others = layouts
        .iter()
        .enumerate()
        .filter(|(at, layout)| *at > iab || (*at < iab && **layout != Some(Layout::Info)));
    others.map(|(at, _)| at).collect()
}

fn steps(document: &Value) -> Vec<FieldError> {
    let others = steps_beside_tcf(document).into_iter();
    let errors = others.map(|at| {
        let detail = "A step with the layout iab is the last one, and only info stands before it.";
        FieldError::new(format!("/steps/{at}/layout"), ErrorCode::IabAlone, detail)
    });
    errors.collect()
}

fn duration(settings: &Settings) -> Option<FieldError> {
    (settings.cookie_duration_days > MOST_DAYS).then(|| {
        let detail = format!("At most {MOST_DAYS} with the layout iab.");
        FieldError::new(
            "/settings/cookieDurationDays",
            ErrorCode::OutOfRange,
            detail,
        )
    })
}

fn restrictions(tcf: &Tcf) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut named: BTreeMap<u16, Named> = BTreeMap::new();
    let mut refuse = |at: usize, key: &str, code, detail: &str| {
        let pointer = below(&format!("/tcf/restrictions/{at}"), key);
        errors.push(FieldError::new(pointer, code, detail));
    };
    for (at, rule) in tcf.restrictions.iter().enumerate() {
        let claims = rule.kind == RestrictionKind::LegitimateInterest;
        if rule.purpose == 1 && rule.kind != RestrictionKind::NotAllowed {
            refuse(
                at,
                "type",
                ErrorCode::NotAllowed,
                "Purpose 1 has one legal basis: consent.",
            );
        } else if claims && CONSENT_ONLY.contains(&rule.purpose) {
            refuse(
                at,
                "type",
                ErrorCode::NotAllowed,
                "Purposes 1 and 3 to 6 allow no legitimate interest.",
            );
        } else if claims && !tcf.legitimate_interests {
            refuse(
                at,
                "type",
                ErrorCode::NotAllowed,
                "Not with legitimateInterests false.",
            );
        }
        if named.entry(rule.purpose).or_default().meets(&rule.vendors) {
            refuse(
                at,
                "vendors",
                ErrorCode::Duplicate,
                "Another rule for this purpose names the same vendor.",
            );
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{collection::Collection, documents::validate};

    #[test]
    fn a_vendor_has_one_rule_for_a_purpose() {
        let ids = |ids: &[u16]| Chosen::Ids(ids.to_vec());
        for (rules, meets) in [
            (
                vec![ids(&[1, 2]), ids(&[3]), ids(&[4, 2])],
                [false, false, true],
            ),
            (
                vec![ids(&[1]), Chosen::All(All::All), ids(&[2])],
                [false, true, true],
            ),
            (
                vec![Chosen::All(All::All), ids(&[]), Chosen::All(All::All)],
                [false, true, true],
            ),
            // The second of two that are known counts as well.
            (
                vec![ids(&[1]), ids(&[1, 2]), ids(&[2])],
                [false, true, true],
            ),
        ] {
            let mut named = Named::default();
            assert_eq!(
                rules
                    .iter()
                    .map(|rule| named.meets(rule))
                    .collect::<Vec<_>>(),
                meets,
                "{rules:?}"
            );
        }
    }

    const PROJECT: &str = "01900000-0000-7000-8000-000000000000";

    fn codes(mut document: Value) -> Vec<String> {
        document["projectId"] = PROJECT.into();
        let errors = validate(Collection::Cookies, &document).into_iter();
        errors
            .map(|error| format!("{} {}", error.pointer, error.code))
            .collect()
    }

    #[test]
    fn a_configuration_names_what_tcf_asks() {
        for good in [
            json!({"vendors": "all"}),
            json!({"vendors": [755, 1], "publisherCC": "de", "purposes": [1], "specialFeatures": [], "stacks": [42],
                "legitimateInterests": false, "purposeOneTreatment": true, "additionalConsent": [89], "applies": "site",
                "restrictions": [{"purpose": 7, "type": "consent", "vendors": [755]},
                    {"purpose": 7, "type": "not_allowed", "vendors": [1]},
                    {"purpose": 1, "type": "not_allowed", "vendors": "all"}]}),
        ] {
            assert_eq!(codes(json!({"tcf": good})), [""; 0]);
        }
        assert_eq!(
            codes(json!({"gpp": {"sections": ["usnat"], "mspa": "opt_out"}})),
            [""; 0]
        );
        assert_eq!(
            codes(
                json!({"tcf": {"publisherCC": "deu", "purposes": [0, 25, 1.5, 3, 3], "specialFeatures": 1,
                "restrictions": [{"purpose": 1, "type": "consent", "vendors": [1]},
                    {"purpose": 3, "type": "legitimate_interest", "vendors": [1]}, {"type": "no"}],
                "applies": "never"}, "gpp": {"sections": ["tcfeuv2"], "mspa": true}})
            ),
            [
                "/tcf/publisherCC invalid_value",
                "/tcf/vendors required",
                "/tcf/purposes/0 out_of_range",
                "/tcf/purposes/1 out_of_range",
                "/tcf/purposes/2 invalid_type",
                "/tcf/purposes/4 duplicate",
                "/tcf/specialFeatures invalid_type",
                "/tcf/restrictions/2/purpose required",
                "/tcf/restrictions/2/type invalid_value",
                "/tcf/restrictions/2/vendors required",
                "/tcf/applies invalid_value",
                "/gpp/sections/0 invalid_value",
                "/gpp/mspa invalid_type",
                "/tcf/restrictions/0/type not_allowed",
                "/tcf/restrictions/1/type not_allowed"
            ]
        );
        assert_eq!(
            codes(json!({"tcf": {"vendors": "some"}})),
            ["/tcf/vendors invalid_value"]
        );
        assert_eq!(
            codes(json!({"tcf": {"vendors": {}}})),
            ["/tcf/vendors invalid_type"]
        );
    }

    #[test]
    fn restrictions_keep_the_policies_and_contradict_nothing() {
        assert_eq!(
            codes(
                json!({"tcf": {"vendors": [1, 2], "legitimateInterests": false, "restrictions": [
                    {"purpose": 1, "type": "consent", "vendors": [1]},
                    {"purpose": 3, "type": "legitimate_interest", "vendors": [1]},
                    {"purpose": 7, "type": "legitimate_interest", "vendors": [1]},
                    {"purpose": 7, "type": "not_allowed", "vendors": [2, 1]},
                    {"purpose": 7, "type": "consent", "vendors": "all"},
                ]}})
            ),
            [
                "/tcf/restrictions/0/type not_allowed",
                "/tcf/restrictions/1/type not_allowed",
                "/tcf/restrictions/2/type not_allowed",
                "/tcf/restrictions/3/vendors duplicate",
                "/tcf/restrictions/4/vendors duplicate"
            ]
        );
    }

    #[test]
    fn a_step_of_tcf_is_the_last_one_behind_notices() {
        let with = |layouts: &[&str], days: u32| {
            let steps = layouts
                .iter()
                .enumerate()
                .map(|(at, layout)| json!({"name": at.to_string(), "layout": layout}));
            let steps: Vec<_> = steps.collect();
            codes(json!({"steps": steps, "settings": {"cookieDurationDays": days}}))
        };
        assert_eq!(with(&["info", "iab"], 390), [""; 0]);
        assert_eq!(with(&["welcome", "category"], 391), [""; 0]);
        assert_eq!(
            with(&["iab"], 391),
            ["/settings/cookieDurationDays out_of_range"]
        );
        assert_eq!(
            with(&["welcome", "info", "iab", "iab", "category"], 180),
            [
                "/steps/0/layout iab_alone",
                "/steps/3/layout iab_alone",
                "/steps/4/layout iab_alone"
            ]
        );
    }
}
