//! Texts of the settings of a project.

use crate::i18n::table::texts;

texts! {
    /// Texts of the settings of a project.
    SettingTexts, settings;
    contact_section: "Controller and contact", "Responsable et contact";
    delete_project: "Delete project", "Supprimer le projet";
    delete_project_text: "“{name}” and its configurations are deleted for everyone, and the banner disappears from your site, except where a page embeds a pinned file: take its lines out. You can restore the project from the trash for 30 days. After that it is removed for good, with all its proofs, however long they were to be kept: export them first.", "« {name} » et ses configurations sont supprimés pour tout le monde, et le bandeau disparaît de votre site, sauf là où une page intègre un fichier épinglé : retirez ses lignes. Vous pouvez restaurer le projet depuis la corbeille pendant 30 jours. Il est ensuite supprimé définitivement, avec toutes ses preuves, quelle que soit leur durée de conservation : exportez-les avant.";
    dpo_email: "E-mail of the officer", "E-mail du délégué";
    form_language_none: "Not chosen ({language})", "Non choisie ({language})";
    no_organization: "None", "Aucune";
    project_deleted: "Project deleted", "Projet supprimé";
    publishing_section: "Publishing", "Publication";
    settings_text: "Your site, who is responsible, and how long proofs are kept.", "Votre site, les responsables et la durée de conservation des preuves.";
    site_section: "Site", "Site";
    token_secret_change: "Create another secret", "Créer un autre secret";
    token_secret_keep: "Leave unchanged", "Ne rien changer";
    token_secret_make: "Create a secret", "Créer un secret";
    token_secret_remove: "Accept any token again", "Accepter de nouveau tout jeton";
    tokens_any: "Any token is accepted", "Tout jeton est accepté";
    tokens_section: "Tokens of your visitors", "Jetons de vos visiteurs";
    tokens_signed_only: "Signed tokens only", "Jetons signés uniquement";
    tokens_text: "A token identifies a visitor. The banner creates one with 128 random bits, or your site sets its own. Anyone who knows a token can answer for its visitor. Tokens of your own therefore need 128 random bits or a signature.", "Un jeton désigne un visiteur. Le bandeau en crée un de 128 bits aléatoires, ou votre site fixe le sien. Quiconque connaît un jeton peut répondre à la place du visiteur. Vos propres jetons doivent donc compter 128 bits aléatoires ou porter une signature.";
    tokens_will_be_refused: "After you save, consents without a valid signature are refused, including those with a token that the banner created. First set placetSettings.token to token.signature on every page. The signature is the HMAC-SHA256 of the token with this secret, in hexadecimal.", "Après l’enregistrement, les consentements sans signature valable sont refusés, y compris ceux dont le bandeau a créé le jeton. Donnez d’abord à placetSettings.token la valeur jeton.signature sur chaque page. La signature est le HMAC-SHA256 du jeton avec ce secret, en hexadécimal.";
    tokens_will_be_taken: "After you save, consents with any token are accepted again.", "Après l’enregistrement, les consentements sont de nouveau acceptés avec tout jeton.";
    type_name: "To confirm, type “{name}”", "Pour confirmer, saisissez « {name} »";
}
