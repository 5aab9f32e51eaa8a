//! Billing: subscriptions of organizations, and the limits on publishing that they lift.
//!
//! Without a provider nothing is limited. With Stripe, an event only says that something changed, and the
//! current state is then read from Stripe. So events that come late, twice or out of order do no harm. To add
//! a provider, add a variant of [`Settings`] and its calls beside `stripe`.

mod offer;
mod store;
mod stripe;
mod tier;

use std::fmt;

use domain::{
    documents::Layout,
    error_code::ErrorCode,
    json::{self, MOST_VALUES},
};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::{
    access::{self, Actor, Need},
    clock::{SharedClock, Timestamp},
    context::Context,
    counts::Counts,
    db::Db,
    error::{Error, Result},
};
use offer::Kept;
pub use offer::{Interval, Price};
use store::Row;
use stripe::{Stripe, StripeError, Subscription as Found};
pub(crate) use tier::{Limit, Tier};

/// The provider.
#[derive(Clone, Debug, Default)]
pub enum Settings {
    /// None: nothing is limited.
    #[default]
    Off,
    /// Stripe.
    Stripe(StripeSettings),
}

/// Access to Stripe.
#[derive(Clone)]
pub struct StripeSettings {
    /// Address of the API, without a trailing slash.
    pub api_url: String,
    /// Secret key of the API.
    pub secret_key: String,
    /// Secret of the signatures of events.
    pub events_secret: String,
    /// Id of the price that organizations subscribe to.
    pub price: String,
    /// Bytes of the files of one configuration that are free.
    pub free_bytes: usize,
}

impl fmt::Debug for StripeSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("StripeSettings")
            .field("api_url", &self.api_url)
            .field("price", &self.price)
            .finish_non_exhaustive()
    }
}

domain::words! {
    /// State of a subscription.
    #[derive(utoipa::ToSchema)]
    #[schema(as = SubscriptionState)]
    pub enum State {
        /// There is no subscription.
        None = "none",
        /// In a free trial.
        Trialing = "trialing",
        /// Paid.
        Active = "active",
        /// A payment is missing.
        PastDue = "past_due",
        /// Ended.
        Canceled = "canceled",
    }
}

impl State {
    fn of_stripe(status: &str) -> Self {
        match status {
            "trialing" => Self::Trialing,
            "active" => Self::Active,
            "past_due" | "unpaid" | "paused" => Self::PastDue,
            "canceled" | "incomplete_expired" => Self::Canceled,
            _ => Self::None,
        }
    }

    /// True if the state lifts the limits of the free tier.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Trialing | Self::Active)
    }

    /// True if the provider still charges for the subscription.
    fn is_charged(self) -> bool {
        self.is_active() || self == Self::PastDue
    }
}

/// A plan that an organization can have.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Plan {
    /// `unlimited` without a provider; else `free`, or the id of a price.
    #[schema(example = "free")]
    pub id: String,
    /// Name for people.
    #[schema(example = "Free")]
    pub name: String,
    /// Layouts of steps that the plan allows; all when null.
    #[schema(example = json!(["welcome", "category"]))]
    pub layouts: Option<Vec<String>>,
    /// Most bytes of one configuration's files; no limit when null.
    #[serde(rename = "maxBytes")]
    #[schema(example = 100_000)]
    pub max_bytes: Option<usize>,
    /// True if widgets show the demo banner.
    #[serde(rename = "demoBanner")]
    pub demo_banner: bool,
    /// Its price; null where it costs nothing, or the provider does not tell one amount.
    pub price: Option<Price>,
}

/// An organization's subscription.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    /// The organization.
    pub organization_id: Uuid,
    /// State of the subscription.
    pub state: State,
    /// Id of its plan; null without one.
    #[schema(example = "price_1PabcdEFghIJklMN")]
    pub plan: Option<String>,
    /// End of the paid period.
    pub current_period_end: Option<Timestamp>,
    /// True if the subscription ends with this period.
    pub cancel_at_period_end: bool,
}

/// A page of the provider.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct BillingPage {
    /// Address to send the browser to.
    #[schema(example = "https://checkout.stripe.com/c/pay/cs_test_a1b2")]
    pub url: String,
}

