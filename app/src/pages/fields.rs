//! Fields of documents in words: their labels, and the texts of those that hold one of several words. Forms and lists of
//! changes have them from here.

use domain::documents::{
    Applies, ButtonCase, ButtonColor, ButtonWeight, DisplayMode, Entrance, IpMode, Layout, Mspa,
    OnClose, Position, RestrictionKind, Scheme, Voice,
};

use crate::i18n::{SectionTexts, ServiceTexts, StepTexts, Texts, texts};

/// The words of a field, each with its text.
pub type Options = Vec<(&'static str, String)>;

fn options<T: Copy>(
    all: &[T],
    word: fn(T) -> &'static str,
    text: impl Fn(T) -> &'static str,
) -> Options {
    let all = all.iter().copied();
    all.map(|one| (word(one), text(one).to_owned())).collect()
}

/// The place of a banner.
pub fn positions() -> Options {
    let t = texts();
    options(Position::ALL, Position::as_str, |position| match position {
        Position::BottomLeft => t.position_bottom_left,
        Position::BottomRight => t.position_bottom_right,
        Position::Bottom => t.position_bottom,
        Position::Top => t.position_top,
        Position::Center => t.position_center,
    })
}

/// The name of a form of the banner.
pub fn mode_name(mode: DisplayMode) -> &'static str {
    let t = texts();
    match mode {
        DisplayMode::Card => t.mode_card,
        DisplayMode::Modal => t.mode_modal,
        DisplayMode::Bar => t.mode_bar,
    }
}

/// The name of a step's layout.
pub fn layout_name(layout: Layout) -> &'static str {
    let t = texts();
    match layout {
        Layout::Welcome => t.layout_welcome,
        Layout::Category => t.layout_category,
        Layout::Info => t.layout_info,
        Layout::SoftConsent => t.layout_soft_consent,
        Layout::Iab => t.layout_iab,
    }
}

/// Light or dark.
pub fn schemes() -> Options {
    let t = texts();
    options(Scheme::ALL, Scheme::as_str, |scheme| match scheme {
        Scheme::Auto => t.scheme_auto,
        Scheme::Page => t.scheme_page,
        Scheme::Light => t.scheme_light,
        Scheme::Dark => t.scheme_dark,
    })
}

/// The tone of the banner's own words.
pub fn voices() -> Options {
    let t = texts();
    options(Voice::ALL, Voice::as_str, |voice| match voice {
        Voice::Neutral => t.voice_neutral,
        Voice::Friendly => t.voice_friendly,
        Voice::Formal => t.voice_formal,
    })
}

/// The effect of closing the banner.
pub fn closings() -> Options {
    let t = texts();
    options(OnClose::ALL, OnClose::as_str, |on_close| match on_close {
        OnClose::Refuse => t.on_close_refuse,
        OnClose::AskAgain => t.on_close_ask_again,
    })
}

/// The weight of the text on buttons.
pub fn weights() -> Options {
    let t = texts();
    options(
        ButtonWeight::ALL,
        ButtonWeight::as_str,
        |weight| match weight {
            ButtonWeight::Normal => t.weight_normal,
            ButtonWeight::Medium => t.weight_medium,
            ButtonWeight::Semibold => t.weight_semibold,
            ButtonWeight::Bold => t.weight_bold,
        },
    )
}

/// The letters on buttons.
pub fn cases() -> Options {
    let t = texts();
    options(ButtonCase::ALL, ButtonCase::as_str, |case| match case {
        ButtonCase::AsWritten => t.button_case_written,
        ButtonCase::Uppercase => t.button_case_upper,
    })
}

/// The name of an entrance.
pub fn entrance_name(entrance: Entrance) -> &'static str {
    let w = texts().design();
    match entrance {
        Entrance::None => w.entrance_none,
        Entrance::Rise => w.entrance_rise,
        Entrance::Spring => w.entrance_spring,
    }
}

