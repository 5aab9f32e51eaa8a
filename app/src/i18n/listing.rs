//! Texts of the tools that lists have.

use crate::i18n::table::texts;

texts! {
    /// Texts of the tools that lists have.
    ListingTexts;

    by_name: "By name", "Par nom";
    by_role: "By role", "Par rôle";
    by_use: "Last used first", "Dernière utilisation d’abord";
    newest_first: "Newest first", "Du plus récent au plus ancien";
    nothing_fits: "Nothing in this list matches the search.", "Rien dans cette liste ne correspond à la recherche.";
    oldest_first: "Oldest first", "Du plus ancien au plus récent";
    order: "Order", "Ordre";
    search_audit: "Search people, keys and things", "Chercher une personne, une clé ou un objet";
    search_deliveries: "Find a delivery by its webhook-id", "Trouver un envoi par son webhook-id";
    search_keys: "Search keys by name or project", "Chercher une clé par nom ou par projet";
    search_organizations: "Search organizations", "Chercher une organisation";
    search_people: "Search people by name or e-mail", "Chercher une personne par nom ou e-mail";
    search_publications: "Search by title, or by the start of the hash", "Chercher par titre, ou par le début de l’empreinte";
    search_publishes: "Search notes, messages and people", "Chercher dans les notes, les messages et les noms";
    search_trash: "Search the trash", "Chercher dans la corbeille";
}
