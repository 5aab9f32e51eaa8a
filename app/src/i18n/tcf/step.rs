//! Texts about a step that asks by TCF, outside of the section.

use crate::i18n::table::texts;

texts! {
    /// Texts about a step that asks by TCF.
    StepTexts;

    section: "Partners and purposes", "Partenaires et finalités";
    lead: "This step asks by the rules of IAB Europe. Its texts come from IAB Europe; you choose the partners, and may put a message of your own above.", "Cette étape suit les règles d’IAB Europe. Ses textes viennent d’IAB Europe ; vous choisissez les partenaires et pouvez placer votre propre message au-dessus.";
    lead_button: "Choose partners and purposes", "Choisir partenaires et finalités";
    steps_beside: "Other steps cannot stand beside this one; only notices before it can.", "D’autres étapes ne peuvent pas accompagner celle-ci, sauf des avis placés avant.";
    steps_remove: "Remove the other steps", "Retirer les autres étapes";
    steps_removed: "Steps that cannot stand beside it are removed", "Les étapes qui ne peuvent pas l’accompagner sont retirées";
    no_step: "No step of this banner has the layout “IAB TCF”. Add one to choose partners.", "Aucune étape de ce bandeau n’a la disposition « IAB TCF ». Ajoutez-en une pour choisir des partenaires.";
}
