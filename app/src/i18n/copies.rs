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
    copy_of: "{title} (copy)", "{title} (copie)";
    duplicate: "Duplicate", "Dupliquer";
    duplicated_without: "Duplicated. Services and files that are gone, or that you may not see, are left out: {n}", "Dupliqué. Services et fichiers disparus, ou que vous ne pouvez pas voir, laissés de côté : {n}";
    duplicated: "Duplicated: you are editing the copy", "Dupliqué : vous modifiez la copie";
    duplicated_meanwhile: "Duplicated: the copy is in its list", "Dupliqué : la copie est dans sa liste";
}
