//! Texts of the list of proofs, and of a proof.

use crate::i18n::table::texts;

texts! {
    /// Texts of the list of proofs, and of a proof.
    ProofTexts, proofs;

    accept_sent: "Value of “accept”", "Valeur de « accept »";
    all_of_token: "All of this token", "Tous ceux de ce jeton";
    any_configuration: "All", "Toutes";
    as_sent: "Preferences as sent", "Préférences telles qu’envoyées";
    consent_id: "Consent ID", "Identifiant du consentement";
    device_phone: "phone", "téléphone";
    device_tablet: "tablet", "tablette";
    device_computer: "computer", "ordinateur";
    erase: "Erase", "Effacer";
    erase_text: "What identifies this person, and the choices, are removed from all consents of this token. You cannot undo this. Of each consent remain its ID, what was asked, its dates and whether it accepted.", "Ce qui identifie cette personne et les choix sont retirés de tous les consentements de ce jeton. C’est irréversible. De chaque consentement restent son identifiant, ce qui a été demandé, ses dates et s’il acceptait.";
    erase_title: "Erase this token", "Effacer ce jeton";
    identifier: "identifier", "l’identifiant";
    ip: "IP address", "Adresse IP";
    choices_erased: "The choices were erased with what identifies the person.", "Les choix ont été effacés avec ce qui identifie la personne.";
    no_choices: "This consent has no individual choices.", "Ce consentement ne contient pas de choix individuels.";
    no_proofs_text: "Once the banner is on your site, each choice of a visitor appears here with its proof.", "Une fois le bandeau sur votre site, chaque choix d’un visiteur apparaît ici avec sa preuve.";
    no_proofs_title: "No consents yet", "Pas encore de consentements";
    nothing_fits_text: "No consent matches this filter.", "Aucun consentement ne correspond à ce filtre.";
    outcome: "Outcome", "Résultat";
    page_host: "Page host", "Hôte de la page";
    proofs_text: "Each choice of a visitor, with its proof.", "Chaque choix d’un visiteur, avec sa preuve.";
    publication_not_verified: "This consent names no publication of this configuration.", "Ce consentement ne nomme aucune publication de cette configuration.";
    publication_unknown: "not known", "inconnue";
    published_at: "Published", "Publiée";
    received: "Received", "Reçu";
    refused_by_closing: "By closing", "En fermant";
    replaced: "Replaced by a later consent", "Remplacé par un consentement plus récent";
    tc_string: "TC string", "Chaîne TC";
    tc_string_fits: "Fits what was shown", "Conforme à ce qui a été affiché";
    tc_string_kept: "Kept from an earlier answer", "Gardée d’une réponse antérieure";
    tcf_choices: "Choices by TCF", "Choix par TCF";
    tcf_unknown: "The string cannot be read, or the publication that was shown is unknown.", "La chaîne est illisible, ou la publication affichée est inconnue.";
    tcf_purposes: "Purposes", "Finalités";
    tcf_special_features: "Special features", "Fonctionnalités spéciales";
    tcf_partners: "Partners", "Partenaires";
    tcf_providers: "Google’s providers", "Fournisseurs de Google";
    tcf_allowed: "{n} of {all} with consent", "{n} sur {all} avec consentement";
    tcf_consent: "Consent", "Consentement";
    tcf_interest: "Legitimate interest", "Intérêt légitime";
    tcf_objection: "Objected", "Opposition";
    tcf_no_objection: "No objection", "Pas d’opposition";
    tc_string_unfit: "Does not fit", "Non conforme";
    token_generated: "In the banner’s own form", "Sous la forme propre au bandeau";
    token_kind: "Origin of the token", "Origine du jeton";
    token_signed: "Signed by the site", "Signé par le site";
    token_unsigned: "Not signed", "Non signé";
    token_unsigned_text: "The site chose this token and did not sign it. Anyone who guesses it can answer for this person.", "Le site a choisi ce jeton sans le signer. Quiconque le devine peut répondre à la place de cette personne.";
    unfit_choices: "It allows something that was not asked.", "Elle autorise quelque chose qui n’a pas été demandé.";
    unfit_cmp: "It names another consent management platform.", "Elle nomme une autre plateforme de gestion du consentement.";
    unfit_day: "It is of another day than the decision.", "Elle est d’un autre jour que la décision.";
    unfit_disclosed: "It names other partners than those that were shown.", "Elle nomme d’autres partenaires que ceux qui ont été affichés.";
    unfit_list: "It names another version of the Global Vendor List.", "Elle nomme une autre version de la Global Vendor List.";
    unfit_publication: "It is not known what was shown.", "On ne sait pas ce qui a été affiché.";
    unfit_restrictions: "It has other restrictions than those that were published.", "Elle contient d’autres restrictions que celles publiées.";
    unfit_unreadable: "It cannot be read.", "Elle est illisible.";
    user_agent: "Browser", "Navigateur";
}