/// An invoice.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Invoice {
    /// Id at the provider.
    #[schema(example = "in_1PabcdEFghIJklMN")]
    pub id: String,
    /// Number on the invoice.
    #[schema(example = "PLC-0007")]
    pub number: Option<String>,
    /// `draft`, `open`, `paid`, `uncollectible` or `void`.
    #[schema(example = "paid")]
    pub status: Option<String>,
    /// Amount due, in the smallest unit of the currency.
    #[schema(example = 4_900)]
    pub total: i64,
    /// ISO 4217, in lower case.
    #[schema(example = "eur")]
    pub currency: Option<String>,
    /// When it was made.
    pub created_at: Option<Timestamp>,
    /// Address of the invoice at the provider.
    #[schema(example = "https://invoice.stripe.com/i/acct_1/inv_7")]
    pub url: Option<String>,
}

/// The sub-service `billing`.
pub struct Billing {
    db: Db,
    clock: SharedClock,
    stripe: Option<Stripe>,
    free_bytes: usize,
    base_url: String,
    offer: Kept,
    /// Calls to the provider by account.
    asked: Counts<Uuid>,
}

/// Pages and lists of the provider that an account may ask for in an hour: the calls of all accounts together are bounded by
/// the provider.
const MOST_ASKED: u32 = 60;

/// The state of a subscription, by its source.
enum Known {
    /// The provider has answered.
    Confirmed(Row),
    /// It has not, and this is the last answer.
    Remembered(Row),
}

impl Known {
    fn row(self) -> Row {
        match self {
            Self::Confirmed(row) | Self::Remembered(row) => row,
        }
    }
}

impl Billing {
    pub(crate) fn new(context: &Context, settings: &Settings, base_url: String) -> Result<Self> {
        let Context { db, clock, .. } = context.clone();
        let (stripe, free_bytes) = match settings {
            Settings::Off => (None, usize::MAX),
            Settings::Stripe(settings) => {
                let stripe = Stripe::new(settings.clone()).map_err(Error::internal)?;
                (Some(stripe), settings.free_bytes)
            }
        };
        Ok(Self {
            db,
            clock,
            stripe,
            free_bytes,
            base_url,
            offer: Kept::default(),
            asked: Counts::default(),
        })
    }

    /// Counts a call to the provider that somebody causes.
    fn count(&self, actor: Actor) -> Result<()> {
        let account = actor.owner();
        self.asked
            .add_in_hour(account, self.clock.now(), MOST_ASKED)
    }

    /// Lists the plans. The name and the price of the paid one are the provider's, and an hour old at most.
    pub async fn plans(&self, _actor: Actor) -> Vec<Plan> {
        let plan = |id: &str, name: &str| Plan {
            id: id.to_owned(),
            name: name.to_owned(),
            layouts: None,
            max_bytes: None,
            demo_banner: false,
            price: None,
        };
        let Some(stripe) = &self.stripe else {
            return vec![plan("unlimited", "Unlimited")];
        };
        let layouts = Layout::ALL.iter().filter(|layout| layout.is_free());
        let free = Plan {
            layouts: Some(layouts.map(|layout| layout.as_str().to_owned()).collect()),
            max_bytes: Some(self.free_bytes),
            demo_banner: true,
            ..plan("free", "Free")
        };
        let offer = self.offer.read(stripe, self.clock.now()).await;
        let name = offer.name.as_deref().unwrap_or("Organization");
        let paid = Plan {
            price: offer.price,
            ..plan(stripe.price(), name)
        };
        vec![free, paid]
    }

    /// Reads an organization's subscription.
    pub async fn subscription(&self, actor: Actor, organization: Uuid) -> Result<Subscription> {
        access::organization(&self.db, actor, organization, Need::READ).await?;
        let row = store::of_organization(&self.db, organization).await?;
        Ok(shown(organization, row))
    }

    /// True if there is a provider.
    pub fn is_on(&self) -> bool {
        self.stripe.is_some()
    }

    /// Reads an organization's subscription as the provider has it now: events may come after the person who caused
    /// them. Without an answer, and for those who ask too often, the last known state counts.
    pub async fn latest_subscription(
        &self,
        actor: Actor,
        organization: Uuid,
    ) -> Result<Subscription> {
        access::organization(&self.db, actor, organization, Need::READ).await?;
        let row = store::of_organization(&self.db, organization).await?;
        let row = match (&self.stripe, row) {
            (Some(stripe), Some(row)) if self.count(actor).is_ok() => {
                Some(self.latest(stripe, row).await?.row())
            }
            (_, row) => row,
        };
        Ok(shown(organization, row))
    }

