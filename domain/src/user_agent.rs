//! The browser and the kind of device that a `User-Agent` header names (RFC 9110, section 10.1.5), for people who look
//! through lists. Browsers may name whatever they like: nothing is decided by it.

use serde::{Deserialize, Serialize};

/// A kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// A telephone.
    Phone,
    /// A tablet. Those of Apple name themselves a computer.
    Tablet,
    /// A desktop or portable computer.
    Computer,
}

/// Words of the header, and the browser of which they are. Browsers name those that they are compatible with too, so
/// the first one counts.
const BROWSERS: [(&str, &str); 9] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("HeadlessChrome/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

/// The kind of device; `None` for a header that is of no browser.
pub fn device(user_agent: &str) -> Option<Device> {
    let has = |word| user_agent.contains(word);
    if !has("Mozilla/5.0 (") {
        return None;
    }
    let is_mobile = has("Mobi");
    if has("iPad") || has("Tablet") || has("Android") && !is_mobile {
        return Some(Device::Tablet);
    }
    Some(if is_mobile {
        Device::Phone
    } else {
        Device::Computer
    })
}

/// The name of the browser, if it is one of the common ones.
pub fn browser(user_agent: &str) -> Option<&'static str> {
    let found = BROWSERS.iter().find(|(word, _)| user_agent.contains(*word));
    found.map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_browsers_are_named() {
        for (user_agent, kind, name) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0",
                Some(Device::Computer),
                Some("Firefox"),
            ),
            (
                "Mozilla/5.0 (Android 16; Mobile; rv:146.0) Gecko/146.0 Firefox/146.0",
                Some(Device::Phone),
                Some("Firefox"),
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36",
                Some(Device::Phone),
                Some("Chrome"),
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
                Some(Device::Tablet),
                Some("Chrome"),
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0",
                Some(Device::Computer),
                Some("Edge"),
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
                Some(Device::Phone),
                Some("Safari"),
            ),
            ("curl/8.14.1", None, None),
            ("", None, None),
        ] {
            assert_eq!(device(user_agent), kind, "{user_agent}");
            assert_eq!(browser(user_agent), name, "{user_agent}");
        }
    }
}
