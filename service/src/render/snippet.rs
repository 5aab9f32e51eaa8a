//! The snippet that a site with consent signals puts before every tag. The defaults must be there
//! before the first tag asks, so no script that loads later can set them.

use domain::format::is_region;
use serde_json::{Value, json};

/// The lines for a configuration's `googleConsentMode` (`true`, or an object with `enabled`,
/// `adsDataRedaction`, `urlPassthrough`, `waitForUpdate`, `region`, `microsoft`); `None` where it
/// is off.
pub fn consent_defaults(mode: Option<&Value>) -> Option<String> {
    let mode = mode.filter(|mode| wanted(mode))?;
    let flag =
        |key: &str, otherwise: bool| mode.get(key).and_then(Value::as_bool).unwrap_or(otherwise);
    let mut defaults = json!({
        "ad_storage": "denied", "ad_user_data": "denied", "ad_personalization": "denied",
        "analytics_storage": "denied", "functionality_storage": "denied",
        "personalization_storage": "denied", "security_storage": "granted",
        "wait_for_update": mode.get("waitForUpdate").and_then(Value::as_u64).unwrap_or(500),
    });
    let regions: Vec<&str> = mode
        .get("region")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter(|region| is_region(region))
        .collect();
    if let (false, Some(fields)) = (regions.is_empty(), defaults.as_object_mut()) {
        fields.insert("region".to_owned(), regions.into());
    }
    let mut lines = vec![
        "<script>".to_owned(),
        "window.dataLayer = window.dataLayer || [];".to_owned(),
        "function gtag() { dataLayer.push(arguments); }".to_owned(),
        format!("gtag('consent', 'default', {defaults});"),
    ];
    if flag("adsDataRedaction", true) {
        lines.push("gtag('set', 'ads_data_redaction', true);".to_owned());
    }
    if flag("urlPassthrough", false) {
        lines.push("gtag('set', 'url_passthrough', true);".to_owned());
    }
    if flag("microsoft", false) {
        lines.push(MICROSOFT.to_owned());
    }
    lines.push("</script>".to_owned());
    Some(lines.join("\n"))
}

/// Universal Event Tracking and Clarity: denied at first, then told the grants of each choice.
const MICROSOFT: &str = "window.uetq = window.uetq || [];
window.clarity = window.clarity || function () { (clarity.q = clarity.q || []).push(arguments); };
(function (tell) {
  tell('default', {});
  (window._placet = window._placet || []).push(function (sdk) {
    sdk.on('consent:signals', function (signals) { tell('update', signals); });
  });
})(function (what, signals) {
  var ads = signals.ad_storage || 'denied', analytics = signals.analytics_storage || 'denied';
  uetq.push('consent', what, { ad_storage: ads });
  clarity('consentv2', { ad_Storage: ads, analytics_Storage: analytics });
});";

pub(super) fn wanted(mode: &Value) -> bool {
    match mode {
        Value::Null | Value::Bool(false) => false,
        Value::Object(fields) => fields.get("enabled") != Some(&Value::Bool(false)),
        _ => true,
    }
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

    #[test]
    fn nothing_leaves_the_script() {
        let evil = json!({"region": ["FR", "</script>", "US-CA", "x'y"], "waitForUpdate": "</script>", "urlPassthrough": true, "microsoft": true});
        let lines = consent_defaults(Some(&evil)).unwrap();
        assert!(
            lines.contains("\"region\":[\"FR\",\"US-CA\"]") && lines.contains("url_passthrough")
        );
        assert_eq!(lines.matches("</script>").count(), 1);
    }
}
