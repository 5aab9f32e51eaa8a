//! Ids of the catalogue. They are the same in every installation.

use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The id of a service.
pub(super) fn of_vendor(name: &str) -> Uuid {
    id_of("vendor", name)
}

/// The id of a company.
pub(super) fn of_company(name: &str) -> Uuid {
    id_of("company", name)
}

/// The id of a category.
pub(super) fn of_category(name: &str) -> Uuid {
    id_of("category", name)
}

/// Shaped as a UUIDv7 of the first catalogue's day; the rest is a hash of the type and the name of the entry.
fn id_of(entry_type: &str, name: &str) -> Uuid {
    /// 2026-01-01T00:00:00Z.
    const MILLISECONDS: u64 = 1_767_225_600_000;
    let hash = Sha256::digest(format!("placet catalogue {entry_type} {name}").as_bytes());
    let mut random = [0_u8; 10];
    random
        .iter_mut()
        .zip(hash.iter())
        .for_each(|(to, from)| *to = *from);
    uuid::Builder::from_unix_timestamp_millis(MILLISECONDS, &random).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stay_the_same_and_are_version_7() {
        let id = id_of("vendor", "google-analytics");
        assert_eq!(id, id_of("vendor", "google-analytics"));
        assert_ne!(id, id_of("vendor", "matomo"));
        assert_ne!(id, id_of("company", "google-analytics"));
        assert_eq!(id.get_version_num(), 7);
        // Sites' configurations hold this id: it must never change.
        assert_eq!(id.to_string(), "019b76da-a800-7e1f-bd45-e2a1d46bd701");
    }
}
