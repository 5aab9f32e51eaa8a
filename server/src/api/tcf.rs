//! `/v1/app/tcf`: the strings of IAB Europe's Transparency and Consent Framework.

use axum::Json;
use domain::tcf::TcString;
use serde::Serialize;
use service::clock::Timestamp;
use utoipa::ToSchema;

use crate::http::{actor::Caller, params::Params, problem::Problem};

/// Most vendors of all publisher restrictions together. A string names all vendors in five bytes, again for each
/// purpose, and the answer lists them.
const MOST_RESTRICTED: usize = 200_000;

/// A TC string, read.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecodedTcString {
    /// Day of the decision.
    #[schema(value_type = String, format = "date-time", example = "2026-11-21T00:00:00.000Z")]
    created: Timestamp,
    /// The same as `created` since TCF 2.2.
    #[schema(value_type = String, format = "date-time", example = "2026-11-21T00:00:00.000Z")]
    last_updated: Timestamp,
    /// Its fields.
    #[serde(flatten)]
    string: TcString,
}

impl From<TcString> for DecodedTcString {
    fn from(string: TcString) -> Self {
        let moment = |tenths: u64| Timestamp::from_millis(tenths as i64 * 100);
        Self {
            created: moment(string.created),
            last_updated: moment(string.last_updated),
            string,
        }
    }
}

/// Decode a TC string
///
/// The fields have the names of IAB's reference library. Sets are ascending lists of ids.
#[utoipa::path(get, path = "/v1/app/tcf/decode", tag = "app", operation_id = "app.decodeTcString",
    params(
        ("tc" = String, Query, description = "The TC string; with the rest of the query at most 8,000 bytes",
            example = "CQuCLYAQuCLYAAfABBENAREgAPAAAEIAAAYgF5wBAABAAGAAQAvMABiIAAAA.IF5wBAABAAGAAQAvMAAA"),
    ),
    responses(
        (status = 200, description = "What the string says.", body = DecodedTcString),
        (status = 400, description = "It is no TC string; `detail` names the defect.", body = Problem, content_type = "application/problem+json"),
    ))]
pub async fn decode(_: Caller, params: Params) -> Result<Json<DecodedTcString>, Problem> {
    let text = params
        .get("tc")
        .ok_or_else(|| Problem::bad_request("`tc` is needed."))?;
    let string = TcString::decode(text)
        .map_err(|error| Problem::bad_request(format!("`tc` is no TC string. {error}")))?;
    let restrictions = string.publisher_restrictions.iter();
    let restricted: usize = restrictions.map(|rule| rule.vendors.len()).sum();
    if restricted > MOST_RESTRICTED {
        let detail = format!("The restrictions name more than {MOST_RESTRICTED} vendors.");
        return Err(Problem::bad_request(detail));
    }
    Ok(Json(string.into()))
}
