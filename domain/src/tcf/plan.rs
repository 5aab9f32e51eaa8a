//! The disclosures and questions of a TCF configuration, worked out from the list and the owner's choices.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Asked, Ids, List, ListedVendor, RestrictionType, Retention, Storage, TcString, Text, Texts,
    rules::{Effect, Rules},
};
use crate::{
    documents::{Chosen, Tcf},
    error_code::ErrorCode,
    field_error::FieldError,
};

/// Tenths of a second of a day.
const DAY: u64 = 864_000;
/// ConsentScreen of the first layer.
const FIRST_LAYER: u8 = 1;

/// The input of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The list.
    pub list: &'a List,
    /// Its translation; its own texts, in English, when absent.
    pub translation: Option<&'a Texts>,
    /// Language of the configuration (ISO 639-1).
    pub language: &'a str,
    /// The configuration's `tcf`.
    pub tcf: &'a Tcf,
    /// The providers of Additional Consent that the server knows.
    pub providers: &'a [Provider],
    /// The day, in days since 1970.
    pub today: u32,
    /// The consent management platform.
    pub cmp_id: u16,
    /// Its version.
    pub cmp_version: u16,
    /// True if a live configuration follows a new list, without anybody who could mend what does not fit any more.
    pub follows_list: bool,
}

/// The disclosures and questions of a configuration: a function of the list, its translation and the owner's choices.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Version of the list.
    pub list_version: u16,
    /// Version of the policies.
    pub policy_version: u8,
    /// Language of the texts.
    pub language: String,
    /// Purposes that are asked: for consent where `consent` is not 0, and with a right to object where `interest`
    /// is not 0.
    pub purposes: Vec<Entry>,
    /// Special features that are asked.
    pub special_features: Vec<Entry>,
    /// Special purposes of disclosed vendors, which nobody can refuse.
    pub special_purposes: Vec<Entry>,
    /// Features of disclosed vendors.
    pub features: Vec<Entry>,
    /// Categories of data of disclosed vendors.
    pub data_categories: Vec<Entry>,
    /// Stacks of the first layer.
    pub stacks: Vec<PlannedStack>,
    /// Standard sentences by name, in the language; those that are missing are Placet's own.
    pub standard: BTreeMap<String, String>,
    /// Disclosed vendors by ascending id, with what the owner's rules leave of their declarations.
    pub vendors: Vec<Disclosed>,
    /// Providers of Additional Consent that the configuration names and the server knows, by ascending id.
    pub providers: Vec<Provider>,
    /// Everything allowed, dated on the day of the list, so that equal plans have equal bytes. Consents of visitors
    /// are made from it by taking away.
    pub everything: TcString,
    /// The questions to visitors. The next publish compares its own with them.
    pub asked: Asked,
    /// Choices of the owner that were left out.
    pub notices: Vec<Notice>,
}

/// An entry of the list with the numbers of disclosed vendors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: u16,
    /// Its words.
    pub text: Text,
    /// Vendors that ask consent for a purpose; of other entries, vendors that declare it.
    pub consent: usize,
    /// Vendors that claim a legitimate interest in a purpose.
    pub interest: usize,
}

/// A stack of the first layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedStack {
    /// Its id.
    pub id: u16,
    /// Its words.
    pub text: Text,
    /// Its purposes, all of which are asked.
    pub purposes: Ids,
    /// Its special features, all of which are asked.
    pub special_features: Ids,
}

/// A disclosed vendor, after the owner's rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disclosed {
    /// Its id.
    pub id: u16,
    /// Its name.
    pub name: String,
    /// Purposes for which it asks consent.
    pub consent: Ids,
    /// Purposes in which it claims a legitimate interest.
    pub interest: Ids,
    /// Special purposes.
    pub special_purposes: Ids,
    /// Features.
    pub features: Ids,
    /// Special features that are asked.
    pub special_features: Ids,
    /// Categories of data.
    pub data_categories: Ids,
    /// Its privacy policy in the language, else in English, else in any.
    pub policy_url: Option<String>,
    /// The explanation of its legitimate interests, chosen as the policy. Absent if it claims none.
    pub interest_url: Option<String>,
    /// Days for which it keeps data, for the purposes that are left.
    pub retention: Retention,
    /// Its storage on devices.
    pub storage: Storage,
    /// True if it describes what it stores.
    pub describes_storage: bool,
}

/// A provider of Google's Additional Consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Its id.
    pub id: u16,
    /// Its name.
    pub name: String,
    /// Its privacy policy.
    pub policy_url: Option<String>,
}