/// The look of a box's button.
pub fn button_looks() -> Options {
    let t = texts();
    options(ButtonColor::ALL, ButtonColor::as_str, |look| match look {
        ButtonColor::Primary => t.box_button_primary,
        ButtonColor::Default => t.box_button_plain,
    })
}

/// The form in which IP addresses are kept.
pub fn ip_modes() -> Options {
    let t = texts();
    options(IpMode::ALL, IpMode::as_str, |mode| match mode {
        IpMode::Truncated => t.ip_truncated,
        IpMode::Hash => t.ip_hash,
        IpMode::Full => t.ip_full,
        IpMode::None => t.ip_none,
    })
}

/// The mode in which IAB's agreement was signed.
pub fn mspa_modes() -> Options {
    let w = StepTexts::of_this_page();
    options(Mspa::ALL, Mspa::as_str, |mode| match mode {
        Mspa::OptOut => w.mspa_opt_out,
        Mspa::ServiceProvider => w.mspa_provider,
    })
}

/// The visitors to whom the law applies.
pub fn applications() -> Options {
    let w = SectionTexts::of_this_page();
    options(Applies::ALL, Applies::as_str, |applies| match applies {
        Applies::Always => w.applies_always,
        Applies::Site => w.applies_site,
    })
}

/// The rule of a restriction.
pub fn restrictions() -> Options {
    let w = SectionTexts::of_this_page();
    options(
        RestrictionKind::ALL,
        RestrictionKind::as_str,
        |kind| match kind {
            RestrictionKind::NotAllowed => w.rule_not_allowed,
            RestrictionKind::Consent => w.rule_consent,
            RestrictionKind::LegitimateInterest => w.rule_interest,
        },
    )
}

/// The text of a word in a field, if the field holds one of several.
pub fn option_text(field: &str, word: &str) -> Option<String> {
    let options = match field {
        "position" => positions(),
        "displayMode" => options(DisplayMode::ALL, DisplayMode::as_str, mode_name),
        "layout" => options(Layout::ALL, Layout::as_str, layout_name),
        "scheme" => schemes(),
        "voice" => voices(),
        "onClose" => closings(),
        "buttonWeight" => weights(),
        "buttonCase" => cases(),
        "entrance" => options(Entrance::ALL, Entrance::as_str, entrance_name),
        "color" => button_looks(),
        "ipMode" => ip_modes(),
        "mspa" => mspa_modes(),
        "applies" => applications(),
        "type" => restrictions(),
        _ => return None,
    };
    let mut options = options.into_iter();
    options.find(|(own, _)| *own == word).map(|(_, text)| text)
}

/// The texts of the banner, by their keys.
pub fn words(t: &'static Texts) -> [(&'static str, &'static str); 13] {
    [
        ("acceptAll", t.string_accept_all),
        ("dismiss", t.string_dismiss),
        ("configure", t.string_configure),
        ("nextStep", t.string_next_step),
        ("prevStep", t.string_prev_step),
        ("lastStep", t.string_last_step),
        ("save", t.string_save),
        ("toggleAll", t.string_toggle_all),
        ("readMore", t.string_read_more),
        ("policyLink", t.string_policy_link),
        ("close", t.string_close),
        ("reopen", t.string_reopen),
        ("poweredBy", t.string_powered_by),
    ]
}

