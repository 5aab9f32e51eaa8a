//! The texts of the words that a field may hold.

use domain::documents::{
    Applies, ButtonCase, ButtonColor, ButtonWeight, DisplayMode, Entrance, ImagePlace, IpMode,
    Layout, Mspa, OnClose, Position, RestrictionKind, Scheme, Voice,
};

use crate::i18n::{SectionTexts, StepTexts, texts};

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
fn positions() -> Options {
    let t = texts();
    options(Position::ALL, Position::as_str, |position| match position {
        Position::BottomLeft => t.choices().position_bottom_left,
        Position::BottomRight => t.choices().position_bottom_right,
        Position::Bottom => t.choices().position_bottom,
        Position::Top => t.choices().position_top,
        Position::Center => t.choices().position_center,
    })
}

/// The name of a form of the banner.
pub fn mode_name(mode: DisplayMode) -> &'static str {
    let t = texts();
    match mode {
        DisplayMode::Card => t.choices().mode_card,
        DisplayMode::Modal => t.choices().mode_modal,
        DisplayMode::Bar => t.choices().mode_bar,
    }
}

/// The name of a step's layout.
pub fn layout_name(layout: Layout) -> &'static str {
    let t = texts();
    match layout {
        Layout::Welcome => t.choices().layout_welcome,
        Layout::Category => t.choices().layout_category,
        Layout::Info => t.choices().layout_info,
        Layout::SoftConsent => t.choices().layout_soft_consent,
        Layout::Iab => t.choices().layout_iab,
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
fn schemes() -> Options {
    let t = texts();
    options(Scheme::ALL, Scheme::as_str, |scheme| match scheme {
        Scheme::Auto => t.choices().scheme_auto,
        Scheme::Page => t.choices().scheme_page,
        Scheme::Light => t.choices().scheme_light,
        Scheme::Dark => t.choices().scheme_dark,
    })
}

/// The tone of the banner's own words.
fn voices() -> Options {
    let t = texts();
    options(Voice::ALL, Voice::as_str, |voice| match voice {
        Voice::Neutral => t.choices().voice_neutral,
        Voice::Friendly => t.choices().voice_friendly,
        Voice::Formal => t.choices().voice_formal,
    })
}

/// The effect of closing the banner.
fn closings() -> Options {
    let t = texts();
    options(OnClose::ALL, OnClose::as_str, |on_close| match on_close {
        OnClose::Refuse => t.choices().on_close_refuse,
        OnClose::AskAgain => t.choices().on_close_ask_again,
    })
}

/// The weight of the text on buttons.
fn weights() -> Options {
    let t = texts();
    options(
        ButtonWeight::ALL,
        ButtonWeight::as_str,
        |weight| match weight {
            ButtonWeight::Normal => t.choices().weight_normal,
            ButtonWeight::Medium => t.choices().weight_medium,
            ButtonWeight::Semibold => t.choices().weight_semibold,
            ButtonWeight::Bold => t.choices().weight_bold,
        },
    )
}

/// The letters on buttons.
fn cases() -> Options {
    let t = texts();
    options(ButtonCase::ALL, ButtonCase::as_str, |case| match case {
        ButtonCase::AsWritten => t.choices().button_case_written,
        ButtonCase::Uppercase => t.choices().button_case_upper,
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
        ButtonColor::Primary => t.choices().box_button_primary,
        ButtonColor::Default => t.choices().box_button_plain,
    })
}

/// The form in which IP addresses are kept.
fn ip_modes() -> Options {
    let t = texts();
    options(IpMode::ALL, IpMode::as_str, |mode| match mode {
        IpMode::Truncated => t.ip_truncated,
        IpMode::Hash => t.ip_hash,
        IpMode::Full => t.ip_full,
        IpMode::None => t.ip_none,
    })
}

/// The mode in which IAB's agreement was signed.
fn mspa_modes() -> Options {
    let w = StepTexts::of_this_page();
    options(Mspa::ALL, Mspa::as_str, |mode| match mode {
        Mspa::OptOut => w.mspa_opt_out,
        Mspa::ServiceProvider => w.mspa_provider,
    })
}

/// The visitors to whom the law applies.
fn applications() -> Options {
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
