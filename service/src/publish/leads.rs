//! The addresses to which live files lead visitors, for operators who look for a fault.

use std::collections::BTreeMap;

use domain::payload::Payload;
use uuid::Uuid;

use super::store;
use crate::{
    db::Db,
    error::{Error, Result},
    objects::Objects,
};

/// Projects that are looked at.
const MOST: usize = 1_000;

/// Addresses of the API in live files, each with the number of its projects.
pub(crate) async fn leads(db: &Db, objects: &Objects) -> Result<BTreeMap<String, usize>> {
    let (mut found, mut seen, mut after) = (BTreeMap::new(), 0, Uuid::nil());
    while seen < MOST {
        let some = store::some_live(db, after).await?;
        let Some(last) = some.last() else { break };
        after = last.project_id;
        seen += some.len();
        for live in some {
            let mut files = live.files().into_iter();
            // All files of a publish have the same address.
            let Some(file) = files.find(|file| file.key.ends_with(".payload")) else {
                continue;
            };
            let bytes = objects.get(&file.immutable).await;
            let Some(bytes) = bytes.map_err(Error::internal)? else {
                continue;
            };
            let text = String::from_utf8_lossy(&bytes);
            if let Some(payload) = Payload::read(&text) {
                *found.entry(payload.api_url().to_owned()).or_default() += 1;
            }
        }
    }
    Ok(found)
}
