//! Gathers the content of a publish job: the drafts as they are now, or the content of an earlier publish.

use std::collections::BTreeMap;

use domain::{documents, error_code::ErrorCode};
use uuid::Uuid;

use super::{
    super::{
        content::Content,
        images::{self, Images},
        payer::{Payer, WARNINGS},
        publications::store::last_round,
        remarks::{DocumentWarning, Remarks},
        stop::{Done, Stop},
        store,
        wait::digest,
    },
    Run,
    plan::Plan,
};
use crate::{
    quota::For,
    tcf::{Decided, Needs},
    vault::Document,
};

impl Run<'_> {
    /// The project as it is now, unless it is deleted.
    pub(super) async fn project_now(&self) -> Done<Option<documents::Project>> {
        let project = store::project(&self.publish.db, self.project).await?;
        Ok(project.map(|project: Document| documents::read(&project.data)))
    }

    /// The list and the rounds of the configurations that ask by TCF. Content that is rendered again gets the list
    /// of today, because visitors must be shown it. Adds remarks on them to the job's warnings.
    pub(super) async fn decide(
        &self,
        content: &Content,
        own_cmp: Option<u16>,
        mut warnings: Remarks<DocumentWarning>,
    ) -> Done<Option<Decided>> {
        let mut needs = Needs::default();
        for asking in content.widgets().filter(|one| one.asks_by_tcf()) {
            needs.add(asking, [asking.language.clone()]);
        }
        if needs.is_empty() {
            return Ok(None);
        }
        let publish = self.publish;
        let sources = publish.tcf.sources(own_cmp, &needs).await?;
        let refuse = |message: String| Stop::Fail {
            code: ErrorCode::BuildFailed,
            message,
        };
        let sources = sources.map_err(|unready| refuse(format!("{}.", unready.sentence())))?;
        let live = match store::live(&publish.db, self.project).await? {
            Some(live) => store::with_plan(&publish.db, self.project, live.job_id).await?,
            None => None,
        };
        let live = live.and_then(|row| serde_json::from_str::<Plan>(&row.plan?).ok()?.tcf);
        let mut earlier = BTreeMap::new();
        for one in content.cookies.iter().filter(|one| one.asks_by_tcf()) {
            let id = &one.identifier;
            let is_live = live
                .as_ref()
                .is_some_and(|live| live.asked.contains_key(id));
            if let Some(configuration) = Uuid::parse_str(id).ok().filter(|_| !is_live)
                && let Some(round) = last_round(&publish.db, self.project, configuration).await?
            {
                earlier.insert(id.clone(), round);
            }
        }
        let sources = sources.following(self.anew);
        let decided = sources.decide(&content.cookies, live.as_ref(), &earlier);
        let (decided, remarks) = decided.map_err(|errors| {
            let sentences = errors
                .iter()
                .map(|error| format!("{}: {}", error.pointer, error.detail));
            refuse(sentences.collect::<Remarks<_>>().in_words())
        })?;
        if !remarks.is_empty() {
            warnings.extend(content.remarked(remarks));
            self.warn(&warnings).await?;
        }
        Ok(Some(decided))
    }

    /// The documents as they are now; the copies of their pictures are stored.
    pub(super) async fn drafts(&self) -> Done<(Content, Images)> {
        let publish = self.publish;
        let turn = publish.turns.turn(self.owner).await?;
        let (_, draft) = publish.draft(turn, self.project).await?;
        let content = draft.whole()?;
        let asked = self.until.content.as_ref();
        if asked.is_some_and(|asked| *asked != digest(&content)) {
            return Err(Stop::Fail {
                code: ErrorCode::EditedMeanwhile,
                message: "Somebody changed a draft just after this was asked for. Ask again."
                    .to_owned(),
            });
        }
        let images = images::copy(&self.payer(), self.project, &content, &Images::new()).await?;
        Ok((content, images))
    }

    /// Reads the live content now: another publish may have ended since this job was queued behind
    /// `job`.
    pub(super) async fn live(&mut self, job: Uuid) -> Done<(Content, Images)> {
        let live = store::live(&self.publish.db, self.project).await?;
        let live = live.ok_or_else(|| Stop::Fail {
            code: ErrorCode::BuildFailed,
            message: "Nothing is live any longer.".to_owned(),
        })?;
        if live.job_id != job {
            store::set_earlier(&self.publish.db, self.job, live.job_id).await?;
            self.rollback_to = Some(live.job_id);
        }
        self.earlier(live.job_id).await
    }

    /// Reads the content that another job published.
    pub(super) async fn earlier(&self, job: Uuid) -> Done<(Content, Images)> {
        let row = store::with_plan(&self.publish.db, self.project, job).await?;
        let plan: Option<Plan> = row
            .and_then(|row| row.plan)
            .and_then(|plan| serde_json::from_str(&plan).ok());
        let plan = plan.ok_or_else(|| Stop::Fail {
            code: ErrorCode::BuildFailed,
            message: "The earlier publish has no content to put back.".to_owned(),
        })?;
        self.again(plan).await
    }

    /// The content of a plan. The store may have lost the copies of its pictures.
    pub(super) async fn again(&self, plan: Plan) -> Done<(Content, Images)> {
        if store::project(&self.publish.db, self.project)
            .await?
            .is_none()
        {
            return Err(Stop::Fail {
                code: ErrorCode::BuildFailed,
                message: "The project has been deleted.".to_owned(),
            });
        }
        let images = images::copy(&self.payer(), self.project, &plan.content, &plan.images).await?;
        Ok((plan.content, images))
    }

    /// Keeps the warnings about what the job publishes.
    pub(super) async fn warn(&self, warnings: &Remarks<DocumentWarning>) -> Done {
        let warnings = store::json(warnings);
        self.payer().pay_for_words(WARNINGS, warnings.len()).await?;
        store::warn(&self.publish.db, self.job, &warnings).await?;
        Ok(())
    }

    /// Pays for the copies of pictures, and for the files.
    pub(super) fn payer(&self) -> Payer<'_> {
        Payer {
            publish: self.publish,
            job: self.job,
            person: self.initiated_by,
            purpose: For::of(self.rollback_to.is_some()),
        }
    }
}
