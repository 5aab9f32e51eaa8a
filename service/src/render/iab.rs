//! The first layer by TCF, and what the widget is told of IAB's frameworks: the two last lines of a payload.

use std::collections::BTreeMap;

use domain::{
    documents::{Applies, CookieConfiguration, Layout, Mspa, Step},
    gpp::{UsLayout, UsSection},
    payload::flag,
    tcf::{Disclosed, Plan},
};

use serde_json::{Map, Value, json};

use super::text::Words;

/// The name of the national section of the United States, in documents and in `domain::gpp`.
const US_NATIONAL: &str = "usnat";

/// The plan of a configuration with the layout `iab`, and the addresses of its files.
#[derive(Clone, Copy, Debug)]
pub struct Framework<'a> {
    /// Its disclosures and questions.
    pub plan: &'a Plan,
    /// Number of times that visitors were asked again.
    pub round: u32,
    /// Key of the partners file.
    pub partners: &'a str,
    /// Key of the file of standard texts.
    pub texts: &'a str,
    /// Ids in the Global Vendor List of own vendors, by their names.
    pub own: &'a BTreeMap<String, u16>,
}

impl Framework<'_> {
    /// The configuration's own vendors that TCF asks about, by their names: they are shown once.
    fn shared(&self) -> impl Iterator<Item = (&str, &Disclosed)> {
        self.own.iter().filter_map(|(name, id)| {
            let mut vendors = self.plan.vendors.iter();
            Some((name.as_str(), vendors.find(|vendor| vendor.id == *id)?))
        })
    }
}

/// Flags of the frameworks of a configuration.
pub(super) fn flags(
    configuration: &CookieConfiguration,
    framework: Option<&Framework<'_>>,
) -> Vec<u8> {
    let tcf = framework.map(|_| flag::TCF);
    let gpp = is_us(configuration).then_some(flag::GPP);
    tcf.into_iter().chain(gpp).collect()
}

/// True if a configuration has the section of the United States.
pub(super) fn is_us(configuration: &CookieConfiguration) -> bool {
    let gpp = configuration.gpp.iter();
    gpp.flat_map(|gpp| &gpp.sections)
        .any(|section| section == US_NATIONAL)
}

/// The two lines after the last page; none where there is no framework.
pub(super) fn lines(
    configuration: &CookieConfiguration,
    framework: Option<&Framework<'_>>,
) -> Vec<String> {
    if flags(configuration, framework).is_empty() {
        return Vec::new();
    }
    let applies = match configuration.tcf.as_ref().map(|tcf| tcf.applies) {
        Some(Applies::Site) => "s",
        Some(Applies::Always) | None => "a",
    };
    let mut facts = vec![
        framework.map_or(0, |framework| framework.round).to_string(),
        applies.to_owned(),
        framework
            .map_or("", |framework| framework.partners)
            .to_owned(),
        framework.map_or("", |framework| framework.texts).to_owned(),
        mspa(configuration),
    ];
    let plan = framework.map(|framework| framework.plan);
    let providers = plan.iter().flat_map(|plan| &plan.providers);
    facts.push(dotted(providers.map(|provider| provider.id)));
    for (name, vendor) in framework.iter().flat_map(|framework| framework.shared()) {
        facts.push(format!("{name}|{}|{}", vendor.id, needs(vendor)));
    }
    let facts: Vec<_> = facts.iter().map(|fact| super::fold(fact)).collect();
    let string = plan.map(Plan::tc_string).unwrap_or_default();
    vec![facts.join("\t"), string]
}

/// The purposes for which a vendor asks consent. If it asks none: those of its legitimate interests and a mark,
/// since they are in force until somebody objects.
fn needs(vendor: &Disclosed) -> String {
    if vendor.consent.is_empty() && !vendor.interest.is_empty() {
        format!("{}|i", dotted(vendor.interest.iter()))
    } else {
        dotted(vendor.consent.iter())
    }
}

fn dotted(ids: impl Iterator<Item = u16>) -> String {
    let ids: Vec<_> = ids.map(|id| id.to_string()).collect();
    ids.join(".")
}

/// The last two digits of usnat, which no choice changes; nothing without the section.
fn mspa(configuration: &CookieConfiguration) -> String {
    let layout = UsLayout::named(US_NATIONAL).filter(|_| is_us(configuration));
    let Some(mut section) = layout.map(UsSection::new) else {
        return String::new();
    };
    let agreement = configuration.gpp.as_ref().and_then(|gpp| gpp.mspa);
    // 1 is yes, 2 is no, 0 is that the question does not arise.
    let (covered, opt_out, service_provider) = match agreement {
        None => (2, 0, 0),
        Some(Mspa::OptOut) => (1, 1, 2),
        Some(Mspa::ServiceProvider) => (1, 2, 1),
    };
    for (field, value) in [
        ("MspaCoveredTransaction", covered),
        ("MspaOptOutOptionMode", opt_out),
        ("MspaServiceProviderMode", service_provider),
    ] {
        // The layout has the fields, and these are values of two bits.
        let _ = section.set(field, &[value]);
    }
    let text = section.encode();
    let core = text.split('.').next().unwrap_or_default();
    core.get(core.len().saturating_sub(2)..)
        .unwrap_or_default()
        .to_owned()
}

