//! The decisions of a publish job. It keeps them, so that every attempt publishes the same.

use domain::{error_code::ErrorCode, publish::StepName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    super::{
        content::Content,
        images::{self, Images},
        remarks::{DocumentError, Remarks},
        stop::{Done, Stop},
        store,
    },
    Run,
};
use crate::tcf::Decided;

/// The decisions of step 1. Later steps and later attempts follow them.
#[derive(Serialize, Deserialize)]
pub(super) struct Plan {
    pub content: Content,
    /// Published copies of pictures and files.
    #[serde(default)]
    pub images: Images,
    /// The documents that are published.
    pub documents: Vec<Uuid>,
    /// The project's own consent management platform, when it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_cmp: Option<u16>,
    /// The decisions about TCF, where a configuration asks by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcf: Option<Decided>,
    /// Stands in the pointer.
    pub published_at: i64,
    /// The immutable keys of the uploaded files that sites get, in their order.
    #[serde(default)]
    pub uploaded: Vec<String>,
    /// True if the switch has begun. A job that fails then must make the previous files live again.
    #[serde(default)]
    pub switching: bool,
    /// The reason for which the job fails. The plan keeps it while the job makes the previous files live again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failed>,
}

/// The content that a job published.
pub(in crate::publish) fn published_by(row: &store::JobRow) -> Option<Content> {
    let plan: Plan = serde_json::from_str(row.plan.as_deref()?).ok()?;
    Some(plan.content)
}

/// The same with the published copies of its pictures and files. Those of the names may differ by now.
pub(in crate::publish) fn placed_by(row: &store::JobRow, cdn_url: &str) -> Option<Content> {
    let mut plan: Plan = serde_json::from_str(row.plan.as_deref()?).ok()?;
    images::place(&mut plan.content, &plan.images, cdn_url);
    Some(plan.content)
}

/// The failure of the job.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Failed {
    pub step: StepName,
    pub code: ErrorCode,
    pub message: String,
    /// The fields of documents that caused it.
    #[serde(default, skip_serializing_if = "Remarks::is_empty")]
    pub errors: Remarks<DocumentError>,
}

impl Run<'_> {
    /// Records the plan with the progress.
    pub(super) async fn keep_plan(&self) -> Done {
        let plan = serde_json::to_string(self.plan()?);
        let plan = plan.map_err(|error| Stop::Later(error.to_string()))?;
        store::progress(&self.publish.db, self.job, &self.steps, Some(&plan)).await?;
        Ok(())
    }

    pub(super) fn plan(&self) -> Done<&Plan> {
        let plan = self.plan.as_ref();
        plan.ok_or_else(|| Stop::Later("the plan is lost".to_owned()))
    }
}
