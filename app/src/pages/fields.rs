//! Fields of documents in words: their labels, and the texts of those that hold one of several words. Forms and lists of
//! changes have them from here.

use domain::documents::{
    Applies, ButtonCase, ButtonColor, ButtonWeight, DisplayMode, Entrance, ImagePlace, IpMode,
    Layout, Mspa, OnClose, Position, RestrictionKind, Scheme, Voice,
};
use domain::language;

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
        Position::BottomLeft => t.fields().position_bottom_left,
        Position::BottomRight => t.fields().position_bottom_right,
        Position::Bottom => t.fields().position_bottom,
        Position::Top => t.fields().position_top,
        Position::Center => t.fields().position_center,
    })
}

/// The name of a form of the banner.
pub fn mode_name(mode: DisplayMode) -> &'static str {
    let t = texts();
    match mode {
        DisplayMode::Card => t.fields().mode_card,
        DisplayMode::Modal => t.fields().mode_modal,
        DisplayMode::Bar => t.fields().mode_bar,
    }
}

/// The name of a step's layout.
pub fn layout_name(layout: Layout) -> &'static str {
    let t = texts();
    match layout {
        Layout::Welcome => t.fields().layout_welcome,
        Layout::Category => t.fields().layout_category,
        Layout::Info => t.fields().layout_info,
        Layout::SoftConsent => t.fields().layout_soft_consent,
        Layout::Iab => t.fields().layout_iab,
    }
}

/// The lines of a layout's sketch, as a path of SVG in a frame of 56 × 42.
pub const fn layout_sketch(layout: Layout) -> &'static str {
    match layout {
        Layout::Welcome => "M10 10h24M10 16h36M10 20h30M10 28h16v6H10zM30 28h16v6H30z",
        Layout::Category => "M10 9h20M10 17h22M42 17h4M10 24h22M42 24h4M10 31h22M42 31h4",
        Layout::Info => "M10 24h30M10 29h22M42 24v6",
        Layout::SoftConsent => "M10 20h36M10 25h26M34 31h12v4H34z",
        Layout::Iab => "M10 9h14M10 15h36M10 21h36M10 27h36M10 33h36",
    }
}

/// Light or dark.
pub fn schemes() -> Options {
    let t = texts();
    options(Scheme::ALL, Scheme::as_str, |scheme| match scheme {
        Scheme::Auto => t.fields().scheme_auto,
        Scheme::Page => t.fields().scheme_page,
        Scheme::Light => t.fields().scheme_light,
        Scheme::Dark => t.fields().scheme_dark,
    })
}

/// The tone of the banner's own words.
pub fn voices() -> Options {
    let t = texts();
    options(Voice::ALL, Voice::as_str, |voice| match voice {
        Voice::Neutral => t.fields().voice_neutral,
        Voice::Friendly => t.fields().voice_friendly,
        Voice::Formal => t.fields().voice_formal,
    })
}

/// The effect of closing the banner.
pub fn closings() -> Options {
    let t = texts();
    options(OnClose::ALL, OnClose::as_str, |on_close| match on_close {
        OnClose::Refuse => t.fields().on_close_refuse,
        OnClose::AskAgain => t.fields().on_close_ask_again,
    })
}

/// The weight of the text on buttons.
pub fn weights() -> Options {
    let t = texts();
    options(
        ButtonWeight::ALL,
        ButtonWeight::as_str,
        |weight| match weight {
            ButtonWeight::Normal => t.fields().weight_normal,
            ButtonWeight::Medium => t.fields().weight_medium,
            ButtonWeight::Semibold => t.fields().weight_semibold,
            ButtonWeight::Bold => t.fields().weight_bold,
        },
    )
}

