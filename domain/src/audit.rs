//! The actions that the audit log of a project tells.

crate::words! {
    /// Something that a person, a program or Placet itself did in a project or an organization.
    #[derive(Hash)]
    #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
    pub enum Action {
        /// Made a document of the vault.
        Made = "made",
        /// Changed a document of the vault. The details name its changed fields.
        Changed = "changed",
        /// Deleted a document of the vault.
        Deleted = "deleted",
        /// Brought a deleted document back.
        Restored = "restored",
        /// Started a publish.
        Published = "published",
        /// Asked for a publish that waits for a time, or for the approval of a second person. The details name which.
        PublishAsked = "publish_asked",
        /// Approved the publish of somebody else.
        PublishApproved = "publish_approved",
        /// Cancelled a publish that waited.
        PublishCancelled = "publish_cancelled",
        /// Put an earlier publish back.
        RolledBack = "rolled_back",
        /// Asked for pictures of a publication.
        PicturesAsked = "pictures_asked",
        /// Added pictures of a publication that were taken elsewhere.
        PicturesAdded = "pictures_added",
        /// Read consents or tokens of visitors.
        ConsentsRead = "consents_read",
        /// Exported consents. The details name the format and the time that it covers.
        ConsentsExported = "consents_exported",
        /// Imported consents.
        ConsentsImported = "consents_imported",
        /// Erased the consents of a token, which nothing names any more.
        ConsentsErased = "consents_erased",
        /// Visitors erased consents of their own. One entry an hour, without an author.
        VisitorsErased = "visitors_erased",
        /// Added a member, or changed the role of one. The details name the role.
        MemberSet = "member_set",
        /// Removed a member, or left.
        MemberRemoved = "member_removed",
        /// Invited somebody by e-mail. The details name the role.
        Invited = "invited",
        /// Took an invitation back.
        InvitationRevoked = "invitation_revoked",
        /// Accepted an invitation. The details name the role.
        Joined = "joined",
        /// Registered a webhook.
        WebhookMade = "webhook_made",
        /// Changed a webhook.
        WebhookChanged = "webhook_changed",
        /// Removed a webhook.
        WebhookDeleted = "webhook_deleted",
        /// Made a new secret for a webhook.
        WebhookRotated = "webhook_rotated",
        /// Uploaded a file.
        FileUploaded = "file_uploaded",
        /// Deleted a file.
        FileDeleted = "file_deleted",
        /// Renamed an organization, or changed what it requires.
        OrganizationChanged = "organization_changed",
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
