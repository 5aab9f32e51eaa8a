//! Labels of the fields of documents, and hints below them: a row for each field, by the name of its object in
//! `domain::documents`. Forms, lists of changes and tables have them from here.

use super::{Locale, locale};

/// A label or hint: the field, English, French.
type Row = (&'static str, &'static str, &'static str);

/// The rows of an object, or of several that share fields.
struct Rows {
    objects: &'static [&'static str],
    rows: &'static [Row],
}

/// Declares the rows of objects: field, label in English and French, and after `=>` its hint in both.
macro_rules! labels {
    ($($($object:ident),+ {
        $($key:literal: $en:literal, $fr:literal $(=> $hint_en:literal, $hint_fr:literal)?;)+
    })+) => {
        static LABELS: &[Rows] = &[$(
            Rows {
                objects: &[$(stringify!($object)),+],
                rows: &[$(($key, $en, $fr),)+],
            },
        )+];
        static HINTS: &[Rows] = &[$(
            Rows {
                objects: &[$(stringify!($object)),+],
                rows: &[$($(($key, $hint_en, $hint_fr),)?)+],
            },
        )+];
        #[cfg(test)]
        const BOTH: &[Row] = &[$($(($key, $en, $fr), $(($key, $hint_en, $hint_fr),)?)+)+];
    };
}

