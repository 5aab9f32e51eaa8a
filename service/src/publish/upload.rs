//! Calls of the object store. A call that fails is repeated a few times before the step stops.

use std::io;

use bytes::Bytes;

use super::{
    Publish,
    stop::{Done, Stop},
};
use crate::{
    objects::{self, Packed},
    render,
};

/// Attempts for one call of the object store. The store's client repeats short failures itself.
const TRIES: u32 = 3;

/// Compresses an object and stores it.
pub(super) async fn put(publish: &Publish, key: &str, bytes: impl Into<Bytes>) -> Done {
    let bytes = bytes.into();
    tried(|| publish.objects.put(key, bytes.clone()))
        .await
        .map_err(|error| unstored(key, &error))
}

/// Stores an object.
pub(super) async fn put_packed(publish: &Publish, key: &str, packed: &Packed) -> Done {
    tried(|| publish.objects.store(key, packed))
        .await
        .map_err(|error| unstored(key, &error))
}

fn unstored(key: &str, error: &io::Error) -> Stop {
    Stop::unstored(format!("{key} could not be stored: {error}."))
}

/// True if the store has the object.
pub(super) async fn holds(publish: &Publish, key: &str) -> Done<bool> {
    tried(|| publish.objects.holds(key))
        .await
        .map_err(|error| Stop::unstored(format!("{key} could not be looked for: {error}.")))
}

/// A file that is no longer published: scripts are made inert, since sites still load them.
pub(super) async fn retire(publish: &Publish, key: &str) -> Done {
    if objects::content_type(key).starts_with("text/javascript") {
        return put(publish, key, render::inert_script().as_bytes()).await;
    }
    tried(|| publish.objects.delete(key))
        .await
        .map_err(|error| Stop::unstored(format!("{key} could not be removed: {error}.")))
}

/// Gives a mutable object the content of an immutable one again.
pub(super) async fn put_back(publish: &Publish, immutable: &str, key: &str) -> Done {
    tried(|| publish.objects.copy(immutable, key))
        .await
        .map_err(|error| Stop::unstored(format!("{key} could not be put back: {error}.")))
}

async fn tried<T, F>(call: impl Fn() -> F) -> io::Result<T>
where
    F: Future<Output = io::Result<T>>,
{
    let mut tries = 1;
    loop {
        match call().await {
            Err(_) if tries < TRIES => tries += 1,
            ended => return ended,
        }
    }
}
