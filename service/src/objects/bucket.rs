//! Objects in an S3 bucket or a compatible service.

use std::{io, str::FromStr};

use object_store::{
    Attribute, Attributes, Error, ObjectStore, ObjectStoreExt, PutOptions, aws::AmazonS3,
    path::Path,
};

use super::{Encoding, Packed, cache_control, content_type, is_immutable, is_tile};
use crate::aws::AwsAccess;

/// `s3://<bucket>/<prefix>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketUrl {
    bucket: String,
    prefix: Path,
}

impl FromStr for BucketUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rest = text
            .strip_prefix("s3://")
            .ok_or("an object store is a bucket such as s3://my-bucket/placet")?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let named = (3..=63).contains(&bucket.len())
            && bucket.bytes().all(|byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-')
            });
        if !named {
            return Err("the bucket of the object store has no valid name");
        }
        Ok(Self {
            bucket: bucket.to_owned(),
            prefix: Path::parse(prefix.trim_matches('/'))
                .map_err(|_| "the object store's prefix is not a path")?,
        })
    }
}

/// Objects of one bucket below a prefix.
pub(super) struct Bucket {
    store: AmazonS3,
    prefix: Path,
}

impl Bucket {
    pub fn open(url: &BucketUrl, access: &AwsAccess) -> io::Result<Self> {
        let store = access.builder()?.with_bucket_name(&url.bucket).build();
        Ok(Self {
            store: store.map_err(io::Error::other)?,
            prefix: url.prefix.clone(),
        })
    }

    pub async fn put(&self, key: &str, packed: &Packed) -> io::Result<()> {
        if is_tile(key) {
            // Its name tells its place, and not its content: one from before a restore may be there.
            let there = self.read(key, Encoding::Identity).await?;
            if there.is_some_and(|there| packed.variants() == [(Encoding::Identity, there)]) {
                return Ok(());
            }
        } else if is_immutable(key) && self.holds(key).await? {
            return Ok(());
        }
        for (encoding, bytes) in packed.variants() {
            let location = self.location(key, *encoding);
            let mut attributes: Attributes = [
                (Attribute::ContentType, content_type(key)),
                (Attribute::CacheControl, cache_control(key)),
            ]
            .into_iter()
            .collect();
            if let Some(name) = encoding.name() {
                attributes.insert(Attribute::ContentEncoding, name.into());
            }
            let options = PutOptions {
                attributes,
                ..PutOptions::default()
            };
            self.store
                .put_opts(&location, bytes.clone().into(), options)
                .await
                .map_err(|error| told(key, error))?;
            if self.read(key, *encoding).await?.as_ref() != Some(bytes) {
                return Err(io::Error::other("what is stored is not what was sent"));
            }
        }
        Ok(())
    }

    pub async fn read(&self, key: &str, encoding: Encoding) -> io::Result<Option<bytes::Bytes>> {
        let read = async {
            let stored = self.store.get(&self.location(key, encoding)).await?;
            stored.bytes().await
        };
        match read.await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(told(key, error)),
        }
    }

    pub async fn holds(&self, key: &str) -> io::Result<bool> {
        match self
            .store
            .head(&self.location(key, Encoding::Identity))
            .await
        {
            Ok(_) => Ok(true),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(told(key, error)),
        }
    }

    pub async fn delete(&self, key: &str) -> io::Result<()> {
        for encoding in Encoding::ALL {
            match self.store.delete(&self.location(key, encoding)).await {
                Ok(()) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(told(key, error)),
            }
        }
        Ok(())
    }

    fn location(&self, key: &str, encoding: Encoding) -> Path {
        let name = format!("{key}{}", encoding.suffix());
        let name = name.split('/').map(object_store::path::PathPart::from);
        self.prefix.parts().chain(name).collect()
    }
}

/// Logs the store's answer. The error for people who publish only says what they can act on.
fn told(key: &str, error: Error) -> io::Error {
    tracing::warn!(%error, key, "the object store failed");
    match error {
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => io::Error::new(
            io::ErrorKind::PermissionDenied,
            "the object store refuses this server's key",
        ),
        Error::NotFound { .. } => {
            io::Error::new(io::ErrorKind::NotFound, "the bucket does not exist")
        }
        _ => io::Error::other("the object store does not answer as it should"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_a_bucket_and_perhaps_a_prefix() {
        let url: BucketUrl = "s3://my-bucket/a/b/".parse().unwrap();
        assert_eq!(url.bucket, "my-bucket");
        assert_eq!(url.prefix.as_ref(), "a/b");
        assert_eq!("s3://abc".parse::<BucketUrl>().unwrap().prefix.as_ref(), "");
        for wrong in [
            "",
            "my-bucket",
            "s3://",
            "s3://a",
            "s3://A_b",
            "gs://abc",
            "s3://abc/a//b",
        ] {
            assert!(wrong.parse::<BucketUrl>().is_err(), "{wrong}");
        }
    }
}
