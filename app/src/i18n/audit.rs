//! Texts of the audit log.

use domain::audit::Action;

use crate::i18n::table::texts;

texts! {
    /// The texts.
    AuditTexts;
    text: "Who changed, published, read, exported or erased something here, and when. Kept for a year.", "Qui a modifié, publié, consulté, exporté ou effacé quelque chose ici, et quand. Conservé un an.";
    hourly: "The same action by one person on one thing within an hour is one line.", "La même action d’une personne sur un même objet dans l’heure forme une seule ligne.";
    empty_title: "Nothing happened yet", "Rien à signaler pour l’instant";
    empty_text: "Changes, publishes, and everybody who reads proofs will stand here.", "Les modifications, les publications et les consultations de preuves apparaîtront ici.";
    none_title: "Nothing of this kind", "Rien de ce type";
    none_text: "Choose another action, or all.", "Choisissez une autre action, ou toutes.";
    what: "What", "Action";
    who: "Who", "Auteur";
    when: "When", "Date";
    any: "All actions", "Toutes les actions";
    placet: "Placet itself", "Placet lui-même";
    gone: "An account that was deleted, or shows no address", "Un compte supprimé, ou sans adresse affichée";
    by_key: "API key", "Clé d’API";
    revoked_key: "revoked", "révoquée";
    made: "Created", "Création";
    changed: "Changed", "Modification";
    deleted: "Deleted", "Suppression";
    restored: "Restored from the trash", "Restauration depuis la corbeille";
    published: "Published", "Publication";
    publish_asked: "Asked for a publish", "Demande de publication";
    publish_approved: "Approved a publish", "Approbation d’une publication";
    publish_cancelled: "Cancelled a publish", "Annulation d’une publication";
    rolled_back: "Restored an earlier publish", "Retour à une publication antérieure";
    pictures_asked: "Asked for pictures of a publication", "Demande d’images d’une publication";
    pictures_added: "Added pictures of a publication", "Ajout d’images d’une publication";
    consents_read: "Read consents", "Consultation de consentements";
    consents_exported: "Exported consents", "Export de consentements";
    consents_imported: "Imported consents", "Import de consentements";
    consents_erased: "Erased the consents of a visitor", "Effacement des consentements d’un visiteur";
    visitors_erased: "Erased own consents", "Effacement de ses propres consentements";
    export: "Export as CSV", "Exporter en CSV";
    visitors: "Visitors of the site", "Des visiteurs du site";
    member_set: "Gave a role", "Attribution d’un rôle";
    member_removed: "Removed a member", "Retrait d’un membre";
    invited: "Invited", "Invitation";
    invitation_revoked: "Revoked an invitation", "Révocation d’une invitation";
    joined: "Joined", "Arrivée";
    webhook_made: "Created a webhook", "Création d’un webhook";
    webhook_changed: "Changed a webhook", "Modification d’un webhook";
    webhook_deleted: "Deleted a webhook", "Suppression d’un webhook";
    webhook_rotated: "Rotated the secret of a webhook", "Renouvellement du secret d’un webhook";
    file_uploaded: "Uploaded a file", "Envoi d’un fichier";
    file_deleted: "Deleted a file", "Suppression d’un fichier";
    organization_changed: "Changed the organization", "Modification de l’organisation";
}

impl AuditTexts {
    /// An action in words.
    pub fn action(&self, action: Action) -> &'static str {
        match action {
            Action::Made => self.made,
            Action::Changed => self.changed,
            Action::Deleted => self.deleted,
            Action::Restored => self.restored,
            Action::Published => self.published,
            Action::PublishAsked => self.publish_asked,
            Action::PublishApproved => self.publish_approved,
            Action::PublishCancelled => self.publish_cancelled,
            Action::RolledBack => self.rolled_back,
            Action::PicturesAsked => self.pictures_asked,
            Action::PicturesAdded => self.pictures_added,
            Action::ConsentsRead => self.consents_read,
            Action::ConsentsExported => self.consents_exported,
            Action::ConsentsImported => self.consents_imported,
            Action::ConsentsErased => self.consents_erased,
            Action::VisitorsErased => self.visitors_erased,
            Action::MemberSet => self.member_set,
            Action::MemberRemoved => self.member_removed,
            Action::Invited => self.invited,
            Action::InvitationRevoked => self.invitation_revoked,
            Action::Joined => self.joined,
            Action::WebhookMade => self.webhook_made,
            Action::WebhookChanged => self.webhook_changed,
            Action::WebhookDeleted => self.webhook_deleted,
            Action::WebhookRotated => self.webhook_rotated,
            Action::FileUploaded => self.file_uploaded,
            Action::FileDeleted => self.file_deleted,
            Action::OrganizationChanged => self.organization_changed,
        }
    }
}
