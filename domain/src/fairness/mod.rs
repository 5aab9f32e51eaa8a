//! Finds settings of a cookie configuration that make refusing harder than accepting, take silence
//! for an answer, make a consent hard to withdraw, keep the banner from visitors, or leave texts in another language.
//!
//! Rendering keeps most rules by itself: a step that asks offers both answers, the same size, side
//! by side, and no countdown accepts. The rest is in texts and settings, which people write. The
//! editor and publishing show them these findings. Nothing refuses any of it: phrases are hints, not
//! proofs.

mod cookies;
mod phrases;

use std::collections::HashSet;

use phrases::{ADVERTISING, BLOCKED, MEASUREMENT, PERSONALISATION, SILENCE, SOCIAL, WITHDRAWAL};
use serde_json::Value;

use crate::categories::{self, Words};
use crate::documents::{
    Layout, OnClose, STEP_LINES, Spoken, asks_by_tcf, other_languages, privacy_policy, spoken_in,
    translated_at,
};

crate::words! {
    /// Something that is not fair.
    #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
    pub enum Concern {
        /// The button that refuses has no words.
        RefusalWithoutWords = "refusal_without_words",
        /// The button that refuses reads like another one.
        RefusalLikeAnother = "refusal_like_another",
        /// A notice stands before the first question: nobody can refuse there.
        RefusalOnLaterStep = "refusal_on_later_step",
        /// Services are asked for, but no step asks.
        NothingAsked = "nothing_asked",
        /// A text takes going on, closing or waiting for consent.
        SilenceAsConsent = "silence_as_consent",
        /// Visitors find no button to change their mind.
        NoWayBack = "no_way_back",
        /// Visitors who refuse, or close, are asked again too soon.
        AskedOften = "asked_often",
        /// A choice is kept longer than a year.
        KeptLong = "kept_long",
        /// Choices leave no proof.
        NoProof = "no_proof",
        /// The first step does not say that a service advertises.
        AdvertisingUnnamed = "advertising_unnamed",
        /// The first step does not say that a service measures the use of the site.
        MeasurementUnnamed = "measurement_unnamed",
        /// The first step does not say that a service adapts what visitors see to them.
        PersonalisationUnnamed = "personalisation_unnamed",
        /// The first step does not say that a service belongs to a social network.
        SocialUnnamed = "social_unnamed",
        /// The first step links to no privacy policy.
        NoPolicyLink = "no_policy_link",
        /// The first step does not say that a choice can be changed.
        WithdrawalUnnamed = "withdrawal_unnamed",
        /// Blockers of cookie banners stop addresses with this name.
        NameIsBlocked = "name_is_blocked",
        /// Some texts of a language have no translation.
        Untranslated = "untranslated",
        /// A vendor cannot follow a restriction any more, and may not do the purpose at all.
        RestrictionTightened = "restriction_tightened",
        /// The vendor list that visitors are shown is older than 30 days.
        OldVendorList = "old_vendor_list",
        /// `domains` of the project leave out its own site.
        SiteLeftOut = "site_left_out",
        /// A service names cookies that no page can have, all that there are, or Placet's own.
        CookieMisnamed = "cookie_misnamed",
    }
}

impl Concern {
    /// The concern in plain English.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::RefusalWithoutWords => "The button that refuses has no words.",
            Self::RefusalLikeAnother => "The button that refuses reads like another one.",
            Self::RefusalOnLaterStep => {
                "A notice stands before the first question: nobody can refuse there."
            }
            Self::NothingAsked => "Services are asked for, but no step asks.",
            Self::SilenceAsConsent => "The text takes going on, closing or waiting for consent.",
            Self::NoWayBack => "Visitors find no button to change their mind.",
            Self::AskedOften => "Visitors who refuse, or close, are asked again too soon.",
            Self::KeptLong => "A choice is kept longer than a year.",
            Self::NoProof => "Choices leave no proof.",
            Self::AdvertisingUnnamed => "The first step does not say that a service advertises.",
            Self::MeasurementUnnamed => {
                "The first step does not say that a service measures the use of the site."
            }
            Self::PersonalisationUnnamed => {
                "The first step does not say that a service adapts what visitors see to them."
            }
            Self::SocialUnnamed => {
                "The first step does not say that a service belongs to a social network."
            }
            Self::NoPolicyLink => "The first step links to no privacy policy.",
            Self::WithdrawalUnnamed => "The first step does not say that a choice can be changed.",
            Self::NameIsBlocked => "Blockers of cookie banners stop addresses with this name.",
            Self::Untranslated => {
                "Some texts have no translation: visitors read them in the default language."
            }
            Self::OldVendorList => "The Global Vendor List of this server is older than 30 days.",
            Self::SiteLeftOut => {
                "The project's `domains` leave out its own site: visitors see no banner there, and no consent is taken."
            }
            Self::CookieMisnamed => {
                "A service names a cookie that no page can have, too many at once, or one of Placet's own: when consent is withdrawn, its cookies stay or others go."
            }
            Self::RestrictionTightened => {
                "A new vendor list does not fit a restriction: a vendor may not do the purpose at all until the restriction is changed."
            }
        }
    }
}

