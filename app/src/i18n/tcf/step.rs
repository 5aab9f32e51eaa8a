//! Texts about IAB's frameworks outside of the section.

use crate::i18n::table::texts;

texts! {
    /// Texts about a step that asks by TCF, and about signals of the United States.
    StepTexts;
    lead: "This step asks by the rules of IAB Europe. Its texts come from IAB Europe; you choose the partners, and may put a message of your own above.", "Cette étape suit les règles d’IAB Europe. Ses textes viennent d’IAB Europe ; vous choisissez les partenaires et pouvez placer votre propre message au-dessus.";
    lead_button: "Choose partners and purposes", "Choisir partenaires et finalités";
    steps_beside: "Other steps cannot stand beside this one; only notices before it can.", "D’autres étapes ne peuvent pas accompagner celle-ci, sauf des avis placés avant.";
    steps_remove: "Remove the other steps", "Retirer les autres étapes";
    steps_removed: "Steps that cannot stand beside it are removed", "Les étapes qui ne peuvent pas l’accompagner sont retirées";
    us_text: "Tags on your pages ask the Global Privacy Platform (__gpp) whether a visitor has opted out.", "Les balises de vos pages demandent à la Global Privacy Platform (__gpp) si un visiteur s’est opposé.";
    mspa_none: "Not signed", "Non signé";
    mspa_opt_out: "Signed: opt-out mode", "Signé : mode opt-out";
    mspa_provider: "Signed: service provider mode", "Signé : mode prestataire";

    no_step: "No step of this banner has the layout “IAB TCF”. Add one to choose partners.", "Aucune étape de ce bandeau n’a la disposition « IAB TCF ». Ajoutez-en une pour choisir des partenaires.";
}
