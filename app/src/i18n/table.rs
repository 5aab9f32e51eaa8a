//! Tables of texts that few pages need: browsers load each with the part of the app that shows it.

/// A table of texts, a line for each: name, English, French. With a second name, [`super::Texts`] lead to it under that.
macro_rules! texts {
    ($(#[$doc:meta])* $table:ident, $of:ident; $($name:ident: $en:literal, $fr:literal;)+) => {
        $crate::i18n::table::texts! { @table $(#[$doc])* $table; $($name: $en, $fr;)+ }

        impl $crate::i18n::Texts {
            $(#[$doc])*
            pub fn $of(&self) -> &'static $table {
                $table::of(self.locale)
            }
        }
    };
    ($(#[$doc:meta])* $table:ident; $($name:ident: $en:literal, $fr:literal;)+) => {
        $crate::i18n::table::texts! { @table $(#[$doc])* $table; $($name: $en, $fr;)+ }

        impl $table {
            /// The texts in the language of this page.
            pub fn of_this_page() -> &'static Self {
                Self::of($crate::i18n::locale())
            }
        }
    };
    (@table $(#[$doc:meta])* $table:ident; $($name:ident: $en:literal, $fr:literal;)+) => {
        $(#[$doc])*
        pub struct $table {
            $(pub $name: &'static str,)+
        }

        impl $table {
            fn of(locale: $crate::i18n::Locale) -> &'static Self {
                static EN: $table = $table { $($name: $en,)+ };
                static FR: $table = $table { $($name: $fr,)+ };
                match locale {
                    $crate::i18n::Locale::En => &EN,
                    $crate::i18n::Locale::Fr => &FR,
                }
            }
        }

        #[cfg(test)]
        mod tests {
            #[test]
            fn both_languages_fill_in_the_same_values() {
                $crate::i18n::table::check(&[$((stringify!($name), $en, $fr),)+]);
            }
        }
    };
}

pub(super) use texts;

/// Fails for a text that is missing, or that fills in other values than its translation.
#[cfg(test)]
pub(super) fn check(rows: &[(&str, &str, &str)]) {
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
    for (name, en, fr) in rows {
        assert_eq!(places(en), places(fr), "{name}");
        assert!(!en.is_empty() && !fr.is_empty(), "{name}");
    }
}
