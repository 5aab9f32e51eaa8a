//! Tables of texts that few pages need: browsers load each with the part of the app that shows it.

use super::{Locale, locale};

/// A table of texts, a line for each: name, English, French.
macro_rules! texts {
    ($(#[$doc:meta])* $table:ident; $($name:ident: $en:literal, $fr:literal;)+) => {
        $(#[$doc])*
        pub struct $table {
            $(pub $name: &'static str,)+
        }

        impl $table {
            /// The texts in the language of this page.
            pub fn of_this_page() -> &'static Self {
                static EN: $table = $table { $($name: $en,)+ };
                static FR: $table = $table { $($name: $fr,)+ };
                $crate::i18n::table::choose(&EN, &FR)
            }
        }

        #[cfg(test)]
        pub(in crate::i18n) const BOTH: &[(&str, &str, &str)] = &[$((stringify!($name), $en, $fr),)+];
    };
}

pub(super) use texts;

/// The table in the language of this page.
pub fn choose<T>(english: &'static T, french: &'static T) -> &'static T {
    match locale() {
        Locale::En => english,
        Locale::Fr => french,
    }
}

#[cfg(test)]
mod tests {
    use crate::i18n::{
        audit, concerns, evidence, languages, ledger, looks, palette, publish, rich, services,
        sites,
        tcf::{list, section, step},
    };

    #[test]
    fn both_languages_fill_in_the_same_values() {
        let places = |text: &str| {
            let mut found: Vec<String> = text
                .split('{')
                .skip(1)
                .filter_map(|rest| rest.split_once('}'))
                .map(|(name, _)| name.to_owned())
                .collect();
            found.sort_unstable();
            found
        };
        for (name, en, fr) in [
            audit::BOTH,
            concerns::BOTH,
            evidence::BOTH,
            languages::BOTH,
            ledger::BOTH,
            looks::BOTH,
            palette::BOTH,
            publish::BOTH,
            rich::BOTH,
            services::BOTH,
            sites::BOTH,
            list::BOTH,
            section::BOTH,
            step::BOTH,
        ]
        .concat()
        {
            assert_eq!(places(en), places(fr), "{name}");
            assert!(!en.is_empty() && !fr.is_empty(), "{name}");
        }
    }
}
