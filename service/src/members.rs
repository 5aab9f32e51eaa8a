//! People with a role on a document or in an organization: the rule that the last owner stays, and the SQL of
//! the two tables.

use domain::{error_code::ErrorCode, role::Role};
use serde::{Deserialize, Serialize};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::{
    access::{self, Actor, Need},
    clock::Timestamp,
    db::{Db, DbError, Locked, Tx},
    error::{Error, Result},
    mail::{Letter, Mail, quoted},
};

type Stored<T> = std::result::Result<T, DbError>;

/// A user to add.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberIn {
    /// The user.
    pub user_id: Uuid,
    /// The user's role. `editor` when absent.
    #[serde(default)]
    pub role: Option<Role>,
}

/// A user's role.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// The user.
    pub user_id: Uuid,
    /// The user's role.
    pub role: Role,
    /// Time since which the user is a member.
    pub created_at: Timestamp,
    /// True for somebody whom another member added by the id, on a server that sends letters, and who has accepted no
    /// invitation here. Other members see no e-mail address of such a person.
    #[serde(skip)]
    pub is_added: bool,
}

#[derive(sqlx::FromRow)]
struct Row {
    user_id: Uuid,
    role: String,
    created_at: Timestamp,
    is_added: bool,
}

/// Something that has members.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Group {
    /// A document of the vault. It may have no owner of its own, but those of its project or organization.
    Document(Uuid),
    /// An organization.
    Organization(Uuid),
}

impl Group {
    /// Its id.
    pub fn id(self) -> Uuid {
        match self {
            Self::Document(id) | Self::Organization(id) => id,
        }
    }

    /// Puts the names of the table of members and of its column of groups into a statement: `{members}` and `{group}`.
    fn sql(self, text: &str) -> AssertSqlSafe<String> {
        let (members, group) = match self {
            Self::Document(_) => ("members", "document_id"),
            Self::Organization(_) => ("organization_members", "organization_id"),
        };
        AssertSqlSafe(text.replace("{members}", members).replace("{group}", group))
    }
}

/// The members of a group, those that came first before others.
pub(crate) async fn list(db: &Db, group: Group) -> Stored<Vec<Member>> {
    let rows: Vec<Row> = db
        .query(group.sql(
            "SELECT user_id, role, created_at, is_added FROM {members} WHERE {group} = $1 \
             ORDER BY created_at, user_id",
        ))
        .bind(group.id())
        .all()
        .await?;
    let member = |row: Row| {
        Some(Member {
            user_id: row.user_id,
            role: Role::parse(&row.role)?,
            created_at: row.created_at,
            is_added: row.is_added,
        })
    };
    Ok(rows.into_iter().filter_map(member).collect())
}

/// Adds a user as a member, or changes the member's role. A server that sends letters tells a new member whom somebody
/// else adds; the letter names the group by `title`. Call [`Mail::wake`] after the commit, which is the caller's.
///
/// # Errors
///
/// A caller who is no owner any more, an unknown user, a group that would lose its last owner.
pub(crate) async fn set(
    tx: &mut Tx,
    mail: &Mail,
    (group, title): (Group, &str),
    by: Actor,
    input: MemberIn,
    created_at: Timestamp,
) -> Result<Member> {
    let owned = must_own(tx, group, by).await?;
    let known: Option<Uuid> = tx
        .query("SELECT id FROM users WHERE id = $1")
        .bind(input.user_id)
        .optional_value()
        .await?;
    if known.is_none() {
        return Err(Error::field(
            "/userId",
            ErrorCode::UnknownUser,
            "There is no such user.",
        ));
    }
    let is_new = role_of(tx, group, input.user_id).await?.is_none();
    // Without letters there are no invitations, so nobody could show an address by accepting one.
    let is_told = mail.is_on() && by != Actor::User(input.user_id);
    let member = Member {
        user_id: input.user_id,
        role: input.role.unwrap_or(Role::Editor),
        created_at,
        // Another role is no invitation: `put` keeps what was known of a member.
        is_added: is_told || !is_new,
    };
    put(tx, group, &member).await?;
    refuse_if_orphaned(tx, group, owned).await?;
    if is_new && is_told {
        tell_added(tx, mail, title, &member).await?;
    }
    Ok(member)
}

/// Tells somebody who was added by the id, at a verified address.
async fn tell_added(tx: &mut Tx, mail: &Mail, title: &str, member: &Member) -> Stored<()> {
    let address: Option<String> = tx
        .query("SELECT email FROM users WHERE id = $1 AND email_verified_at IS NOT NULL")
        .bind(member.user_id)
        .optional_value()
        .await?;
    match address {
        Some(address) => {
            let letter = added(&address, title, member.role);
            mail.post_news(tx, &letter).await
        }
        None => Ok(()),
    }
}

fn added(address: &str, title: &str, role: Role) -> Letter {
    let (title, role) = (quoted(title), role.as_str());
    let text = format!(
        "Somebody who knows the ID of your account added you to {title}, as {role}.\n\nOther members see your name. \
         They see your e-mail address only once you accept an invitation there. If you want no part in it, leave: \
         on its page \"People\", or by the API (DELETE …/users/<your account's ID>).\n"
    );
    Letter::plain(address, "Somebody added you as a member", &text)
}

