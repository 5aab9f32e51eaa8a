//! Pictures and files of documents: copied beside what is published, under names by content.
//!
//! Documents name an asset of the project by its id, or a picture elsewhere by its address; the
//! content keeps what they name. A publish copies each once ([`copy`]), and files are made with the
//! addresses of the copies ([`placed`]), so what is live depends on nobody else. What an earlier
//! publish copied is copied again only where the object store has lost it.

use std::collections::{BTreeMap, BTreeSet};

use domain::published::CookieConfiguration;
use serde_json::Value;
use uuid::Uuid;

use super::{
    Content, Publish,
    stop::Stop,
    switch::{holds, put},
};
use crate::{
    assets::{Assets, Published},
    error::{Error, Result},
};

/// Keys of copies by what documents name.
pub(super) type Images = BTreeMap<String, String>;

/// Largest picture that is fetched.
const MOST_FETCHED: usize = 5 * 1024 * 1024;

/// What a document names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Picture,
    Document,
}

/// Copies what the content names into the object store, without what it still holds of the copies
/// that an `earlier` publish of this content made.
pub(super) async fn copy(
    publish: &Publish,
    project: Uuid,
    content: &Content,
    earlier: &Images,
) -> std::result::Result<Images, Stop> {
    let mut images = Images::new();
    for (named, used) in names(content) {
        if let Some(key) = earlier.get(&named)
            && holds(publish, key).await?
        {
            images.insert(named, key.clone());
            continue;
        }
        let what = match used {
            Use::Picture => "image",
            Use::Document => "file",
        };
        let copy = match find(publish, project, &named, used).await {
            Err(Error::Unavailable) => Err(Stop::unstored(format!(
                "The {what} {named} could not be read from where files are kept."
            ))),
            Err(error) => Err(error.into()),
            Ok(Err(why)) => Err(Stop::Fail {
                code: "build_failed",
                message: format!("The {what} {named} {why}."),
            }),
            Ok(Ok(copy)) => Ok(copy),
        }?;
        put(publish, &copy.key, &copy.bytes).await?;
        images.insert(named, copy.key);
    }
    Ok(images)
}

async fn find(
    publish: &Publish,
    project: Uuid,
    named: &str,
    used: Use,
) -> Result<std::result::Result<Published, &'static str>> {
    let assets = &publish.assets;
    match (Uuid::parse_str(named), used) {
        (Ok(id), Use::Picture) => assets.for_widget(project, id).await,
        (Ok(id), Use::Document) => assets.document(project, id).await,
        (Err(_), _) => match publish.outbound.page(named, MOST_FETCHED).await {
            Ok(bytes) => assets.bytes_for_widget(project, bytes).await,
            Err(_) => Ok(Err("cannot be fetched")),
        },
    }
}

/// Everything to copy. The file of a contract box may stay elsewhere; pictures may not, because
/// visitors' browsers would tell others where they are.
fn names(content: &Content) -> BTreeSet<(String, Use)> {
    let steps = content.cookies.iter().flat_map(|one| &one.steps);
    let steps = steps.filter_map(|step| step.image.clone());
    let pictures = content.processings.iter();
    let pictures = pictures.filter_map(|one| Some(one.get("picture")?.as_str()?.to_owned()));
    let files = content.contracts.iter();
    let files = files.filter_map(|one| Some(one.get("file")?.as_str()?.to_owned()));
    let files = files.filter(|file| Uuid::parse_str(file).is_ok());
    steps
        .chain(pictures)
        .filter(|name| !name.is_empty())
        .map(|name| (name, Use::Picture))
        .chain(files.map(|name| (name, Use::Document)))
        .collect()
}

/// The content with the addresses of the copies.
pub(super) fn placed(content: &Content, images: &Images, cdn_url: &str) -> Content {
    let address = |name: &str| images.get(name).map(|key| format!("{cdn_url}/{key}"));
    let mut content = content.clone();
    for step in content.cookies.iter_mut().flat_map(|one| &mut one.steps) {
        step.image = step.image.as_deref().and_then(address);
    }
    for (boxes, field) in [
        (&mut content.processings, "picture"),
        (&mut content.contracts, "file"),
    ] {
        for value in boxes.iter_mut().filter_map(|one| one.get_mut(field)) {
            if let Some(address) = value.as_str().and_then(address) {
                *value = Value::from(address);
            }
        }
    }
    content
}

/// A preview shows assets as they are.
pub(super) fn for_preview(assets: &Assets, configuration: &mut CookieConfiguration) {
    for step in &mut configuration.steps {
        let name = step.image.as_deref();
        if let Some(id) = name.and_then(|name| Uuid::parse_str(name).ok()) {
            step.image = Some(format!("{}?w=768&h=768", assets.url(id)));
        }
    }
}

/// The same for a box: what it names of the project's files.
pub(super) fn box_for_preview(assets: &Assets, document: &mut Value) {
    for (field, size) in [("picture", "?w=768&h=768"), ("file", "")] {
        let named = document.get_mut(field);
        if let Some(value) = named
            && let Some(id) = value.as_str().and_then(|name| Uuid::parse_str(name).ok())
        {
            *value = Value::from(format!("{}{size}", assets.url(id)));
        }
    }
}