    /// Opens a page on which an owner subscribes. An organization has one such page at a time, which can be paid once:
    /// two owners who ask are given the same, but for two who ask at one moment on either side of a full minute.
    pub async fn checkout(&self, actor: Actor, organization: Uuid) -> Result<BillingPage> {
        access::organization(&self.db, actor, organization, Need::GOVERN).await?;
        let stripe = self.provider()?;
        self.count(actor)?;
        let known = store::of_organization(&self.db, organization).await?;
        let customer = match &known {
            None => self.add_customer(stripe, organization).await?,
            Some(row) => row.customer_id.clone(),
        };
        // Before the subscription: a page that is paid in between has made one.
        let latest = stripe.latest_checkout(&customer).await.map_err(failed)?;
        if let Some(row) = known {
            // Ask Stripe again, because the event may not have arrived yet and nobody should pay twice.
            let row = self.refresh(stripe, row).await.map_err(failed)??;
            if row.state().is_charged() {
                return Err(Error::conflict(
                    None,
                    ErrorCode::AlreadySubscribed,
                    "This organization has a subscription; change it on the page of `portal`.",
                ));
            }
        }
        let (before, open) = latest.map_or_else(Default::default, |page| (page.id, page.url));
        if let Some(url) = open {
            return Ok(BillingPage { url });
        }
        let key = format!("{} after {before}", self.key(organization));
        let url = stripe
            .checkout(&customer, &self.back(organization), &key)
            .await;
        Ok(BillingPage {
            url: url.map_err(failed)?,
        })
    }

    /// Opens a page on which an owner sees and changes the subscription.
    pub async fn portal(&self, actor: Actor, organization: Uuid) -> Result<BillingPage> {
        access::organization(&self.db, actor, organization, Need::GOVERN).await?;
        let stripe = self.provider()?;
        self.count(actor)?;
        let row = store::of_organization(&self.db, organization).await?;
        let row = row.ok_or_else(|| {
            Error::conflict(
                None,
                ErrorCode::NoSubscription,
                "This organization never subscribed; begin with `checkout`.",
            )
        })?;
        let key = self.key(organization);
        let back = self.back(organization);
        let url = stripe.portal(&row.customer_id, &back, &key).await;
        Ok(BillingPage {
            url: url.map_err(failed)?,
        })
    }

    /// An organization's invoices, newest first, at most 100. The provider's pages of them open for everybody who has their
    /// address.
    pub async fn invoices(&self, actor: Actor, organization: Uuid) -> Result<Vec<Invoice>> {
        access::organization(&self.db, actor, organization, Need::GOVERN).await?;
        let row = store::of_organization(&self.db, organization).await?;
        let (Some(stripe), Some(row)) = (&self.stripe, row) else {
            return Ok(Vec::new());
        };
        self.count(actor)?;
        let invoices = stripe.invoices(&row.customer_id).await.map_err(failed)?;
        Ok(invoices.iter().filter_map(invoice).collect())
    }

    /// True if an organization has a subscription that is not cancelled. Asks the provider; without an answer
    /// the last known state counts.
    pub(crate) async fn goes_on(&self, actor: Actor, organization: Uuid) -> Result<bool> {
        let Some(stripe) = &self.stripe else {
            return Ok(false);
        };
        let Some(row) = store::of_organization(&self.db, organization).await? else {
            return Ok(false);
        };
        self.count(actor)?;
        let row = self.latest(stripe, row).await?.row();
        Ok(row.state().is_charged() && !row.cancel_at_period_end)
    }

    /// Refuses an event without a signature, or where no events are expected.
    pub fn expects_event(&self, signature: &str) -> Result<()> {
        self.provider()?;
        if signature.is_empty() {
            return Err(bad_signature());
        }
        Ok(())
    }

    /// Handles an event of Stripe. Returns the live projects whose demo banner has to come or go.
    pub async fn event(&self, signature: &str, body: &[u8]) -> Result<Vec<Uuid>> {
        let stripe = self.provider()?;
        if !stripe.is_signed(signature, body, self.clock.now()) {
            return Err(bad_signature());
        }
        let event = json::outline(body, MOST_VALUES)
            .map_err(|_| Error::BadRequest("The event is no JSON.".to_owned()))?;
        let customer = event.pointer("/data/object/customer");
        let Some(customer) = customer.and_then(Value::as_str) else {
            return Ok(Vec::new());
        };
        let Some(row) = store::of_customer(&self.db, customer).await? else {
            return Ok(Vec::new()); // a subscription of another shop on the same Stripe account
        };
        let row = self.refresh(stripe, row).await.map_err(failed)??;
        // Returns all projects with the wrong banner, whatever the state before: a publish may have asked
        // Stripe already.
        let wrong = row.state().is_active();
        Ok(store::live_projects(&self.db, row.organization_id, wrong).await?)
    }

