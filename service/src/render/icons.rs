//! Icons of the categories of services: one path each, drawn in lines on a square of 24.

/// Services that need no consent.
pub(super) const ALWAYS_ON: &str = SHIELD;
/// Services without a category.
pub(super) const OTHERS: &str = SQUARES;

const SHIELD: &str = "M12 3l8 3v6c0 4.5-3.5 7.5-8 9-4.5-1.5-8-4.5-8-9V6zM8.5 12l2.5 2.5 4.5-5";
const SQUARES: &str = "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z";
const MEGAPHONE: &str = "M4 10v4h3l8 4V6l-8 4zM18 9a4 4 0 0 1 0 6";
const BARS: &str = "M5 20v-7M10 20V6M15 20V10M20 20V4";
const SLIDERS: &str = "M4 8h9M17 8h3M4 16h3M11 16h9M13 8a2 2 0 1 0 4 0a2 2 0 1 0-4 0M7 16a2 2 0 1 0 4 0a2 2 0 1 0-4 0";
const TAG: &str = "M4 4h8l8 8-8 8-8-8zM8 8v.1";
const PEOPLE: &str = "M5.5 8a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0M2.5 20c0-4 2.5-6 6.5-6s6.5 2 6.5 6M16 5a3.5 3.5 0 0 1 0 6.500M18.5 15c2 .8 3 2.5 3 5";
const FILM: &str = "M4 5h16v14H4zM10 9l5 3-5 3z";
const NOTE: &str =
    "M9 18V5l10-2v13M3 18a3 3 0 1 0 6 0a3 3 0 1 0-6 0M13 16a3 3 0 1 0 6 0a3 3 0 1 0-6 0";
const SHEET: &str = "M6 3h9l4 4v14H6zM9 11h7M9 15h7";
const SPEECH: &str = "M4 5h16v11h-9l-5 4v-4H4z";
const LETTER: &str = "M3 6h18v13H3zM3 7l9 7 9-7";
const CART: &str = "M3 4h3l2.5 11h9L20 7H6.700M8 19.500a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M15 19.500a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0";
const CARD: &str = "M3 6h18v13H3zM3 10h18M6 15h4";
const LENS: &str = "M4 10.500a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0M15.5 15.5 21 21";
const PIN: &str = "M12 21c-4.5-5-7-8-7-11a7 7 0 0 1 14 0c0 3-2.5 6-7 11zM9.5 10a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0";
const CHARACTER: &str = "M5 20 12 4l7 16M7.5 14.500h9";
const CLOUD: &str = "M7 18a4 4 0 0 1-.5-8 6 6 0 0 1 11.5 1.5 3.3 3.3 0 0 1-.5 6.500z";
const PULSE: &str = "M3 12h4l3-7 4 14 3-7h4";
const KEY: &str = "M4 8a4 4 0 1 0 8 0a4 4 0 1 0-8 0M11 11l9 9M16 16l-2 2M19 19l-2 2";
const PERSON: &str =
    "M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0M8 10h8M12 10v4l-2.5 4M12 14l2.5 4M12 7v.1";

/// The icon of a category of the catalogue.
pub(super) fn of_category(category: &str) -> &'static str {
    match category {
        "advertising" | "ad-measurement" | "affiliate" => MEGAPHONE,
        "analytics" => BARS,
        "experience" | "testing" => SLIDERS,
        "tag-management" => TAG,
        "consent-management" | "security" => SHIELD,
        "social" => PEOPLE,
        "video" => FILM,
        "audio" => NOTE,
        "content" | "forms" | "surveys" => SHEET,
        "customer-support" | "reviews" => SPEECH,
        "marketing" => LETTER,
        "ecommerce" => CART,
        "payment" => CARD,
        "search" => LENS,
        "maps" => PIN,
        "fonts" => CHARACTER,
        "cdn-hosting" => CLOUD,
        "monitoring" => PULSE,
        "login" => KEY,
        "accessibility" => PERSON,
        _ => OTHERS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vendors::categories;

    #[test]
    fn every_category_has_an_icon() {
        let without: Vec<_> = categories()
            .filter(|category| of_category(category) == OTHERS)
            .collect();
        assert_eq!(without, ["functional"]);
    }
}
