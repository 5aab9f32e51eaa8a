//! Forms with files (`multipart/form-data`, RFC 7578), read field by field.

use axum::{
    extract::{
        Multipart,
        multipart::{self, MultipartError, MultipartRejection},
    },
    http::StatusCode,
};
use domain::error_code::ErrorCode;

use super::problem::Problem;

/// A form whose files have at most a number of bytes each.
pub struct Form {
    form: Multipart,
    most: usize,
}

/// A field of a form.
pub struct Field<'form> {
    field: multipart::Field<'form>,
    most: usize,
}

impl Form {
    /// The form of a request.
    ///
    /// # Errors
    ///
    /// 415 if the request has another type.
    pub fn new(form: Result<Multipart, MultipartRejection>, most: usize) -> Result<Self, Problem> {
        let form = form.map_err(|_| {
            Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                ErrorCode::UnsupportedMediaType,
                "Send a form as `multipart/form-data`.",
            )
        })?;
        Ok(Self { form, most })
    }

    /// The next field.
    pub async fn next(&mut self) -> Result<Option<Field<'_>>, Problem> {
        let most = self.most;
        let field = self.form.next_field().await;
        let field = field.map_err(|error| broken(&error, most))?;
        Ok(field.map(|field| Field { field, most }))
    }
}

impl Field<'_> {
    pub fn name(&self) -> Option<&str> {
        self.field.name()
    }

    /// The name of its file, which is empty where there is none.
    pub fn file_name(&self) -> &str {
        self.field.file_name().unwrap_or_default()
    }

    /// The bytes of its file.
    pub async fn bytes(mut self) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self
            .field
            .chunk()
            .await
            .map_err(|error| broken(&error, self.most))?
        {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > self.most {
                return Err(too_large(self.most));
            }
        }
        Ok(bytes)
    }

    pub async fn text(self) -> Result<String, Problem> {
        let text = self.field.text().await;
        text.map_err(|error| broken(&error, self.most))
    }
}

fn broken(error: &MultipartError, most: usize) -> Problem {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        too_large(most)
    } else {
        Problem::bad_request("The form cannot be read.")
    }
}

fn too_large(most: usize) -> Problem {
    Problem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::BodyTooLarge,
        format!("A file is at most {} MB.", most / 1_000_000),
    )
}