labels! {
    Pointer {
        "projectName": "Title", "Titre";
        "active": "Without the demo line", "Sans la mention de démonstration";
        "client": "Design", "Apparence";
        "ipMode": "IP addresses", "Adresses IP";
        "translated": "Languages", "Langues";
    }
    Project {
        "title": "Title", "Titre";
        "name": "Name for visitors", "Nom pour les visiteurs";
        "websiteURL": "Site address", "Adresse du site";
        "privacyPolicyUrl": "Privacy policy", "Politique de confidentialité"
            => "Banners that name no other link to it.", "Les bandeaux qui n’en nomment pas d’autre y renvoient.";
        "language": "Language of consent forms", "Langue des formulaires de consentement"
            => "For consent boxes and contract boxes that name no language: for their buttons and messages, as far as you do not write them yourself. A change takes effect when you publish.", "Pour les encarts de consentement et de contrat qui n’indiquent pas de langue : leurs boutons et messages, si vous ne les écrivez pas vous-même. Une modification prend effet à la publication.";
        "organizationId": "Organization", "Organisation"
            => "Its members take part in this project. You can choose an organization that you own. An owner of the project or of the organization can remove it.", "Ses membres participent à ce projet. Vous pouvez choisir une organisation dont vous êtes propriétaire. Un propriétaire du projet ou de l’organisation peut la retirer.";
        "domains": "Allowed sites", "Sites autorisés"
            => "One host per line. If you list any, Placet accepts consents only from pages on these hosts. A change takes effect when you publish.", "Un hôte par ligne. Si vous en indiquez, Placet n’accepte que les consentements des pages de ces hôtes. Une modification prend effet à la publication.";
        "colors": "Colours", "Couleurs";
        "darkColors": "Colours on dark pages", "Couleurs sur les pages sombres"
            => "Where you choose none, the banner makes its own from the colours above.", "Là où vous n’en choisissez pas, le bandeau déduit les siennes des couleurs ci-dessus.";
        "fonts": "Fonts", "Polices"
            => "Fonts that visitors have on their devices, the best first, with commas between them.", "Polices présentes sur les appareils des visiteurs, la meilleure d’abord, séparées par des virgules.";
        "widgetStyle": "Shape and place", "Forme et place";
        "logo": "Logo", "Logo"
            => "Stands at the top of each banner, 32 pixels high at most.", "En haut de chaque bandeau, 32 pixels de haut au plus.";
        "darkLogo": "Logo for dark pages", "Logo pour les pages sombres"
            => "Where yours could not be seen on a dark banner. Without it, dark banners show the logo above.", "Si le vôtre ne se voit pas sur un bandeau sombre. Sans lui, les bandeaux sombres montrent le logo ci-dessus.";
        "dpo": "Data protection officer", "Délégué à la protection des données";
        "dataProcessor": "Controller", "Responsable de traitement"
            => "The organization that decides why personal data is processed. The banner and consent boxes show its name.", "L’organisation qui décide pourquoi les données sont traitées. Le bandeau et les encarts de consentement montrent son nom.";
        "tokenSecret": "Signing secret for tokens", "Secret de signature des jetons"
            => "16 to 255 characters. You cannot see it again after you save.", "16 à 255 caractères. Vous ne pourrez plus le voir après l’enregistrement.";
        "tcfCmpId": "Number of your own platform", "Numéro de votre propre plateforme"
            => "Only if you have registered a consent management platform of your own at IAB Europe. It holds for the whole project.", "Seulement si vous avez enregistré votre propre plateforme auprès d’IAB Europe. Vaut pour tout le projet.";
        "approval": "A second person approves what is published", "Une deuxième personne approuve ce qui est publié"
            => "Everybody who publishes then asks, owners too, and another editor or owner approves: with one person nothing can be published. Undoing the last publish needs no approval, so that a mistake is put right at once. Owners alone change this.", "Toute personne qui publie la demande alors, les propriétaires aussi, et un autre éditeur ou propriétaire approuve : seul, on ne peut rien publier. Revenir sur la dernière publication ne demande pas d’approbation, afin qu’une erreur soit corrigée aussitôt. Seuls les propriétaires changent ce réglage.";
        "retention": "Proofs", "Preuves";
    }
    Colors {
        "main": "Buttons and switches", "Boutons et interrupteurs";
        "secondary": "Secondary areas", "Zones secondaires";
        "text": "Text", "Texte";
        "title": "Titles", "Titres";
        "background": "Background", "Fond";
        "border": "Lines", "Lignes";
        "buttonText": "Text on buttons", "Texte des boutons";
        "danger": "Warnings", "Avertissements";
    }
    Fonts {
        "title": "Titles", "Titres";
        "text": "Text", "Texte";
    }
    WidgetStyle {
        "borderRadius": "Corner radius", "Rayon des coins";
        "padding": "Inner spacing", "Espace intérieur";
        "buttonRadius": "Corners of buttons", "Coins des boutons"
            => "0 is square, 24 and more makes pills. Buttons for accepting and refusing always look alike.", "0 donne des angles droits, 24 et plus des pastilles. Les boutons pour accepter et refuser se ressemblent toujours.";
        "buttonWeight": "Weight of the text on buttons", "Graisse du texte des boutons";
        "buttonCase": "Letters on buttons", "Lettres des boutons";
        "position": "Position", "Position";
        "entrance": "Entrance", "Apparition"
            => "The banner goes the same way after an answer. Visitors who want less motion see none.", "Le bandeau repart de la même façon après une réponse. Les visiteurs qui veulent moins de mouvement n’en voient pas.";
        "imagePlace": "Pictures of steps", "Images des étapes"
            => "Above the title, a picture fills the width of the banner. Bars are too low for that.", "Au-dessus du titre, une image occupe toute la largeur du bandeau. Les barres sont trop basses pour cela.";
    }
    Party {
        "name": "Name", "Nom";
        "email": "E-mail", "E-mail";
        "phone": "Telephone", "Téléphone";
        "address": "Postal address", "Adresse postale";
        "website": "Website", "Site";
    }
    Retention {
        "consentMonths": "Keep proofs for", "Garder les preuves"
            => "If empty, for as long as the project exists.", "Si vide, aussi longtemps que le projet existe.";
        "ipMode": "IP addresses", "Adresses IP"
            => "How much of the visitor’s address a proof contains. A change takes effect when you publish.", "Quelle part de l’adresse du visiteur une preuve contient. Une modification prend effet à la publication.";
        "visitorErasure": "Visitors may erase their consents", "Les visiteurs peuvent effacer leurs consentements"
            => "A button on their page “Your answers”. Anybody who has a visitor’s token can use it. Leave it off if you have to keep what shows that consent was given.", "Un bouton sur leur page « Vos réponses ». Toute personne qui a le jeton d’un visiteur peut s’en servir. Laissez désactivé si vous devez conserver la preuve du consentement.";
    }
    CookieConfiguration, Translation {
        "name": "Name in the snippet", "Nom dans l’extrait"
            => "The snippet uses it in cookiesVersion. Letters, digits, - and _.", "L’extrait l’utilise dans cookiesVersion. Lettres, chiffres, - et _.";
        "title": "Title", "Titre"
            => "Only you and your team see it.", "Seuls vous et votre équipe le voyez.";
        "language": "Language", "Langue";
        "languages": "Languages", "Langues";
        "translations": "Languages", "Langues";
        "untranslated": "Texts without a translation", "Textes sans traduction";
        "textLanguage": "Language", "Langue";
        "country": "Country", "Pays";
        "isDefault": "Default of this project", "Par défaut dans ce projet"
            => "Shown if the snippet names no configuration and no language fits better.", "Affichée si l’extrait ne nomme aucune configuration et qu’aucune langue ne convient mieux.";
        "googleConsentMode": "Google Consent Mode", "Mode Consentement de Google"
            => "“Install” then shows lines to put before all tags. Everything is denied until a visitor allows it.", "« Installation » affiche alors des lignes à placer avant toutes les balises. Tout est refusé jusqu’à ce qu’un visiteur l’autorise.";
        "withSaveConsent": "Keep proofs", "Garder les preuves"
            => "Placet receives and keeps each choice.", "Placet reçoit et garde chaque choix.";
        "privacyPolicyUrl": "Privacy policy", "Politique de confidentialité"
            => "The first step of the banner links to it. When empty, to that of the settings.", "La première étape du bandeau y renvoie. Si vide, à celle des réglages.";
        "dataProcessor": "Controller", "Responsable de traitement";
        "contact": "Contact for visitors", "Contact pour les visiteurs";
        "alwaysOn": "Always on", "Toujours actif";
        "steps": "Steps", "Étapes";
        "voice": "Voice", "Ton"
            => "How the banner’s own words address visitors in each language, such as “tu” or “vous”. The buttons that accept and refuse, the sentences of TCF and your own texts stay as they are.", "La manière dont le bandeau s’adresse aux visiteurs dans chaque langue, par exemple « tu » ou « vous ». Les boutons qui acceptent et refusent, les phrases du TCF et vos propres textes restent tels quels.";
        "strings": "Texts", "Textes";
        "consentWidgetStrings": "Texts", "Textes";
        "settings": "Position and behaviour", "Position et comportement";
        "tcf": "Partners and purposes", "Partenaires et finalités";
        "gpp": "Signals for the United States", "Signaux pour les États-Unis";
    }
    Exempt, ExemptTexts {
        "title": "Title", "Titre";
        "reason": "Why it needs no consent", "Pourquoi il se passe de consentement";
    }
    Step, StepTexts {
        "name": "Name", "Nom"
            => "Unique in this configuration.", "Unique dans cette configuration.";
        "layout": "Layout", "Disposition";
        "title": "Title", "Titre";
        "topTitle": "Line above the title", "Ligne au-dessus du titre";
        "subTitle": "Line below the title", "Ligne sous le titre";
        "message": "Message", "Message";
        "image": "Image", "Image";
        "vendors": "Services", "Services";
        "strings": "Texts of this step", "Textes de cette étape";
        "timeout": "Disappears after", "Disparaît après";
        "showToggleAllSwitch": "One switch for all", "Un interrupteur pour tous"
            => "Shown above the services of this step.", "Affiché au-dessus des services de cette étape.";
        "groupByCategory": "Fold by category", "Regrouper par catégorie"
            => "Each category has its count and a switch for all of it; more than twelve services can be searched.", "Chaque catégorie a son nombre de services et un interrupteur pour tous ; au-delà de douze services, une recherche s’ajoute.";
    }
    Settings {
        "position": "Position", "Position";
        "displayMode": "Format", "Format";
        "scheme": "Light or dark", "Clair ou sombre"
            => "“As the page” follows the style property color-scheme of your page, also when it changes.", "« Comme la page » suit la propriété de style color-scheme de votre page, même quand elle change.";
        "reopenButton": "Button to change the choice", "Bouton pour changer de choix"
            => "Withdrawing consent must be as easy as giving it.", "Retirer son consentement doit être aussi simple que le donner.";
        "overlay": "Dim the page behind", "Assombrir la page derrière"
            => "Visitors must answer before they can read on.", "Les visiteurs doivent répondre avant de poursuivre.";
        "cookieDurationDays": "Keep a choice for", "Garder un choix pendant"
            => "After that, visitors are asked again. 180 days is a common recommendation.", "Ensuite, la question est reposée aux visiteurs. 180 jours est une recommandation courante.";
        "onClose": "When a visitor closes the banner", "Quand un visiteur ferme le bandeau"
            => "For visitors who have not chosen yet. The first layer says so.", "Pour les visiteurs qui n’ont pas encore choisi. La première couche le dit.";
        "askAgainAfterDays": "Ask again after closing", "Redemander après une fermeture"
            => "Authorities advise six months.", "Les autorités conseillent six mois.";
        "reaskOnVendorChange": "Ask again when a service is added", "Redemander quand un service s’ajoute"
            => "A choice covers only what the visitor was asked.", "Un choix ne couvre que ce qui a été demandé au visiteur.";
        "respectGpc": "Respect Global Privacy Control", "Respecter Global Privacy Control"
            => "The browser’s signal counts as a refusal of advertising.", "Le signal du navigateur vaut refus de la publicité.";
        "hideForVisitorsWithChoice": "Hide the button after visitors have chosen", "Masquer le bouton une fois que le visiteur a choisi";
    }
    ConsentMode {
        "enabled": "On", "Activé";
        "adsDataRedaction": "Redact ads data", "Masquer les données publicitaires"
            => "While advertising is denied, Google receives no identifiers of ad clicks.", "Tant que la publicité est refusée, Google ne reçoit aucun identifiant de clic publicitaire.";
        "urlPassthrough": "Pass ad clicks on in URLs", "Transmettre les clics publicitaires dans les adresses"
            => "Ad clicks are measured without cookies while storage is denied.", "Les clics publicitaires sont mesurés sans cookies tant que le stockage est refusé.";
        "microsoft": "Microsoft Advertising and Clarity", "Microsoft Advertising et Clarity"
            => "Sends the same signals to Universal Event Tracking and Clarity.", "Envoie les mêmes signaux à Universal Event Tracking et à Clarity.";
        "waitForUpdate": "Maximum wait of tags", "Attente maximale des balises"
            => "How long tags wait for a choice that is already stored.", "Combien de temps les balises attendent un choix déjà enregistré.";
        "region": "Regions denied by default", "Régions refusées par défaut"
            => "One per line, such as FR or US-CA. If empty, everywhere.", "Une par ligne, comme FR ou US-CA. Si vide, partout.";
    }
    Tcf {
        "publisherCC": "Country whose law you follow", "Pays dont vous suivez la loi"
            => "Two letters, such as FR or DE.", "Deux lettres, comme FR ou DE.";
        "vendors": "Partners", "Partenaires";
        "purposes": "Purposes", "Finalités";
        "specialFeatures": "Special features", "Fonctionnalités spéciales";
        "stacks": "Stacks", "Regroupements";
        "legitimateInterests": "Partners may claim legitimate interests", "Les partenaires peuvent invoquer des intérêts légitimes"
            => "Turned off, flexible partners need consent, and others lose the purpose.", "Sinon, les partenaires flexibles ont besoin du consentement, et les autres perdent la finalité.";
        "restrictions": "Restrictions", "Restrictions";
        "purposeOneTreatment": "Do not ask about purpose 1", "Ne pas demander la finalité 1"
            => "Only where the law of your country does not ask consent for storage on devices.", "Seulement si la loi de votre pays n’exige pas de consentement pour le stockage sur l’appareil.";
        "additionalConsent": "Google’s other partners", "Autres partenaires de Google";
        "applies": "Visitors to whom the law applies", "Visiteurs concernés par la loi";
    }
    Restriction {
        "purpose": "Purpose", "Finalité";
        "type": "Rule", "Règle";
        "vendors": "Partners", "Partenaires";
    }
    Gpp {
        "sections": "Answer with the national section (usnat)", "Répondre avec la section nationale (usnat)"
            => "Visitors who refuse advertising, or whose browser sends Global Privacy Control until they accept, count as opted out of sale, sharing and targeted advertising.", "Les visiteurs qui refusent la publicité, ou dont le navigateur envoie Global Privacy Control tant qu’ils n’ont pas accepté, comptent comme opposés à la vente, au partage et à la publicité ciblée.";
        "mspa": "Multi-State Privacy Agreement", "Multi-State Privacy Agreement"
            => "Choose a mode only if you have signed IAB’s agreement.", "Choisissez un mode seulement si vous avez signé l’accord de l’IAB.";
    }
    Strings {
        "acceptAll": "Accept all", "Tout accepter";
        "dismiss": "Refuse all", "Tout refuser";
        "configure": "Configure", "Configurer";
        "nextStep": "Next", "Suivant";
        "prevStep": "Back", "Retour";
        "lastStep": "Finish", "Terminer";
        "save": "Save", "Enregistrer";
        "toggleAll": "Switch all", "Tout activer";
        "readMore": "Read more", "En savoir plus";
        "policyLink": "Link to a privacy policy", "Lien vers une politique";
        "close": "Close", "Fermer";
        "reopen": "Reopen", "Rouvrir";
        "poweredBy": "Powered by", "Propulsé par";
    }
    Vendor {
        "name": "Name", "Nom"
            => "Identifies the choice. Lower-case letters, digits, - and _.", "Identifie le choix. Minuscules, chiffres, - et _.";
        "title": "Title", "Titre";
        "shortDescription": "Short description", "Description courte"
            => "One sentence about what the service does.", "Une phrase sur ce que fait le service.";
        "longDescription": "Long description", "Description longue";
        "domain": "Domain", "Domaine";
        "policyUrl": "Privacy policy", "Politique de confidentialité";
        "categories": "Purposes", "Finalités"
            => "What visitors allow with this service. The banner names them, consent mode and Global Privacy Control follow them.", "Ce que les visiteurs autorisent avec ce service. Le bandeau les nomme, le mode consentement et Global Privacy Control les suivent.";
        "company": "Company", "Société";
        "country": "Country of the company", "Pays de la société";
        "tcfVendorId": "Number in the vendor list", "Numéro dans la liste des partenaires";
        "cookieFacts": "Cookies", "Cookies"
            => "Visitors read them, and they are deleted when consent is withdrawn.", "Les visiteurs les lisent, et ils sont supprimés quand le consentement est retiré.";
        "cookies": "Cookies", "Cookies";
        "organizationId": "Organization", "Organisation";
        "textLanguage": "Language", "Langue";
    }
    Cookie {
        "name": "Cookie name", "Nom du cookie"
            => "* at the end stands for a part that differs.", "* à la fin remplace une partie variable.";
        "maxAgeSeconds": "Life in seconds", "Durée en secondes";
    }
    ConsentBox, ContractBox {
        "language": "Language", "Langue"
            => "For the texts that you do not write yourself.", "Pour les textes que vous n’écrivez pas vous-même.";
        "file": "Document", "Document";
        "title": "Title", "Titre"
            => "Visitors see it, and it names the proofs.", "Les visiteurs le voient, et il nomme les preuves.";
        "subTitle": "Line below the title", "Ligne sous le titre";
        "picture": "Picture", "Image";
        "message": "Message", "Message";
        "purpose": "Purpose", "Finalité"
            => "What the data is used for, in one or two sentences.", "À quoi servent les données, en une ou deux phrases.";
        "buttons": "Answer", "Réponse";
        "confirmations": "After the answer", "Après la réponse";
        "processors": "Who gets the data", "Qui reçoit les données"
            => "Everyone else who processes the data.", "Toutes les autres personnes qui traitent les données.";
        "dataProcessor": "Controller", "Responsable de traitement";
        "personalDataTypes": "Personal data", "Données personnelles"
            => "One per line.", "Une par ligne.";
        "automatedDecisions": "Decisions are made automatically", "Des décisions sont automatisées"
            => "Without a person involved, and with effects on the visitor.", "Sans intervention humaine, et avec des effets pour le visiteur.";
        "automatedDecisionsContact": "Contact for questions", "Contact pour les questions"
            => "An e-mail address, or a name and a phone number.", "Une adresse e-mail, ou un nom et un numéro de téléphone.";
        "automatedDecisionsDetails": "How they are made", "Comment elles sont prises";
        "consentWithdraw": "How to withdraw consent", "Comment retirer son consentement"
            => "Withdrawing must be as easy as giving consent.", "Retirer son consentement doit être aussi simple que le donner.";
        "storageDuration": "Storage period", "Durée de conservation"
            => "Visitors see it. Proofs of this box are also deleted after this many months.", "Les visiteurs la voient. Les preuves de cet encart sont aussi supprimées après ce nombre de mois.";
        "name": "Name of the field", "Nom du champ"
            => "Your server receives the answer under this name. A data-name attribute in the form overrides it.", "Votre serveur reçoit la réponse sous ce nom. Un attribut data-name dans le formulaire le remplace.";
        "idRequired": "Required", "Obligatoire"
            => "The browser sends the form only if the visitor agrees.", "Le navigateur n’envoie le formulaire que si le visiteur accepte.";
    }
    Button {
        "text": "Label", "Libellé"
            => "If empty, the usual word in the box’s language.", "Si vide, le mot habituel dans la langue de l’encart.";
        "color": "Look", "Aspect";
        "value": "Meaning", "Sens";
    }
    Screen {
        "title": "Title", "Titre";
        "message": "Message", "Message";
        "backButtonText": "Label of the back button", "Libellé du bouton de retour"
            => "The button returns to the question, so that the visitor can change the answer.", "Le bouton ramène à la question, pour que le visiteur puisse changer de réponse.";
    }
    Processor {
        "name": "Name", "Nom";
        "shortDescription": "Short description", "Description courte";
        "role": "Role", "Rôle";
        "website": "Website", "Site";
    }
}

