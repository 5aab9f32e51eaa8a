//! The route that decodes TC strings.

use domain::tcf::{PublisherRestriction, RestrictionType, TcString};
use serde_json::json;
use tests::both;

const TC: &str = "CQuCLYAQuCLYAAfABBENAREgAPAAAEIAAAYgF5wBAABAAGAAQAvMABiIAAAA.IF5wBAABAAGAAQAvMAAA.cEAAAAAAAAAA";

fn path(tc: &str) -> String {
    format!("/v1/app/tcf/decode?tc={tc}")
}

both!(
    a_tc_string_is_decoded_for_signed_in_callers,
    |app| async move {
        let ada = app.user("ada").await;
        let decoded = ada.get(&path(TC)).await.expect(200).json();
        let expected = json!({
            "created": "2026-11-21T00:00:00.000Z",
            "lastUpdated": "2026-11-21T00:00:00.000Z",
            "cmpId": 31,
            "cmpVersion": 1,
            "consentScreen": 1,
            "consentLanguage": "EN",
            "vendorListVersion": 17,
            "policyVersion": 4,
            "isServiceSpecific": true,
            "useNonStandardTexts": false,
            "specialFeatureOptins": [],
            "purposeConsents": [1, 2, 3, 4],
            "purposeLegitimateInterests": [2, 7],
            "purposeOneTreatment": false,
            "publisherCountryCode": "DE",
            "vendorConsents": [2, 6, 8, 755],
            "vendorLegitimateInterests": [2, 6],
            "publisherRestrictions": [],
            "disclosedVendors": [2, 6, 8, 755],
        });
        assert_eq!(decoded, expected);
        app.nobody()
            .get(&path(TC))
            .await
            .problem(403, "unauthenticated");
    }
);

both!(
    what_is_no_tc_string_is_refused_with_its_defect,
    |app| async move {
        let ada = app.user("ada").await;
        let detail = async |path: &str| {
            let problem = ada.get(path).await.problem(400, "bad_request");
            problem["detail"].as_str().unwrap().to_owned()
        };
        assert_eq!(detail("/v1/app/tcf/decode").await, "`tc` is required.");
        let cut = path(&TC[..40]);
        let expected = "`tc` is no TC string. The core segment ends too early.";
        assert_eq!(detail(&cut).await, expected);
        let other = path("BOEFEAyOEFEAyAHABDENAI4AAAB9vABAASA");
        let expected = "`tc` is no TC string. The version is 1, not 2.";
        assert_eq!(detail(&other).await, expected);
        let long = path(&"C".repeat(8_000));
        assert_eq!(detail(&long).await, "A query has at most 8000 bytes.");
    }
);

both!(a_small_string_makes_no_huge_answer, |app| async move {
    let ada = app.user("ada").await;
    let with_rules = |purposes| {
        let mut string = TcString::decode(TC).unwrap();
        let rule = |purpose_id| PublisherRestriction {
            purpose_id,
            restriction_type: RestrictionType::RequireConsent,
            vendors: [1..=u16::MAX].into_iter().collect(),
        };
        string.vendor_consents = [1..=u16::MAX].into_iter().collect();
        string.publisher_restrictions = (1..=purposes).map(rule).collect();
        path(&string.encode().unwrap())
    };
    let decoded = ada.get(&with_rules(3)).await.expect(200).json();
    assert_eq!(decoded["vendorConsents"].as_array().unwrap().len(), 65_535);
    let last = &decoded["publisherRestrictions"][2];
    assert_eq!(
        (&last["purposeId"], &last["restrictionType"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(last["vendors"].as_array().unwrap().len(), 65_535);
    ada.get(&with_rules(4)).await.problem(400, "bad_request");
});
