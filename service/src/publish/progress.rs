//! A publish job and its progress, as callers see them.

use domain::{
    error_code::ErrorCode,
    publish::{JobStatus, StepName, StepStatus, WaitsFor},
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::remarks::{DocumentError, DocumentWarning};
use crate::clock::Timestamp;

/// A step's progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Step {
    /// Which step.
    pub name: StepName,
    /// Its progress.
    pub status: StepStatus,
    /// Time of its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Timestamp>,
    /// Time of its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<Timestamp>,
    /// The finding of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "Nothing to clear.")]
    pub message: Option<String>,
}

impl Step {
    /// A step that has not begun.
    pub(super) fn waiting(name: StepName) -> Self {
        Self {
            name,
            status: StepStatus::Waiting,
            started: None,
            completed: None,
            message: None,
        }
    }
}

/// The reason for which a job failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct JobError {
    /// `build_failed`, `free_tier_exceeded`, `subscription_inactive`, `upload_failed`,
    /// `invalidation_failed`, `cancelled`, `overtaken`, `publish_waits`, `edited_meanwhile`, `disk_low` or `day_full`.
    pub code: ErrorCode,
    /// The step that failed.
    #[schema(example = "build")]
    pub step: String,
    /// The fields of documents that caused it: one entry for each, at most 100.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<DocumentError>,
    /// Number of further fields, if there are some.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 17)]
    pub omitted: Option<usize>,
}

/// Addresses of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct JobLinks {
    /// Address to poll.
    #[serde(rename = "self")]
    #[schema(
        example = "https://consent.shop.example/v1/publish/jobs/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f71"
    )]
    pub this: String,
}

/// A publish job.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublishJob {
    /// Id.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Addresses.
    pub links: JobLinks,
    /// Milliseconds to wait between polls.
    #[schema(example = 500)]
    pub timeout: u64,
    /// Always empty.
    #[schema(example = json!([]))]
    pub initiator: Vec<String>,
    /// Time of its start.
    pub started: Timestamp,
    /// The project.
    pub project_id: Uuid,
    /// Id of the user who started it, or `system`.
    #[schema(example = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70")]
    pub initiated_by: String,
    /// Its progress.
    pub status: JobStatus,
    /// The events that a job with the status `waiting` waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub waits_for: Vec<WaitsFor>,
    /// Time before which it does not go live.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish_at: Option<Timestamp>,
    /// Id of the user who approved or cancelled it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Uuid>,
    /// Time of that decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Timestamp>,
    /// Progress.
    pub steps: Vec<Step>,
    /// The job whose content is put back, for a rollback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollback_to: Option<Uuid>,
    /// Warnings about the configurations that it publishes, once the step `build` is done; at most 100.
    pub warnings: Vec<DocumentWarning>,
    /// Number of further warnings, if there are some.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 17)]
    pub warnings_omitted: Option<usize>,
    /// The note about it, such as why it was published in spite of warnings.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "The footer of our site opens the widget.")]
    pub reason: Option<String>,
    /// The result in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "The widget is live.")]
    pub message: Option<String>,
    /// Time of its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed: Option<Timestamp>,
    /// Address of the published file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        example = "https://consent.shop.example/cdn/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70.json"
    )]
    pub url: Option<String>,
    /// The reason for which it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<JobError>,
}