/// The label of a field of an object.
pub fn label(object: &str, key: &str) -> Option<&'static str> {
    find(LABELS, object, key)
}

/// The hint below a field of an object.
pub fn hint(object: &str, key: &str) -> Option<&'static str> {
    find(HINTS, object, key)
}

/// The fields of an object and their labels, in the order in which they stand above.
pub fn all(object: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    rows(LABELS, object).map(|row| (row.0, in_locale(row)))
}

fn find(tables: &'static [Rows], object: &str, key: &str) -> Option<&'static str> {
    rows(tables, object).find(|row| row.0 == key).map(in_locale)
}

fn rows(tables: &'static [Rows], object: &str) -> impl Iterator<Item = &'static Row> {
    let tables = tables
        .iter()
        .filter(move |table| table.objects.contains(&object));
    tables.flat_map(|table| table.rows)
}

fn in_locale(&(_, en, fr): &'static Row) -> &'static str {
    match locale() {
        Locale::En => en,
        Locale::Fr => fr,
    }
}

/// The fields that have a label, with the names of their objects.
#[cfg(test)]
pub fn keys() -> impl Iterator<Item = (&'static [&'static str], &'static str)> {
    let rows = |table: &'static Rows| table.rows.iter().map(|row| (table.objects, row.0));
    LABELS.iter().flat_map(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::table::check;

    #[test]
    fn both_languages_fill_in_the_same_values() {
        check(BOTH);
    }
}
