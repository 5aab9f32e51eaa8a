//! Limits on publishing, and the subscriptions that lift them.

use domain::{documents::CookieConfiguration, error_code::ErrorCode};
use uuid::Uuid;

use super::{Billing, Known, State, store};
use crate::error::Result;

/// Days after its end for which a period that was paid counts, while the provider does not answer.
const GRACE_DAYS: i64 = 3;

/// Limits for publishing a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tier {
    /// There is no provider.
    Unlimited,
    /// No organization.
    Free,
    /// The project belongs to an organization with this state of its subscription.
    Organization(State),
}

impl Tier {
    /// True if the widget shows no demo banner.
    pub(crate) fn is_active(self) -> bool {
        match self {
            Self::Unlimited => true,
            Self::Free => false,
            Self::Organization(state) => state.is_active(),
        }
    }
}

/// Reason why a project may not publish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    pub code: ErrorCode,
    pub message: String,
}

impl Billing {
    /// Limits for publishing a project. Asks the provider; without an answer the last known state counts.
    pub(crate) async fn tier(&self, project: Uuid) -> Result<Tier> {
        let Some(stripe) = &self.stripe else {
            return Ok(Tier::Unlimited);
        };
        let Some(organization) = store::organization_of(&self.db, project).await? else {
            return Ok(Tier::Free);
        };
        let Some(row) = store::of_organization(&self.db, organization).await? else {
            return Ok(Tier::Organization(State::None));
        };
        let state = match self.latest(stripe, row).await? {
            Known::Confirmed(row) => row.state(),
            // It does not count for ever: an owner who keeps the provider from answering would never pay.
            Known::Remembered(row) => {
                let end = row.period_end.map(|end| end.plus_days(GRACE_DAYS));
                let is_over = end.is_some_and(|end| end < self.clock.now());
                if is_over { State::None } else { row.state() }
            }
        };
        Ok(Tier::Organization(state))
    }

    /// Checks configurations against the free tier, where it applies. `sizes` are the bytes of each one's
    /// files.
    pub(crate) fn limit(
        &self,
        tier: Tier,
        configurations: &[CookieConfiguration],
        sizes: &[usize],
    ) -> Option<Limit> {
        if tier != Tier::Free {
            return None;
        }
        let largest = sizes.iter().max().copied().unwrap_or(0);
        if largest > self.free_bytes {
            return Some(Limit {
                code: ErrorCode::FreeTierExceeded,
                message: format!(
                    "A configuration has {largest} bytes; {} are free. Let the project join an organization.",
                    self.free_bytes
                ),
            });
        }
        paid_layout(configurations).map(|step| Limit {
            code: ErrorCode::FreeTierExceeded,
            message: format!(
                "The layout of the step “{step}” is not free. Let the project join an organization."
            ),
        })
    }

    /// Checks if these configurations need a subscription that the organization does not have.
    pub(crate) fn unpaid(tier: Tier, configurations: &[CookieConfiguration]) -> Option<Limit> {
        let Tier::Organization(state) = tier else {
            return None;
        };
        let step = paid_layout(configurations).filter(|_| !state.is_active())?;
        Some(Limit {
            code: ErrorCode::SubscriptionInactive,
            message: format!(
                "The layout of the step “{step}” is not free, and the organization's subscription is {}.",
                state.as_str()
            ),
        })
    }
}

fn paid_layout(configurations: &[CookieConfiguration]) -> Option<&str> {
    let mut steps = configurations.iter().flat_map(|one| &one.steps);
    steps
        .find(|step| !step.layout.is_free())
        .map(|step| step.name.as_str())
}
