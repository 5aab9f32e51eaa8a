//! Texts of the editor of a banner.

use crate::i18n::table::texts;

texts! {
    /// Texts of the editor of a banner.
    EditorTexts, widget;

    add_services: "Add services", "Ajouter des services";
    add_step: "Add a step", "Ajouter une étape";
    add_step_text: "Visitors see the steps in order. A welcome explains why you ask. In a services step, visitors decide service by service.", "Les visiteurs voient les étapes dans l’ordre. L’accueil explique pourquoi vous demandez. Dans une étape de services, ils décident service par service.";
    always_on_add: "Add a service", "Ajouter un service";
    always_on_n: "Service {n}", "Service {n}";
    always_on_text: "Services that need no consent, such as a basket or a sign-in. The banner lists them with the reason, below the services that visitors decide about. They do not wait.", "Les services qui se passent de consentement, comme un panier ou une connexion. Le bandeau les montre avec la raison, sous les services sur lesquels les visiteurs décident. Ils n’attendent pas.";
    behaviour_text: "Where the banner appears and how it behaves.", "Où le bandeau apparaît et comment il se comporte.";
    configuration_deleted: "Configuration deleted", "Configuration supprimée";
    create_and_add: "Create and add", "Créer et ajouter";
    create_configuration: "Create configuration", "Créer la configuration";
    default_lower: "default", "par défaut";
    delete_configuration: "Delete configuration", "Supprimer la configuration";
    delete_configuration_text: "“{title}” is deleted now. Your site shows it until the next publish, and pages that embed a pinned file until you take its lines out. You can restore it from the trash for 30 days.", "« {title} » est supprimée maintenant. Votre site l’affiche jusqu’à la prochaine publication, et les pages qui intègrent un fichier épinglé jusqu’à ce que vous retiriez ses lignes. Vous pouvez la restaurer depuis la corbeille pendant 30 jours.";
    first_message_hint: "Left empty, the banner writes it: the purposes, who processes the data, the number of services and, with a button to reopen, how to change one’s mind.", "Laissé vide, le bandeau l’écrit : les finalités, qui traite les données, le nombre de services et, avec un bouton de réouverture, comment changer d’avis.";
    fix: "Fix", "Corriger";
    general: "Name and language", "Nom et langue";
    general_text: "What this configuration is called, and its language.", "Comment s’appelle cette configuration, et sa langue.";
    has_problems: "has problems", "contient des erreurs";
    in_step: "In step {n}", "À l’étape {n}";
    look_is_shared: "These settings belong to the project and change all of its banners.", "Ces réglages appartiennent au projet et changent tous ses bandeaux.";
    look_text: "What the banner looks like.", "L’apparence du bandeau.";
    more_of_step: "Layout and details of the step", "Disposition et détails de l’étape";
    n_service_found: "{n} service", "{n} service";
    n_services_found: "{n} services", "{n} services";
    n_step: "{n} step", "{n} étape";
    n_steps: "{n} steps", "{n} étapes";
    new_configuration: "New configuration", "Nouvelle configuration";
    no_configurations_text: "A configuration is what visitors see: a welcome, then your services, in as many languages as you like.", "Une configuration est ce que voient les visiteurs : un accueil, puis vos services, dans autant de langues que vous voulez.";
    no_configurations_title: "Create your first banner", "Créez votre premier bandeau";
    no_service_found: "Nothing found for “{query}”. Add it as a custom service.", "Rien trouvé pour « {query} ». Ajoutez-le comme service personnalisé.";
    no_services_in_step: "This step has no services yet.", "Cette étape n’a encore aucun service.";
    no_step_here: "This step does not exist.", "Cette étape n’existe pas.";
    position_of_project: "As in the project’s design", "Comme dans l’apparence du projet";
    remove_step: "Remove step", "Retirer l’étape";
    search_configurations: "Search configurations", "Chercher une configuration";
    sort_changed: "Last changed first", "Dernières modifiées d’abord";
    sort_oldest: "Oldest first", "Plus anciennes d’abord";
    sort_title: "By title", "Par titre";
    search_services: "Search services", "Chercher des services";
    signals_text: "What Google and Microsoft tags learn about each choice.", "Ce que les balises de Google et de Microsoft apprennent de chaque choix.";
    step_n_of: "Step {n} of {total}", "Étape {n} sur {total}";
    step_words_text: "These replace the banner’s texts, in this step only.", "Ils remplacent les textes du bandeau, dans cette étape seulement.";
    visitor: "Visitor", "Visiteur";
    visitor_first: "First visit", "Première visite";
    visitor_returning: "Returning", "De retour";
    warn_contrast: "Some colours are hard to read. The banner uses others instead.", "Certaines couleurs sont difficiles à lire. Le bandeau en utilise d’autres.";
    warn_empty_step: "A services step has no services.", "Une étape de services n’a aucun service.";
    warn_in_step: "{step}: {text}", "{step} : {text}";
    warn_no_services: "The banner asks for nothing yet. Add services.", "Le bandeau ne demande encore rien. Ajoutez des services.";
    warn_no_steps: "There are no steps, so visitors see nothing.", "Il n’y a pas d’étape : les visiteurs ne voient rien.";
    warn_silent_step: "A step has neither title nor message.", "Une étape n’a ni titre ni message.";
    whole_widget: "Whole banner", "Tout le bandeau";
    widget_text: "What visitors see, in each language.", "Ce que voient les visiteurs, dans chaque langue.";
    words_text: "Leave a field empty to use the standard text.", "Laissez un champ vide pour utiliser le texte standard.";
}
