//! Texts of organizations.

use crate::i18n::table::texts;

texts! {
    /// Texts of organizations.
    OrganizationTexts, organizations;

    create_organization: "Create organization", "Créer l’organisation";
    delete_organization: "Delete organization", "Supprimer l’organisation";
    delete_organization_text: "“{name}” is deleted for all members. Remove its projects from it first.", "« {name} » est supprimée pour tous les membres. Retirez d’abord ses projets.";
    new_organization: "New organization", "Nouvelle organisation";
    no_organizations_text: "An organization shares projects. Its members take part in all of its projects.", "Une organisation partage des projets. Ses membres participent à tous ses projets.";
    no_organizations_title: "Work together", "Travaillez ensemble";
    organization_has_no_project: "No project is part of it yet. An owner of a project adds it in the project’s settings.", "Aucun projet n’en fait encore partie. Le propriétaire d’un projet l’ajoute dans les réglages du projet.";
    organization_deleted: "Organization deleted", "Organisation supprimée";
    organization_id: "organization ID", "l’identifiant de l’organisation";
    organization_name: "Name", "Nom";
    organization_text: "Members take part in all projects of this organization.", "Les membres participent à tous les projets de cette organisation.";
    organizations_text: "People who share projects.", "Des personnes qui partagent des projets.";
    require_second_factor: "Members need a second factor", "Un second facteur est exigé des membres";
    require_second_factor_hint: "Members without one see none of its projects until they turn it on. Their API keys stop too. People who sign in by a provider choose a password first: a second factor at the provider does not count here.", "Les membres qui n’en ont pas ne voient aucun de ses projets tant qu’ils ne l’ont pas activé. Leurs clés d’API s’arrêtent aussi. Qui se connecte par un fournisseur choisit d’abord un mot de passe : un second facteur chez le fournisseur ne compte pas ici.";
    second_factor_awaited: "Second factor needed", "Second facteur exigé";
}
