//! Texts of copies of documents.

use crate::i18n::table::texts;

texts! {
    /// Texts of copies of documents.
    CopyTexts;

    to_project: "Copy to another project", "Copier vers un autre projet";
    text: "Its own services and files go along. A service of the same key that is there already stays as it is.", "Ses services personnalisés et ses fichiers l’accompagnent. Un service de même clé qui s’y trouve déjà reste tel quel.";
    title: "Title", "Titre";
    project: "Project", "Projet";
    find: "Find a project", "Chercher un projet";
    none: "You can edit no other project.", "Vous ne pouvez modifier aucun autre projet.";
    none_fits: "None of the projects that you can edit matches this search.", "Aucun projet que vous pouvez modifier ne correspond à cette recherche.";
    copy: "Copy", "Copier";
    copied: "Copied to {project}", "Copié vers {project}";
    left_out: "Copied to {project}. Services and files that are gone, or that you may not see, are left out: {n}", "Copié vers {project}. Services et fichiers disparus, ou que vous ne pouvez pas voir, laissés de côté : {n}";
    open: "Open the copy", "Ouvrir la copie";
    begin_wanted: "Begin like one of my projects", "Commencer comme l’un de mes projets";
    begin_like: "Project to begin like", "Projet de départ";
    begin_hint: "The new project gets its look, its parties, its rules and a copy of each banner and form. It does not get its people, its organization, its hosts and its privacy policy.", "Le nouveau projet reçoit son apparence, ses responsables, ses règles et une copie de chaque bandeau et formulaire. Il ne reçoit ni ses personnes, ni son organisation, ni ses hôtes, ni sa politique de confidentialité.";
    begin_progress: "Copying {n} of {all}", "Copie {n} sur {all}";
    begin_failed: "Not copied: {titles}.", "Non copiés : {titles}.";
    begin_beyond: "Not copied, since there are so many: {n}.", "Non copiés, car trop nombreux : {n}.";
    begin_left_out: "Services and files that are gone, or that you may not see, are left out: {n}.", "Services et fichiers disparus, ou que vous ne pouvez pas voir, laissés de côté : {n}.";
    copy_of: "{title} (copy)", "{title} (copie)";
    duplicate: "Duplicate", "Dupliquer";
    duplicated_without: "Duplicated. Services and files that are gone, or that you may not see, are left out: {n}", "Dupliqué. Services et fichiers disparus, ou que vous ne pouvez pas voir, laissés de côté : {n}";
    duplicated: "Duplicated: you are editing the copy", "Dupliqué : vous modifiez la copie";
    duplicated_meanwhile: "Duplicated: the copy is in its list", "Dupliqué : la copie est dans sa liste";
}
