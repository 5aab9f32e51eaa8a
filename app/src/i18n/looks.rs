//! Texts of the finished looks.

use crate::i18n::table::texts;

texts! {
    /// The texts.
    LookTexts;
    title: "Finished looks", "Styles prêts à l’emploi";
    text: "One click takes over colours for light and dark pages, fonts, shapes and the place. Change what you like afterwards.", "Un clic reprend les couleurs des pages claires et sombres, les polices, les formes et la position. Modifiez ensuite ce que vous voulez.";
    forms_hint: "The form is this banner’s own. Each look comes as a card, a dialog and a bar, light and dark.", "La forme est propre à ce bandeau. Chaque style existe en carte, en dialogue et en barre, clair et sombre.";
    taken: "The look is {name}.", "Le style est {name}.";
    classic: "Classic", "Classique";
    ink: "Ink", "Encre";
    paper: "Paper", "Papier";
    ocean: "Ocean", "Océan";
    forest: "Forest", "Forêt";
    rose: "Rose", "Rose";
    sunset: "Sunset", "Crépuscule";
    lavender: "Lavender", "Lavande";
    sun: "Sun", "Soleil";
    slate: "Slate", "Ardoise";
    midnight: "Midnight", "Minuit";
    terminal: "Terminal", "Terminal";
    site_title: "The look of your site", "Le style de votre site";
    site_text: "Reads colours, fonts, the shape of buttons and the logo from a public page, and proposes them. Nothing changes before you take them over.", "Lit les couleurs, les polices, la forme des boutons et le logo d’une page publique, et les propose. Rien ne change avant que vous les repreniez.";
    site_address: "Address of the page", "Adresse de la page";
    site_read: "Take the look of my site", "Reprendre le style de mon site";
    site_found: "This is the look of {site}. The preview shows it.", "Voici le style de {site}. L’aperçu le montre.";
    site_nothing: "{site} tells of no colours and fonts. Its page may be drawn by a script, or its style sheets did not come. Choose the colours yourself, or try another page.", "{site} n’indique ni couleurs ni polices. Sa page est peut-être dessinée par un script, ou ses feuilles de style ne sont pas arrivées. Choisissez les couleurs vous-même, ou essayez une autre page.";
    site_no_page: "{site} answers, but not with a web page (HTML).", "{site} répond, mais pas par une page web (HTML).";
    site_status: "{site} refuses to show the page: it answers with the status {status}.", "{site} refuse d’afficher la page : il répond par le statut {status}.";
    site_redirects: "{site} leads from one address to the next, too often.", "{site} renvoie d’une adresse à l’autre, trop souvent.";
    site_late: "{site} did not answer within 15 seconds. Try again later.", "{site} n’a pas répondu en 15 secondes. Réessayez plus tard.";
    site_unreachable: "{site} cannot be reached. Check the address.", "{site} est injoignable. Vérifiez l’adresse.";
    site_too_much: "The page or the style sheets of {site} take too long to read. Try another page of the site.", "La page ou les feuilles de style de {site} sont trop longues à lire. Essayez une autre page du site.";
    site_refused: "This server may not call {site}: its address is not public.", "Ce serveur ne doit pas appeler {site} : son adresse n’est pas publique.";
    site_no_address: "This is no address of a web page. It begins with https:// or http://.", "Ce n’est pas l’adresse d’une page web. Elle commence par https:// ou http://.";
    site_before: "Before", "Avant";
    site_after: "After", "Après";
    site_values: "Values of the site", "Valeurs du site";
    site_title_font: "Font of titles", "Police des titres";
    site_text_font: "Font of the text", "Police du texte";
    site_hint: "All colours change, those for dark pages too: the widget makes them from the new ones. Fonts are used where the page has them; none is loaded.", "Toutes les couleurs changent, celles des pages sombres aussi : le widget les déduit des nouvelles. Les polices servent là où la page les a ; aucune n’est chargée.";
    site_same: "The widget has this look already.", "Le widget a déjà ce style.";
    site_take: "Take it over", "Le reprendre";
    site_leave: "Leave it", "Y renoncer";
    site_taken: "The look is that of {site}.", "Le style est celui de {site}.";
    site_taken_without_logo: "The look is that of {site}. Its logo could not be copied: choose a file below.", "Le style est celui de {site}. Son logo n’a pas pu être copié : choisissez un fichier plus bas.";
    site_logo_hint: "is copied to your files when you take it over", "est copié dans vos fichiers quand vous le reprenez";
    from_button: "from the buttons of the page", "des boutons de la page";
    from_variable: "from a variable of its style sheets", "d’une variable de ses feuilles de style";
    from_rule: "from the rule for buttons in its style sheets", "de la règle des boutons dans ses feuilles de style";
    from_theme_colour: "from the page’s theme-color", "du theme-color de la page";
    from_link: "from its links", "de ses liens";
}
