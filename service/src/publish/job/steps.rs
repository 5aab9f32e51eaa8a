//! The six steps of a publish job. Each returns the sentence that its owner reads.

use std::sync::Arc;

use domain::{
    documents,
    error_code::ErrorCode,
    publish::{StepName, StepStatus},
};
use futures::stream::{self, TryStreamExt};
use uuid::Uuid;

use super::{
    super::{
        content::Content,
        files::{self, Files},
        payer::FILES,
        progress::Step,
        publications::store::{self as publications, Stamp},
        remarks::Remarks,
        stop::{Done, Stop},
        switch::Switch,
        upload::put_packed,
    },
    Run,
    plan::Plan,
};
use crate::{
    billing::{Billing, Tier},
    clock::Timestamp,
    events::Event,
    render::Addresses,
    tcf::Decided,
};

/// Files that are sent at one time.
const UPLOADS_AT_ONCE: usize = 4;
/// Bytes of content from which on making and storing its files takes seconds.
const LARGE: usize = 1_000_000;
/// Number of widgets above which it is large as well.
const MANY: usize = 100;

impl Run<'_> {
    pub(super) async fn build(&mut self) -> Done<String> {
        let waited = self.plan.take();
        let is_new = waited.is_none();
        let project = self.project_now().await?;
        let own_cmp = match &waited {
            Some(plan) => plan.own_cmp,
            None => project.as_ref().and_then(|project| project.tcf_cmp_id),
        };
        let (content, images) = match (waited, self.rollback_to) {
            (Some(plan), _) => self.again(plan).await?,
            (None, Some(job)) if self.anew => self.live(job).await?,
            (None, Some(job)) => self.earlier(job).await?,
            (None, None) => self.drafts().await?,
        };
        let warnings = if self.anew {
            Remarks::default()
        } else {
            let site = project.and_then(|project| project.website_url);
            content.warnings(self.project, site.as_deref())
        };
        if !warnings.is_empty() {
            self.warn(&warnings).await?;
        }
        let configurations = content.cookies.len();
        let tcf = self.decide(&content, own_cmp, warnings).await?;
        self.plan = Some(Plan {
            own_cmp,
            images,
            tcf,
            documents: documents(&content, self.project),
            content,
            published_at: self.publish.clock.now().0,
            uploaded: Vec::new(),
            switching: false,
            failure: None,
        });
        self.files = None;
        // Asked before the turn, in which nobody waits for a provider.
        self.tier().await?;
        let bytes = self.files().await?.size();
        if is_new {
            let kept = self.files().await?.weight();
            // The plan and the live row have the content.
            let content = self.plan()?.content.canonical().len();
            self.payer().pay(FILES, kept + 2 * content).await?;
        }
        let noun = if configurations == 1 {
            "configuration"
        } else {
            "configurations"
        };
        Ok(format!(
            "{configurations} {noun}, {} KB.",
            bytes.div_ceil(1_000)
        ))
    }

    async fn tier(&mut self) -> Done<Tier> {
        if let Some(tier) = self.tier {
            return Ok(tier);
        }
        let tier = self.publish.billing.tier(self.project).await;
        let tier = tier.map_err(|error| Stop::Later(error.to_string()))?;
        Ok(*self.tier.insert(tier))
    }

    pub(super) async fn free_tier(&mut self) -> Done<String> {
        let tier = self.tier().await?;
        if tier != Tier::Free {
            return Ok("Not limited.".to_owned());
        }
        if self.anew {
            return Ok("What is live stays.".to_owned());
        }
        let files = self.files().await?;
        let publications = files.publications.iter();
        let sizes: Vec<usize> = publications.map(|one| one.payload.len()).collect();
        let cookies = &self.plan()?.content.cookies;
        match self.publish.billing.limit(tier, cookies, &sizes) {
            Some(limit) => Err(limit.into()),
            None => Ok("Within the free tier.".to_owned()),
        }
    }

    pub(super) async fn organization(&mut self) -> Done<String> {
        Ok(match self.tier().await? {
            Tier::Unlimited => "Not limited.",
            Tier::Free => "No organization: the free tier.",
            Tier::Organization(_) => "An organization is attached.",
        }
        .to_owned())
    }

    /// Decides on the demo banner; the files that are made from now on have it or not.
    pub(super) async fn subscription(&mut self) -> Done<String> {
        let tier = self.tier().await?;
        let unpaid = Billing::unpaid(tier, &self.plan()?.content.cookies);
        if let Some(limit) = unpaid.filter(|_| !self.anew) {
            return Err(limit.into());
        }
        let is_test = self.plan()?.tcf.as_ref().is_some_and(Decided::is_test);
        let active = tier.is_active() && !is_test;
        if let Some(plan) = self
            .plan
            .as_mut()
            .filter(|plan| plan.content.active != active)
        {
            plan.content.active = active;
            self.files = None;
            self.keep_plan().await?;
        }
        Ok(match (tier, active) {
            _ if is_test => "The consent management platform is one for tests: the widget shows the demo banner.",
            (Tier::Unlimited, _) => "Not limited.",
            (_, true) => "The subscription is active.",
            (_, false) => "No active subscription: the widget shows the demo banner.",
        }
        .to_owned())
    }

    /// Makes the files of the plan.
    pub(super) async fn files(&mut self) -> Done<Arc<Files>> {
        if let Some(files) = &self.files {
            return Ok(files.clone());
        }
        let turn = if let Some(turn) = self.turn.take() {
            turn
        } else {
            let content = &self.plan()?.content;
            let is_large = content.canonical().len() > LARGE || content.widgets().count() > MANY;
            let turns = &self.publish.turns;
            turns.turn_for(self.owner, is_large).await?
        };
        let tcf = match self.plan()?.tcf.clone() {
            Some(decided) => Some(self.publish.tcf.recall(decided).await?),
            None => None,
        };
        let plan = self.plan()?;
        let stamp = Stamp {
            project: self.project,
            job: self.job,
            at: Timestamp(plan.published_at),
        };
        let is_bounded = !self.anew;
        let (content, images) = (plan.content.clone(), plan.images.clone());
        let (api_url, cdn_url) = (self.publish.base_url.clone(), self.publish.cdn_url.clone());
        let made = turn.compute(move || {
            let addresses = Addresses {
                api_url: &api_url,
                cdn_url: &cdn_url,
            };
            files::make(
                content,
                &images,
                tcf.as_ref(),
                &stamp,
                &addresses,
                is_bounded,
            )
        });
        let (turn, made) = made.await?;
        self.turn = Some(turn);
        Ok(self.files.insert(Arc::new(made?)).clone())
    }

    /// Lets the job upload again if its uploaded files are not those that this process makes: another release of the
    /// server may have begun the job.
    pub(super) async fn upload_again_if_changed(&mut self) -> Done {
        let is_uploaded =
            |step: &Step| step.name == StepName::Upload && step.status == StepStatus::Complete;
        if !self.steps.iter().any(is_uploaded) {
            return Ok(());
        }
        let files = self.files().await?;
        if self.plan()?.uploaded == files.immutable_keys() {
            self.files = Some(Arc::new(files.stored()));
            self.turn = None;
            return Ok(());
        }
        for step in &mut self.steps {
            if matches!(step.name, StepName::Upload | StepName::Invalidate) {
                *step = Step::waiting(step.name);
            }
        }
        Ok(())
    }

    /// Puts the immutable files, makes them provable, then switches the mutable ones.
    pub(super) async fn upload(&mut self) -> Done<String> {
        let (publish, files) = (self.publish, self.files().await?);
        stream::iter(files.immutable.iter().map(Ok))
            .try_for_each_concurrent(UPLOADS_AT_ONCE, |(key, packed)| {
                put_packed(publish, key, packed)
            })
            .await?;
        // Before the switch, so that no consent arrives for a publication that is not known.
        let at = Timestamp(self.plan()?.published_at);
        let stamp = Stamp {
            project: self.project,
            job: self.job,
            at,
        };
        let (new, logged) = (&files.publications, publish.ledger.is_on());
        publications::add(&publish.db, &stamp, new, logged).await?;
        publish.events.tell(Event::ProjectChanged(self.project));
        if let Some(plan) = &mut self.plan {
            plan.switching = true;
            plan.uploaded = files.immutable_keys();
        }
        self.keep_plan().await?;
        let switch = Switch::open(publish, self.project, self.job, &files).await?;
        switch.forth().await?;
        let stored = files.immutable.len();
        self.files = Some(Arc::new(files.stored()));
        self.turn = None;
        Ok(format!("{stored} files."))
    }

    /// Makes caches forget the switched files.
    pub(super) async fn invalidate(&mut self) -> Done<String> {
        if self.publish.delivery.is_absent() {
            return Ok("No delivery network to clear.".to_owned());
        }
        let files = self.files().await?;
        let switch = Switch::open(self.publish, self.project, self.job, &files).await?;
        match switch.clear(&self.job.to_string()).await {
            Ok(addresses) => Ok(format!("{addresses} addresses cleared.")),
            Err(cause) => Err(Stop::Fail {
                code: ErrorCode::InvalidationFailed,
                message: format!("The delivery network did not follow: {cause}."),
            }),
        }
    }
}

fn documents(content: &Content, project: Uuid) -> Vec<Uuid> {
    let cookies = content
        .cookies
        .iter()
        .map(|configuration| configuration.identifier.as_str());
    let boxes = content.boxes().into_iter().flat_map(|(_, boxes)| boxes);
    let boxes = boxes.filter_map(documents::identifier);
    let ids = cookies
        .chain(boxes)
        .filter_map(|id| Uuid::parse_str(id).ok());
    ids.chain([project]).collect()
}
