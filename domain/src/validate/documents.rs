//! The rules of each collection, field by field as in `interface.md`.

use serde_json::Value;

use super::check::{Check, Fields, is_host};
use crate::names::{is_configuration_name, is_vendor_name};

/// Colours that a project may set.
const COLORS: [&str; 8] = [
    "main",
    "secondary",
    "text",
    "title",
    "background",
    "border",
    "buttonText",
    "danger",
];
/// Places of the widget.
const POSITIONS: [&str; 5] = ["bottom-left", "bottom-right", "bottom", "top", "center"];
const LAYOUTS: [&str; 5] = ["welcome", "category", "info", "soft_consent", "iab"];
const IP_MODES: [&str; 4] = ["truncated", "hash", "full", "none"];
/// Characters of the secret that tokens are signed with.
const TOKEN_SECRET: std::ops::RangeInclusive<usize> = 16..=255;
/// Longest that a choice may be kept.
const TEN_YEARS_IN_DAYS: f64 = 3_650.0;
const ONE_DAY_IN_MS: f64 = 86_400_000.0;
/// Longest that tags may be told to wait for a choice.
const MOST_WAIT_MS: f64 = 60_000.0;

pub(super) fn project(check: &mut Check, fields: &Fields<'_>) {
    check.required(fields, "websiteURL");
    check.url(fields, "websiteURL");
    check.required(fields, "title");
    check.lines(fields, &["title", "name"]);
    check.id(fields, "organizationId");
    if let Some(colors) = check.object(fields, "colors") {
        for key in COLORS {
            check.color(&colors, key);
        }
    }
    if let Some(fonts) = check.object(fields, "fonts") {
        check.lines(&fonts, &["title", "text"]);
    }
    if let Some(style) = check.object(fields, "widgetStyle") {
        check.number(&style, "borderRadius", 0.0, 32.0);
        check.number(&style, "padding", 0.0, 64.0);
        check.one_of(&style, "position", &POSITIONS);
    }
    if let Some(dpo) = check.object(fields, "dpo") {
        check.lines(&dpo, &["name", "email", "phone", "address"]);
        check.url(&dpo, "website");
    }
    if let Some(processor) = check.object(fields, "dataProcessor") {
        check.lines(&processor, &["name", "email", "phone", "address"]);
        check.url(&processor, "website");
    }
    for (pointer, host) in check.list(fields, "domains") {
        if !host.as_str().is_some_and(is_host) {
            check.refuse(
                pointer,
                "invalid_host",
                "A host name such as shop.example, without https:// or a path.",
            );
        }
    }
    if let Some(secret) = check.line(fields, "tokenSecret")
        && !TOKEN_SECRET.contains(&secret.chars().count())
    {
        check.refuse(
            fields.at("tokenSecret"),
            "invalid_length",
            "16 to 255 characters; 32 random ones are best.",
        );
    }
    if let Some(retention) = check.object(fields, "retention") {
        check.whole_number(&retention, "consentMonths", 1.0, 1_200.0);
        check.one_of(&retention, "ipMode", &IP_MODES);
    }
}

pub(super) fn configuration(check: &mut Check, fields: &Fields<'_>) {
    check.required(fields, "projectId");
    check.id(fields, "projectId");
    if let Some(name) = check.line(fields, "name")
        && !is_configuration_name(name)
    {
        check.refuse(
            fields.at("name"),
            "invalid_name",
            "1 to 64 letters, digits, `-` or `_`, beginning with a letter or digit.",
        );
    }
    check.lines(fields, &["title"]);
    language(check, fields);
    if let Some(country) = check.line(fields, "country")
        && !(country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_alphabetic()))
    {
        check.refuse(
            fields.at("country"),
            "invalid_value",
            "Two letters (ISO 3166-1), such as FR.",
        );
    }
    check.bools(fields, &["isDefault", "withSaveConsent"]);
    consent_mode(check, fields);
    check.object_of_texts(fields, "strings");
    check.object_of_texts(fields, "consentWidgetStrings");
    if let Some(settings) = check.object(fields, "settings") {
        check.one_of(&settings, "position", &POSITIONS);
        check.one_of(&settings, "displayMode", &["card", "modal", "bar"]);
        check.bools(
            &settings,
            &[
                "reopenButton",
                "overlay",
                "reaskOnVendorChange",
                "respectGpc",
                "hideForVisitorsWithChoice",
            ],
        );
        check.whole_number(&settings, "cookieDurationDays", 1.0, TEN_YEARS_IN_DAYS);
    }
    let mut names = Vec::new();
    for fields in check.objects(fields, "steps") {
        step(check, &fields, &mut names);
    }
}

/// `googleConsentMode`: on or off, or what is special about it.
fn consent_mode(check: &mut Check, fields: &Fields<'_>) {
    const MODE: &str = "googleConsentMode";
    let Some(mode) = fields.get(MODE).filter(|mode| !mode.is_boolean()) else {
        return;
    };
    let Some(mode) = check.object_at(fields.at(MODE), mode) else {
        return;
    };
    check.bools(
        &mode,
        &["enabled", "adsDataRedaction", "urlPassthrough", "microsoft"],
    );
    check.whole_number(&mode, "waitForUpdate", 0.0, MOST_WAIT_MS);
    for (pointer, region) in check.list(&mode, "region") {
        if !region.as_str().is_some_and(is_region) {
            check.refuse(
                pointer,
                "invalid_value",
                "A region (ISO 3166-1 or 3166-2), such as FR or US-CA.",
            );
        }
    }
}