/// Something of the owner's choices that the list does not have any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A vendor that is deleted or unknown.
    VendorGone(u16),
    /// A vendor to which the rules leave no purpose.
    VendorEmpty(u16),
    /// A stack that is unknown, or covers what is not asked.
    StackUncovered(u16),
    /// A provider of Additional Consent that is unknown.
    ProviderGone(u16),
    /// A restriction, by its place, that a vendor cannot follow any more: its purpose is not allowed to the vendor.
    RuleTightened {
        /// The place of the restriction.
        rule: usize,
        /// The vendor.
        vendor: u16,
    },
}

impl Plan {
    /// Works out a plan, or everything that keeps the configuration from being published, by JSON Pointer.
    pub fn new(order: Order<'_>) -> Result<Self, Vec<FieldError>> {
        let (list, tcf) = (order.list, order.tcf);
        let mut notices = Vec::new();
        let mut errors = Vec::new();
        let Some(country) = &tcf.publisher_cc else {
            let detail = "Needed to publish: the country whose law the publisher follows.";
            let missing = FieldError::new("/tcf/publisherCC", ErrorCode::Required, detail);
            return Err(vec![missing]);
        };
        let chosen = chosen(order, &mut notices);
        let rules = Rules::new(tcf, &chosen, order.follows_list, &mut notices, &mut errors);
        let vendors = left(order, chosen, &rules, &mut notices);
        if vendors.is_empty() {
            let detail = "No vendor of the list is left to disclose.";
            errors.push(FieldError::new("/tcf/vendors", ErrorCode::Required, detail));
        }
        let texts = match order.translation {
            Some(translation) => &translation.or(&list.texts),
            None => &list.texts,
        };
        let stacks = stacks(order, texts, &vendors, &mut notices, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let providers = providers(order, &mut notices);
        let declared = |texts, of| entries(texts, &vendors, of, None);
        let questions = Questions {
            order,
            rules: &rules,
            purposes: entries(
                &texts.purposes,
                &vendors,
                |vendor| &vendor.consent,
                Some(|vendor| &vendor.interest),
            ),
            special_features: declared(&texts.special_features, |vendor| &vendor.special_features),
            vendors: &vendors,
        };
        let everything = questions.everything(country);
        if everything.encode().is_err() {
            let detail = "The choices of visitors would be too long to be kept. Choose fewer vendors or restrictions.";
            let error = FieldError::new("/tcf/vendors", ErrorCode::TooLong, detail);
            return Err(vec![error]);
        }
        Ok(Self {
            list_version: list.version,
            policy_version: list.policy,
            language: order.language.to_owned(),
            asked: questions.asked(&providers),
            everything,
            purposes: questions.purposes,
            special_features: questions.special_features,
            special_purposes: declared(&texts.special_purposes, |vendor| &vendor.special_purposes),
            features: declared(&texts.features, |vendor| &vendor.features),
            data_categories: declared(&texts.data_categories, |vendor| &vendor.data_categories),
            stacks,
            standard: texts.standard.clone(),
            vendors,
            providers,
            notices,
        })
    }

    /// Purposes that no stack stands for: the first layer names them one by one.
    pub fn purposes_beside_stacks(&self) -> impl Iterator<Item = &Entry> {
        let stood = |id| self.stacks.iter().any(|stack| stack.purposes.contains(id));
        self.purposes.iter().filter(move |entry| !stood(entry.id))
    }

    /// Special features that no stack stands for.
    pub fn special_features_beside_stacks(&self) -> impl Iterator<Item = &Entry> {
        let stood = |id| {
            self.stacks
                .iter()
                .any(|stack| stack.special_features.contains(id))
        };
        self.special_features
            .iter()
            .filter(move |entry| !stood(entry.id))
    }

    /// True if visitors who have answered `before` are asked again: the owner asks for more since, or has lifted a
    /// restriction.
    pub fn asks_more_than(&self, before: &Asked) -> bool {
        self.asked.asks_more_than(before, |id, purpose, kind| {
            let mut vendors = self.vendors.iter();
            let vendor = vendors.find(|vendor| vendor.id == id);
            vendor.is_some_and(|vendor| {
                let (consent, interest) = (&vendor.consent, &vendor.interest);
                match kind {
                    RestrictionType::NotAllowed => {
                        consent.contains(purpose) || interest.contains(purpose)
                    }
                    RestrictionType::RequireConsent => interest.contains(purpose),
                    RestrictionType::RequireLegitimateInterest => consent.contains(purpose),
                }
            })
        })
    }

    /// The string of [`Plan::everything`].
    pub fn tc_string(&self) -> String {
        // `new` has refused a plan whose string cannot be written.
        self.everything.encode().unwrap_or_default()
    }
}

/// The questions to visitors, and their basis.
struct Questions<'a> {
    order: Order<'a>,
    rules: &'a Rules,
    purposes: Vec<Entry>,
    special_features: Vec<Entry>,
    vendors: &'a [Disclosed],
}

