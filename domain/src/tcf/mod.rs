//! TC strings of IAB Europe's Transparency and Consent Framework, versions 2.2 to 2.4, read and written.
//!
//! Names in quotation marks are sections of "Transparency and Consent String with Global Vendor & CMP List
//! Formats", version 2, of IAB Tech Lab.

mod answers;
mod decode;
mod description;
mod encode;
mod error;
mod files;
mod ids;
mod list;
mod plan;
mod round;
mod rules;
mod segment;
mod text;
mod verified;

pub use answers::{Answer, Answers, allowed_providers};
pub use description::{Description, Stored, UsedDomain};
pub use error::{Error, Field};
pub use files::{partners, standard_texts};
pub use ids::Ids;
pub use list::{
    CONSENT_ONLY, List, ListedVendor, Refusal, Retention, StackParts, Storage, Text, Texts, Urls,
};
pub use plan::{Disclosed, Entry, Notice, Order, Plan, PlannedStack, Provider};
pub use round::Asked;
pub use rules::restriction_key;
pub use segment::Segment;
pub use verified::{Unfit, verify};

use serde::{Serialize, Serializer};

/// Longest TC string that is read, written or kept; that of a thousand vendors has some 2,000 characters.
pub const MOST_CHARACTERS: usize = 8_192;

/// The content of a TC string ("TC String Format"), with the field names of IAB's reference library. The segments
/// AllowedVendors, which is abolished, and PublisherTC, which is for publishers themselves, are checked and left
/// out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TcString {
    /// Tenths of a second from 1970 to the day of the decision ("The Core String": Created).
    #[serde(skip)]
    pub created: u64,
    /// The same as `created` since TCF 2.2; later than it in older strings ("What happened to Created and
    /// LastUpdated?").
    #[serde(skip)]
    pub last_updated: u64,
    /// The consent management platform, as IAB Europe numbers it ("The Core String": CmpId).
    #[cfg_attr(feature = "schema", schema(maximum = 4095, example = 31))]
    pub cmp_id: u16,
    /// Its version ("The Core String": CmpVersion).
    #[cfg_attr(feature = "schema", schema(maximum = 4095, example = 1))]
    pub cmp_version: u16,
    /// The screen on which the visitor decided ("The Core String": ConsentScreen).
    #[cfg_attr(feature = "schema", schema(maximum = 63, example = 1))]
    pub consent_screen: u8,
    /// ISO 639-1, in capitals ("The Core String": ConsentLanguage).
    #[cfg_attr(feature = "schema", schema(example = "EN"))]
    pub consent_language: String,
    /// Version of the Global Vendor List ("The Core String": VendorListVersion).
    #[cfg_attr(feature = "schema", schema(maximum = 4095, example = 178))]
    pub vendor_list_version: u16,
    /// Version of the policies that the list names ("The Core String": TcfPolicyVersion).
    #[cfg_attr(feature = "schema", schema(maximum = 63, example = 5))]
    pub policy_version: u8,
    /// Vendors ignore strings in which this is false ("The Core String": IsServiceSpecific).
    pub is_service_specific: bool,
    /// True if the texts of stacks or illustrations were changed ("The Core String": UseNonStandardTexts).
    pub use_non_standard_texts: bool,
    /// Special features that the visitor allows ("The Core String": SpecialFeatureOptIns).
    #[cfg_attr(feature = "schema", schema(value_type = Vec<u16>, example = json!([1])))]
    pub special_feature_optins: Ids,
    /// Purposes that the visitor consents to ("The Core String": PurposesConsent).
    #[cfg_attr(feature = "schema", schema(value_type = Vec<u16>, example = json!([1, 2, 3, 4])))]
    pub purpose_consents: Ids,
    /// Purposes with a legitimate interest that was shown and not objected to ("The Core String":
    /// PurposesLITransparency).
    #[cfg_attr(feature = "schema", schema(value_type = Vec<u16>, example = json!([2, 7])))]
    pub purpose_legitimate_interests: Ids,
    /// True if the visitor was not asked about purpose 1 ("The Core String": PurposeOneTreatment).
    pub purpose_one_treatment: bool,
    /// ISO 3166-1 alpha-2 of the publisher, in capitals ("The Core String": PublisherCC).
    #[cfg_attr(feature = "schema", schema(example = "DE"))]
    pub publisher_country_code: String,
    /// Vendors that the visitor consents to ("Vendor Consent Section").
    #[cfg_attr(feature = "schema", schema(value_type = Vec<u16>, example = json!([2, 6, 8, 755])))]
    pub vendor_consents: Ids,
    /// Vendors with a legitimate interest that was shown and not objected to ("Vendor Legitimate Interest
    /// Section").
    #[cfg_attr(feature = "schema", schema(value_type = Vec<u16>, example = json!([2, 6])))]
    pub vendor_legitimate_interests: Ids,
    /// Rules of the publisher, by purpose and type ("Publisher Restrictions Section").
    pub publisher_restrictions: Vec<PublisherRestriction>,
    /// Vendors that were shown to the visitor ("Disclosed Vendors"). The segment is mandatory since TCF 2.3;
    /// absent if an older string lacks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<u16>>, example = json!([2, 6, 8, 755])))]
    pub disclosed_vendors: Option<Ids>,
}

/// A rule of the publisher for a purpose and some vendors ("Publisher Restrictions Section").
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PublisherRestriction {
    /// The purpose.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 63, example = 7))]
    pub purpose_id: u8,
    /// 0: the purpose is not allowed. 1: it needs consent. 2: it needs a legitimate interest.
    #[cfg_attr(feature = "schema", schema(value_type = u8, maximum = 2, example = 1))]
    pub restriction_type: RestrictionType,
    /// The vendors; ids that nobody has may be among them.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<u16>, example = json!([2, 6])))]
    pub vendors: Ids,
}

/// The kind of a publisher restriction ("Publisher Restrictions Section": RestrictionType).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RestrictionType {
    /// The purpose is not allowed.
    NotAllowed = 0,
    /// The purpose needs consent.
    RequireConsent = 1,
    /// The purpose needs a legitimate interest.
    RequireLegitimateInterest = 2,
}

impl RestrictionType {
    /// The type with this number; 3 has no meaning.
    fn of(number: u64) -> Option<Self> {
        [
            Self::NotAllowed,
            Self::RequireConsent,
            Self::RequireLegitimateInterest,
        ]
        .into_iter()
        .find(|kind| *kind as u64 == number)
    }
}

impl Serialize for RestrictionType {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u8(*self as u8)
    }
}

#[cfg(test)]
#[path = "../../../tests/support/gvl.rs"]
mod gvl;
#[cfg(test)]
mod plan_tests;
#[cfg(test)]
mod tests;
