//! Texts about changes that a publish makes.

use crate::i18n::table::texts;

texts! {
    /// The texts.
    PublishTexts;
    note: "Note", "Note";
    note_hint: "Why you publish. It stands in the history below.", "Pourquoi vous publiez. Elle figure dans l’historique ci-dessous.";
    with_note: "Note: {reason}", "Note : {reason}";
    at: "Goes live", "Mise en ligne";
    at_hint: "In your time zone; at once when empty. What is published is fixed now.", "Dans votre fuseau horaire ; tout de suite si le champ est vide. Le contenu est figé dès maintenant.";
    schedule: "Schedule", "Programmer";
    ask: "Ask for approval", "Demander l’approbation";
    waits: "A publish waits", "Une publication attend";
    waits_badge: "waits", "en attente";
    asked_by: "{person} asked for it", "Demandée par {person}";
    waits_for_approval: "Somebody other than the person who asked must approve it.", "Une autre personne que celle qui la demande doit l’approuver.";
    another_approves: "Somebody else must approve it: you asked for it.", "Quelqu’un d’autre doit l’approuver : vous l’avez demandée.";
    goes_live: "It goes live on", "Mise en ligne le";
    see_widget: "See “{title}”", "Voir « {title} »";
    seen_title: "As visitors would see it", "Comme les visiteurs la verraient";
    fixed: "Its content is fixed: later changes are not part of it. It ends if another publish goes live first.", "Son contenu est figé : les modifications ultérieures n’en font pas partie. Elle prend fin si une autre publication est mise en ligne avant.";
    nothing_differs: "It is the same as what is live.", "C’est identique à ce qui est en ligne.";
    approve: "Approve", "Approuver";
    cancel_publish: "Cancel the publish", "Annuler la publication";
    approved: "Approved", "Approuvée";
    cancelled: "Cancelled", "Annulée";
    overtaken: "Another publish went live meanwhile.", "Une autre publication a été mise en ligne entre-temps.";
    publish_waits: "A publish waits already. Cancel it first.", "Une publication attend déjà. Annulez-la d’abord.";
    not_waiting: "It does not wait any more.", "Elle n’attend plus.";
    see_waiting: "See it", "Voir";
    field_differs: "{n} field differs", "{n} champ diffère";
    fields_differ: "{n} fields differ", "{n} champs diffèrent";
    more: "and {n} more", "et {n} autres";
    before: "Live now", "En ligne";
    after: "Then", "Ensuite";
    nothing: "nothing", "rien";
    yes: "yes", "oui";
    no: "no", "non";
    same: "It is the same as what is live. Rolling back changes nothing that visitors see.", "C’est identique à ce qui est en ligne. Ce retour ne change rien pour les visiteurs.";
    turned_on: "On", "Activé";
    phone: "Telephone", "Téléphone";
    address: "Postal address", "Adresse postale";
    contact: "Contact for visitors", "Contact pour les visiteurs";
    active: "Without the demo line", "Sans la mention de démonstration";
    languages: "Languages", "Langues";
    untranslated: "Texts without a translation", "Textes sans traduction";
    comes: "comes", "ajouté";
    goes: "goes", "retiré";
}