/// The letters on buttons.
pub fn cases() -> Options {
    let t = texts();
    options(ButtonCase::ALL, ButtonCase::as_str, |case| match case {
        ButtonCase::AsWritten => t.fields().button_case_written,
        ButtonCase::Uppercase => t.fields().button_case_upper,
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

/// The name of a place of pictures.
pub fn image_place_name(place: ImagePlace) -> &'static str {
    let w = texts().design();
    match place {
        ImagePlace::Beside => w.image_beside,
        ImagePlace::Above => w.image_above,
    }
}

/// The look of a box's button.
pub fn button_looks() -> Options {
    let t = texts();
    options(ButtonColor::ALL, ButtonColor::as_str, |look| match look {
        ButtonColor::Primary => t.fields().box_button_primary,
        ButtonColor::Default => t.fields().box_button_plain,
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
        "imagePlace" => options(ImagePlace::ALL, ImagePlace::as_str, image_place_name),
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
        ("acceptAll", t.fields().string_accept_all),
        ("dismiss", t.fields().string_dismiss),
        ("configure", t.fields().string_configure),
        ("nextStep", t.fields().string_next_step),
        ("prevStep", t.fields().string_prev_step),
        ("lastStep", t.fields().string_last_step),
        ("save", t.fields().string_save),
        ("toggleAll", t.fields().string_toggle_all),
        ("readMore", t.fields().string_read_more),
        ("policyLink", t.fields().string_policy_link),
        ("close", t.fields().string_close),
        ("reopen", t.fields().string_reopen),
        ("poweredBy", t.fields().string_powered_by),
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
            "main" => t.fields().colour_main,
            "secondary" => t.fields().colour_secondary,
            "text" => t.fields().colour_text,
            "title" => t.fields().colour_title,
            "background" => t.fields().colour_background,
            "border" => t.fields().colour_border,
            "buttonText" => t.fields().colour_button_text,
            "danger" => t.fields().colour_danger,
            _ => return None,
        },
        "fonts" => match field {
            "title" => t.fields().font_title,
            "text" => t.fields().font_text,
            _ => return None,
        },
        "widgetStyle" => match field {
            "borderRadius" => t.fields().border_radius,
            "padding" => t.fields().padding,
            "buttonRadius" => t.button_radius,
            "buttonWeight" => t.fields().button_weight,
            "buttonCase" => t.fields().button_case,
            "position" => t.position,
            "entrance" => t.design().entrance,
            "imagePlace" => t.design().image_place,
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
        "displayMode" => t.fields().display_mode,
        "scheme" => t.scheme,
        "overlay" => t.fields().overlay,
        "reopenButton" => t.fields().reopen_button,
        "hideForVisitorsWithChoice" => t.fields().hide_reopen,
        "onClose" => t.fields().on_close,
        "askAgainAfterDays" => t.fields().ask_again_after,
        "reaskOnVendorChange" => t.fields().reask,
        "respectGpc" => t.fields().respect_gpc,
        "cookieDurationDays" => t.fields().duration,
        _ => return None,
    })
}

/// Fields of consent mode and of IAB's frameworks.
fn signal(field: &str) -> Option<&'static str> {
    let (t, w) = (texts(), SectionTexts::of_this_page());
    Some(match field {
        "enabled" => texts().publish().turned_on,
        "adsDataRedaction" => t.fields().ads_redaction,
        "urlPassthrough" => t.fields().url_passthrough,
        "microsoft" => t.fields().microsoft_signals,
        "waitForUpdate" => t.fields().wait_for_update,
        "region" => t.fields().signal_regions,
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
        "name" => t.fields().step_name,
        "layout" => t.fields().layout,
        "title" => t.step_title,
        "topTitle" => t.fields().step_top_title,
        "subTitle" => t.fields().step_sub_title,
        "message" => t.fields().step_message,
        "image" => t.fields().step_image,
        "vendors" => t.services,
        "strings" => t.fields().step_words,
        "timeout" => t.fields().step_timeout,
        "showToggleAllSwitch" => t.fields().toggle_all,
        "groupByCategory" => t.fields().group_by_category,
        "reason" => t.fields().always_on_reason,
        _ => return None,
    })
}

fn service(field: &str) -> Option<&'static str> {
    let (t, w) = (texts(), ServiceTexts::of_this_page());
    Some(match field {
        "name" => t.fields().service_name,
        "title" => t.fields().service_title,
        "shortDescription" => t.fields().service_short,
        "longDescription" => t.fields().service_long,
        "domain" => t.fields().service_domain,
        "policyUrl" => t.fields().privacy_policy,
        "categories" => w.purposes,
        "company" => t.fields().service_company,
        "country" => t.fields().service_country,
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
        "name" => t.fields().box_processor_name,
        "website" => t.fields().box_processor_website,
        "shortDescription" => t.fields().service_short,
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
        "text" => t.fields().box_button_text,
        "color" => t.fields().box_button_look,
        "value" => t.fields().box_button_meaning,
        "title" => t.step_title,
        "message" => t.fields().step_message,
        "backButtonText" => t.fields().box_screen_back,
        _ => return None,
    })
}

