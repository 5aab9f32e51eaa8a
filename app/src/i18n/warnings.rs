//! Texts of warnings about configurations.

use crate::i18n::table::texts;

texts! {
    /// Texts of warnings about configurations: the matter, and what mends it.
    WarningTexts, of_warnings;

    advertising_unnamed: "Services advertise, and the first step does not say so. Name it, or leave the message empty: then the banner names all purposes.", "Des services font de la publicité et la première étape ne le dit pas. Dites-le, ou laissez le message vide : le bandeau nomme alors toutes les finalités.";
    asked_often: "Visitors who refuse, or close the banner, are asked again too soon. Asking again and again is pressure to accept.", "Les visiteurs qui refusent, ou ferment le bandeau, sont sollicités trop tôt. Redemander sans cesse pousse à accepter.";
    cookie_misnamed: "A service of yours names its cookies wrongly. In its form, give each name a line: without spaces, commas, “;”, “=”, “<” or “>”, with * only at the end and behind at least two characters, and none that means, also by its *, a name that begins with placet_. By these names, cookies go when consent is withdrawn.", "Un de vos services nomme mal ses cookies. Dans sa fiche, donnez une ligne à chaque nom : sans espace, virgule, « ; », « = », « < » ni « > », avec * seulement à la fin et après au moins deux caractères, et aucun qui désigne, même par son *, un nom commençant par placet_. C’est par ces noms que les cookies sont supprimés quand le consentement est retiré.";
    kept_long: "A choice is kept for longer than 13 months. Authorities expect you to ask again after 6 to 12 months.", "Un choix est gardé plus de 13 mois. Les autorités attendent que vous redemandiez au bout de 6 à 12 mois.";
    name_blocked: "Blockers of cookie banners stop addresses with this name. A name such as “en” or “shop” passes.", "Les bloqueurs de bandeaux arrêtent les adresses qui contiennent ce nom. Un nom comme « fr » ou « boutique » passe.";
    no_policy_link: "The first step links to no privacy policy. Enter its address under “Name and language”.", "La première étape ne renvoie à aucune politique de confidentialité. Saisissez son adresse sous « Nom et langue ».";
    no_proof: "Choices are not stored, so you cannot prove any consent.", "Les choix ne sont pas enregistrés : vous ne pourrez prouver aucun consentement.";
    no_way_back: "Visitors have no button to change their choice. Withdrawing must be as easy as consenting. Show the button, or put your own link on every page.", "Les visiteurs n’ont pas de bouton pour changer de choix. Retirer son accord doit être aussi simple que le donner. Affichez le bouton, ou mettez votre propre lien sur chaque page.";
    nothing_asked: "Services are listed only in notices. No step lets visitors accept or refuse.", "Les services ne figurent que dans des avis. Aucune étape ne permet d’accepter ou de refuser.";
    old_vendor_list: "The Global Vendor List of this server is older than 30 days.", "La Global Vendor List de ce serveur a plus de 30 jours.";
    refusal_later: "The banner starts with a notice, so visitors can refuse only in a later step. They must be able to refuse at once.", "Le bandeau commence par un avis : les visiteurs ne peuvent refuser qu’à une étape suivante. Ils doivent pouvoir refuser tout de suite.";
    refusal_like_another: "The refuse button has the same text as another button. Visitors cannot tell them apart.", "Le bouton de refus porte le même texte qu’un autre bouton. Les visiteurs ne peuvent pas les distinguer.";
    refusal_without_words: "The refuse button has no words. It must be as clear as the accept button.", "Le bouton de refus n’a pas de mots. Il doit être aussi clair que le bouton d’acceptation.";
    restriction_tightened: "A new vendor list does not fit a restriction: a vendor may not do the purpose at all until the restriction is changed.", "Une nouvelle liste ne convient plus à une restriction : un fournisseur ne peut plus poursuivre la finalité tant que la restriction n’est pas changée.";
    silence: "This text suggests that going on, closing or waiting is consent. Only a click on “accept” is consent.", "Ce texte laisse entendre que continuer, fermer ou attendre vaut consentement. Seul un clic sur « accepter » est un consentement.";
    site_left_out: "“Allowed sites” in the settings leaves out the project’s own site: visitors see no banner there, and no consent is taken.", "« Sites autorisés », dans les paramètres, laisse de côté le site du projet : les visiteurs n’y voient aucune bannière, et aucun consentement n’y est accepté.";
    untranslated: "Some texts have no translation: visitors read them in the default language.", "Des textes ne sont pas traduits : les visiteurs les lisent dans la langue par défaut.";
    withdrawal_unnamed: "The first step does not say that visitors can change their mind. Say how, or leave the message empty and show the button to reopen: then the banner says it.", "La première étape ne dit pas que l’on peut changer d’avis. Dites comment, ou laissez le message vide et affichez le bouton de réouverture : le bandeau le dit alors.";
}
