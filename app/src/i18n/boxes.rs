//! Texts of consent forms.

use crate::i18n::table::texts;

texts! {
    /// Texts of consent forms.
    BoxTexts, boxes;

    box_answers_text: "Without buttons, the box shows a checkbox. With buttons, one click answers.", "Sans boutons, l’encart affiche une case à cocher. Avec des boutons, un clic suffit.";
    box_button_accepts: "Agrees", "Accepte";
    box_button_add: "Add a button", "Ajouter un bouton";
    box_button_n: "Button {n}", "Bouton {n}";
    box_button_own: "Custom value", "Valeur personnalisée";
    box_button_own_hint: "A value counts as consent and is stored with it. Without a value, the button refuses.", "Une valeur vaut consentement et est conservée avec lui. Sans valeur, le bouton refuse.";
    box_button_refuses: "Refuses", "Refuse";
    box_checked: "Agrees", "Accepte";
    box_consents: "Consent boxes", "Encarts de consentement";
    box_contracts: "Contract boxes", "Encarts de contrat";
    box_controller: "Visitors also read the controller: {name}.", "Les visiteurs lisent aussi le responsable de traitement : {name}.";
    box_controller_missing: "Name at least one, or name the controller of all boxes in the settings.", "Nommez-en au moins un, ou nommez dans les réglages le responsable de traitement de tous les encarts.";
    box_create: "Create box", "Créer l’encart";
    box_data_types_example: "E-mail address", "Adresse e-mail";
    box_delete: "Delete box", "Supprimer l’encart";
    box_delete_text: "“{title}” is deleted now. Your forms show it until the next publish. Its proofs are kept for their time. You can restore it from the trash for 30 days.", "« {title} » est supprimé maintenant. Vos formulaires l’affichent jusqu’à la prochaine publication. Ses preuves sont conservées pour leur durée. Vous pouvez le restaurer depuis la corbeille pendant 30 jours.";
    box_deleted: "Box deleted", "Encart supprimé";
    box_details: "What it is about", "De quoi il s’agit";
    box_details_text: "Visitors open this with “Details”. Consent is valid only if they could read it first.", "Les visiteurs l’ouvrent avec « Détails ». Le consentement n’est valable que s’ils ont pu le lire avant.";
    box_embed: "In your form", "Dans votre formulaire";
    box_embed_fields: "Your server receives {name}, {name}_token and {name}_consent_id. The last field holds the ID of the proof.", "Votre serveur reçoit {name}, {name}_token et {name}_consent_id. Le dernier champ contient l’identifiant de la preuve.";
    box_embed_text: "Put this line into a form, on a page that has the snippet of the banner. It shows the published box.", "Placez cette ligne dans un formulaire, sur une page qui contient l’extrait du bandeau. Elle affiche l’encart publié.";
    box_language_common: "As in the settings of the project", "Comme dans les réglages du projet";
    box_language_of: "As in the settings of the project ({language})", "Comme dans les réglages du projet ({language})";
    box_new_consent: "New consent box", "Nouvel encart de consentement";
    box_new_consent_text: "For one use of personal data that needs consent, such as a newsletter.", "Pour un usage de données personnelles qui demande un consentement, comme une newsletter.";
    box_new_contract: "New contract box", "Nouvel encart de contrat";
    box_new_contract_text: "For a document that visitors must agree to, such as the terms of sale.", "Pour un document que les visiteurs doivent accepter, comme des conditions de vente.";
    box_no_consents: "None yet. A consent box asks for one use of personal data.", "Aucun pour l’instant. Un encart de consentement porte sur un usage de données personnelles.";
    box_no_contracts: "None yet. A contract box asks for agreement to a document.", "Aucun pour l’instant. Un encart de contrat porte sur l’accord à un document.";
    box_none_fits: "No box matches your search.", "Aucun encart ne correspond à la recherche.";
    box_processor_add: "Add a recipient", "Ajouter un destinataire";
    box_processor_n: "Recipient {n}", "Destinataire {n}";
    box_screen_after: "After “{answer}”", "Après « {answer} »";
    box_screen_unused: "For the value “{value}”, which no button has", "Pour la valeur « {value} », qu’aucun bouton ne porte";
    box_screens_text: "The box can show a screen after each answer.", "L’encart peut afficher un écran après chaque réponse.";
    box_unchecked: "Refuses", "Refuse";
    box_warn_no_refusal: "No button refuses. Visitors can agree, but they cannot say no.", "Aucun bouton ne refuse. Les visiteurs peuvent accepter, mais pas dire non.";
    box_warn_required: "Visitors cannot send the form without this consent, so the consent may not be valid. Require it only if you cannot avoid it.", "Les visiteurs ne peuvent pas envoyer le formulaire sans ce consentement : il risque de ne pas être valable. Ne l’exigez que si c’est inévitable.";
    box_warn_unequal: "Agreeing stands out more than refusing. Give both buttons the same look.", "Accepter se remarque plus que refuser. Donnez le même aspect aux deux boutons.";
    box_words: "Texts", "Textes";
    box_words_text: "What visitors see in the form.", "Ce que les visiteurs voient dans le formulaire.";
    boxes_empty_text: "A consent box asks for one use of personal data. A contract box asks for agreement to a document. Both go into forms on your site, and Placet keeps each answer as a proof.", "Un encart de consentement porte sur un usage de données personnelles. Un encart de contrat porte sur l’accord à un document. Les deux se placent dans les formulaires de votre site, et Placet garde chaque réponse comme preuve.";
    boxes_empty_title: "Ask for consent in your forms", "Demandez le consentement dans vos formulaires";
    boxes_install_hint: "Boxes appear on pages that have the snippet of the banner:", "Les encarts apparaissent sur les pages qui contiennent l’extrait du bandeau :";
    boxes_need_widget: "Boxes need the snippet of the banner on your site. Create a banner first.", "Les encarts ont besoin de l’extrait du bandeau sur votre site. Créez d’abord un bandeau.";
    boxes_text: "What visitors agree to in your forms, such as a newsletter or terms of sale.", "Ce que les visiteurs acceptent dans vos formulaires, comme une newsletter ou des conditions de vente.";
    search_boxes: "Search boxes", "Chercher un encart";
    sort: "Order", "Ordre";
    sort_changed: "Last changed first", "Dernières modifiées d’abord";
    sort_oldest: "Oldest first", "Plus anciennes d’abord";
    sort_title: "By title", "Par titre";
}
