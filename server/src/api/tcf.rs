//! `/v1/app/tcf`: the strings of IAB Europe's Transparency and Consent Framework, and what vendors store.

use axum::{
    Json,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use domain::tcf::{Description, TcString};
use serde::Serialize;
use service::{clock::Timestamp, tcf::Storage};
use utoipa::ToSchema;

use crate::{
    http::{
        actor::Caller,
        client::Client,
        params::Params,
        path::{ListVendorPath, Path},
        problem::Problem,
    },
    state::AppState,
};

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
        (status = 400, description = "It is no TC string; `detail` names the defect."),
    ))]
pub async fn decode(_: Caller, params: Params) -> Result<Json<DecodedTcString>, Problem> {
    let text = params
        .get("tc")
        .ok_or_else(|| Problem::bad_request("`tc` is required."))?;
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

/// Read what a vendor stores on devices
///
/// Public, for the widget's list of partners: the vendor's own description, at the address that the Global Vendor List
/// in use names. This server asks the vendor when somebody wants it and the time of the last answer is over, and keeps
/// the last good description. Texts are the vendor's: show them as text.
#[utoipa::path(get, path = "/v1/app/tcf/vendors/{vendorId}/storage", tag = "app", operation_id = "app.vendorStorage", security(()),
    params(ListVendorPath),
    responses(
        (status = 200, description = "The description. `Cache-Control` says how long it holds.", body = Description),
        (status = 404, description = "`not_found`: the list in use has no such vendor, or names no address of a description, or this server fetches nothing."),
        (status = 503, description = "`unavailable`: the vendor has not answered with a description so far. Ask again after `Retry-After` seconds."),
    ))]
pub async fn storage(
    State(state): State<AppState>,
    client: Client,
    Path(path): Path<ListVendorPath>,
) -> Result<Response, Problem> {
    let storage = state
        .placet
        .tcf
        .storage(client.subscriber(), path.vendor_id);
    match storage.await? {
        Storage::Described { json, seconds } => {
            let headers = [
                (header::CONTENT_TYPE, "application/json".to_owned()),
                (header::CACHE_CONTROL, format!("public, max-age={seconds}")),
            ];
            Ok((headers, json).into_response())
        }
        Storage::Unknown { seconds } => {
            let detail = "The vendor has given no description of its storage so far; try again.";
            Err(Problem::not_yet(detail, seconds.unsigned_abs()))
        }
    }
}
