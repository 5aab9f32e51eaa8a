//! Takes pictures of a publication of a server elsewhere, as the command `placet evidence` does.

use std::path::PathBuf;

use bytes::Bytes;
use proof::{base64, from_base64};

use super::{
    elsewhere::{SceneSet, TakenElsewhere, TakenFile},
    scenes::DrawnScene,
    taking::{Files, Host, Stop, Taken, Taking},
};
use crate::{
    assets,
    chromium::{Chromium, Settings},
    clock::Timestamp,
    objects::content_type,
};

/// Takes the pictures of the scenes by this Chromium. `program` is the path of `placet` itself, which packs them. The
/// error is a sentence without a full stop.
pub async fn take(
    scenes: &SceneSet,
    chromium: Settings,
    program: PathBuf,
    now: Timestamp,
) -> Result<TakenElsewhere, String> {
    let mut files = Files::new();
    for file in &scenes.files {
        let bytes = from_base64(&file.content).map_err(|reason| reason.to_string())?;
        files.insert(
            file.name.clone(),
            (content_type(&file.name), Bytes::from(bytes)),
        );
    }
    let visitor = Visitor { scenes, program };
    let chromium = Chromium::new(chromium);
    let layers: Vec<_> = scenes.scenes.iter().map(|one| one.layer.clone()).collect();
    let facts = (&*scenes.publication, &*scenes.language, &*scenes.sdk);
    let taking = Taking::new(&visitor, &chromium, &files);
    let taken = taking.take(&layers, facts, now.to_string()).await;
    let Taken { mut list, pictures } = taken.map_err(|stop| match stop {
        Stop::Later(why) | Stop::Fault(why) | Stop::Full(why) => why,
        Stop::Stopping => "it was stopped".to_owned(),
    })?;
    list.left_out.clone_from(&scenes.left_out);
    list.findings.clone_from(&scenes.findings);
    Ok(TakenElsewhere {
        pictures: serde_json::to_string(&list).map_err(|error| error.to_string())?,
        files: pictures
            .into_iter()
            .map(|(sha256, bytes)| TakenFile {
                sha256,
                content: base64(&bytes),
            })
            .collect(),
    })
}

/// A command that takes pictures for a server.
struct Visitor<'a> {
    scenes: &'a SceneSet,
    program: PathBuf,
}

impl Host for Visitor<'_> {
    fn drawn(&self, layer: &str) -> Option<DrawnScene> {
        let mut scenes = self.scenes.scenes.iter();
        scenes.find(|one| one.layer == layer).cloned()
    }

    fn is_working(&self) -> bool {
        true
    }

    async fn packed(&self, png: &[u8]) -> Result<Vec<u8>, Stop> {
        let packed = assets::lossless_by(self.program.clone(), png).await?;
        packed.map_err(|why| Stop::Fault(why.to_owned()))
    }
}