/// The label of a field in the object `holder`, which is the field that holds it, or empty for a whole document.
pub fn label(holder: &str, field: &str) -> Option<&'static str> {
    let t = texts();
    Some(match holder {
        "strings" | "consentWidgetStrings" => {
            let mut words = words(t).into_iter();
            return words.find(|(key, _)| *key == field).map(|(_, label)| label);
        }
        "colors" | "darkColors" => match field {
            "main" => t.colour_main,
            "secondary" => t.colour_secondary,
            "text" => t.colour_text,
            "title" => t.colour_title,
            "background" => t.colour_background,
            "border" => t.colour_border,
            "buttonText" => t.colour_button_text,
            "danger" => t.colour_danger,
            _ => return None,
        },
        "fonts" => match field {
            "title" => t.font_title,
            "text" => t.font_text,
            _ => return None,
        },
        "widgetStyle" => match field {
            "borderRadius" => t.border_radius,
            "padding" => t.padding,
            "buttonRadius" => t.button_radius,
            "buttonWeight" => t.button_weight,
            "buttonCase" => t.button_case,
            "position" => t.position,
            "entrance" => t.design().entrance,
            _ => return None,
        },
        "settings" => setting(field)?,
        "googleConsentMode" | "tcf" | "gpp" | "restrictions" => signal(field)?,
        "steps" | "alwaysOn" => step(field)?,
        "vendors" | "cookieFacts" => service(field)?,
        "dpo" | "dataProcessor" | "processors" => party(field)?,
        "buttons" | "confirmations" => answer(field)?,
        _ => of_document(field)?,
    })
}

fn setting(field: &str) -> Option<&'static str> {
    let t = texts();
    Some(match field {
        "position" => t.position,
        "displayMode" => t.display_mode,
        "scheme" => t.scheme,
        "overlay" => t.overlay,
        "reopenButton" => t.reopen_button,
        "hideForVisitorsWithChoice" => t.hide_reopen,
        "onClose" => t.on_close,
        "askAgainAfterDays" => t.ask_again_after,
        "reaskOnVendorChange" => t.reask,
        "respectGpc" => t.respect_gpc,
        "cookieDurationDays" => t.duration,
        _ => return None,
    })
}

/// Fields of consent mode and of IAB's frameworks.
fn signal(field: &str) -> Option<&'static str> {
    let (t, w) = (texts(), SectionTexts::of_this_page());
    Some(match field {
        "enabled" => texts().publish().turned_on,
        "adsDataRedaction" => t.ads_redaction,
        "urlPassthrough" => t.url_passthrough,
        "microsoft" => t.microsoft_signals,
        "waitForUpdate" => t.wait_for_update,
        "region" => t.signal_regions,
        "sections" => StepTexts::of_this_page().us_on,
        "mspa" => StepTexts::of_this_page().mspa,
        "publisherCC" => w.country,
        "vendors" => w.partners,
        "purposes" => w.purposes,
        "specialFeatures" => w.special_features,
        "stacks" => w.stacks,
        "legitimateInterests" => w.interests_allowed,
        "restrictions" => w.restrictions,
        "purposeOneTreatment" => w.purpose_one,
        "additionalConsent" => w.providers,
        "applies" => w.applies,
        "purpose" => w.rule_purpose,
        "type" => w.rule_type,
        _ => return None,
    })
}

fn step(field: &str) -> Option<&'static str> {
    let t = texts();
    Some(match field {
        "name" => t.step_name,
        "layout" => t.layout,
        "title" => t.step_title,
        "topTitle" => t.step_top_title,
        "subTitle" => t.step_sub_title,
        "message" => t.step_message,
        "image" => t.step_image,
        "vendors" => t.services,
        "strings" => t.step_words,
        "timeout" => t.step_timeout,
        "showToggleAllSwitch" => t.toggle_all,
        "groupByCategory" => t.group_by_category,
        "reason" => t.always_on_reason,
        _ => return None,
    })
}

fn service(field: &str) -> Option<&'static str> {
    let (t, w) = (texts(), ServiceTexts::of_this_page());
    Some(match field {
        "name" => t.service_name,
        "title" => t.service_title,
        "shortDescription" => t.service_short,
        "longDescription" => t.service_long,
        "domain" => t.service_domain,
        "policyUrl" => t.privacy_policy,
        "categories" => w.purposes,
        "company" => t.service_company,
        "country" => t.service_country,
        "tcfVendorId" => SectionTexts::of_this_page().disclosed,
        "cookieFacts" | "cookies" => w.cookies,
        "textLanguage" => t.language,
        "maxAgeSeconds" => w.life_in_seconds,
        _ => return None,
    })
}

