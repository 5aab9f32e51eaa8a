//! The answers of a TC string, under the names that its visitor was shown.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Ids, TcString, files};

/// The answers of a visitor to all that a publication asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = TcfAnswers))]
pub struct Answers {
    /// Purposes.
    pub purposes: Vec<Answer>,
    /// Special features.
    pub special_features: Vec<Answer>,
    /// Vendors of the Global Vendor List.
    pub vendors: Vec<Answer>,
    /// Providers of Google's Additional Consent.
    pub providers: Vec<Answer>,
}

/// The answer about a purpose, a special feature, a vendor or a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = TcfAnswer))]
pub struct Answer {
    /// Its id.
    #[cfg_attr(feature = "schema", schema(example = 755))]
    pub id: u16,
    /// The name that was shown; absent where the file that had it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "Example Advertising Ltd"))]
    pub name: Option<String>,
    /// True with consent; absent where none was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = true))]
    pub consent: Option<bool>,
    /// False if the visitor objected to the legitimate interest; absent where none was claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = false))]
    pub interest: Option<bool>,
}

impl Answers {
    /// Reads what a string says of everything that was `asked`, and what Google's Additional Consent says beside it.
    /// `partners` and `texts` are the files of the publication ([`super::partners`], [`super::standard_texts`]).
    pub fn read(
        said: &TcString,
        asked: &TcString,
        additional: Option<&str>,
        partners: &str,
        texts: &str,
    ) -> Self {
        let names = files::names_in(partners);
        let of_texts = |kind: char| files::names_of_texts(texts, kind);
        let none = Ids::default();
        let allowed = additional.map(allowed_providers).unwrap_or_default();
        let providers = additional.map(|_| names.providers).unwrap_or_default();
        Self {
            purposes: answers(
                (&said.purpose_consents, &asked.purpose_consents),
                (
                    &said.purpose_legitimate_interests,
                    &asked.purpose_legitimate_interests,
                ),
                &of_texts('p'),
            ),
            special_features: answers(
                (&said.special_feature_optins, &asked.special_feature_optins),
                (&none, &none),
                &of_texts('x'),
            ),
            vendors: answers(
                (&said.vendor_consents, &asked.vendor_consents),
                (
                    &said.vendor_legitimate_interests,
                    &asked.vendor_legitimate_interests,
                ),
                &names.vendors,
            ),
            providers: answers(
                (&allowed, &providers.keys().copied().collect()),
                (&none, &none),
                &providers,
            ),
        }
    }
}

/// The answers about everything that was asked, by ascending id: for each of consent and interest, what was said and what
/// was asked.
fn answers(
    consent: (&Ids, &Ids),
    interest: (&Ids, &Ids),
    names: &BTreeMap<u16, String>,
) -> Vec<Answer> {
    let ids: BTreeSet<u16> = consent.1.iter().chain(interest.1.iter()).collect();
    let answer = |(said, asked): (&Ids, &Ids), id| asked.contains(id).then(|| said.contains(id));
    let answers = ids.into_iter().map(|id| Answer {
        id,
        name: names.get(&id).cloned(),
        consent: answer(consent, id),
        interest: answer(interest, id),
    });
    answers.collect()
}

/// The providers that a string of Google's Additional Consent allows ("Additional Consent Technical Specification",
/// version 2: `2~1.35.41~dv.9.21`).
pub fn allowed_providers(additional: &str) -> Ids {
    let ids = additional.split('~').nth(1).unwrap_or_default();
    ids.split('.')
        .filter_map(|id| id.parse::<u16>().ok())
        .collect()
}
