//! The HTML that texts of site owners may hold. Publishing keeps these elements and links, and editors make no others.

use std::net::{Ipv4Addr, Ipv6Addr};

/// The elements.
pub const ELEMENTS: [&str; 11] = [
    "a", "b", "i", "em", "strong", "u", "br", "p", "ul", "ol", "li",
];

/// The schemes of addresses that links may lead to.
pub const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// Elements whose content is no text for readers, so it goes with them.
pub const SILENT: [&str; 2] = ["script", "style"];

/// Last parts of names of pages and documents, which people write without the site that they are on. A few are
/// domains of countries as well, and a link there needs its scheme.
const FILES: [&str; 8] = ["asp", "aspx", "htm", "html", "jsp", "md", "pdf", "php"];

/// True if a link may lead to an address (URL Standard, sections 3.5 and 4.4). Publishing knows the rules of international
/// names as well, and takes the links out whose names break them.
pub fn may_lead_to(address: &str) -> bool {
    let Some((scheme, rest)) = address.split_once(':') else {
        return false;
    };
    if !SCHEMES.iter().any(|it| scheme.eq_ignore_ascii_case(it)) {
        return false;
    }
    if scheme.eq_ignore_ascii_case("mailto") {
        return !rest.is_empty() && !rest.starts_with('/');
    }
    rest.strip_prefix("//").is_some_and(|rest| {
        let ends = ['/', '\\', '?', '#'];
        let authority = rest.split(ends).next().unwrap_or_default();
        let place = authority.rsplit_once('@').map_or(authority, |(_, it)| it);
        is_place(place)
    })
}

/// True if this is a host of the web, with or without a port.
fn is_place(place: &str) -> bool {
    let end_of_six = place.find(']').map_or(0, |at| at + 1);
    let (host, port) = match place[end_of_six..].split_once(':') {
        Some((rest, port)) => (&place[..end_of_six + rest.len()], Some(port)),
        None => (place, None),
    };
    let is_port = |port: &str| {
        port.bytes().all(|byte| byte.is_ascii_digit())
            && (port.is_empty() || port.parse::<u16>().is_ok())
    };
    is_host(host) && port.is_none_or(is_port)
}

fn is_host(host: &str) -> bool {
    if let Some(six) = host.strip_prefix('[') {
        return six
            .strip_suffix(']')
            .is_some_and(|six| six.parse::<Ipv6Addr>().is_ok());
    }
    let last = host.strip_suffix('.').unwrap_or(host).rsplit('.').next();
    if last.is_some_and(|last| last.starts_with(|letter: char| letter.is_ascii_digit())) {
        return host.parse::<Ipv4Addr>().is_ok();
    }
    !host.is_empty()
        && host.chars().all(|letter| match letter {
            '-' | '.' | '_' => true,
            letter if letter.is_ascii() => letter.is_ascii_alphanumeric(),
            // Letters and marks of every script. No site has anything else in its name.
            letter => !letter.is_whitespace() && !letter.is_control(),
        })
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
    let without_port = domain.split(':').next().unwrap_or_default();
    let ending = without_port.rsplit_once('.');
    let is_site = ending.is_some_and(|(left, right)| {
        let is_file = FILES.iter().any(|file| right.eq_ignore_ascii_case(file));
        !left.is_empty() && !right.is_empty() && !is_file
    });
    match name {
        _ if !is_site || domain.ends_with(':') || !is_place(domain) => None,
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
            "https://a.example:65535/",
            "https://127.0.0.1:8080",
            "https://[::1]:8080/",
            "https://müller.example./",
            "https://xn--mller-kva.example/",
            "https://हिन्दी.example",
            "https://user:word@a.example/x@y",
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
            "mailto://a.example",
            "https:a.example",
            "https:///a.example",
            "https://a b.example",
            "https://a.example:65536",
            "https://a.example:x",
            "https://[",
            r"https://]\@a.example",
            "https://[::1",
            "https://[::g]",
            "https://1.2.3.4.5",
            "https://256.1.1.1",
            "https://a%zz.example",
            "https://:80",
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
            "privacy.html",
            "legal.PHP?a=b",
            "shop.example:",
            "shop.example:70000",
            "1.2.3.4.5",
            "/relative.html",
            "#a.b",
        ] {
            assert_eq!(address_of(written), None, "{written}");
        }
    }
}