/// Something that is not fair, and the field that makes it so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The concern.
    pub concern: Concern,
    /// JSON Pointer of the field.
    pub pointer: String,
}

/// A year and a month: the longest time that authorities recommend.
const LONG_DAYS: u64 = 395;

/// Six months: the shortest time that authorities recommend before a refusal is questioned.
const SOON_DAYS: u64 = 180;

/// Everything that is not fair in a configuration of a project as the vault has both, in all its languages. Categories
/// of services are known only once publishing has put the services in.
pub fn findings(configuration: &Value, project: &Value) -> Vec<Finding> {
    let mut found = findings_in_one(configuration, project);
    for language in other_languages(configuration) {
        let Spoken {
            document,
            untranslated,
        } = spoken_in(configuration, language);
        // One for each language, at the first of its missing texts.
        let missing = untranslated.first().map(|pointer| Finding {
            concern: Concern::Untranslated,
            pointer: pointer.clone(),
        });
        // A text without a translation has been looked at in its own language.
        let untranslated: HashSet<&String> = untranslated.iter().collect();
        let own = findings_in_one(&document, project).into_iter();
        let own = own.filter(|finding| !untranslated.contains(&finding.pointer));
        found.extend(missing.into_iter().chain(own).filter_map(|finding| {
            let pointer = translated_at(configuration, language, &finding.pointer)?;
            Some(Finding { pointer, ..finding })
        }));
    }
    found
}

fn findings_in_one(configuration: &Value, project: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut add = |concern, pointer: String| found.push(Finding { concern, pointer });
    words(configuration, "", &mut add);
    let steps = configuration.get("steps").and_then(Value::as_array);
    let steps: Vec<&Value> = steps.into_iter().flatten().collect();
    let asks = steps
        .iter()
        .position(|step| Layout::of(step).is_none_or(Layout::asks));
    let services = steps.iter().any(|step| {
        let vendors = step.get("vendors").and_then(Value::as_array);
        vendors.is_some_and(|vendors| !vendors.is_empty())
    });
    match asks {
        Some(first) if first > 0 => add(Concern::RefusalOnLaterStep, "/steps/0/layout".to_owned()),
        None if services => add(Concern::NothingAsked, "/steps/0/layout".to_owned()),
        _ => {}
    }
    for (index, step) in steps.iter().enumerate() {
        let at = format!("/steps/{index}");
        words(step, &at, &mut add);
        for key in STEP_LINES {
            if takes_silence(text(step, key)) {
                add(Concern::SilenceAsConsent, format!("{at}/{key}"));
            }
        }
        let vendors = step.get("vendors").and_then(Value::as_array);
        for (place, vendor) in vendors.into_iter().flatten().enumerate() {
            if cookies::are_misnamed(vendor) {
                add(Concern::CookieMisnamed, format!("{at}/vendors/{place}"));
            }
        }
    }
    if services && let Some(first) = steps.first() {
        first_step(configuration, project, first, &mut add);
    }
    settings(configuration, &mut add);
    found
}