/// The words of the layers behind the first, for `sdk-wasm/js/layers.js`; `None` where no step asks by TCF.
pub(super) fn words(configuration: &CookieConfiguration, words: &Words<'_>) -> Option<Value> {
    const WORDS: [(&str, &str); 36] = [
        ("accept", "acceptAll"),
        ("back", "prevStep"),
        ("categories", "iabCategories"),
        ("claim", "iabClaim"),
        ("close", "close"),
        ("consent", "iabConsent"),
        ("count", "iabCount"),
        ("data", "iabData"),
        ("details", "details"),
        ("examples", "iabExamples"),
        ("features", "iabOtherFeatures"),
        ("featuresText", "iabFeaturesText"),
        ("fixed", "iabFixed"),
        ("found", "iabFound"),
        ("interest", "iabInterest"),
        ("newTab", "newTab"),
        ("noCookies", "iabNoCookies"),
        ("noDetails", "noDetails"),
        ("object", "iabObject"),
        ("others", "iabOthers"),
        ("partners", "iabPartnersTab"),
        ("policy", "policyLink"),
        ("refreshed", "iabRefreshed"),
        ("refuse", "dismiss"),
        ("retention", "iabRetention"),
        ("save", "save"),
        ("scope", "iabScope"),
        ("search", "iabSearch"),
        ("sessionLife", "sessionLife"),
        ("specialFeatures", "iabSpecialFeatures"),
        ("specialPurposes", "iabSpecialPurposes"),
        ("storage", "iabStorage"),
        ("stored", "iabStored"),
        ("storedLocally", "iabStoredLocally"),
        ("title", "title"),
        ("unknownLife", "unknownLife"),
    ];
    let mut steps = configuration.steps.iter();
    steps.find(|step| step.layout == Layout::Iab)?;
    let named = WORDS.map(|(name, key)| (name.to_owned(), words.get(key).into()));
    let mut named: Map<String, Value> = named.into_iter().collect();
    let tabs = json!({
        "purposes": words.get("iabPurposesTab"), "interests": words.get("iabInterestsTab"),
        "partners": words.get("iabPartnersTab"),
    });
    named.insert("tabs".to_owned(), tabs);
    Some(named.into())
}

/// The text of the first layer, in the order of the policies' appendix B, C(b).
pub(super) struct FirstLayer<'a> {
    /// Partners of all kinds.
    pub(super) partners: String,
    /// Names of stacks, and of the purposes beside them, that somebody asks consent for.
    pub(super) purposes: Vec<&'a str>,
    /// Names of the others, which have legitimate interests alone.
    pub(super) interests: Vec<&'a str>,
    /// Names of special features that no stack stands for.
    pub(super) special_features: Vec<&'a str>,
    /// True if a partner claims a legitimate interest.
    pub(super) has_interests: bool,
    pub(super) change_mind: String,
}

impl<'a> FirstLayer<'a> {
    /// Of a step, if it asks by TCF.
    pub(super) fn of(
        configuration: &CookieConfiguration,
        words: &Words<'_>,
        step: &Step,
        framework: Option<&Framework<'a>>,
    ) -> Option<Self> {
        let framework = framework.filter(|_| step.layout == Layout::Iab)?;
        let plan = framework.plan;
        let own = configuration.steps.iter().flat_map(|step| &step.vendors);
        let shared = framework.shared().count();
        let count = plan.vendors.len() + plan.providers.len() + own.count().saturating_sub(shared);
        let (purposes, interests) = by_basis(plan);
        let features = plan.special_features_beside_stacks();
        Some(Self {
            partners: words.fill("iabCount", &[("count", &count.to_string())]),
            purposes,
            interests,
            special_features: features.map(|entry| entry.text.name.as_str()).collect(),
            has_interests: plan.purposes.iter().any(|entry| entry.interest > 0),
            change_mind: words.fill("changeMind", &[("reopen", words.get("reopen"))]),
        })
    }
}

/// Names of stacks and of the purposes beside them: those that somebody asks consent for, and those of legitimate
/// interests alone. Special features need consent.
fn by_basis(plan: &Plan) -> (Vec<&str>, Vec<&str>) {
    let is_asked = |id| {
        let mut purposes = plan.purposes.iter();
        purposes.any(|entry| entry.id == id && entry.consent > 0)
    };
    let stacks = plan.stacks.iter().map(|stack| {
        let needs_consent =
            !stack.special_features.is_empty() || stack.purposes.iter().any(is_asked);
        (needs_consent, stack.text.name.as_str())
    });
    let beside = plan.purposes_beside_stacks();
    let purposes = beside.map(|entry| (entry.consent > 0, entry.text.name.as_str()));
    let (mut by_consent, mut by_interest) = (Vec::new(), Vec::new());
    for (needs_consent, name) in stacks.chain(purposes) {
        let names = if needs_consent {
            &mut by_consent
        } else {
            &mut by_interest
        };
        names.push(name);
    }
    (by_consent, by_interest)
}
