//! Texts of the section "Partners and purposes" of the editor.

use crate::i18n::table::texts;

texts! {
    /// Texts of the section "Partners and purposes".
    SectionTexts;

    state: "State", "État";
    state_text: "Everything that this banner needs before it can be published.", "Ce qu’il faut avant de publier ce bandeau.";
    platform: "Platform", "Plateforme";
    platform_registered: "Number {id}, registered at IAB Europe", "Numéro {id}, enregistré auprès d’IAB Europe";
    platform_own: "Number {id}, of this project", "Numéro {id}, propre à ce projet";
    platform_test: "Number {id}, for tests: visitors see the demo line", "Numéro {id}, pour les tests : les visiteurs voient la ligne de démonstration";
    platform_absent: "No platform yet: the operator of this server has to name a registered one (--tcf-cmp-id). You can prepare everything; publishing has to wait.", "Pas encore de plateforme : l’exploitant de ce serveur doit en indiquer une, enregistrée (--tcf-cmp-id). Vous pouvez tout préparer ; la publication devra attendre.";
    list: "Vendor list", "Liste des partenaires";
    list_state: "Version {version}, {vendors} vendors", "Version {version}, {vendors} partenaires";
    list_awaited: "The vendor list is on its way: this server fetches it from IAB Europe now. Reload this page in a minute; if it stays so, ask the operator of this server.", "La liste de partenaires arrive : ce serveur la récupère auprès d’IAB Europe. Rechargez cette page dans une minute ; sinon, demandez à l’exploitant de ce serveur.";
    list_absent: "No vendor list yet: the operator of this server has to import IAB Europe’s list first.", "Pas encore de liste de partenaires : l’exploitant de ce serveur doit d’abord importer celle d’IAB Europe.";
    list_old: "The list is older than 30 days. The operator should import the current one.", "La liste a plus de 30 jours. L’exploitant devrait importer la liste actuelle.";
    disclosed: "Partners shown", "Partenaires affichés";
    asked_purposes: "Purposes asked", "Finalités demandées";
    weight: "Weight", "Poids";
    weight_text: "{string} bytes with the banner, {partners} when visitors open the partners", "{string} octets avec le bandeau, {partners} à l’ouverture des partenaires";
    no_counts: "Known once partners are chosen", "Connu dès que des partenaires sont choisis";
    forced: "The banner always dims the page behind it and keeps its button to reopen, whatever “Behaviour” says: the policies ask for both.", "Le bandeau assombrit toujours la page et garde son bouton de réouverture, quoi que dise « Comportement » : les règles exigent les deux.";
    too_long_kept: "Choices may be kept for 390 days at most.", "Les choix peuvent être gardés 390 jours au plus.";
    set_390: "Set 390 days", "Mettre 390 jours";
    no_translation: "IAB Europe’s list is not here in the language of this banner. The operator imports its translation.", "La liste d’IAB Europe n’est pas disponible dans la langue de ce bandeau. L’exploitant importe sa traduction.";
    go_language: "Change the language", "Changer la langue";

    publisher: "Publisher", "Éditeur";
    publisher_text: "You, as vendors see you.", "Vous, aux yeux des partenaires.";
    country: "Country whose law you follow", "Pays dont vous suivez la loi";
    country_hint: "Two letters, such as FR or DE.", "Deux lettres, comme FR ou DE.";
    country_needed: "Name the country whose law you follow.", "Indiquez le pays dont vous suivez la loi.";
    own_cmp: "Number of your own platform", "Numéro de votre propre plateforme";
    own_cmp_hint: "Only if you have registered a consent management platform of your own at IAB Europe. It holds for the whole project.", "Seulement si vous avez enregistré votre propre plateforme auprès d’IAB Europe. Vaut pour tout le projet.";
    purpose_one: "Do not ask about purpose 1", "Ne pas demander la finalité 1";
    purpose_one_hint: "Only where the law of your country does not ask consent for storage on devices.", "Seulement si la loi de votre pays n’exige pas de consentement pour le stockage sur l’appareil.";
    applies: "Visitors to whom the law applies", "Visiteurs concernés par la loi";
    applies_always: "All visitors", "Tous les visiteurs";
    applies_site: "The page says it (placetSettings.gdprApplies)", "La page le dit (placetSettings.gdprApplies)";

    partners: "Partners", "Partenaires";
    partners_text: "Vendors of IAB Europe’s list that may ask your visitors.", "Partenaires de la liste d’IAB Europe qui pourront demander le consentement de vos visiteurs.";
    choose_some: "Chosen partners", "Partenaires choisis";
    choose_all: "All partners of the list", "Tous les partenaires de la liste";
    n_chosen_one: "{n} partner chosen", "{n} partenaire choisi";
    n_chosen: "{n} partners chosen", "{n} partenaires choisis";
    all_chosen: "All {n} partners of the list are chosen, and newcomers as they come.", "Les {n} partenaires de la liste sont choisis, et les nouveaux au fur et à mesure.";
    search: "Search partners", "Chercher des partenaires";
    by_purpose: "Purpose", "Finalité";
    any_purpose: "Any purpose", "Toutes les finalités";
    which: "Show", "Afficher";
    which_all: "All of the list", "Toute la liste";
    which_chosen: "Chosen", "Choisis";
    which_suggested: "Used by services of this project", "Utilisés par des services de ce projet";
    used: "Used by a service", "Utilisé par un service";
    by_consent: "Consent: {ids}", "Consentement : {ids}";
    by_interest: "Legitimate interest: {ids}", "Intérêt légitime : {ids}";
    no_purpose: "Special purposes only", "Finalités spéciales seulement";
    policy: "Privacy policy", "Politique de confidentialité";
    none_found: "No partner fits. Try another word or purpose.", "Aucun partenaire ne correspond. Essayez un autre mot ou une autre finalité.";
    none_chosen: "No partner is chosen yet. Search the list, or add those that your services use.", "Aucun partenaire n’est encore choisi. Cherchez dans la liste, ou ajoutez ceux de vos services.";
    none_suggested: "No service of this project is a partner of the list.", "Aucun service de ce projet n’est un partenaire de la liste.";
    add_suggested_one: "Add the partner that your services use", "Ajouter le partenaire que vos services utilisent";
    add_suggested: "Add the {n} partners that your services use", "Ajouter les {n} partenaires que vos services utilisent";
    partners_needed: "Choose at least one partner.", "Choisissez au moins un partenaire.";
    many: "{n} partners are more than visitors can weigh. The policies ask you to choose with care; up to 200 is usual.", "{n} partenaires, c’est plus que ce que les visiteurs peuvent juger. Les règles demandent de choisir avec soin ; jusqu’à 200 est courant.";
    keep_suggested: "Keep those that your services use", "Garder ceux de vos services";
    gone: "No longer in the list, so left out: {ids}.", "Plus dans la liste, donc omis : {ids}.";
    emptied: "Your rules leave these no purpose, so they are left out: {ids}.", "Vos règles ne leur laissent aucune finalité, donc omis : {ids}.";
    remove_them: "Remove from the choice", "Retirer du choix";

    providers: "Google’s other partners", "Autres partenaires de Google";
    providers_text: "Advertising companies of Google’s own list that IAB Europe’s list does not have. Visitors find them among the partners and allow each of them or not; Google’s tags read the answers (Additional Consent). Choose none unless you serve ads by Google.", "Entreprises publicitaires de la liste de Google, absentes de celle d’IAB Europe. Les visiteurs les trouvent parmi les partenaires et autorisent chacune ou non ; les balises de Google lisent leurs réponses (Additional Consent). N’en choisissez aucune si vous ne diffusez pas de publicités de Google.";
    provider_search: "Search Google’s partners", "Chercher des partenaires de Google";
    only_chosen: "Show chosen ones only", "Afficher seulement les choisis";
    n_providers_one: "{n} of Google’s partners chosen", "{n} partenaire de Google choisi";
    n_providers: "{n} of Google’s partners chosen", "{n} partenaires de Google choisis";
    no_provider_found: "None of Google’s partners fits. Try another word.", "Aucun partenaire de Google ne correspond. Essayez un autre mot.";
    providers_absent: "Google’s list is not on this server yet. A server that fetches lists does so now: search again in a minute. If it stays so, ask its operator.", "La liste de Google n’est pas encore sur ce serveur. S’il récupère des listes, il le fait maintenant : cherchez de nouveau dans une minute. Sinon, demandez à son exploitant.";
    unknown_providers: "Google’s list does not have these any more, so they are left out: {ids}.", "La liste de Google ne les contient plus, donc omis : {ids}.";

    purposes: "Purposes", "Finalités";
    purposes_text: "Visitors are asked about what your partners declare. Nobody gets a purpose that you untick.", "Les visiteurs sont interrogés sur ce que vos partenaires déclarent. Une finalité décochée n’est accordée à personne.";
    special_features: "Special features", "Fonctionnalités spéciales";
    purpose_counts: "{consent} by consent, {interest} by legitimate interest", "{consent} par consentement, {interest} par intérêt légitime";
    about: "What it means", "Ce que cela signifie";
    not_declared: "No chosen partner declares it", "Aucun partenaire choisi ne la déclare";
    not_asked: "Not asked: nobody has it", "Non demandée : personne ne l’a";

    stacks: "Stacks", "Regroupements";
    stacks_text: "A stack stands for several purposes on the first screen, under IAB Europe’s own name.", "Un regroupement représente plusieurs finalités sur le premier écran, sous le nom donné par IAB Europe.";
    stack_covers: "Covers: {names}", "Couvre : {names}";
    stack_overlaps: "Shares a purpose with a chosen stack", "Partage une finalité avec un regroupement choisi";
    stacks_hidden_one: "{n} other stack covers purposes that you do not ask for.", "{n} autre regroupement couvre des finalités que vous ne demandez pas.";
    stacks_hidden: "{n} other stacks cover purposes that you do not ask for.", "{n} autres regroupements couvrent des finalités que vous ne demandez pas.";
    stacks_none: "No stack covers only purposes that you ask for.", "Aucun regroupement ne couvre uniquement des finalités demandées.";
    first_names: "The first screen names", "Le premier écran nomme";
    stacks_overlap: "Two chosen stacks share a purpose.", "Deux regroupements choisis partagent une finalité.";
    stack_uncovered: "Stack {ids} covers purposes that you do not ask for, so it is left out.", "Le regroupement {ids} couvre des finalités non demandées, donc omis.";
    remove_stack: "Remove the stack", "Retirer le regroupement";

    interests: "Legitimate interests", "Intérêts légitimes";
    interests_text: "Vendors may use data without consent where they claim a legitimate interest; visitors can object.", "Des partenaires peuvent utiliser des données sans consentement s’ils invoquent un intérêt légitime ; les visiteurs peuvent s’y opposer.";
    interests_allowed: "Partners may claim legitimate interests", "Les partenaires peuvent invoquer des intérêts légitimes";
    interests_hint: "Turned off, flexible partners need consent, and others lose the purpose.", "Sinon, les partenaires flexibles ont besoin du consentement, et les autres perdent la finalité.";

    restrictions: "Restrictions", "Restrictions";
    restrictions_text: "Rules of yours that are stronger than what partners declare.", "Vos règles, plus fortes que les déclarations des partenaires.";
    rule_n: "Rule {n}", "Règle {n}";
    rule_add: "Add a rule", "Ajouter une règle";
    rule_purpose: "Purpose", "Finalité";
    rule_type: "Rule", "Règle";
    rule_not_allowed: "Not allowed", "Interdite";
    rule_consent: "Only with consent", "Seulement avec consentement";
    rule_interest: "Only by legitimate interest", "Seulement par intérêt légitime";
    rule_who: "Partners", "Partenaires";
    rule_all: "All to whom it can apply", "Tous ceux à qui elle peut s’appliquer";
    rule_some: "Some", "Certains";
    says_not_allowed: "{who} may not use data for “{purpose}”.", "{who} : aucune utilisation de données pour « {purpose} ».";
    says_consent: "{who} may use data for “{purpose}” only if the visitor consents.", "{who} : données pour « {purpose} » seulement si le visiteur consent.";
    says_interest: "{who} may use data for “{purpose}” by legitimate interest, until the visitor objects.", "{who} : données pour « {purpose} » par intérêt légitime, sauf opposition du visiteur.";
    who_all: "Partners", "Les partenaires";
    who_n_one: "{n} partner", "{n} partenaire";
    who_n: "{n} partners", "{n} partenaires";
    rule_add_partner: "Search a partner to add", "Chercher un partenaire à ajouter";
    rule_no_partner: "No partner whom this rule can apply to fits.", "Aucun partenaire auquel cette règle s’applique ne correspond.";
    rules_overlap: "Two rules for one purpose name the same partner.", "Deux règles d’une finalité nomment le même partenaire.";
    rule_basis: "Purposes 1 and 3 to 6 allow consent alone, and without legitimate interests no rule can ask for one.", "Les finalités 1 et 3 à 6 n’admettent que le consentement ; sans intérêts légitimes, aucune règle ne peut en demander.";
    rule_make_not_allowed: "Make it “Not allowed”", "Mettre « Interdite »";
    rule_cannot: "Rule {n} cannot apply to these partners: {ids}. They do not declare the purpose, or are not flexible there.", "La règle {n} ne peut pas s’appliquer à ces partenaires : {ids}. Ils ne déclarent pas la finalité, ou n’y sont pas flexibles.";
    rule_take_out: "Take them out of the rule", "Les retirer de la règle";
    rule_more: "and {n} more", "et {n} de plus";
    remove_name: "Remove {name}", "Retirer {name}";
    partner_n: "Partner {id}", "Partenaire {id}";

    attestation: "For your privacy policy", "Pour votre politique de confidentialité";
    attestation_text: "The rules of the Framework ask you to publish this sentence, for example where you explain your partners.", "Les règles du cadre vous demandent de publier cette phrase, par exemple là où vous présentez vos partenaires.";
    attestation_sentence: "{title} participates in the IAB Europe Transparency & Consent Framework and complies with its Specifications and Policies. {title} uses the consent management platform with the identification number {id}.", "{title} participe au Transparency & Consent Framework d’IAB Europe et respecte ses spécifications et politiques. {title} utilise la plateforme de gestion du consentement ayant pour numéro d’identification {id}.";
    attestation_label: "Sentence to publish", "Phrase à publier";
    attestation_absent: "It appears here once this server or this project names a registered platform.", "Elle apparaît ici dès que ce serveur ou ce projet indique une plateforme enregistrée.";

    old: "Old", "Ancienne";
}
