//! Ways in by OpenID Connect providers.

use domain::error_code::ErrorCode;
use leptos::prelude::*;

use crate::address::{PROVIDER_AWAY, percent_encode};
use crate::fns::providers::Provider;
use crate::i18n::{Texts, fill, texts, words};

/// One link a provider, which leads to `next` afterwards; nothing where there is none.
pub fn provider_links(providers: Vec<Provider>, next: &str) -> Option<AnyView> {
    let t = texts();
    if providers.is_empty() {
        return None;
    }
    let next = percent_encode(if next.is_empty() { "/" } else { next });
    let links = providers
        .into_iter()
        .map(|provider| {
            let href = format!(
                "/v1/auth/oidc/{}?next={next}",
                percent_encode(&provider.name)
            );
            let label = fill(t.continue_with, &[("provider", &provider.title)]);
            // The API answers there, not the router.
            view! {
                <li><a class="button button-wide" href=href rel="external">{label}</a></li>
            }
        })
        .collect_view();
    let view = view! {
        <p class="or" aria-hidden="true"><span>{t.or}</span></p>
        <ul class="stack-tight">{links}</ul>
    };
    Some(view.into_any())
}

/// The reason for which a login by a provider came to nothing, by the code that the address brings (`?login=…`).
pub fn login_problem(t: &'static Texts, code: &str) -> Option<&'static str> {
    Some(match code {
        "" => return None,
        PROVIDER_AWAY => t.gate().login_provider_away,
        code => ErrorCode::parse(code)
            .and_then(|code| words(t, code))
            .unwrap_or(t.login_failed),
    })
}
