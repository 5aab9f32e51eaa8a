//! The name of a device by its `User-Agent`.

/// Browsers by the word that only they have; those that pretend to be others stand first.
const BROWSERS: [(&str, &str); 7] = [
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];
const SYSTEMS: [(&str, &str); 7] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

/// "Firefox · Linux"; of programs their own name; `None` when nothing was said.
pub fn device_name(words: &str) -> Option<String> {
    let find = |names: &[(&str, &'static str)]| {
        names
            .iter()
            .find(|(word, _)| words.contains(word))
            .map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => Some(format!("{browser} · {system}")),
        (Some(browser), None) => Some(browser.to_owned()),
        _ => words
            .split(['/', ' '])
            .next()
            .filter(|program| !program.is_empty())
            .map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_names_that_people_know() {
        for (words, name) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
                "Firefox · Linux",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36 Edg/142.0",
                "Edge · Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Mobile Safari/604.1",
                "Safari · iPhone",
            ),
            ("curl/8.5.0", "curl"),
            ("node", "node"),
        ] {
            assert_eq!(device_name(words).as_deref(), Some(name));
        }
        assert_eq!(device_name(""), None);
    }
}
