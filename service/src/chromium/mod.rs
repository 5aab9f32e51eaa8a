//! Pictures of pages, drawn by Chromium.
//!
//! Chromium draws content that strangers have written. It therefore gets one page from a server of its own
//! (`stage`), which is also its proxy for every address, so the page reaches nothing else. Each picture is taken by a
//! process of its own (`process`) with an empty profile, within a time, and one at a time.

mod process;
mod stage;

use std::{collections::BTreeMap, ffi::OsString, path::PathBuf, time::Duration};

use bytes::Bytes;

use self::{process::Folder, stage::Stage};

/// Time for the program to say its version.
const VERSION_TIME: Duration = Duration::from_secs(20);
/// Most characters of a version.
const MOST_VERSION: usize = 120;
/// Largest picture, as Chromium writes it.
const MOST_PICTURE: u64 = 8 * 1024 * 1024;
/// The name of a picture in the folder of its process.
const PICTURE: &str = "picture.png";

/// Flags that never change. The proxy is the wall around the page. The other flags keep the browser from addresses of
/// its own, and from ways around a proxy.
const FLAGS: [&str; 20] = [
    "--headless=new",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-features=MediaRouter,DialMediaRouteProvider",
    "--disable-breakpad",
    "--disable-gpu",
    "--no-first-run",
    "--no-default-browser-check",
    "--deny-permission-prompts",
    "--mute-audio",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
];

/// Settings of the browser.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program.
    pub program: PathBuf,
    /// True if Chromium separates pages from the system by its own sandbox, which needs another user than root.
    pub sandbox: bool,
    /// Most time for a picture.
    pub most: Duration,
}

/// The browser.
pub(crate) struct Chromium {
    settings: Settings,
    /// Held by the picture that is being taken.
    taking: tokio::sync::Mutex<()>,
}

/// A page to take a picture of: a document of `render`, which says when it shows something.
pub(crate) struct Scene<'a> {
    /// The document.
    pub document: &'a str,
    /// The nonce of its script.
    pub nonce: &'a str,
    /// The step that it must show first; `None` for a box, which has none.
    pub layer: Option<&'a str>,
    /// Size of the window in pixels.
    pub width: u32,
    pub height: u32,
    /// Pictures in the document, by their names below `/files/`, with their media types.
    pub files: &'a BTreeMap<String, (&'static str, Bytes)>,
}

/// A picture.
pub(crate) struct Picture {
    /// A PNG.
    pub png: Vec<u8>,
    /// The text of the layer.
    pub text: String,
}

/// The reason why there is no picture, as a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault(pub String);

impl Fault {
    fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

type Result<T> = std::result::Result<T, Fault>;

impl Chromium {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            taking: tokio::sync::Mutex::new(()),
        }
    }

    /// Removes what processes of this machine have left behind. Takes as long as the disk does.
    pub(crate) async fn sweep(&self) {
        let swept = tokio::task::spawn_blocking(|| process::sweep(&std::env::temp_dir())).await;
        let swept = swept.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        if let Err(error) = swept {
            tracing::warn!(%error, "folders of Chromium may be left behind");
        }
    }

    /// Its name and version.
    pub(crate) async fn version(&self) -> Result<String> {
        let folder = Folder::make().map_err(|error| unmade(&error))?;
        let asked = ["--version"].map(OsString::from);
        let ran = process::run(&self.settings.program, &asked, folder, VERSION_TIME).await?;
        let line = ran.said.lines().next().unwrap_or_default();
        let version: String = line.trim().chars().take(MOST_VERSION).collect();
        if version.is_empty() {
            return Err(Fault::new("Chromium does not say its version"));
        }
        Ok(version)
    }

    /// Takes a picture. Dropping the future ends the process.
    pub(crate) async fn take(&self, scene: &Scene<'_>) -> Result<Picture> {
        if self.settings.sandbox && rustix::process::geteuid().is_root() {
            return Err(Fault::new(
                "the sandbox of Chromium does not work for root: run the server as another user, or with \
                 --chromium-no-sandbox",
            ));
        }
        let _taking = self.taking.lock().await;
        let stage = Stage::open(scene).await;
        let stage = stage.map_err(|error| Fault::new(format!("no page for Chromium: {error}")))?;
        let folder = Folder::make().map_err(|error| unmade(&error))?;
        let picture = folder.path().join(PICTURE);
        let mut flags: Vec<OsString> = FLAGS.map(OsString::from).into();
        flags.push(format!("--proxy-server=http://{}", stage.address()).into());
        flags.push(format!("--window-size={},{}", scene.width, scene.height).into());
        flags.push(with_path("--user-data-dir=", folder.path().join("profile")));
        flags.push(with_path("--screenshot=", picture.clone()));
        if !self.settings.sandbox {
            flags.push("--no-sandbox".into());
        }
        flags.push(stage.page().into());
        let program = &self.settings.program;
        let ran = process::run(program, &flags, folder, self.settings.most).await?;
        let text = stage
            .told()
            .ok_or_else(|| ran.fault("the page showed nothing"))?;
        let read = process::read_bounded(ran.folder.path().join(PICTURE), MOST_PICTURE).await;
        match read {
            Ok(Some(png)) => Ok(Picture { png, text }),
            Ok(None) => Err(Fault::new("the picture is too large")),
            Err(_) => Err(ran.fault("Chromium wrote no picture")),
        }
    }
}

fn unmade(error: &std::io::Error) -> Fault {
    Fault::new(format!("no folder for Chromium: {error}"))
}

fn with_path(flag: &str, path: PathBuf) -> OsString {
    let mut text = OsString::from(flag);
    text.push(path);
    text
}

#[cfg(test)]
mod tests;
