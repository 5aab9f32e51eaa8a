//! The plan of a draft with the layout `iab`, for its editor: counts, bytes, and what keeps it from being published.

use domain::{
    collection::Collection,
    documents::{self, CookieConfiguration, Project, Tcf},
    error_code::ErrorCode,
    field_error::FieldError,
    tcf::{self, Notice},
};
use serde_json::Value;
use uuid::Uuid;

use super::Publish;
use crate::{
    access::{self, Actor, Need},
    error::Result,
    objects::Encoding,
    tcf::{Needs, Platform, Sources, Unready},
};

/// Stands for the publisher's country in a draft that names none yet.
pub(super) const ANY_COUNTRY: &str = "AA";

/// A draft's plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftPlan {
    /// The platform that would publish it.
    pub platform: Platform,
    /// The state of the list.
    pub list: ListState,
    /// Its numbers; `None` where errors leave none.
    pub counts: Option<Counts>,
    /// Choices of the owner that are left out.
    pub notices: Vec<Notice>,
    /// The errors that keep it from being published, by JSON Pointer.
    pub errors: Vec<FieldError>,
}

/// The state of the list that a draft is planned by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListState {
    /// It is here.
    Here,
    /// The server fetches it.
    Awaited,
    /// The operator imports it.
    Absent,
}

/// Numbers of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Disclosed vendors.
    pub vendors: usize,
    /// Vendors that ask consent for each purpose, and vendors that claim a legitimate interest in it.
    pub purposes: Vec<(u16, usize, usize)>,
    /// Vendors that use each special feature.
    pub special_features: Vec<(u16, usize)>,
    /// Stacks of the first layer.
    pub stacks: Vec<u16>,
    /// Vendors that each restriction changes, in the order of the restrictions.
    pub restricted: Vec<usize>,
    /// Bytes of the file of partners, as browsers load it.
    pub partners_bytes: usize,
    /// Bytes of the TC string that allows everything.
    pub string_bytes: usize,
}

impl Publish {
    /// Plans a draft of a cookie configuration. `look` is its project.
    pub async fn plan_of_draft(
        &self,
        actor: Actor,
        project: Uuid,
        look: &Value,
        draft: &Value,
    ) -> Result<DraftPlan> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let turn = self.answers.turn(actor).await?;
        let own = documents::read::<Project>(look).tcf_cmp_id;
        let mut plan = DraftPlan {
            platform: self.tcf.platform(own),
            list: ListState::Here,
            counts: None,
            notices: Vec::new(),
            errors: documents::validate(Collection::Cookies, draft),
        };
        // Saving refuses these, so no field is worth a guess.
        if !plan.errors.is_empty() {
            return Ok(plan);
        }
        let configuration: CookieConfiguration = documents::read(draft);
        let mut needs = Needs::default();
        needs.add(&configuration, [configuration.language.clone()]);
        match self.tcf.sources_of_draft(&needs).await? {
            Ok(sources) => {
                let (_turn, worked_out) = turn
                    .compute(move || work_out(plan, &sources, configuration))
                    .await?;
                Ok(worked_out)
            }
            Err(unready) => {
                plan.list = match unready {
                    Unready::NotFetched => ListState::Awaited,
                    Unready::NoList | Unready::NoCmpId => ListState::Absent,
                };
                Ok(plan)
            }
        }
    }
}

fn work_out(
    mut plan: DraftPlan,
    sources: &Sources,
    mut configuration: CookieConfiguration,
) -> DraftPlan {
    let choices = configuration.tcf.get_or_insert_default();
    if choices.publisher_cc.is_none() {
        let detail = "Needed to publish: the country whose law the publisher follows.";
        let missing = FieldError::new("/tcf/publisherCC", ErrorCode::Required, detail);
        plan.errors.push(missing);
        choices.publisher_cc = Some(ANY_COUNTRY.to_owned());
    }
    let choices = choices.clone();
    match sources.plan(&configuration) {
        Ok(made) => {
            plan.counts = Some(counts(&made, &choices));
            plan.notices = made.notices;
        }
        Err(errors) => plan.errors.extend(errors),
    }
    plan
}

fn counts(plan: &tcf::Plan, choices: &Tcf) -> Counts {
    let partners = tcf::partners(plan);
    // A number that cannot be measured is not worth an error: the file can be published all the same.
    let compressed = Encoding::Brotli.compress(partners.as_bytes());
    let restricted = choices.restrictions.iter().map(|rule| {
        let key = tcf::restriction_key(rule.purpose, rule.kind);
        let ids = plan.asked.restricted.get(&key).into_iter().flatten();
        ids.filter(|id| rule.vendors.contains(**id)).count()
    });
    Counts {
        vendors: plan.vendors.len(),
        purposes: plan
            .purposes
            .iter()
            .map(|entry| (entry.id, entry.consent, entry.interest))
            .collect(),
        special_features: plan
            .special_features
            .iter()
            .map(|entry| (entry.id, entry.consent))
            .collect(),
        stacks: plan.stacks.iter().map(|stack| stack.id).collect(),
        restricted: restricted.collect(),
        partners_bytes: compressed.map_or(partners.len(), |bytes| bytes.len()),
        string_bytes: plan.tc_string().len(),
    }
}
