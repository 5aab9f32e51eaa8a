//! Pictures and files of documents. A publish copies them beside its own files, under names by
//! content.
//!
//! Documents name an asset of the project by its id, or a picture elsewhere by its web address. The
//! content keeps these names. A publish copies each asset or picture once ([`copy`]) and writes the
//! addresses of the copies into its files ([`place`]). So live files depend on nobody else. A
//! publish copies again only if the object store has lost the copy of an earlier publish.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use domain::{
    collection::Collection,
    documents::{self, Client, CookieConfiguration, Illustration, field::FileUse},
    error_code::ErrorCode,
};
use futures::{StreamExt, stream};
use serde_json::Value;
use uuid::Uuid;

use super::{
    Content,
    payer::Payer,
    stop::{Done, Stop},
    upload::{holds, put},
};
use crate::{
    assets::{Assets, Published},
    error::{Error, Result},
    outbound::Outbound,
};

/// Keys of copies, by the name in the documents.
pub(super) type Images = BTreeMap<String, String>;

/// Largest picture that is fetched.
const MOST_FETCHED: usize = 5 * 1024 * 1024;

/// Time for all pictures from elsewhere together. A publish keeps others waiting meanwhile.
const FETCHING: Duration = Duration::from_secs(10);

/// Pictures that are fetched at the same time.
const AT_ONCE: usize = 4;

/// Most bytes of all pictures from elsewhere together. They are in memory meanwhile.
const MOST_TOGETHER: usize = 30 * 1024 * 1024;

/// Copies the pictures and files that the content names into the object store. Skips the copies of
/// an `earlier` publish of this content that the store still holds.
pub(super) async fn copy(
    payer: &Payer<'_>,
    project: Uuid,
    content: &Content,
    earlier: &Images,
) -> Done<Images> {
    let publish = payer.publish;
    let mut images = Images::new();
    let (mut own, mut elsewhere) = (Vec::new(), BTreeSet::new());
    for (named, used) in names(content) {
        if let Some(key) = earlier.get(&named)
            && holds(publish, key).await?
        {
            images.insert(named, key.clone());
        } else if let Ok(id) = Uuid::parse_str(&named) {
            own.push((named, used, id));
        } else {
            elsewhere.insert(named);
        }
    }
    let assets = &publish.assets;
    for (named, used, id) in own {
        let (what, found) = match used {
            FileUse::Picture => ("image", assets.for_widget(project, id).await),
            FileUse::Document => ("file", assets.document(project, id).await),
        };
        let key = store(payer, what, &named, found).await?;
        images.insert(named, key);
    }
    let outbound = publish.outbound.of(payer.person.unwrap_or(project));
    for (named, bytes) in fetch(&outbound, elsewhere, FETCHING).await {
        let found = match bytes {
            Ok(bytes) => assets.bytes_for_widget(project, bytes).await,
            Err(why) => Ok(Err(why)),
        };
        let key = store(payer, "image", &named, found).await?;
        images.insert(named, key);
    }
    Ok(images)
}

/// Fetches pictures from elsewhere within this time, or says why one is not there.
async fn fetch(
    outbound: &Outbound,
    addresses: BTreeSet<String>,
    within: Duration,
) -> BTreeMap<String, std::result::Result<Vec<u8>, &'static str>> {
    let late = |url| (url, Err("did not come in time"));
    let mut fetched: BTreeMap<_, _> = addresses.iter().cloned().map(late).collect();
    let mut coming = stream::iter(addresses)
        .map(|url| async move {
            // One byte more: the part of a larger picture would pass for a whole one.
            let bytes = outbound.page(&url, MOST_FETCHED + 1).await;
            let bytes = match bytes {
                Ok(bytes) if bytes.len() > MOST_FETCHED => Err("is larger than 5 MB; upload it"),
                bytes => bytes.map_err(|_| "cannot be fetched"),
            };
            (url, bytes)
        })
        .buffer_unordered(AT_ONCE);
    let all = async {
        let mut together = 0;
        while let Some((url, bytes)) = coming.next().await {
            together += bytes.as_ref().map_or(0, Vec::len);
            let fits = together <= MOST_TOGETHER;
            let too_many = Err("is too large together with the others from elsewhere; upload it");
            fetched.insert(url, if fits { bytes } else { too_many });
        }
    };
    // Those that are missing when the time is over keep their reason.
    let _ = tokio::time::timeout(within, all).await;
    fetched
}

/// Puts a copy into the object store and returns its key.
async fn store(
    payer: &Payer<'_>,
    what: &str,
    named: &str,
    found: Result<std::result::Result<Published, &'static str>>,
) -> Done<String> {
    let copy = match found {
        Err(Error::Unavailable) => Err(Stop::unstored(format!(
            "The {what} {named} could not be read from where files are kept."
        ))),
        Err(error) => Err(error.into()),
        Ok(Err(why)) => Err(Stop::Fail {
            code: ErrorCode::BuildFailed,
            message: format!("The {what} {named} {why}."),
        }),
        Ok(Ok(copy)) => Ok(copy),
    }?;
    let Published { key, bytes } = copy;
    if !holds(payer.publish, &key).await? {
        payer.pay(&key, bytes.len()).await?;
        put(payer.publish, &key, bytes).await?;
    }
    Ok(key)
}

