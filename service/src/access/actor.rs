//! The callers of use cases, and the requirements that they meet.

use domain::{error_code::ErrorCode, scope::Scope};
use uuid::Uuid;

use crate::error::{Error, Result};

/// The caller of a use case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A signed-in user.
    User(Uuid),
    /// A program with a key of a user.
    Key(Key),
    /// The product itself: jobs, the command line.
    System,
}

/// The properties of an API key that permissions depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its id.
    pub id: Uuid,
    /// The user whose roles it has.
    pub user: Uuid,
    /// Its scopes.
    pub scopes: Scopes,
    /// True if it reaches only its listed projects.
    pub limited: bool,
}

/// A set of scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    /// True if the set contains the scope.
    pub fn has(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u8) != 0
    }

    /// Its scopes, in order.
    pub fn list(self) -> Vec<Scope> {
        let scopes = Scope::ALL.iter().copied();
        scopes.filter(|scope| self.has(*scope)).collect()
    }

    /// The scopes of both sets.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set of these scopes.
    pub(super) const fn of(scopes: &[Scope]) -> Self {
        let (mut bits, mut rest) = (0, scopes);
        while let [scope, others @ ..] = rest {
            bits |= 1 << *scope as u8;
            rest = others;
        }
        Self(bits)
    }

    /// Reads a list separated by commas. Unknown words are ignored.
    pub(crate) fn parse(words: &str) -> Self {
        let named = |scope: &Scope| words.split(',').any(|word| word == scope.as_str());
        Scope::ALL.iter().copied().filter(named).collect()
    }

    /// The words that [`Scopes::parse`] reads.
    pub(crate) fn words(self) -> String {
        let words: Vec<&str> = self.list().into_iter().map(Scope::as_str).collect();
        words.join(",")
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        let with = |set: Self, scope| set.and(Self::of(&[scope]));
        scopes.into_iter().fold(Self::default(), with)
    }
}

/// The accounts of the operator of this server, by their verified e-mail addresses.
#[derive(Clone, Debug, Default)]
pub struct Operators(Vec<String>);

impl FromIterator<String> for Operators {
    fn from_iter<I: IntoIterator<Item = String>>(addresses: I) -> Self {
        let keys = addresses
            .into_iter()
            .map(|address| address.trim().to_lowercase());
        Self(keys.collect())
    }
}

impl Operators {
    /// True if the server has no account of its operator.
    pub(super) fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the account with this address, in lower case, is the operator's.
    pub(super) fn has(&self, address: &String) -> bool {
        self.0.contains(address)
    }
}

/// The user whose roles count, and the API key that limits them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Holder {
    pub user: Uuid,
    /// The API key, if it is limited to listed projects.
    pub limited_by: Option<Uuid>,
}

impl Actor {
    /// The user, for actions that only a signed-in user may take.
    pub fn user(self) -> Result<Uuid> {
        match self {
            Self::User(id) => Ok(id),
            Self::Key(_) | Self::System => Err(not_a_user()),
        }
    }

    /// The account that answers for an action, for actions that somebody must answer for.
    pub(crate) fn account(self) -> Result<Uuid> {
        self.responsible().ok_or_else(not_a_user)
    }

    /// The account that actions are recorded for.
    pub fn responsible(self) -> Option<Uuid> {
        match self {
            Self::User(user) | Self::Key(Key { user, .. }) => Some(user),
            Self::System => None,
        }
    }

    /// The account by whose share its work is bounded. All work of the product itself has one share, that of the nil id.
    pub(crate) fn owner(self) -> Uuid {
        self.responsible().unwrap_or_default()
    }

    /// The user whose roles count, for requests that concern more than one document.
    pub(crate) fn holder(self, scope: Scope) -> Result<Holder> {
        self.need_scopes(Some([scope].into_iter().collect()))?;
        match self {
            Self::User(user) => Ok(Holder {
                user,
                limited_by: None,
            }),
            Self::Key(key) => Ok(Holder {
                user: key.user,
                limited_by: key.limited.then_some(key.id),
            }),
            Self::System => Err(not_a_user()),
        }
    }

    /// Refuses an API key that lacks one of these scopes; with `None`, every key.
    pub(super) fn need_scopes(self, scopes: Option<Scopes>) -> Result<()> {
        let Self::Key(key) = self else {
            return Ok(());
        };
        let scopes = scopes.ok_or_else(not_a_user)?;
        let missing = scopes
            .list()
            .into_iter()
            .find(|scope| !key.scopes.has(*scope));
        match missing {
            None => Ok(()),
            Some(scope) => Err(Error::forbidden(
                ErrorCode::ScopeMissing,
                format!("This needs a key with the scope {}.", scope.as_str()),
            )),
        }
    }
}

fn not_a_user() -> Error {
    Error::forbidden(ErrorCode::NotAUser, "Only a user can do this.")
}