/// Removes a member, or lets one leave. The caller commits.
///
/// # Errors
///
/// A caller who is no owner any more, a user who is no member, the last owner.
pub(crate) async fn remove(tx: &mut Tx, group: Group, by: Actor, user: Uuid) -> Result<()> {
    let owned = lock_owners(tx, group).await?;
    if by != Actor::User(user) {
        still_owns(tx, group, by).await?;
    }
    let removed = tx
        .query(group.sql("DELETE FROM {members} WHERE {group} = $1 AND user_id = $2"))
        .bind(group.id())
        .bind(user)
        .exec()
        .await?;
    if removed == 0 {
        return Err(Error::NotFound);
    }
    refuse_if_orphaned(tx, group, owned).await
}

/// Makes the user, whom somebody has invited, a member by an own act, unless the user has an equal or stronger role:
/// then false.
///
/// # Errors
///
/// An invitation of somebody who is no owner any more.
pub(crate) async fn join(
    tx: &mut Tx,
    group: Group,
    invited_by: Uuid,
    member: &Member,
) -> Result<bool> {
    lock_owners(tx, group).await?;
    let may = still_owns(tx, group, Actor::User(invited_by)).await;
    if !access::allowed(may)? {
        return Err(Error::NotFound);
    }
    let present = role_of(tx, group, member.user_id).await?;
    let is_more = present.and_then(|word| Role::parse(&word)) < Some(member.role);
    if is_more {
        put(tx, group, member).await?;
    } else {
        let own = "UPDATE {members} SET is_added = FALSE WHERE {group} = $1 AND user_id = $2";
        tx.query(group.sql(own))
            .bind(group.id())
            .bind(member.user_id)
            .exec()
            .await?;
    }
    Ok(is_more)
}

async fn role_of(tx: &mut Tx, group: Group, user: Uuid) -> Stored<Option<String>> {
    tx.query(group.sql("SELECT role FROM {members} WHERE {group} = $1 AND user_id = $2"))
        .bind(group.id())
        .bind(user)
        .optional_value()
        .await
}

/// Stores a member, whatever the user's role was. A member by an own act stays one.
pub(crate) async fn put(tx: &mut Tx, group: Group, member: &Member) -> Stored<()> {
    tx.query(group.sql(
        "INSERT INTO {members} ({group}, user_id, role, created_at, is_added) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT ({group}, user_id) DO UPDATE SET role = excluded.role, \
         is_added = {members}.is_added AND excluded.is_added",
    ))
    .bind(group.id())
    .bind(member.user_id)
    .bind(member.role.as_str())
    .bind(member.created_at)
    .bind(member.is_added)
    .exec()
    .await?;
    Ok(())
}

/// Ends all memberships of a group.
pub(crate) async fn clear(tx: &mut Tx, group: Group) -> Stored<()> {
    tx.query(group.sql("DELETE FROM {members} WHERE {group} = $1"))
        .bind(group.id())
        .exec()
        .await?;
    Ok(())
}

/// True if the group has owners of its own.
pub(crate) async fn is_owned(db: &Db, group: Group) -> Stored<bool> {
    Ok(db.query(group.sql(OWNERS)).bind(group.id()).count().await? > 0)
}

const OWNERS: &str = "SELECT COUNT(*) FROM {members} WHERE {group} = $1 AND role = 'owner'";

async fn owners(tx: &mut Tx, group: Group) -> Stored<u64> {
    tx.query(group.sql(OWNERS)).bind(group.id()).count().await
}

/// Locks the owners of a group, so that two owners cannot remove each other at the same moment. True if the group has
/// owners of its own.
async fn lock_owners(tx: &mut Tx, group: Group) -> Stored<bool> {
    let row = match group {
        Group::Document(id) => Locked::Document(id),
        Group::Organization(id) => Locked::Organization(id),
    };
    tx.lock(row).await?;
    Ok(owners(tx, group).await? > 0)
}

/// Locks the owners of a group until the transaction ends, and refuses a caller who is none. True if the group has an
/// owner.
pub(crate) async fn must_own(tx: &mut Tx, group: Group, by: Actor) -> Result<bool> {
    let owned = lock_owners(tx, group).await?;
    still_owns(tx, group, by).await?;
    Ok(owned)
}

/// Refuses a caller who is no owner, under the lock of the group. The transaction may have waited to begin since the
/// caller was asked for the role, and somebody may have taken it meanwhile.
async fn still_owns(tx: &mut Tx, group: Group, by: Actor) -> Result<()> {
    let need = Need::GOVERN;
    let role = match group {
        Group::Document(id) => access::document_in(tx, by, id, need).await,
        Group::Organization(id) => access::organization_in(tx, by, id, need).await,
    };
    role.map(drop)
}

async fn refuse_if_orphaned(tx: &mut Tx, group: Group, owned: bool) -> Result<()> {
    if owned && owners(tx, group).await? == 0 {
        return Err(Error::conflict(
            None,
            ErrorCode::LastOwner,
            "The last owner cannot leave or lose the role.",
        ));
    }
    Ok(())
}
