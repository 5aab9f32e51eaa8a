//! The lines that a site puts into its pages.

use askama::Template;
use domain::documents::{self, ConsentMode};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    markup::{Script, filters},
    parts,
};

/// The lines that stand before every other tag of a page: the stub of TCF and GPP, which answers until the widget is
/// there, and the defaults of consent signals. Empty for a configuration that needs neither.
pub fn head(configuration: &Value) -> String {
    let asks = documents::asks_by_tcf(configuration)
        || configuration.get("gpp").is_some_and(|gpp| !gpp.is_null());
    let stub = inline_stub().filter(|_| asks);
    let defaults = consent_defaults(configuration.get("googleConsentMode"));
    let lines = [stub, defaults].into_iter().flatten();
    lines.map(|lines| lines + "\n").collect()
}

/// The lines of [`head`] with [`stub_tag`] in place of the stub itself. The same lines where there is no stub.
pub fn head_with_stub_file(head: &str, cdn_url: &str) -> String {
    let rest = inline_stub().and_then(|stub| head.strip_prefix(&*stub));
    match (rest, stub_tag(cdn_url)) {
        (Some(rest), Some(tag)) => tag + rest,
        _ => head.to_owned(),
    }
}

/// The tag of the stub's file, for a configuration that needs the stub on pages whose policy forbids inline scripts. Each
/// publish puts the file there.
pub fn stub_tag(cdn_url: &str) -> Option<String> {
    let file = parts::stub_file()?;
    let tag = StubFile {
        cdn_url,
        file: file.name,
    };
    Some(tag.to_string())
}

/// True if the lines of [`head`] begin with the stub of this build.
pub fn has_stub(head: &str) -> bool {
    inline_stub().is_some_and(|stub| head.starts_with(&stub))
}

fn inline_stub() -> Option<String> {
    let script = Script::new(parts::stub()?.to_owned())?;
    Some(Stub { script }.to_string())
}

#[derive(Template)]
#[template(path = "snippet/stub.html")]
struct Stub {
    script: Script,
}

#[derive(Template)]
#[template(path = "snippet/stub-file.html")]
struct StubFile<'a> {
    cdn_url: &'a str,
    file: &'a str,
}

#[derive(Template)]
#[template(path = "snippet/bundle.html")]
struct Bundle<'a> {
    url: &'a str,
    integrity: Option<&'a str>,
}

/// The tag of a bundle. With `integrity` browsers take those bytes alone.
pub fn bundle_tag(url: &str, integrity: Option<&str>) -> String {
    Bundle { url, integrity }.to_string()
}

#[derive(Template)]
#[template(path = "snippet/loader.html")]
struct Loader<'a> {
    base_url: &'a str,
    cdn_url: &'a str,
    project: Uuid,
}

/// The tags of the SDK that finds its configuration at run time.
pub fn loader_tags(base_url: &str, cdn_url: &str, project: Uuid) -> String {
    let loader = Loader {
        base_url,
        cdn_url,
        project,
    };
    loader.to_string()
}

/// Signals before a choice.
#[derive(Template)]
#[template(path = "snippet/defaults.html")]
struct Defaults {
    signals: Script,
    redacts: bool,
    passes_through: bool,
    microsoft: bool,
}

/// The script that a site with consent signals puts before every tag: the defaults must be there before the first tag
/// asks, so no script that loads later can set them. `None` where a configuration's `googleConsentMode` is off.
pub fn consent_defaults(written: Option<&Value>) -> Option<String> {
    let mode = ConsentMode::of(written)?;
    let mut defaults = json!({
        "ad_storage": "denied", "ad_user_data": "denied", "ad_personalization": "denied",
        "analytics_storage": "denied", "functionality_storage": "denied",
        "personalization_storage": "denied", "security_storage": "granted",
        "wait_for_update": mode.wait_for_update,
    });
    if let (false, Some(fields)) = (mode.region.is_empty(), defaults.as_object_mut()) {
        fields.insert("region".to_owned(), mode.region.into());
    }
    let defaults = Defaults {
        signals: Script::new(defaults.to_string())?,
        redacts: mode.ads_data_redaction,
        passes_through: mode.url_passthrough,
        microsoft: mode.microsoft,
    };
    Some(defaults.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_where_it_is_on() {
        for off in [json!(null), json!(false), json!({"enabled": false})] {
            assert_eq!(consent_defaults(Some(&off)), None);
        }
        assert_eq!(consent_defaults(None), None);
        let plain = consent_defaults(Some(&json!(true))).unwrap();
        assert!(
            plain.contains("\"ad_storage\":\"denied\"") && plain.contains("ads_data_redaction")
        );
        assert!(!plain.contains("url_passthrough") && !plain.contains("uetq"));
    }

    /// Without a built SDK there is no stub.
    #[test]
    fn the_stub_stands_first_where_calls_may_come_before_the_widget() {
        let has_stub = |configuration| head(&configuration).contains("__tcfapi");
        let built = parts::stub().is_some();
        let asks = json!({"steps": [{"layout": "iab"}], "googleConsentMode": true});
        assert_eq!(has_stub(asks.clone()), built);
        assert_eq!(has_stub(json!({"gpp": {"sections": ["usnat"]}})), built);
        assert_eq!(
            head(&json!({"steps": [{"layout": "welcome"}], "gpp": null})),
            ""
        );
        let lines = head(&asks);
        assert!(lines.find("__tcfapi") < lines.find("gtag") && lines.ends_with("</script>\n"));
    }

    #[test]
    fn a_file_stands_in_place_of_the_stub() {
        let of =
            |configuration| head_with_stub_file(&head(&configuration), "https://files.example");
        let asks = json!({"steps": [{"layout": "iab"}], "googleConsentMode": true});
        let signals = json!({"steps": [{"layout": "welcome"}], "googleConsentMode": true});
        assert_eq!(of(signals.clone()), head(&signals));
        let lines = of(asks.clone());
        assert_eq!(has_stub(&head(&asks)), parts::stub().is_some());
        assert!(!has_stub(&lines) && !has_stub(&head(&signals)));
        // Without a built SDK there is no stub.
        let tag = stub_tag("https://files.example").map(|tag| tag + "\n");
        assert_eq!(lines, tag.unwrap_or_default() + &head(&signals));
    }

    #[test]
    fn nothing_leaves_the_script() {
        let evil = json!({"region": ["FR", "</script>", "US-CA", "x'y"], "waitForUpdate": "</script>", "urlPassthrough": true, "microsoft": true});
        let lines = consent_defaults(Some(&evil)).unwrap();
        assert_eq!(lines.matches("</script>").count(), 1);
        // Regions that nobody can read deny everywhere.
        assert!(!lines.contains("region") && lines.contains("\"wait_for_update\":500"));
        assert!(lines.contains("url_passthrough"));
        let lines = consent_defaults(Some(&json!({"region": ["FR", "US-CA"]}))).unwrap();
        assert!(lines.contains("\"region\":[\"FR\",\"US-CA\"]"));
    }
}