impl Questions<'_> {
    /// The questions of [`Plan::asked`].
    fn asked(&self, providers: &[Provider]) -> Asked {
        let tcf = self.order.tcf;
        let ids = |entries: &[Entry]| entries.iter().map(|entry| entry.id).collect();
        Asked {
            chosen: tcf.vendors.clone(),
            disclosed: self.vendors.iter().map(|vendor| vendor.id).collect(),
            purposes: ids(&self.purposes),
            own_purposes: tcf.purposes.is_some(),
            purpose_one_treatment: Some(tcf.purpose_one_treatment),
            rules: Some(tcf.restrictions.clone()),
            special_features: ids(&self.special_features),
            own_special_features: tcf.special_features.is_some(),
            legitimate_interests: tcf.legitimate_interests,
            providers: providers.iter().map(|provider| provider.id).collect(),
            restricted: self.rules.by_purpose(),
        }
    }

    /// The string of [`Plan::everything`], with the publisher's country.
    fn everything(&self, country: &str) -> TcString {
        let (order, list) = (self.order, self.order.list);
        let purposes = |is_asked: fn(&Entry) -> bool| {
            let asked = self.purposes.iter().filter(|entry| is_asked(entry));
            asked.map(|entry| entry.id).collect()
        };
        let vendors = |asks: fn(&Disclosed) -> bool| -> Ids {
            let asking = self.vendors.iter().filter(|vendor| asks(vendor));
            asking.map(|vendor| vendor.id).collect()
        };
        let disclosed = vendors(|_| true);
        TcString {
            created: u64::from(list.day) * DAY,
            last_updated: u64::from(list.day) * DAY,
            cmp_id: order.cmp_id,
            cmp_version: order.cmp_version,
            consent_screen: FIRST_LAYER,
            consent_language: order.language.to_ascii_uppercase(),
            vendor_list_version: list.version,
            policy_version: list.policy,
            is_service_specific: true,
            use_non_standard_texts: false,
            special_feature_optins: self.special_features.iter().map(|entry| entry.id).collect(),
            purpose_consents: purposes(|entry| entry.consent > 0),
            purpose_legitimate_interests: purposes(|entry| entry.interest > 0),
            purpose_one_treatment: order.tcf.purpose_one_treatment,
            publisher_country_code: country.to_ascii_uppercase(),
            vendor_consents: vendors(|vendor| !vendor.consent.is_empty()),
            vendor_legitimate_interests: vendors(|vendor| !vendor.interest.is_empty()),
            publisher_restrictions: self.rules.written(list, &disclosed, self.vendors),
            disclosed_vendors: Some(disclosed),
        }
    }
}

/// The vendors that the owner has chosen, by their ids.
fn chosen<'a>(order: Order<'a>, notices: &mut Vec<Notice>) -> BTreeMap<u16, &'a ListedVendor> {
    let vendors = &order.tcf.vendors;
    let all = order.list.vendors_on(order.today);
    let chosen: BTreeMap<_, _> = all.filter(|(id, _)| vendors.contains(*id)).collect();
    if let Chosen::Ids(ids) = vendors {
        let gone = ids.iter().filter(|id| !chosen.contains_key(id));
        notices.extend(gone.map(|id| Notice::VendorGone(*id)));
    }
    chosen
}

/// The chosen vendors that are disclosed: those to which the rules leave something.
fn left(
    order: Order<'_>,
    chosen: BTreeMap<u16, &ListedVendor>,
    rules: &Rules,
    notices: &mut Vec<Notice>,
) -> Vec<Disclosed> {
    let tcf = order.tcf;
    let chosen = chosen.into_iter();
    let left: Vec<_> = chosen
        .map(|(id, vendor)| (id, vendor, rules.effect(id, vendor)))
        .collect();
    let mut purposes = asked(tcf.purposes.as_deref(), |id| {
        left.iter().any(|(_, _, effect)| effect.has(id))
    });
    if tcf.purpose_one_treatment {
        purposes = purposes.iter().filter(|id| *id != 1).collect();
    }
    let features = asked(tcf.special_features.as_deref(), |id| {
        left.iter()
            .any(|(_, vendor, _)| vendor.special_features.contains(id))
    });
    let mut vendors = Vec::new();
    for (id, vendor, effect) in left {
        let effect = effect.within(&purposes);
        if effect.is_empty() && vendor.special_purposes.is_empty() {
            notices.push(Notice::VendorEmpty(id));
        } else {
            let disclosed = disclosed(id, vendor, effect, &features, order.language);
            vendors.push(disclosed);
        }
    }
    vendors
}

