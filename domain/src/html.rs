//! The HTML that texts of site owners may hold. Publishing keeps these elements and links, and editors make no others.

/// The elements.
pub const ELEMENTS: [&str; 11] = [
    "a", "b", "i", "em", "strong", "u", "br", "p", "ul", "ol", "li",
];

/// The schemes of addresses that links may lead to.
pub const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// Elements whose content is no text for readers, so it goes with them.
pub const SILENT: [&str; 2] = ["script", "style"];

/// True if a link may lead to an address.
pub fn may_lead_to(address: &str) -> bool {
    let Some((scheme, rest)) = address.split_once(':') else {
        return false;
    };
    let is_known = SCHEMES.iter().any(|it| scheme.eq_ignore_ascii_case(it));
    is_known && !rest.trim_start_matches('/').is_empty()
}

/// The address of a link as somebody writes it: sites may lack their scheme, and e-mail addresses theirs. `None` if no
/// link may lead there.
pub fn address_of(written: &str) -> Option<String> {
    let written = written.trim();
    if written.is_empty()
        || written.contains(|letter: char| letter.is_whitespace() || letter.is_control())
    {
        return None;
    }
    if may_lead_to(written) {
        return Some(written.to_owned());
    }
    let host = written.split(['/', '?', '#']).next().unwrap_or_default();
    let (name, domain) = host.split_once('@').unwrap_or(("", host));
    let has_dot = domain
        .split_once('.')
        .is_some_and(|(left, right)| !left.is_empty() && !right.is_empty());
    // A colon in front of a number is that of a port, any other one follows a scheme.
    let port = domain.split_once(':').map(|(_, port)| port);
    let is_site =
        port.is_none_or(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    match name {
        _ if !has_dot || !is_site => None,
        "" if host.contains('@') => None,
        "" => Some(format!("https://{written}")),
        name if name.contains(':') || host != written => None,
        _ => Some(format!("mailto:{written}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_sites_and_mailboxes_only() {
        for address in [
            "https://a.example/b?c#d",
            "HTTP://a.example",
            "mailto:a@b.example",
        ] {
            assert!(may_lead_to(address), "{address}");
        }
        for address in [
            "javascript:alert(1)",
            "data:text/html,x",
            "/relative",
            "a.example",
            "https://",
            "mailto:",
            " https://a.example",
            "",
        ] {
            assert!(!may_lead_to(address), "{address}");
        }
    }

    #[test]
    fn written_addresses_get_their_scheme() {
        for (written, address) in [
            (" https://a.example/x ", "https://a.example/x"),
            ("shop.example", "https://shop.example"),
            (
                "shop.example:8080/privacy",
                "https://shop.example:8080/privacy",
            ),
            ("shop.example/a@b", "https://shop.example/a@b"),
            ("dpo@shop.example", "mailto:dpo@shop.example"),
            ("mailto:dpo@shop.example", "mailto:dpo@shop.example"),
        ] {
            assert_eq!(address_of(written).as_deref(), Some(address), "{written}");
        }
        for written in [
            "",
            "shop",
            "javascript:alert(1)",
            "javascript:alert.call(1)",
            "JavaScript:x@shop.example",
            "data:a.b",
            "two words.example",
            "@shop.example",
            "a@b.example/x",
            "/relative.html",
            "#a.b",
        ] {
            assert_eq!(address_of(written), None, "{written}");
        }
    }
}
