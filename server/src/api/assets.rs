//! `/v1/assets`: files of customers and renders of their pictures.

use axum::{
    Json,
    extract::{FromRequest, Multipart, OriginalUri, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::error_code::ErrorCode;
use service::{
    Error,
    assets::{Asset, Fit, Format, MOST_BYTES, RenderQuery, Served, Takes, Upload},
};
use uuid::Uuid;

use crate::{
    http::{
        actor::Caller,
        body,
        form::Form,
        headers, page,
        params::{PageParams, Params},
        path::{AssetPath, Path, id},
        problem::{Problem, Result},
    },
    state::AppState,
};

/// Body limit of uploads: the file, and the bytes that a form adds around it.
pub const UPLOAD_LIMIT: usize = MOST_BYTES + 64 * 1024;

/// A form with a file.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes a form that is read field by field")]
pub struct UploadForm {
    /// A PNG, JPEG, GIF, WebP, AVIF or SVG picture, or a PDF; at most 10 MB. An SVG, of at most 1 MB, is drawn once, 1,024
    /// pixels long, and kept as PNG.
    #[schema(value_type = String, format = Binary, example = "(the bytes of the file)")]
    file: Vec<u8>,
    /// The project.
    project_id: Uuid,
}

/// Keep a file
///
/// The type is read from the file's content. Pictures are served as renders, never as they came.
#[utoipa::path(post, path = "/v1/assets", tag = "assets", operation_id = "assets.upload",
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 201, description = "The file, with `Location`.", body = Asset),
        (status = 404, description = "The project is unknown, or not the caller's."),
        (status = 409, description = "`too_many_assets`: the project keeps its 500 files or 200 MB already."),
    ))]
pub async fn upload(
    State(state): State<AppState>,
    caller: Caller,
    request: Request,
) -> Result<Response> {
    let place = state.placet.assets.receive(caller.actor())?;
    let way = place.way();
    let request = request.map(|body| body::counted(body, way.clone()));
    let form = Form::new(Multipart::from_request(request, &state).await, MOST_BYTES)?;
    let upload = way.hold(read(form)).await??;
    let assets = &state.placet.assets;
    let asset = assets.upload(caller.actor(), upload, place).await?;
    let location = [(header::LOCATION, asset.url.clone())];
    Ok((StatusCode::CREATED, location, Json(asset)).into_response())
}

async fn read(mut form: Form) -> Result<Upload> {
    let mut file = None;
    let mut project = None;
    while let Some(field) = form.next().await? {
        match field.name() {
            Some("file") => {
                let name = field.file_name().to_owned();
                file = Some((name, field.bytes().await?));
            }
            Some("projectId") => project = Some(field.text().await?),
            _ => {}
        }
    }
    let missing =
        |pointer: &str| Error::field(pointer, ErrorCode::Required, "This field is required.");
    let (name, bytes) = file.ok_or_else(|| missing("/file"))?;
    let project = project.ok_or_else(|| missing("/projectId"))?;
    Ok(Upload {
        project: id(&project)?,
        name,
        bytes,
    })
}

/// List the files of a project, newest first
#[utoipa::path(get, path = "/v1/assets", tag = "assets", operation_id = "assets.list",
    params(
        ("projectId" = Uuid, Query, description = "Project"),
        PageParams,
    ),
    responses(
        (status = 200, description = "A page of files.", body = [Asset]),
        (status = 404, description = "The project is unknown, or not the caller's."),
    ))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let project: Option<Uuid> = params.parsed("projectId", "an id")?;
    let project = project.ok_or_else(|| Problem::bad_request("`projectId` names the project."))?;
    let list = state
        .placet
        .assets
        .list(caller.actor(), project, params.page()?)
        .await?;
    Ok(page::answer(&uri, &state.placet.config.base_url, &list))
}

/// Read a picture or a PDF
///
/// Public for everybody who knows the id. Pictures come as renders, no larger than the original, in
/// the format that `Accept` names unless `format` does.
#[utoipa::path(get, path = "/v1/assets/{assetId}", tag = "assets", operation_id = "assets.read", security(()),
    params(
        AssetPath,
        ("w" = Option<u32>, Query, description = "Most pixels wide: 64, 128, 256, 512, 768, 1024 or 2048"),
        ("h" = Option<u32>, Query, description = "Most pixels high, of the same"),
        ("fit" = Option<String>, Query, description = "`contain` (whole, within the box) or `cover` (filling it, cut to its shape; needs `w` and `h`)"),
        ("format" = Option<String>, Query, description = "`avif` (of at most 1,048,576 pixels), `webp`, `png` or `jpeg`"),
    ),
    responses((status = 200, description = "The bytes, with `ETag` and `Content-Disposition`; they never change.", content(
        (Vec<u8> = "image/avif"), (Vec<u8> = "image/webp"), (Vec<u8> = "image/png"), (Vec<u8> = "image/jpeg"), (Vec<u8> = "application/pdf")))))]
pub async fn serve(
    State(state): State<AppState>,
    Path(path): Path<AssetPath>,
    params: Params,
    headers: HeaderMap,
) -> Result<Response> {
    let query = query(&params, &headers)?;
    let served = state.placet.assets.serve(path.asset_id, query).await?;
    Ok(answer(&headers, served))
}

fn query(params: &Params, headers: &HeaderMap) -> Result<RenderQuery> {
    let fit = match params.get("fit") {
        None | Some("contain") => Fit::Contain,
        Some("cover") => Fit::Cover,
        Some(_) => return Err(Problem::bad_request("`fit` is contain or cover.")),
    };
    let format = match params.get("format") {
        None => None,
        Some("avif") => Some(Format::Avif),
        Some("webp") => Some(Format::WebP),
        Some("png") => Some(Format::Png),
        Some("jpeg") => Some(Format::Jpeg),
        Some(_) => return Err(Problem::bad_request("`format` is avif, webp, png or jpeg.")),
    };
    let takes = |media| headers::takes(headers, header::ACCEPT, media);
    Ok(RenderQuery {
        width: params.parsed("w", "a whole number")?,
        height: params.parsed("h", "a whole number")?,
        fit,
        format,
        takes: Takes {
            avif: takes("image/avif"),
            webp: takes("image/webp"),
        },
    })
}

fn answer(request: &HeaderMap, served: Served) -> Response {
    // Browsers show no PDF in a sandbox; nothing in one runs with our origin anyway.
    let policy = if served.mime == "application/pdf" {
        "default-src 'none'; frame-ancestors 'none'"
    } else {
        "sandbox; default-src 'none'"
    };
    let mut headers = HeaderMap::new();
    for (name, value) in [
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CONTENT_DISPOSITION, "inline"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if served.negotiated {
        headers.insert(header::VARY, HeaderValue::from_static("Accept"));
    }
    if let Ok(etag) = HeaderValue::from_str(&served.etag) {
        headers.insert(header::ETAG, etag);
    }
    if headers::has_etag(request, &served.etag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(served.mime));
    (headers, served.bytes).into_response()
}

/// Delete a file
///
/// Files that were published with it stay.
#[utoipa::path(delete, path = "/v1/assets/{assetId}", tag = "assets", operation_id = "assets.delete",
    params(AssetPath),
    responses((status = 204, description = "It is gone.")))]
pub async fn delete(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<AssetPath>,
) -> Result<StatusCode> {
    let asset = path.asset_id;
    state.placet.assets.delete(caller.actor(), asset).await?;
    Ok(StatusCode::NO_CONTENT)
}
