//! Texts of concerns, and of the letters that a person wants.

use crate::i18n::table::texts;

texts! {
    /// The texts.
    ConcernTexts;
    title: "Needs attention", "À surveiller";
    since: "since", "depuis";
    no_consents: "No consents are coming in", "Aucun consentement n’arrive";
    no_consents_text: "Before, consents came on most days. The snippet may be missing from the site, or a policy of the site may block it.", "Auparavant, des consentements arrivaient presque chaque jour. L’extrait manque peut-être sur le site, ou une politique du site le bloque.";
    snippet_gone: "The snippet is missing from the site", "L’extrait manque sur le site";
    snippet_gone_text: "Without it, visitors are not asked, and what waits for consent never starts.", "Sans lui, les visiteurs ne sont pas interrogés, et ce qui attend leur consentement ne démarre jamais.";
    check_site: "Check the site", "Vérifier le site";
    publish_failed: "The last publish failed", "La dernière publication a échoué";
    publish_failed_text: "The page Publish has the reason, and what visitors see.", "La page Publier donne la raison et ce que voient les visiteurs.";
    publish_waits: "A publish is waiting for approval", "Une publication attend une approbation";
    publish_waits_text: "Somebody other than its author looks at the changes and approves.", "Une autre personne que son auteur vérifie les modifications et approuve.";
    see_publish: "See the publish", "Voir la publication";
    webhook_off: "A webhook was turned off", "Un webhook a été désactivé";
    webhook_off_text: "It accepted nothing for days, or said that it is no more.", "Il n’a rien accepté pendant des jours, ou a dit ne plus exister.";
    see_webhooks: "See the webhooks", "Voir les webhooks";
    letters: "Notifications", "Notifications";
    letters_text: "E-mails about the projects that you take part in.", "E-mails au sujet des projets auxquels vous participez.";
    letters_of_concerns: "When a project needs attention", "Quand un projet demande de l’attention";
    letters_of_concerns_text: "One e-mail each time: no consents come in for a day (of sites that had dozens a week before, on most days), the snippet is missing, a publish failed (for owners), a publish is waiting for your approval (for editors and owners).", "Un e-mail à chaque fois : aucun consentement n’arrive pendant un jour (pour les sites qui en avaient des dizaines par semaine, presque chaque jour), l’extrait manque, une publication a échoué (pour les propriétaires), une publication attend votre approbation (pour les éditeurs et les propriétaires).";
    digest: "A digest on Mondays", "Un résumé le lundi";
    digest_text: "Consents and publishes of your projects (the first 50 by name) in the last week, and what needs attention now.", "Les consentements et publications de vos projets (les 50 premiers par nom) la semaine passée, et ce qui demande de l’attention maintenant.";
    letters_saved: "Your choice of e-mails is saved.", "Votre choix d’e-mails est enregistré.";
}
