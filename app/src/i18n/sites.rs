//! Texts of the list of projects, for people with many of them.

use crate::i18n::table::texts;

texts! {
    /// The texts.
    SiteTexts;
    order: "Order", "Ordre";
    by_name: "Name", "Nom";
    by_consents: "Most consents", "Le plus de consentements";
    by_concerns: "Needs attention", "À surveiller";
    by_published: "Published longest ago", "Publié il y a le plus longtemps";
    view: "View", "Affichage";
    cards: "Cards", "Cartes";
    table: "Table", "Tableau";
    state: "State", "État";
    attention: "Attention", "Attention";
    week: "Consents, 7 days", "Consentements, 7 jours";
    accepted: "Accepted all, of those who answered", "Tout accepté, parmi les réponses";
    last_published: "Last published", "Dernière publication";
    never: "Never", "Jamais";
    choose: "Choose {title}", "Choisir {title}";
    choose_all: "Choose all on this page", "Tout choisir sur cette page";
    chosen_one: "{n} project chosen", "{n} projet choisi";
    chosen: "{n} projects chosen", "{n} projets choisis";
    publish: "Publish", "Publier";
    publish_title_one: "Publish {n} project?", "Publier {n} projet ?";
    publish_title: "Publish {n} projects?", "Publier {n} projets ?";
    publish_text: "They are published one after the other, as they stand now. Stay on this page until the last one is done.", "Ils sont publiés l’un après l’autre, dans leur état actuel. Restez sur cette page jusqu’au dernier.";
    stop: "Stop after this one", "Arrêter après celui-ci";
    going_on: "{done} of {all} done", "{done} sur {all} terminés";
    waits: "Waits", "En attente";
    runs: "Is being published", "Publication en cours";
    done: "Published", "Publié";
    asked: "Waits for approval", "Attend une approbation";
    failed: "Not published", "Non publié";
    warned: "There are warnings. Publish it on its own page, and say why.", "Il y a des avertissements. Publiez-le sur sa propre page en disant pourquoi.";
    look: "Look", "Voir";
    all_done: "All are published.", "Tous sont publiés.";
    some_ask_one: "{n} project waits for approval.", "{n} projet attend une approbation.";
    some_ask: "{n} projects wait for approval.", "{n} projets attendent une approbation.";
    others_done: "The others are published.", "Les autres sont publiés.";
    some_left: "Not all are published. The table says which.", "Tous ne sont pas publiés. Le tableau indique lesquels.";
    recent: "Recent", "Récents";
    find: "Find a project", "Trouver un projet";
}