/// Looks at what the first step has to say before anybody can decide. The widget itself writes the parts that
/// its owner leaves out, except for the link.
fn first_step(
    configuration: &Value,
    project: &Value,
    step: &Value,
    add: &mut impl FnMut(Concern, String),
) {
    let message = text(step, "message");
    let links = privacy_policy(configuration, project).is_some() || message.contains("<a ");
    if !links {
        add(Concern::NoPolicyLink, "/privacyPolicyUrl".to_owned());
    }
    let message = plain(message);
    // By TCF the widget's own sentences stand below what the owner writes.
    if asks_by_tcf(configuration) {
        return;
    }
    let pointer = || "/steps/0/message".to_owned();
    if message.trim().is_empty() {
        // The widget's own text names the button, if there is one.
        if hides_button(configuration).is_some() {
            add(Concern::WithdrawalUnnamed, pointer());
        }
        return;
    }
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| message.contains(phrase));
    for purpose in PURPOSES {
        if has_service(configuration, purpose.categories) && !says(purpose.phrases) {
            add(purpose.unnamed, pointer());
        }
    }
    if !says(WITHDRAWAL) {
        add(Concern::WithdrawalUnnamed, pointer());
    }
}

/// A purpose that the first step names where a service has it (EDPB Guidelines 05/2020, paragraph 64).
struct Purpose {
    unnamed: Concern,
    /// Words that categories of its services begin with.
    categories: Words,
    /// Parts of words by which texts name it.
    phrases: &'static [&'static str],
}

const PURPOSES: [Purpose; 4] = [
    Purpose {
        unnamed: Concern::AdvertisingUnnamed,
        categories: categories::ADVERTISING,
        phrases: ADVERTISING,
    },
    Purpose {
        unnamed: Concern::MeasurementUnnamed,
        categories: categories::MEASUREMENT,
        phrases: MEASUREMENT,
    },
    Purpose {
        unnamed: Concern::PersonalisationUnnamed,
        categories: categories::PERSONALISATION,
        phrases: PERSONALISATION,
    },
    Purpose {
        unnamed: Concern::SocialUnnamed,
        categories: categories::SOCIAL,
        phrases: SOCIAL,
    },
];

/// True if a category of a service that stands in a step begins with one of these words.
fn has_service(configuration: &Value, categories: Words) -> bool {
    let list = |holder: &Value, key: &str| {
        let list = holder.get(key).and_then(Value::as_array);
        list.cloned().unwrap_or_default()
    };
    let mut vendors = list(configuration, "steps")
        .into_iter()
        .flat_map(|step| list(&step, "vendors"));
    vendors.any(|vendor| {
        let mut own = list(&vendor, "categories").into_iter();
        own.any(|category| categories.lead(category.as_str().unwrap_or_default()))
    })
}

/// Looks at the texts of buttons, of a configuration or of a step.
fn words(holder: &Value, at: &str, add: &mut impl FnMut(Concern, String)) {
    let Some(strings) = holder.get("strings") else {
        return;
    };
    let refusal = text(strings, "dismiss").trim();
    if refusal.is_empty() {
        return; // The language's own words stand there.
    }
    let pointer = format!("{at}/strings/dismiss");
    if !refusal.chars().any(char::is_alphanumeric) {
        add(Concern::RefusalWithoutWords, pointer);
        return;
    }
    let same = ["acceptAll", "configure", "nextStep", "save", "lastStep"]
        .iter()
        .map(|key| text(strings, key).trim())
        .any(|other| other.to_lowercase() == refusal.to_lowercase());
    if same {
        add(Concern::RefusalLikeAnother, pointer);
    }
}

/// The setting by which visitors who have chosen see no button to change their mind. By TCF they always see it.
fn hides_button(configuration: &Value) -> Option<&'static str> {
    let is = |pointer: &str, value: bool| {
        configuration.pointer(pointer).and_then(Value::as_bool) == Some(value)
    };
    [
        ("/settings/reopenButton", false),
        ("/settings/hideForVisitorsWithChoice", true),
    ]
    .into_iter()
    .find(|(pointer, value)| is(pointer, *value) && !asks_by_tcf(configuration))
    .map(|(pointer, _)| pointer)
}

