//! A page that leads to another site by itself.

use leptos::prelude::*;

use crate::i18n::{Locale, fill};

/// The page that leads to a provider's sign-in, in place of a redirect as the answer to a form: our pages
/// let forms lead only to this server, and browsers hold redirects of the answer to that, also those of the
/// provider to another one (`form-action`, CSP Level 3, §6.4.1).
pub fn onward(locale: Locale, address: &str, provider: &str) -> String {
    let label = fill(locale.texts().continue_with, &[("provider", provider)]);
    let page = view! {
        <!DOCTYPE html>
        <html lang=locale.code()>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta http-equiv="refresh" content=format!("0;url={address}") />
                <title>"Placet"</title>
            </head>
            <body>
                <a href=address.to_owned()>{label}</a>
            </body>
        </html>
    };
    page.to_html()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_names_are_escaped() {
        let page = onward(Locale::En, "https://id.example/?a=\"&b=<i>", "<i>Company");
        assert!(!page.contains("<i>") && !page.contains("=\"&b"), "{page}");
        assert!(page.contains("https://id.example/?a="), "{page}");
    }
}
