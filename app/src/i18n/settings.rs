//! Texts of the settings of a project.

use crate::i18n::table::texts;

texts! {
    /// Texts of the settings of a project.
    SettingTexts, settings;

    approval_hint: "Everybody who publishes then asks, owners too, and another editor or owner approves: with one person nothing can be published. Undoing the last publish needs no approval, so that a mistake is put right at once. Owners alone change this.", "Toute personne qui publie la demande alors, les propriétaires aussi, et un autre éditeur ou propriétaire approuve : seul, on ne peut rien publier. Revenir sur la dernière publication ne demande pas d’approbation, afin qu’une erreur soit corrigée aussitôt. Seuls les propriétaires changent ce réglage.";
    contact_section: "Controller and contact", "Responsable et contact";
    controller_hint: "The organization that decides why personal data is processed. The banner and consent boxes show its name.", "L’organisation qui décide pourquoi les données sont traitées. Le bandeau et les encarts de consentement montrent son nom.";
    delete_project: "Delete project", "Supprimer le projet";
    delete_project_text: "“{name}” and its configurations are deleted for everyone, and the banner disappears from your site, except where a page embeds a pinned file: take its lines out. You can restore the project from the trash for 30 days. After that it is removed for good, with all its proofs, however long they were to be kept: export them first.", "« {name} » et ses configurations sont supprimés pour tout le monde, et le bandeau disparaît de votre site, sauf là où une page intègre un fichier épinglé : retirez ses lignes. Vous pouvez restaurer le projet depuis la corbeille pendant 30 jours. Il est ensuite supprimé définitivement, avec toutes ses preuves, quelle que soit leur durée de conservation : exportez-les avant.";
    privacy_policy_hint: "Banners that name no other link to it.", "Les bandeaux qui n’en nomment pas d’autre y renvoient.";
    domains_hint: "One host per line. If you list any, Placet accepts consents only from pages on these hosts. A change takes effect when you publish.", "Un hôte par ligne. Si vous en indiquez, Placet n’accepte que les consentements des pages de ces hôtes. Une modification prend effet à la publication.";
    dpo_email: "E-mail of the officer", "E-mail du délégué";
    form_language: "Language of consent forms", "Langue des formulaires de consentement";
    form_language_hint: "For consent boxes and contract boxes that name no language: for their buttons and messages, as far as you do not write them yourself. A change takes effect when you publish.", "Pour les encarts de consentement et de contrat qui n’indiquent pas de langue : leurs boutons et messages, si vous ne les écrivez pas vous-même. Une modification prend effet à la publication.";
    form_language_none: "Not chosen ({language})", "Non choisie ({language})";
    ip_mode_hint: "How much of the visitor’s address a proof contains. A change takes effect when you publish.", "Quelle part de l’adresse du visiteur une preuve contient. Une modification prend effet à la publication.";
    no_organization: "None", "Aucune";
    organization_hint: "Its members take part in this project. You can choose an organization that you own. An owner of the project or of the organization can remove it.", "Ses membres participent à ce projet. Vous pouvez choisir une organisation dont vous êtes propriétaire. Un propriétaire du projet ou de l’organisation peut la retirer.";
    project_deleted: "Project deleted", "Projet supprimé";
    publishing_section: "Publishing", "Publication";
    retention_hint: "If empty, for as long as the project exists.", "Si vide, aussi longtemps que le projet existe.";
    retention_months: "Keep proofs for", "Garder les preuves";
    retention_section: "Proofs", "Preuves";
    settings_text: "Your site, who is responsible, and how long proofs are kept.", "Votre site, les responsables et la durée de conservation des preuves.";
    site_section: "Site", "Site";
    token_secret: "Signing secret for tokens", "Secret de signature des jetons";
    token_secret_change: "Create another secret", "Créer un autre secret";
    token_secret_hint: "16 to 255 characters. You cannot see it again after you save.", "16 à 255 caractères. Vous ne pourrez plus le voir après l’enregistrement.";
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
    visitor_erasure: "Visitors may erase their consents", "Les visiteurs peuvent effacer leurs consentements";
    visitor_erasure_hint: "A button on their page “Your answers”. Anybody who has a visitor’s token can use it. Leave it off if you have to keep what shows that consent was given.", "Un bouton sur leur page « Vos réponses ». Toute personne qui a le jeton d’un visiteur peut s’en servir. Laissez désactivé si vous devez conserver la preuve du consentement.";
}