/// Fields of whole documents.
fn of_document(field: &str) -> Option<&'static str> {
    let (t, w) = (texts(), texts().publish());
    Some(match field {
        "client" => t.design,
        "colors" => t.colours,
        "darkColors" => t.fields().dark_colours,
        "fonts" => t.fonts,
        "widgetStyle" => t.shape,
        "logo" => t.design().logo,
        "darkLogo" => t.design().dark_logo,
        "domains" => t.domains,
        "ipMode" => t.ip_mode,
        "dpo" => t.fields().dpo_name,
        "dataProcessor" => t.fields().controller_name,
        "contact" => w.contact,
        "active" => w.active,
        "projectName" => t.project_title,
        "websiteURL" => t.site,
        "organizationId" => t.organization,
        "approval" => t.approval,
        "name" => t.configuration_name,
        "title" => t.step_title,
        "subTitle" => t.fields().step_sub_title,
        "message" => t.fields().step_message,
        "language" | "textLanguage" => t.language,
        "languages" | "translated" | "translations" => w.languages,
        "untranslated" => w.untranslated,
        "country" => t.country,
        "isDefault" => t.fields().is_default,
        "googleConsentMode" => t.fields().consent_mode,
        "withSaveConsent" => t.fields().with_save_consent,
        "privacyPolicyUrl" => t.fields().privacy_policy,
        "alwaysOn" => t.fields().always_on,
        "steps" => t.steps,
        "voice" => t.fields().voice,
        "strings" | "consentWidgetStrings" => t.words,
        "settings" => t.fields().behaviour,
        "tcf" => StepTexts::of_this_page().section,
        "gpp" => StepTexts::of_this_page().us,
        "picture" => t.fields().box_picture,
        "file" => t.fields().box_file,
        "purpose" => t.fields().box_purpose,
        "buttons" => t.fields().box_answers,
        "confirmations" => t.fields().box_screens,
        "processors" => t.fields().box_processors,
        "personalDataTypes" => t.fields().box_data_types,
        "automatedDecisions" => t.fields().box_automated,
        "automatedDecisionsContact" => t.fields().box_automated_contact,
        "automatedDecisionsDetails" => t.fields().box_automated_details,
        "consentWithdraw" => t.fields().box_withdraw,
        "storageDuration" => t.fields().box_storage,
        "idRequired" => t.fields().box_required,
        _ => return None,
    })
}

/// Fields whose entries have names, or numbers.
const LISTS: [&str; 9] = [
    "steps",
    "vendors",
    "alwaysOn",
    "translated",
    "translations",
    "cookieFacts",
    "buttons",
    "confirmations",
    "processors",
];

/// A path with fields as their editors name them. Entries of lists keep their names, and fields that no editor has
/// those of the API.
pub fn in_labels(path: &[String]) -> Vec<String> {
    labels_in("", path)
}

/// [`in_labels`] of a document whose fields are those of the object `holder`.
pub fn labels_in(holder: &str, path: &[String]) -> Vec<String> {
    let mut holder = holder;
    let mut is_entry = false;
    let labels = path.iter().map(|name| {
        if is_entry {
            is_entry = false;
            if holder == "translated" || holder == "translations" {
                // The fields of another language are those of the whole configuration.
                holder = "";
                return language::name(name).unwrap_or(name).to_owned();
            }
            return name.clone();
        }
        let label = label(holder, name);
        is_entry = LISTS.contains(&name.as_str());
        holder = if name == "client" { "" } else { name };
        label.map_or_else(|| name.clone(), str::to_owned)
    });
    labels.collect()
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

    #[test]
    fn paths_are_told_as_editors_name_them() {
        for (path, labels) in [
            (&["strings", "acceptAll"][..], "Texts › Accept all"),
            (
                &["settings", "onClose"],
                "Position and behaviour › When a visitor closes the banner",
            ),
            (
                &["client", "darkColors", "title"],
                "Design › Colours on dark pages › Titles",
            ),
            // The name of a step is nobody's label.
            (&["steps", "title", "title"], "Steps › title › Title"),
            (
                &["steps", "a", "vendors", "ads", "name"],
                "Steps › a › Services › ads › Name",
            ),
            (
                &["alwaysOn", "1", "reason"],
                "Always on › 1 › Why it needs no consent",
            ),
            (
                &["translated", "fr", "steps", "a", "title"],
                "Languages › Français › Steps › a › Title",
            ),
            (
                &["translations", "fr", "steps", "a", "title"],
                "Languages › Français › Steps › a › Title",
            ),
            (
                &["tcf", "applies"],
                "Partners and purposes › Visitors to whom the law applies",
            ),
            (&["unheard"], "unheard"),
        ] {
            let path: Vec<String> = path.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(in_labels(&path).join(" › "), labels);
        }
    }
}
