//! The names of roles, and their rights.

use domain::role::Role;

use crate::i18n::Texts;

pub fn role_name(t: &'static Texts, role: Role) -> &'static str {
    match role {
        Role::Viewer => t.role_viewer,
        Role::Dpo => t.role_dpo,
        Role::Editor => t.role_editor,
        Role::Owner => t.role_owner,
    }
}

pub fn role_text(t: &'static Texts, role: Role) -> &'static str {
    match role {
        Role::Viewer => t.role_viewer_text,
        Role::Dpo => t.role_dpo_text,
        Role::Editor => t.role_editor_text,
        Role::Owner => t.role_owner_text,
    }
}
