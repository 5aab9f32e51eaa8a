//! Makes the files of a publish from its content: the key of each file, and the files that the
//! switch changes last.

use std::collections::BTreeMap;

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::{collection::Collection, error_code::ErrorCode, published::Pointer};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha384};
use uuid::Uuid;

use super::{
    Content,
    images::{self, Images},
    store::{LiveRow, NewPublication},
};
use crate::{
    clock::Timestamp,
    error::{Error, Result},
    objects::sha256_hex,
    render::{self, Addresses},
};

/// A mutable file and the immutable one that holds the same bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct File {
    /// The key that sites know.
    pub key: String,
    /// The key by content hash.
    pub immutable: String,
    /// Subresource integrity of the bytes.
    pub integrity: String,
}

/// The mutable files of a live publish, and the SDK that they were made with. The row keeps them as JSON.
#[derive(Serialize, Deserialize)]
pub(super) struct LiveObjects {
    pub sdk: String,
    pub files: Vec<File>,
}

impl LiveRow {
    fn objects(&self) -> Option<LiveObjects> {
        serde_json::from_str(&self.objects).ok()
    }

    pub(super) fn files(&self) -> Vec<File> {
        self.objects()
            .map(|objects| objects.files)
            .unwrap_or_default()
    }

    pub(super) fn sdk_hash(&self) -> Option<String> {
        self.objects().map(|objects| objects.sdk)
    }
}

/// Everything that a publish puts.
pub(super) struct Files {
    /// Immutable objects, keys to bytes.
    pub immutable: BTreeMap<String, Vec<u8>>,
    /// Mutable objects in the order of the switch; the pointer is last.
    pub mutable: Vec<File>,
    /// The publications that this publish adds.
    pub publications: Vec<NewPublication>,
}

/// Project, job and time of a publish.
pub(super) struct Stamp {
    pub project: Uuid,
    pub job: Uuid,
    pub at: Timestamp,
}

pub(super) fn make(
    content: &Content,
    images: &Images,
    stamp: &Stamp,
    addresses: &Addresses<'_>,
) -> Result<Files> {
    let content = &images::placed(content, images, addresses.cdn_url);
    let sdk_hash = render::sdk_hash().ok_or_else(|| {
        Error::field(
            "",
            ErrorCode::BuildFailed,
            "This build of Placet holds no SDK; build it with `cargo xtask build`.",
        )
    })?;
    let project = stamp.project.to_string();
    let mut files = Files {
        immutable: BTreeMap::new(),
        mutable: Vec::new(),
        publications: Vec::new(),
    };
    for file in render::sdk_files() {
        files
            .immutable
            .insert(format!("sdk/{}", file.name), file.bytes.to_vec());
    }
    let mut ids = BTreeMap::new();
    for configuration in &content.cookies {
        let rendered = render::render(&project, content.active, &content.client, configuration)
            .only_on(&content.domains);
        let manifest = serde_json::json!({
            "collection": "cookies", "configuration": configuration, "client": content.client,
            "active": content.active, "payload": rendered.hash(), "sdk": sdk_hash,
        })
        .to_string();
        let id = sha256_hex(manifest.as_bytes());
        let payload = rendered.payload(&id, addresses);
        let bundle = rendered
            .bundle(&id, addresses)
            .ok_or_else(|| Error::internal("no SDK"))?;
        let name = &configuration.name;
        files.add(&format!("{project}/{name}"), "js", bundle.into_bytes());
        files.add(
            &format!("{project}/{name}"),
            "payload",
            payload.clone().into_bytes(),
        );
        files.add(
            &format!("{project}/{name}.later"),
            "json",
            render::later(configuration).into_bytes(),
        );
        files.publications.push(NewPublication {
            collection: Collection::Cookies,
            configuration: parse(&configuration.identifier)?,
            vendors: configuration
                .steps
                .iter()
                .flat_map(|step| &step.vendors)
                .map(|vendor| vendor.name.clone())
                .collect(),
            id: id.clone(),
            manifest,
            payload,
        });
        ids.insert(configuration.identifier.clone(), id);
    }
    let mut drawn_boxes = render::Boxes::new(&content.client);
    for (collection, boxes) in content.boxes() {
        for document in boxes {
            let Some(drawn) = render::draw_box(collection, document) else {
                continue;
            };
            let identifier = drawn.identifier().to_owned();
            let manifest = serde_json::json!({
                "collection": collection.as_str(), "document": document, "client": content.client, "sdk": sdk_hash,
            })
            .to_string();
            let id = sha256_hex(manifest.as_bytes());
            files.publications.push(NewPublication {
                collection,
                configuration: parse(&identifier)?,
                vendors: Vec::new(),
                id: id.clone(),
                manifest,
                payload: String::new(),
            });
            drawn_boxes.add(&id, drawn);
            ids.insert(identifier, id);
        }
    }
    if !drawn_boxes.is_empty() {
        let boxes = serde_json::to_vec(&drawn_boxes).map_err(Error::internal)?;
        files.add(&format!("{project}/boxes"), "json", boxes);
    }
    files.add(
        &format!("{project}/index"),
        "json",
        render::index(&content.cookies).into_bytes(),
    );
    let pointer = Pointer {
        project_id: project.clone(),
        project_name: content.project_name.clone(),
        published_at: stamp.at.to_string(),
        job_id: stamp.job.to_string(),
        publications: ids,
        active: content.active,
        client: content.client.clone(),
        dpo: content.dpo.clone(),
        cookies: content.cookies.clone(),
        processings: content.processings.clone(),
        contracts: content.contracts.clone(),
    };
    let pointer = serde_json::to_vec(&pointer).map_err(Error::internal)?;
    files.add_as(&project, &format!("{project}/pointer"), "json", pointer);
    Ok(files)
}

fn parse(identifier: &str) -> Result<Uuid> {
    Uuid::parse_str(identifier).map_err(Error::internal)
}

impl Files {
    fn add(&mut self, stem: &str, extension: &str, bytes: Vec<u8>) {
        self.add_as(stem, stem, extension, bytes);
    }

    fn add_as(&mut self, stem: &str, immutable_stem: &str, extension: &str, bytes: Vec<u8>) {
        let hash = sha256_hex(&bytes);
        let immutable = format!(
            "{immutable_stem}.{}.{extension}",
            hash.get(..16).unwrap_or_default()
        );
        self.mutable.push(File {
            key: format!("{stem}.{extension}"),
            immutable: immutable.clone(),
            integrity: format!("sha384-{}", STANDARD.encode(Sha384::digest(&bytes))),
        });
        self.immutable.insert(immutable, bytes);
    }
}
