//! Texts of the overview of a project.

use crate::i18n::table::texts;

texts! {
    /// Texts of the overview of a project.
    OverviewTexts, overview;

    accept_rate_30_days: "Accepted, 30 days", "Acceptation, 30 jours";
    as_csv: "Download as CSV", "Télécharger en CSV";
    by_language: "By language and country", "Par langue et par pays";
    consents_today: "Consents today", "Consentements du jour";
    languages: "Languages, 30 days", "Langues, 30 jours";
    language_unknown: "not known", "inconnue";
    languages_none: "No answer of these days is kept with the language of its banner. New ones are.", "Aucune réponse de ces jours n’est conservée avec la langue de son bandeau. Les nouvelles le sont.";
    last_proofs: "Last proofs", "Dernières preuves";
    latest_consent: "latest", "dernier";
    n_configuration: "{n} configuration", "{n} configuration";
    n_configurations: "{n} configurations", "{n} configurations";
    of_answer: "of {n} answer", "sur {n} réponse";
    of_answers: "of {n} answers", "sur {n} réponses";
    published_lower: "published", "publié";
    todo_configuration: "Create the banner", "Créer le bandeau";
    todo_configuration_text: "A welcome, then your services.", "Un accueil, puis vos services.";
    todo_install: "Install the snippet and receive a first consent", "Installer l’extrait et recevoir un premier consentement";
    todo_install_text: "Add the snippet to your site, open the site and choose.", "Ajoutez l’extrait à votre site, ouvrez le site et choisissez.";
    todo_publish: "Publish", "Publier";
    todo_publish_text: "Your visitors see only what you publish.", "Vos visiteurs ne voient que ce que vous publiez.";
    todo_services: "Choose the services", "Choisir les services";
    todo_services_text: "From the catalogue, or your own.", "Dans le catalogue, ou les vôtres.";
    todo_title: "Steps to your first proof", "Étapes jusqu’à votre première preuve";
}
