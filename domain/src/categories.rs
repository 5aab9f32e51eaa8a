//! Purposes in the words of categories. Owners of a site name the categories of their own services as they like, so a
//! purpose is found by how words begin.

/// Words of categories that say one thing.
#[derive(Clone, Copy)]
pub struct Words {
    /// Beginnings of words.
    begin: &'static [&'static str],
    /// Whole words: those that begin words of another meaning, such as "address".
    whole: &'static [&'static str],
}

/// Adverts.
pub const ADVERTISING: Words = Words {
    begin: &["advert", "adserv", "adtech"],
    whole: &["ad", "ads"],
};
/// Promotion without a word for adverts, though most of it leads to them.
pub const PROMOTION: Words = Words {
    begin: &["marketing", "retarget", "affiliate"],
    whole: &[],
};
/// Measurement of an audience.
pub const MEASUREMENT: Words = Words {
    begin: &["analytic", "audience", "statistic", "measure"],
    whole: &[],
};
/// Experiments, and pictures of how pages are used.
pub const EXPERIMENTS: Words = Words {
    begin: &["heatmap", "testing"],
    whole: &["heat"],
};
/// Content that is chosen for a visitor.
pub const PERSONALISATION: Words = Words {
    begin: &["personal", "recommend"],
    whole: &[],
};
/// Settings that a visitor made.
pub const PREFERENCES: Words = Words {
    begin: &["preference"],
    whole: &[],
};
/// Social networks.
pub const SOCIAL: Words = Words {
    begin: &["social"],
    whole: &[],
};
/// Functions that a visitor asks for.
pub const FUNCTIONS: Words = Words {
    begin: &[
        "function", "chat", "support", "video", "utility", "customer",
    ],
    whole: &["map", "maps", "mapping"],
};

impl Words {
    /// True if any word of a category, such as `ad-measurement`, is one of these.
    pub fn are_in(self, category: &str) -> bool {
        let category = category.to_lowercase();
        parts(&category).any(|part| self.has(part))
    }

    /// True if a category begins with one of these: `ad-measurement` is about adverts.
    pub fn lead(self, category: &str) -> bool {
        let category = category.to_lowercase();
        parts(&category).next().is_some_and(|part| self.has(part))
    }

    fn has(self, part: &str) -> bool {
        self.whole.contains(&part) || self.begin.iter().any(|word| part.starts_with(word))
    }
}

fn parts(category: &str) -> impl Iterator<Item = &str> {
    category
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_is_found_by_its_words() {
        for category in [
            "ads",
            "Ad-Measurement",
            "in-app advertising",
            "AdTech",
            "server ads",
        ] {
            assert!(ADVERTISING.are_in(category), "{category}");
        }
        for category in ["address-lookup", "addons", "admin", "add to cart", "maps"] {
            assert!(!ADVERTISING.are_in(category), "{category}");
        }
        assert!(MEASUREMENT.are_in("ad-measurement"));
    }

    #[test]
    fn the_first_word_leads() {
        assert!(ADVERTISING.lead("ad-measurement") && !MEASUREMENT.lead("ad-measurement"));
        assert!(SOCIAL.lead("  Social media") && !SOCIAL.lead(""));
    }
}
