//! Texts of the ways to install.

use crate::i18n::table::texts;

texts! {
    /// Texts of the ways to install.
    InstallTexts, install;

    check_action: "Check site", "Vérifier le site";
    check_text: "Placet loads {site} and looks for the snippet of this project. Once found, it is looked for once a day, and owners get an e-mail when it is gone.", "Placet charge {site} et cherche l’extrait de ce projet. Une fois trouvé, il est cherché chaque jour, et les propriétaires reçoivent un e-mail s’il disparaît.";
    check_title: "Check the installation", "Vérifier l’installation";
    install_boxes_action: "Show consent forms", "Voir les formulaires";
    install_boxes_text: "With these lines on the page, consent boxes and contract boxes appear in your forms.", "Avec ces lignes sur la page, les encarts de consentement et de contrat apparaissent dans vos formulaires.";
    install_text: "A few lines put the banner on your site.", "Quelques lignes mettent le bandeau sur votre site.";
    language_of_page: "The language of the page", "La langue de la page";
    languages_hint: "The widget takes the language that the page names in its attribute lang, if the configuration has it, else its default language. The lines of one language show that language, whatever the page says.", "Le bandeau prend la langue que la page indique dans son attribut lang si la configuration l’a, sinon sa langue par défaut. Les lignes d’une langue montrent cette langue, quoi que dise la page.";
    lines_hint: "Paste these lines into the head of every page, before other scripts.", "Collez ces lignes dans l’en-tête de chaque page, avant les autres scripts.";
    lines_title: "Lines for your site", "Lignes pour votre site";
    nothing_to_install_text: "Create a banner first. Its lines then appear here.", "Créez d’abord un bandeau. Ses lignes apparaîtront ici.";
    nothing_to_install_title: "Nothing to install yet", "Rien à installer pour l’instant";
    scripts_wait_text: "Scripts that need consent wait for it. Write them like this, with the name of the service.", "Les scripts soumis au consentement l’attendent. Écrivez-les ainsi, avec le nom du service.";
    scripts_wait_title: "Scripts that wait", "Scripts en attente";
    snippet_found: "Found: the snippet is on your site.", "Trouvé : l’extrait est sur votre site.";
    snippet_not_found: "Not found", "Non trouvé";
    snippet_not_found_text: "Make sure that the lines are in the source of the page and that this server can reach the page.", "Vérifiez que les lignes sont dans la source de la page et que ce serveur peut atteindre la page.";
    strict_text: "Where the content security policy of your site forbids inline scripts, put this line in place of the first script. Neither async nor defer belongs on it. A new version of Placet may have another file; this one stays and goes on working.", "Si la politique de sécurité du contenu de votre site interdit les scripts intégrés, mettez cette ligne à la place du premier script, sans async ni defer. Une nouvelle version de Placet peut avoir un autre fichier ; celui-ci reste et continue de fonctionner.";
    strict_title: "Strict content security policy", "Politique de sécurité du contenu stricte";
    way_bundle: "One file", "Un fichier";
    way_bundle_text: "The fastest way: one request, always the latest publication.", "Le plus rapide : une requête, toujours la dernière publication.";
    way_loader: "Loader", "Chargeur";
    way_loader_text: "Finds the configuration that fits the language of the page.", "Trouve la configuration adaptée à la langue de la page.";
    way_pinned: "Pinned file", "Fichier épinglé";
    way_pinned_text: "One exact file with an integrity check. Replace the lines after each publish.", "Un fichier exact avec contrôle d’intégrité. Remplacez les lignes après chaque publication.";
}