/// Everything to copy. The file of a contract box may stay elsewhere; pictures may not, because
/// visitors' browsers would tell others where they are.
fn names(content: &Content) -> BTreeSet<(String, FileUse)> {
    let steps = content.widgets().flat_map(|one| &one.steps);
    let steps = steps.filter_map(|step| step.image.clone());
    let Client {
        logo, dark_logo, ..
    } = &content.client;
    let logos = [logo, dark_logo].into_iter().flatten().cloned();
    let drawn = steps.chain(logos).map(|named| (named, FileUse::Picture));
    let boxes = content.boxes().into_iter();
    let boxes = boxes.flat_map(|(collection, boxes)| {
        let fields = documents::of(collection).files();
        fields.flat_map(move |(field, used)| {
            let named = boxes.iter().filter_map(move |one| one.get(field)?.as_str());
            named.map(move |named| (named.to_owned(), used))
        })
    });
    let is_copied = |(named, used): &(String, FileUse)| match used {
        // Rendering draws our own.
        FileUse::Picture => !named.is_empty() && Illustration::named(named).is_none(),
        FileUse::Document => Uuid::parse_str(named).is_ok(),
    };
    drawn.chain(boxes).filter(is_copied).collect()
}

/// Puts the addresses of the copies into the content.
pub(super) fn place(content: &mut Content, images: &Images, cdn_url: &str) {
    let address = |name: &str| images.get(name).map(|key| format!("{cdn_url}/{key}"));
    let put = |picture: &mut Option<String>| {
        let is_ours = |named: &str| Illustration::named(named).is_some();
        if !picture.as_deref().is_some_and(is_ours) {
            *picture = picture.as_deref().and_then(address);
        }
    };
    for step in content.widgets_mut().flat_map(|one| &mut one.steps) {
        put(&mut step.image);
    }
    logos(&mut content.client).into_iter().for_each(put);
    for (collection, boxes) in content.boxes_mut() {
        for one in boxes {
            rename(collection, one, |named, _| address(named));
        }
    }
}

fn logos(client: &mut Client) -> [&mut Option<String>; 2] {
    [&mut client.logo, &mut client.dark_logo]
}

/// Gives the files that a box names other addresses.
fn rename(
    collection: Collection,
    one: &mut Value,
    address: impl Fn(&str, FileUse) -> Option<String>,
) {
    for (field, used) in documents::of(collection).files() {
        if let Some(value) = one.get_mut(field)
            && let Some(address) = value.as_str().and_then(|named| address(named, used))
        {
            *value = Value::from(address);
        }
    }
}

/// Size of pictures in a preview.
const PREVIEWED: &str = "?w=768&h=768";

/// A preview shows assets as they are.
pub(super) fn for_preview(
    assets: &Assets,
    client: &mut Client,
    configuration: &mut CookieConfiguration,
) {
    let steps = configuration.steps.iter_mut().map(|step| &mut step.image);
    for picture in steps.chain(logos(client)) {
        let name = picture.as_deref();
        if let Some(id) = name.and_then(|name| Uuid::parse_str(name).ok()) {
            *picture = Some(format!("{}{PREVIEWED}", assets.url(id)));
        }
    }
}

/// The same for a box.
pub(super) fn box_for_preview(assets: &Assets, collection: Collection, document: &mut Value) {
    rename(collection, document, |named, used| {
        let id = Uuid::parse_str(named).ok()?;
        let size = match used {
            FileUse::Picture => PREVIEWED,
            FileUse::Document => "",
        };
        Some(format!("{}{size}", assets.url(id)))
    });
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;

    /// A site whose pictures have so many bytes. It never answers for those whose address ends with `slow`.
    async fn site(bytes: usize) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let mut request = Vec::new();
                    while !request.ends_with(b"\r\n\r\n") {
                        assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0);
                    }
                    if request.windows(6).any(|part| part == b"/slow ") {
                        return std::future::pending().await;
                    }
                    let head = format!(
                        "HTTP/1.1 200 OK\r\ncontent-length: {bytes}\r\nconnection: close\r\n\r\n"
                    );
                    stream.write_all(head.as_bytes()).await.unwrap();
                    stream.write_all(&vec![0; bytes]).await.unwrap();
                });
            }
        });
        base
    }

    /// The reasons why some of these pictures of a site are not there; empty for those that are.
    async fn reasons(base: &str, names: &[&str], within: Duration) -> Vec<&'static str> {
        let outbound = Outbound::new(vec!["127.0.0.1".to_owned()]).unwrap();
        let addresses = names.iter().map(|name| format!("{base}/{name}")).collect();
        let fetched = fetch(&outbound, addresses, within).await.into_values();
        let mut reasons: Vec<_> = fetched.map(|one| one.err().unwrap_or_default()).collect();
        reasons.sort_unstable();
        reasons
    }

    #[tokio::test]
    async fn slow_pictures_hold_a_publish_for_a_time_only() {
        let base = site(10).await;
        let within = Duration::from_millis(500);
        let reasons = reasons(&base, &["a", "slow"], within).await;
        assert_eq!(reasons, ["", "did not come in time"]);
    }

    #[tokio::test]
    async fn pictures_that_are_too_large_together_are_left_out() {
        let base = site(MOST_FETCHED).await;
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        let reasons = reasons(&base, &names, FETCHING).await;
        let (last, fitting) = reasons.split_last().unwrap();
        assert_eq!(fitting, [""; 6]);
        assert!(last.starts_with("is too large together"), "{last}");
    }
}