    /// True if a project is live without the demo banner, and its plan does not allow that.
    pub(crate) async fn has_lost_its_plan(&self, project: Uuid) -> Result<bool> {
        let lost = store::is_live_without_banner(&self.db, project).await?
            && !self.tier(project).await?.is_active();
        Ok(lost)
    }

    /// Asks the provider for the state of a subscription and stores the answer.
    async fn refresh(
        &self,
        stripe: &Stripe,
        row: Row,
    ) -> std::result::Result<Result<Row>, StripeError> {
        // The time of the question orders answers: a later question has the newer answer.
        let asked = self.clock.now();
        let found = stripe.subscription(&row.customer_id).await?;
        let next = Row {
            checked_at: asked,
            ..with(row, found)
        };
        let kept = store::update(&self.db, &next).await;
        Ok(kept.map(|()| next).map_err(Error::from))
    }

    /// State of a subscription, from the provider if it answers, else as it was last known.
    async fn latest(&self, stripe: &Stripe, known: Row) -> Result<Known> {
        match self.refresh(stripe, known.clone()).await {
            Ok(kept) => kept.map(Known::Confirmed),
            Err(error) => {
                tracing::warn!(%error, "a subscription could not be checked; its last state counts");
                Ok(Known::Remembered(known))
            }
        }
    }

    async fn add_customer(&self, stripe: &Stripe, organization: Uuid) -> Result<String> {
        let name = store::name_of(&self.db, organization).await?;
        let made = stripe.add_customer(&organization.to_string(), &name).await;
        let made = made.map_err(failed)?;
        Ok(store::add_customer(&self.db, organization, &made, self.clock.now()).await?)
    }

    fn provider(&self) -> Result<&Stripe> {
        self.stripe.as_ref().ok_or_else(|| {
            Error::conflict(
                None,
                ErrorCode::BillingOff,
                "This installation has no billing; nothing is limited.",
            )
        })
    }

    /// The page to which the provider's pages lead back.
    fn back(&self, organization: Uuid) -> String {
        format!(
            "{}/organizations/{organization}?from=billing",
            self.base_url
        )
    }

    /// Idempotency key: one page for each organization and minute.
    fn key(&self, organization: Uuid) -> String {
        format!("{organization} {}", self.clock.now().seconds() / 60)
    }
}

fn with(row: Row, found: Option<Found>) -> Row {
    match found {
        None => Row {
            subscription_id: None,
            state: State::None.as_str().to_owned(),
            plan: None,
            period_end: None,
            cancel_at_period_end: false,
            ..row
        },
        Some(found) => Row {
            subscription_id: Some(found.id),
            state: found.state.as_str().to_owned(),
            plan: found.plan,
            period_end: found.period_end,
            cancel_at_period_end: found.cancel_at_period_end,
            ..row
        },
    }
}

fn failed(error: StripeError) -> Error {
    tracing::warn!(%error, "billing failed");
    match error {
        StripeError::Away(_) => Error::Unavailable,
        StripeError::Refused(_) => Error::internal("the billing provider refused a call"),
    }
}

fn shown(organization: Uuid, row: Option<Row>) -> Subscription {
    Subscription {
        organization_id: organization,
        state: row.as_ref().map_or(State::None, Row::state),
        current_period_end: row.as_ref().and_then(|row| row.period_end),
        cancel_at_period_end: row.as_ref().is_some_and(|row| row.cancel_at_period_end),
        plan: row.and_then(|row| row.plan),
    }
}

fn invoice(value: &Value) -> Option<Invoice> {
    let text = |field: &str| value.get(field).and_then(Value::as_str).map(str::to_owned);
    let created = value.get("created").and_then(Value::as_i64);
    Some(Invoice {
        id: text("id")?,
        number: text("number"),
        status: text("status"),
        total: value.get("total").and_then(Value::as_i64).unwrap_or(0),
        currency: text("currency"),
        created_at: created.map(|seconds| Timestamp(0).plus_seconds(seconds)),
        url: text("hosted_invoice_url"),
    })
}

fn bad_signature() -> Error {
    Error::forbidden(
        ErrorCode::BadSignature,
        "The signature of this event does not hold.",
    )
}