/// The entries of the list that vendors declare in `of`, or in `with`.
fn entries(
    texts: &BTreeMap<u16, Text>,
    vendors: &[Disclosed],
    of: fn(&Disclosed) -> &Ids,
    with: Option<fn(&Disclosed) -> &Ids>,
) -> Vec<Entry> {
    let count = |id: u16, of: fn(&Disclosed) -> &Ids| {
        let declaring = vendors.iter().filter(|vendor| of(vendor).contains(id));
        declaring.count()
    };
    let entries = texts.iter().map(|(id, text)| Entry {
        id: *id,
        text: text.clone(),
        consent: count(*id, of),
        interest: with.map_or(0, |with| count(*id, with)),
    });
    let declared = entries.filter(|entry| entry.consent + entry.interest > 0);
    declared.collect()
}

/// The ids that are asked: those that the owner names, or all, where somebody declares them.
fn asked(named: Option<&[u16]>, is_declared: impl Fn(u16) -> bool) -> Ids {
    const MOST: u16 = 24;
    let is_named = |id: &u16| named.is_none_or(|named| named.contains(id));
    (1..=MOST)
        .filter(is_named)
        .filter(|id| is_declared(*id))
        .collect()
}

fn disclosed(
    id: u16,
    vendor: &ListedVendor,
    effect: Effect,
    features: &Ids,
    language: &str,
) -> Disclosed {
    let interest_url = vendor.interest_url(language);
    let kept = |days: &BTreeMap<u16, u32>, is_left: &dyn Fn(u16) -> bool| {
        let days = days.iter().filter(|(id, _)| is_left(**id));
        days.map(|(id, days)| (*id, *days)).collect()
    };
    Disclosed {
        id,
        name: vendor.name.clone(),
        policy_url: vendor.policy_url(language),
        interest_url: interest_url.filter(|_| !effect.interest.is_empty()),
        retention: Retention {
            standard: vendor.retention.standard,
            purposes: kept(&vendor.retention.purposes, &|id| effect.has(id)),
            special_purposes: kept(&vendor.retention.special_purposes, &|id| {
                vendor.special_purposes.contains(id)
            }),
        },
        consent: effect.consent,
        interest: effect.interest,
        special_purposes: vendor.special_purposes.clone(),
        features: vendor.features.clone(),
        special_features: vendor
            .special_features
            .iter()
            .filter(|id| features.contains(*id))
            .collect(),
        data_categories: vendor.data_categories.clone(),
        storage: vendor.storage,
        describes_storage: vendor.storage_url.is_some(),
    }
}

/// The stacks that the owner has chosen, of which vendors ask everything. Two with a common purpose would show it twice.
fn stacks(
    order: Order<'_>,
    texts: &Texts,
    vendors: &[Disclosed],
    notices: &mut Vec<Notice>,
    errors: &mut Vec<FieldError>,
) -> Vec<PlannedStack> {
    let each =
        |of: fn(&Disclosed) -> &Ids| vendors.iter().flat_map(move |vendor| of(vendor).iter());
    let purposes: Ids = each(|vendor| &vendor.consent)
        .chain(each(|vendor| &vendor.interest))
        .collect();
    let features: Ids = each(|vendor| &vendor.special_features).collect();
    let mut planned = Vec::new();
    let mut seen = BTreeSet::new();
    for (at, id) in order.tcf.stacks.iter().enumerate() {
        let (Some(parts), Some(text)) = (order.list.stacks.get(id), texts.stacks.get(id)) else {
            notices.push(Notice::StackUncovered(*id));
            continue;
        };
        let members = parts.purposes.iter().map(|id| (true, id));
        let members: Vec<_> = members
            .chain(parts.special_features.iter().map(|id| (false, id)))
            .collect();
        if members.iter().any(|member| !seen.insert(*member)) {
            let detail = "Another stack has one of its purposes or special features.";
            errors.push(FieldError::new(
                format!("/tcf/stacks/{at}"),
                ErrorCode::Duplicate,
                detail,
            ));
            continue;
        }
        if members
            .iter()
            .all(|(is_purpose, id)| if *is_purpose { &purposes } else { &features }.contains(*id))
        {
            planned.push(PlannedStack {
                id: *id,
                text: text.clone(),
                purposes: parts.purposes.clone(),
                special_features: parts.special_features.clone(),
            });
        } else {
            notices.push(Notice::StackUncovered(*id));
        }
    }
    planned
}

fn providers(order: Order<'_>, notices: &mut Vec<Notice>) -> Vec<Provider> {
    let ids: BTreeSet<_> = order.tcf.additional_consent.iter().collect();
    let found = ids.into_iter().filter_map(|id| {
        let provider = order.providers.iter().find(|provider| provider.id == *id);
        if provider.is_none() {
            notices.push(Notice::ProviderGone(*id));
        }
        provider.cloned()
    });
    found.collect()
}
