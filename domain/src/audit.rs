//! The actions that the audit log of a project tells.

crate::words! {
    /// Something that a person, a program or Placet itself did in a project or an organization.
    #[derive(Hash)]
    #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
    pub enum Action {
        /// Made a document of the vault.
        "made" Made,
        /// Changed a document of the vault. The details name its changed fields.
        "changed" Changed,
        /// Deleted a document of the vault.
        "deleted" Deleted,
        /// Brought a deleted document back.
        "restored" Restored,
        /// Started a publish.
        "published" Published,
        /// Asked for a publish that waits for a time, or for the approval of a second person. The details name which.
        "publish_asked" PublishAsked,
        /// Approved the publish of somebody else.
        "publish_approved" PublishApproved,
        /// Cancelled a publish that waited.
        "publish_cancelled" PublishCancelled,
        /// Put an earlier publish back.
        "rolled_back" RolledBack,
        /// Asked for pictures of a publication.
        "pictures_asked" PicturesAsked,
        /// Added pictures of a publication that were taken elsewhere.
        "pictures_added" PicturesAdded,
        /// Read consents or tokens of visitors.
        "consents_read" ConsentsRead,
        /// Exported consents. The details name the format and the time that it covers.
        "consents_exported" ConsentsExported,
        /// Imported consents.
        "consents_imported" ConsentsImported,
        /// Erased the consents of a token, which nothing names any more.
        "consents_erased" ConsentsErased,
        /// Visitors erased consents of their own. One entry an hour, without an author.
        "visitors_erased" VisitorsErased,
        /// Added a member, or changed the role of one. The details name the role.
        "member_set" MemberSet,
        /// Removed a member, or left.
        "member_removed" MemberRemoved,
        /// Invited somebody by e-mail. The details name the role.
        "invited" Invited,
        /// Took an invitation back.
        "invitation_revoked" InvitationRevoked,
        /// Accepted an invitation. The details name the role.
        "joined" Joined,
        /// Registered a webhook.
        "webhook_made" WebhookMade,
        /// Changed a webhook.
        "webhook_changed" WebhookChanged,
        /// Removed a webhook.
        "webhook_deleted" WebhookDeleted,
        /// Made a new secret for a webhook.
        "webhook_rotated" WebhookRotated,
        /// Uploaded a file.
        "file_uploaded" FileUploaded,
        /// Deleted a file.
        "file_deleted" FileDeleted,
        /// Renamed an organization, or changed what it requires.
        "organization_changed" OrganizationChanged,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_json() {
        for action in Action::ALL {
            let json = serde_json::to_value(action).unwrap();
            assert_eq!(json, action.as_str());
            assert_eq!(Action::parse(action.as_str()), Some(*action));
        }
    }
}