fn settings(configuration: &Value, add: &mut impl FnMut(Concern, String)) {
    let setting = |key: &str| configuration.pointer(&format!("/settings/{key}"));
    if let Some(pointer) = hides_button(configuration) {
        add(Concern::NoWayBack, pointer.to_owned());
    }
    let asks_again = Some(OnClose::AskAgain.as_str());
    let after = setting("askAgainAfterDays").and_then(Value::as_u64);
    if setting("onClose").and_then(Value::as_str) == asks_again {
        add(Concern::AskedOften, "/settings/onClose".to_owned());
    } else if after.is_some_and(|days| days < SOON_DAYS) {
        add(
            Concern::AskedOften,
            "/settings/askAgainAfterDays".to_owned(),
        );
    }
    let days = setting("cookieDurationDays").and_then(Value::as_u64);
    let about_days = match days {
        Some(days) if days > LONG_DAYS => Some(Concern::KeptLong),
        Some(days) if days < SOON_DAYS => Some(Concern::AskedOften),
        _ => None,
    };
    if let Some(concern) = about_days {
        add(concern, "/settings/cookieDurationDays".to_owned());
    }
    if configuration
        .get("withSaveConsent")
        .and_then(Value::as_bool)
        == Some(false)
    {
        add(Concern::NoProof, "/withSaveConsent".to_owned());
    }
    let name = text(configuration, "name")
        .to_lowercase()
        .replace(['-', '_'], "");
    if BLOCKED.iter().any(|word| name.contains(word)) {
        add(Concern::NameIsBlocked, "/name".to_owned());
    }
}

fn text<'a>(holder: &'a Value, key: &str) -> &'a str {
    holder.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn takes_silence(text: &str) -> bool {
    let plain = plain(text);
    SILENCE.iter().any(|phrase| plain.contains(phrase))
}

