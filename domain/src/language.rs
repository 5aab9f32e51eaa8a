//! The languages that the widget speaks by itself.

/// A language of the widget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    /// ISO 639-1.
    pub code: &'static str,
    /// Its own name for itself.
    pub name: &'static str,
}

/// Every language that the widget's words are shipped in. The first is English, which others fall
/// back to.
pub const LANGUAGES: [Language; 32] = [
    of("en", "English"),
    of("fr", "Français"),
    of("de", "Deutsch"),
    of("es", "Español"),
    of("it", "Italiano"),
    of("nl", "Nederlands"),
    of("bg", "Български"),
    of("cs", "Čeština"),
    of("da", "Dansk"),
    of("el", "Ελληνικά"),
    of("et", "Eesti"),
    of("fi", "Suomi"),
    of("ga", "Gaeilge"),
    of("hr", "Hrvatski"),
    of("hu", "Magyar"),
    of("lt", "Lietuvių"),
    of("lv", "Latviešu"),
    of("mt", "Malti"),
    of("pl", "Polski"),
    of("pt", "Português"),
    of("ro", "Română"),
    of("sk", "Slovenčina"),
    of("sl", "Slovenščina"),
    of("sv", "Svenska"),
    of("no", "Norsk"),
    of("is", "Íslenska"),
    of("uk", "Українська"),
    of("tr", "Türkçe"),
    of("ar", "العربية"),
    of("he", "עברית"),
    of("ja", "日本語"),
    of("zh", "中文"),
];

const fn of(code: &'static str, name: &'static str) -> Language {
    Language { code, name }
}

/// True if this has the form of a language code (ISO 639-1), shipped or not.
pub fn is_code(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The language of a tag such as `pt-BR`, in lower case. Both written forms of Norwegian (`nb`, `nn`)
/// are `no`.
pub fn primary(tag: &str) -> String {
    let primary = tag.split('-').next().unwrap_or_default();
    match primary.to_ascii_lowercase().as_str() {
        "nb" | "nn" => "no".to_owned(),
        other => other.to_owned(),
    }
}

/// True if texts in the language of a tag run from right to left, shipped or not.
pub fn is_right_to_left(tag: &str) -> bool {
    matches!(primary(tag).as_str(), "ar" | "fa" | "he" | "ur")
}

/// The value of the attribute `dir` for texts in the language of a tag.
pub fn direction(tag: &str) -> &'static str {
    if is_right_to_left(tag) { "rtl" } else { "ltr" }
}

/// The language of a tag, if it is shipped.
pub fn find(tag: &str) -> Option<&'static Language> {
    let code = primary(tag);
    LANGUAGES.iter().find(|language| language.code == code)
}

/// The language of a tag in the words of its speakers, if it is shipped.
pub fn name(tag: &str) -> Option<&'static str> {
    find(tag).map(|language| language.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_name_their_language() {
        assert_eq!(primary("nb-NO"), "no");
        assert_eq!(name("pt-BR"), Some("Português"));
        assert_eq!(name("xx"), None);
        assert!(is_right_to_left("AR-EG") && is_right_to_left("fa"));
        assert!(!is_right_to_left("arn") && !is_right_to_left(""));
        assert!(LANGUAGES.iter().all(|language| is_code(language.code)));
    }
}
