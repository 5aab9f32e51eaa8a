//! Texts of the list of services, and of the ways to install.

use crate::i18n::table::texts;

texts! {
    /// Texts of the list of services, and of the ways to install.
    ServiceTexts;

    own: "Your services", "Vos services";
    catalogue: "Catalogue", "Catalogue";
    not_put_back: "The service was not put back. Its step is gone or renamed, or the configuration is not open any more. Add it in the step.", "Le service n’a pas été remis. Son étape a disparu ou a changé de nom, ou la configuration n’est plus ouverte. Ajoutez-le dans l’étape.";
    removed: "“{title}” removed from the step", "« {title} » retiré de l’étape";
    search_own: "Search your services", "Chercher dans vos services";
    search_catalogue: "Search the catalogue", "Chercher dans le catalogue";
    category: "Category", "Catégorie";
    lifetime: "Longest life", "Durée maximale";
    asked_by: "Used in", "Utilisé dans";
    unused: "Not used", "Non utilisé";
    more_steps: "and {n} more", "et {n} de plus";
    step_of: "{title}, {step}", "{title}, {step}";
    empty: "No services yet", "Pas encore de services";
    empty_text: "Services are the third parties of your site: analytics, videos, chats. Add them to a step of the banner, and they appear here with their cookies.", "Les services sont les tiers de votre site : mesure d’audience, vidéos, messageries. Ajoutez-les à une étape du bandeau : ils apparaissent ici avec leurs cookies.";
    to_catalogue: "Search the catalogue", "Chercher dans le catalogue";
    nothing_fits: "No service matches this search.", "Aucun service ne correspond à cette recherche.";

    key: "Key", "Clé";
    website: "Website", "Site web";
    domains: "Domains", "Domaines";
    life: "Life", "Durée";
    no_cookies: "No cookies of this service are known.", "Aucun cookie de ce service n’est connu.";
    second: "{n} second", "{n} seconde";
    seconds: "{n} seconds", "{n} secondes";
    minute: "{n} minute", "{n} minute";
    minutes: "{n} minutes", "{n} minutes";
    hour: "{n} hour", "{n} heure";
    hours: "{n} hours", "{n} heures";
    day: "{n} day", "{n} jour";
    days: "{n} days", "{n} jours";
    year: "{n} year", "{n} an";
    years: "{n} years", "{n} ans";
    session: "Session", "Session";
    unknown: "Unknown", "Inconnue";
    on_site: "Lines for your site", "Lignes pour votre site";
    on_site_text: "What has this key waits until visitors allow the service.", "Ce qui porte cette clé attend que les visiteurs autorisent le service.";
    script: "Script", "Script";
    frame: "Frame with a placeholder", "Cadre avec un substitut";
    step_n: "{title}, step {n}: {step}", "{title}, étape {n} : {step}";
    first_steps: "The first {n} steps", "Les {n} premières étapes";
    not_asked: "No step asks for this service. Add it to a step in the editor of the banner.", "Aucune étape ne demande ce service. Ajoutez-le à une étape dans l’éditeur du bandeau.";
    gone_title: "A service that is gone", "Un service disparu";
    gone_text: "A step names a service that no longer exists, or that this project may not use. Remove it from the step: publishing fails until then.", "Une étape nomme un service qui n’existe plus, ou que ce projet ne peut pas utiliser. Retirez-le de l’étape : la publication échoue d’ici là.";
    delete: "Delete", "Supprimer";
    delete_title: "Delete this service?", "Supprimer ce service ?";
    delete_text: "Steps ask for it. Publishing fails until it is removed from them. You can restore it for 30 days.", "Des étapes le demandent. La publication échoue tant qu’il n’en est pas retiré. Vous pouvez le restaurer pendant 30 jours.";
    purpose_remove: "Remove the purpose: {purpose}", "Retirer la finalité : {purpose}";
    warn_no_purpose: "{title} has no purpose: the banner does not say what it is for, and a refusal of advertising does not concern it.", "{title} n’a pas de finalité : le bandeau ne dit pas à quoi ce service sert, et un refus de la publicité ne le concerne pas.";
    cookie_n: "Cookie {n}", "Cookie {n}";
    cookie_add: "Add a cookie", "Ajouter un cookie";
    life_number: "Number", "Nombre";
    life_unknown: "Unknown", "Inconnue";
    life_session: "Until the browser closes", "Jusqu’à la fermeture du navigateur";
    life_seconds: "Seconds", "Secondes";
    life_minutes: "Minutes", "Minutes";
    life_hours: "Hours", "Heures";
    life_days: "Days", "Jours";
    life_years: "Years", "Ans";

    wait_text: "Scripts and frames wait with the key of their service. Replace the address, or mark the tags that you have.", "Scripts et cadres attendent avec la clé de leur service. Remplacez l’adresse, ou marquez les balises que vous avez.";
    all_services: "All services", "Tous les services";
    other_ways: "Tag managers, WordPress, npm", "Gestionnaires de balises, WordPress, npm";
    other_ways_text: "In place of the lines above. The files are in the repository of Placet; docs/integrate.md there says more under “Packages”.", "À la place des lignes ci-dessus. Les fichiers se trouvent dans le dépôt de Placet ; docs/integrate.md y en dit plus sous « Packages ».";
    server_address: "Address of the server", "Adresse du serveur";
    project_id: "Project", "Projet";
    configuration_name: "Configuration", "Configuration";
    gtm_1: "Import deploy/gtm/placet.tpl: Templates → Tag Templates → New → ⋮ → Import.", "Importez deploy/gtm/placet.tpl : Modèles → Modèles de balise → Nouveau → ⋮ → Importer.";
    gtm_2: "Make a tag of it with these values.", "Créez-en une balise avec ces valeurs.";
    gtm_3: "Let it fire on “Consent Initialization - All Pages”, and leave Google Consent Mode of the configuration off. With the layout “IAB TCF” it must be on.", "Déclenchez-la sur « Consent Initialization - All Pages », et laissez le Consent Mode de Google désactivé dans la configuration. Avec la disposition « IAB TCF », il doit être activé.";
    gtm_4: "Tags of other makers fire on the event placet_update, whose placet_choices holds every service.", "Les balises d’autres éditeurs se déclenchent sur l’événement placet_update, dont placet_choices contient chaque service.";
    wordpress_1: "Put the folder deploy/wordpress/placet into wp-content/plugins and activate it.", "Placez le dossier deploy/wordpress/placet dans wp-content/plugins et activez l’extension.";
    wordpress_2: "Fill in Settings → Placet with these values.", "Remplissez Réglages → Placet avec ces valeurs.";
    wordpress_3: "Name there the scripts that wait by their handles, and embeds by their hosts.", "Indiquez-y les scripts en attente par leur identifiant, et les contenus embarqués par leur hôte.";
    npm_1: "Run npm pack in the folder sdk-wasm/npm, and npm install with the file that it makes.", "Lancez npm pack dans le dossier sdk-wasm/npm, puis npm install avec le fichier obtenu.";
    npm_2: "Load the widget where your site starts. @placet/sdk/react and @placet/sdk/vue have components.", "Chargez le widget au démarrage de votre site. @placet/sdk/react et @placet/sdk/vue ont des composants.";
}