/// ISO 3166-1 or 3166-2, such as `FR` and `US-CA`: it stands in a script.
pub fn is_region(text: &str) -> bool {
    let mut parts = text.split('-');
    let country = parts.next().unwrap_or_default();
    country.len() == 2
        && country.bytes().all(|byte| byte.is_ascii_uppercase())
        && parts.next().is_none_or(|part| {
            (1..=3).contains(&part.len())
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        })
        && parts.next().is_none()
}

fn step<'a>(check: &mut Check, fields: &Fields<'a>, names: &mut Vec<&'a str>) {
    check.required(fields, "name");
    if let Some(name) = check.line(fields, "name") {
        if names.contains(&name) {
            check.refuse(
                fields.at("name"),
                "duplicate",
                "Another step has this name.",
            );
        }
        names.push(name);
    }
    check.required(fields, "layout");
    check.one_of(fields, "layout", &LAYOUTS);
    let layout = fields
        .get("layout")
        .and_then(Value::as_str)
        .unwrap_or_default();
    check.lines(fields, &["title", "topTitle", "subTitle"]);
    check.texts(fields, &["message"]);
    check.url_or_asset(fields, "image");
    check.object_of_texts(fields, "strings");
    check.bools(fields, &["showToggleAllSwitch"]);
    let vendors = check.list(fields, "vendors");
    if layout == "welcome" && !vendors.is_empty() {
        check.refuse(
            fields.at("vendors"),
            "not_allowed",
            "A step with layout welcome has no vendors.",
        );
    } else {
        for (pointer, vendor) in vendors {
            let id = vendor.get("id").unwrap_or(vendor);
            if !id.is_string() {
                check.refuse(
                    pointer,
                    "invalid_type",
                    "A vendor is an id, or an object with `id`.",
                );
            }
        }
    }
    if fields.get("timeout").is_some() && !matches!(layout, "soft_consent" | "info") {
        check.refuse(
            fields.at("timeout"),
            "not_allowed",
            "Only layouts soft_consent and info have a timeout.",
        );
    } else {
        check.whole_number(fields, "timeout", 0.0, ONE_DAY_IN_MS);
    }
}

pub(super) fn vendor(check: &mut Check, fields: &Fields<'_>) {
    check.required(fields, "name");
    if let Some(name) = check.line(fields, "name")
        && !name.trim().is_empty()
        && !is_vendor_name(name)
    {
        check.refuse(
            fields.at("name"),
            "invalid_name",
            "1 to 64 lower-case letters, digits, `_`, `.` or `-`, beginning with a letter or digit.",
        );
    }
    check.lines(fields, &["title", "shortDescription", "domain"]);
    check.texts(fields, &["longDescription"]);
    check.url(fields, "policyUrl");
    check.id(fields, "projectId");
    check.id(fields, "organizationId");
    check.list_of_lines(fields, "categories");
}

pub(super) fn consent_box(check: &mut Check, fields: &Fields<'_>) {
    check.required(fields, "projectId");
    check.id(fields, "projectId");
    language(check, fields);
    check.lines(fields, &["title", "subTitle", "automatedDecisionsContact"]);
    check.texts(
        fields,
        &[
            "message",
            "purpose",
            "automatedDecisionsDetails",
            "consentWithdraw",
        ],
    );
    check.url_or_asset(fields, "picture");
    check.bools(fields, &["automatedDecisions"]);
    check.number(fields, "storageDuration", 0.0, 1_200.0);
    check.list_of_lines(fields, "personalDataTypes");
    for processor in check.objects(fields, "processors") {
        check.lines(&processor, &["name", "shortDescription", "role"]);
        check.url(&processor, "website");
    }
    buttons(check, fields);
    if let Some(screens) = check.object(fields, "confirmations") {
        for (name, screen) in screens.members() {
            if let Some(screen) = check.object_at(screens.at(name), screen) {
                check.lines(&screen, &["title", "backButtonText"]);
                check.texts(&screen, &["message"]);
            }
        }
    }
}

pub(super) fn contract_box(check: &mut Check, fields: &Fields<'_>) {
    check.required(fields, "projectId");
    check.id(fields, "projectId");
    language(check, fields);
    check.url_or_asset(fields, "file");
    check.lines(fields, &["title", "subTitle", "name"]);
    check.texts(fields, &["message"]);
    check.bools(fields, &["idRequired"]);
    buttons(check, fields);
}

fn buttons(check: &mut Check, fields: &Fields<'_>) {
    for button in check.objects(fields, "buttons") {
        check.lines(&button, &["text"]);
        check.one_of(&button, "color", &["primary", "default"]);
    }
}

fn language(check: &mut Check, fields: &Fields<'_>) {
    if let Some(language) = check.line(fields, "language")
        && !(language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase()))
    {
        check.refuse(
            fields.at("language"),
            "invalid_value",
            "Two lower-case letters (ISO 639-1), such as fr.",
        );
    }
}