/// Small letters without tags, with single spaces and straight apostrophes.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut tag = false;
    for c in text.chars() {
        match c {
            '<' => tag = true,
            '>' => tag = false,
            _ if tag => {}
            '’' => plain.push('\''),
            c if c.is_whitespace() => {
                if !plain.ends_with(' ') {
                    plain.push(' ');
                }
            }
            c => plain.extend(c.to_lowercase()),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(configuration: &Value) -> Vec<(Concern, String)> {
        let found = findings(configuration, &Value::Null).into_iter();
        found
            .map(|finding| (finding.concern, finding.pointer))
            .collect()
    }

    #[test]
    fn by_tcf_the_button_and_the_sentences_are_there() {
        let found = |layout: &str| {
            let configuration = json!({
                "privacyPolicyUrl": "https://shop.example/privacy",
                "settings": {"reopenButton": false},
                "steps": [{"layout": layout, "message": "Hello.", "vendors": ["a"]}],
            });
            let found = findings(&configuration, &Value::Null).into_iter();
            found.map(|finding| finding.concern).collect::<Vec<_>>()
        };
        assert_eq!(found("iab"), []);
        let other = [Concern::WithdrawalUnnamed, Concern::NoWayBack];
        assert_eq!(found("category"), other);
    }

    #[test]
    fn a_fair_configuration_raises_nothing() {
        let fair = json!({
            "strings": {"acceptAll": "Yes", "dismiss": "Continue without accepting"},
            "steps": [
                {"layout": "welcome", "title": "Your choice", "message": "<p>Nothing runs before you decide. Change your mind at any time.</p>"},
                {"layout": "category", "vendors": ["a"]},
                {"layout": "info", "message": "Thank you."},
            ],
            "settings": {"cookieDurationDays": 180},
            "privacyPolicyUrl": "https://shop.example/privacy",
        });
        assert_eq!(found(&fair), []);
        assert_eq!(found(&json!({})), []);
    }

    #[test]
    fn each_language_is_looked_at() {
        let mut bilingual = json!({
            "languages": ["fr", "de"], "privacyPolicyUrl": "https://shop.example/privacy",
            "steps": [{"name": "hello", "layout": "welcome", "title": "Hello", "message": "Any time."}],
            "translations": {"fr": {"strings": {"dismiss": "–"},
                "steps": {"hello": {"title": "Bonjour", "message": "En continuant, vous acceptez."}}}},
        });
        let french = |place: &str| format!("/translations/fr{place}");
        let german = "/translations/de/steps/hello/title".to_owned();
        let expected = [
            (Concern::RefusalWithoutWords, french("/strings/dismiss")),
            (Concern::SilenceAsConsent, french("/steps/hello/message")),
            (Concern::Untranslated, german),
        ];
        assert_eq!(found(&bilingual), expected);
        // A language that is not spoken raises nothing.
        bilingual["languages"] = json!([]);
        assert_eq!(found(&bilingual), []);
    }

    #[test]
    fn a_refusal_must_have_words_of_its_own() {
        for (label, concern) in [
            ("\u{200b}", Some(Concern::RefusalWithoutWords)),
            ("×", Some(Concern::RefusalWithoutWords)),
            ("ok, go on", Some(Concern::RefusalLikeAnother)),
            ("No", None),
            // The renderer takes the language's own words.
            ("  ", None),
        ] {
            let strings = json!({"dismiss": label, "acceptAll": "OK, go on"});
            let expected = |at: &str| {
                concern
                    .map(|concern| (concern, format!("{at}/strings/dismiss")))
                    .into_iter()
                    .collect::<Vec<_>>()
            };
            assert_eq!(
                found(&json!({"strings": strings})),
                expected(""),
                "{label:?}"
            );
            let step = json!({"steps": [{"layout": "welcome", "strings": strings}]});
            assert_eq!(found(&step), expected("/steps/0"), "{label:?}");
        }
    }

    #[test]
    fn the_first_step_must_let_one_refuse() {
        let layout = "/steps/0/layout".to_owned();
        let late = json!({"steps": [{"layout": "info"}, {"layout": "welcome"}]});
        assert_eq!(
            found(&late),
            [(Concern::RefusalOnLaterStep, layout.clone())]
        );
        let policy = "https://shop.example/privacy";
        let never =
            json!({"privacyPolicyUrl": policy, "steps": [{"layout": "info", "vendors": ["a"]}]});
        assert_eq!(found(&never), [(Concern::NothingAsked, layout)]);
        let nothing = json!({"steps": [{"layout": "info"}]});
        assert_eq!(found(&nothing), [], "a notice that asks for nothing");
    }

    #[test]
    fn silence_is_no_consent_in_any_language() {
        for text in [
            "By  continuing to browse, you accept our cookies.",
            "<p>En <b>poursuivant</b> votre navigation, vous acceptez.</p>",
            "Mit der weiteren Nutzung stimmen Sie zu.",
            "Si continúa navegando, acepta.",
            "Proseguendo la navigazione accetti.",
            "Without an answer, cookies are accepted after 10 seconds.",
        ] {
            let step = json!({"steps": [{"layout": "soft_consent", "message": text}]});
            let expected = [(Concern::SilenceAsConsent, "/steps/0/message".to_owned())];
            assert_eq!(found(&step), expected, "{text}");
        }
    }

    #[test]
    fn the_first_step_says_what_for_where_to_read_more_and_how_to_withdraw() {
        let with = |message: &str, policy: Option<&str>| {
            let vendors = json!([{"name": "a", "categories": ["ad-measurement"]}]);
            let steps = json!([{"layout": "welcome", "message": message}, {"layout": "category", "vendors": vendors}]);
            let found = findings(
                &json!({"privacyPolicyUrl": policy, "steps": steps}),
                &Value::Null,
            );
            let found: Vec<_> = found.into_iter().map(|finding| finding.concern).collect();
            found
        };
        let policy = Some("https://shop.example/privacy");
        assert_eq!(with("", policy), [], "the widget writes it");
        assert_eq!(with("", None), [Concern::NoPolicyLink]);
        let all = [
            Concern::NoPolicyLink,
            Concern::AdvertisingUnnamed,
            Concern::WithdrawalUnnamed,
        ];
        assert_eq!(with("<p>We like cookies.</p>", None), all);
        for fair in [
            "<p>For <a href='https://shop.example/privacy'>advertising</a>. Change your mind at any time.</p>",
            "<p>Für Werbung, jederzeit widerrufbar: <a href='https://shop.example/privacy'>Datenschutz</a></p>",
            "<p>広告のため。いつでも変更できます。<a href='https://shop.example/privacy'>…</a></p>",
        ] {
            assert_eq!(with(fair, None), [], "{fair}");
        }
    }

    #[test]
    fn the_first_step_names_the_purposes_of_services() {
        let found = |category: &str, message: &str| {
            let vendors = json!([{"name": "a", "categories": [category]}]);
            let step = json!({"layout": "category", "message": message, "vendors": vendors});
            let policy = "https://shop.example/privacy";
            let found = found(&json!({"privacyPolicyUrl": policy, "steps": [step]}));
            let concerns: Vec<_> = found.into_iter().map(|(concern, _)| concern).collect();
            concerns
        };
        let vague = "We value your privacy. Change your mind at any time.";
        for (category, concern, named) in [
            (
                "Ads",
                Concern::AdvertisingUnnamed,
                "For advertisements, at any time.",
            ),
            (
                "analytics",
                Concern::MeasurementUnnamed,
                "Wir messen die Nutzung, jederzeit widerrufbar.",
            ),
            (
                "Personalised offers",
                Concern::PersonalisationUnnamed,
                "Contenus personnalisés, à tout moment.",
            ),
            (
                "social",
                Concern::SocialUnnamed,
                "Redes sociales, en cualquier momento.",
            ),
        ] {
            assert_eq!(found(category, vague), [concern], "{category}");
            assert_eq!(found(category, named), [], "{category}");
        }
        for other in ["video", "adult", "ad-measurement"] {
            assert!(
                !found(other, vague).contains(&Concern::MeasurementUnnamed),
                "{other}"
            );
        }
        assert_eq!(found("adult", vague), []);
    }

    #[test]
    fn a_refusal_holds_for_six_months() {
        for (settings, field) in [
            (json!({"onClose": "ask_again"}), Some("onClose")),
            (json!({"askAgainAfterDays": 179}), Some("askAgainAfterDays")),
            (json!({"onClose": "refuse", "askAgainAfterDays": 180}), None),
            (
                json!({"onClose": "ask_again", "askAgainAfterDays": 1}),
                Some("onClose"),
            ),
            (
                json!({"cookieDurationDays": 179}),
                Some("cookieDurationDays"),
            ),
            (json!({"cookieDurationDays": 180}), None),
        ] {
            let expected: Vec<_> = field
                .map(|field| (Concern::AskedOften, format!("/settings/{field}")))
                .into_iter()
                .collect();
            assert_eq!(found(&json!({"settings": settings})), expected);
        }
    }

    #[test]
    fn the_widget_says_how_to_withdraw_only_where_a_button_leads_back() {
        for (settings, is_said) in [
            (json!({}), true),
            (json!({"reopenButton": false}), false),
            (json!({"hideForVisitorsWithChoice": true}), false),
        ] {
            let empty = json!({"privacyPolicyUrl": "https://shop.example/privacy", "settings": settings,
                "steps": [{"layout": "category", "message": " ", "vendors": ["a"]}]});
            let found = found(&empty).into_iter();
            let unnamed = found.filter(|(concern, _)| *concern == Concern::WithdrawalUnnamed);
            assert_eq!(unnamed.count() == 0, is_said, "{empty}");
        }
    }

    #[test]
    fn a_name_must_pass_blockers() {
        for (name, passes) in [
            ("cookie-consent", false),
            ("Shop_DSGVO", false),
            ("en", true),
            ("cookies-en", true),
        ] {
            let expected = (!passes).then(|| (Concern::NameIsBlocked, "/name".to_owned()));
            let expected: Vec<_> = expected.into_iter().collect();
            assert_eq!(found(&json!({"name": name})), expected, "{name}");
        }
    }

    #[test]
    fn a_choice_can_be_taken_back_and_ends() {
        let hidden = json!({"settings": {"reopenButton": false, "cookieDurationDays": 720}});
        assert_eq!(
            found(&hidden),
            [
                (Concern::NoWayBack, "/settings/reopenButton".to_owned()),
                (Concern::KeptLong, "/settings/cookieDurationDays".to_owned()),
            ]
        );
        let gone =
            json!({"settings": {"hideForVisitorsWithChoice": true}, "withSaveConsent": false});
        assert_eq!(
            found(&gone),
            [
                (
                    Concern::NoWayBack,
                    "/settings/hideForVisitorsWithChoice".to_owned()
                ),
                (Concern::NoProof, "/withSaveConsent".to_owned()),
            ]
        );
    }
}
