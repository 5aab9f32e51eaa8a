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
        pub(in crate::i18n) const BOTH: &[(&str, &str, &str)] = &[$((stringify!($name), $en, $fr),)+];
    };
}

pub(super) use texts;

#[cfg(test)]
mod tests {
    use crate::i18n::{
        account, audit, billing, boxes, concerns, copies, design, evidence, fields, gate,
        illustrations, install, languages, ledger, listing, looks, organizations, overview,
        palette, people, proofs, publish, rich, services, settings, sites,
        tcf::{list, section, step},
        trash, warnings, webhooks, widget,
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
            account::BOTH,
            audit::BOTH,
            billing::BOTH,
            boxes::BOTH,
            concerns::BOTH,
            copies::BOTH,
            design::BOTH,
            evidence::BOTH,
            fields::BOTH,
            gate::BOTH,
            illustrations::BOTH,
            install::BOTH,
            languages::BOTH,
            ledger::BOTH,
            listing::BOTH,
            looks::BOTH,
            organizations::BOTH,
            overview::BOTH,
            palette::BOTH,
            people::BOTH,
            proofs::BOTH,
            publish::BOTH,
            rich::BOTH,
            services::BOTH,
            settings::BOTH,
            sites::BOTH,
            trash::BOTH,
            warnings::BOTH,
            webhooks::BOTH,
            widget::BOTH,
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