fn party(field: &str) -> Option<&'static str> {
    let (t, w) = (texts(), texts().publish());
    Some(match field {
        "name" => t.box_processor_name,
        "website" => t.box_processor_website,
        "shortDescription" => t.service_short,
        "role" => t.role,
        "email" => t.email,
        "phone" => w.phone,
        "address" => w.address,
        _ => return None,
    })
}

/// Fields of the buttons of a box, and of the screens behind them.
fn answer(field: &str) -> Option<&'static str> {
    let t = texts();
    Some(match field {
        "text" => t.box_button_text,
        "color" => t.box_button_look,
        "value" => t.box_button_meaning,
        "title" => t.step_title,
        "message" => t.step_message,
        "backButtonText" => t.box_screen_back,
        _ => return None,
    })
}

/// Fields of whole documents.
fn of_document(field: &str) -> Option<&'static str> {
    let (t, w) = (texts(), texts().publish());
    Some(match field {
        "client" => t.design,
        "colors" => t.colours,
        "darkColors" => t.dark_colours,
        "fonts" => t.fonts,
        "widgetStyle" => t.shape,
        "logo" => t.design().logo,
        "darkLogo" => t.design().dark_logo,
        "domains" => t.domains,
        "ipMode" => t.ip_mode,
        "dpo" => t.dpo_name,
        "dataProcessor" => t.controller_name,
        "contact" => w.contact,
        "active" => w.active,
        "projectName" => t.project_title,
        "name" => t.configuration_name,
        "title" => t.step_title,
        "subTitle" => t.step_sub_title,
        "message" => t.step_message,
        "language" | "textLanguage" => t.language,
        "languages" | "translated" => w.languages,
        "untranslated" => w.untranslated,
        "country" => t.country,
        "isDefault" => t.is_default,
        "googleConsentMode" => t.consent_mode,
        "withSaveConsent" => t.with_save_consent,
        "privacyPolicyUrl" => t.privacy_policy,
        "alwaysOn" => t.always_on,
        "steps" => t.steps,
        "voice" => t.voice,
        "strings" | "consentWidgetStrings" => t.words,
        "settings" => t.behaviour,
        "tcf" => StepTexts::of_this_page().section,
        "gpp" => StepTexts::of_this_page().us,
        "picture" => t.box_picture,
        "file" => t.box_file,
        "purpose" => t.box_purpose,
        "buttons" => t.box_answers,
        "confirmations" => t.box_screens,
        "processors" => t.box_processors,
        "personalDataTypes" => t.box_data_types,
        "automatedDecisions" => t.box_automated,
        "automatedDecisionsContact" => t.box_automated_contact,
        "automatedDecisionsDetails" => t.box_automated_details,
        "consentWithdraw" => t.box_withdraw,
        "storageDuration" => t.box_storage,
        "idRequired" => t.box_required,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use domain::collection::Collection;
    use domain::documents;
    use domain::documents::field::{Kind, Object, Reach};

    use super::*;

    fn look_at(holder: &str, object: &Object) {
        for field in object.fields {
            let reach = field.rule.reach;
            if !matches!(reach, Reach::Published | Reach::Made) || field.key == "identifier" {
                continue;
            }
            assert!(label(holder, field.key).is_some(), "{holder}/{}", field.key);
            match field.rule.kind {
                Kind::Words(words) => {
                    for word in words {
                        let text = option_text(field.key, word);
                        assert!(text.is_some(), "{}: {word}", field.key);
                    }
                }
                Kind::Object(inner)
                | Kind::FlagOr(inner)
                | Kind::Objects(inner, _)
                | Kind::Named(inner) => look_at(field.key, inner),
                _ => {}
            }
        }
    }

    #[test]
    fn each_published_field_has_a_label_and_each_word_a_text() {
        for collection in Collection::ALL {
            let holder = match collection {
                Collection::Vendors => "vendors",
                _ => "",
            };
            look_at(holder, documents::of(collection));
        }
        assert_eq!(label("", "anything"), None);
        assert_eq!(option_text("onClose", "anything"), None);
        assert_eq!(option_text("message", "refuse"), None);
    }
}
