use std::{
    net::{TcpListener, UdpSocket},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::*;

/// A service on loopback that a page must not reach, and the number of its callers.
fn neighbour() -> (String, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let streams = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = streams.local_addr().unwrap().to_string();
    let packets = UdpSocket::bind(&address).unwrap();
    let counted = calls.clone();
    std::thread::spawn(move || {
        while streams.accept().is_ok() {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    let counted = calls.clone();
    std::thread::spawn(move || {
        while packets.recv(&mut [0; 64]).is_ok() {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    (address, calls)
}

/// A page whose script has escaped everything that publishing does, and tries each way out.
fn hostile(address: &str) -> String {
    format!(
        r#"<!doctype html><meta charset=utf-8><body>
<img src="http://{address}/picture"><iframe src="http://{address}/frame"></iframe>
<link rel=stylesheet href="http://{address}/style"><link rel=prefetch href="http://{address}/prefetch">
<iframe src="file:///etc/passwd"></iframe>
<script nonce=n>
const way = (go) => {{ try {{ const gone = go(); if (gone && gone.catch) gone.catch(() => {{}}); }} catch {{}} }};
way(() => fetch('http://{address}/fetch', {{ mode: 'no-cors' }}));
way(() => navigator.sendBeacon('http://{address}/beacon'));
way(() => new WebSocket('ws://{address}/socket'));
way(() => new EventSource('http://{address}/events'));
way(() => new Worker('http://{address}/worker'));
way(() => import('http://{address}/module'));
way(() => window.open('http://{address}/window'));
way(() => (top.location = 'http://{address}/top'));
way(async () => {{
  const peer = new RTCPeerConnection({{ iceServers: [{{ urls: 'stun:{address}' }}, {{ urls: 'turn:{address}?transport=tcp', username: 'a', credential: 'b' }}] }});
  peer.createDataChannel('a');
  await peer.setLocalDescription(await peer.createOffer());
}});
way(() => {{
  const form = document.createElement('form');
  form.action = 'http://{address}/form';
  document.body.append(form);
  form.submit();
}});
setTimeout(() => parent.postMessage({{ placetTold: 'tried' }}, '*'), 1400);
setTimeout(() => (location = 'http://{address}/here'), 1450);
</script>"#
    )
}

fn browser(program: &Path) -> Chromium {
    Chromium::new(Settings {
        program: program.into(),
        // Tests may run as root.
        sandbox: false,
        most: Duration::from_mins(1),
    })
}

fn scene(document: &str) -> Scene<'_> {
    static NONE: BTreeMap<String, (&str, Bytes)> = BTreeMap::new();
    Scene {
        document,
        nonce: "n",
        layer: None,
        width: 360,
        height: 740,
        files: &NONE,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hostile_page_reaches_nothing_on_this_machine() {
    let (address, calls) = neighbour();
    let program = std::env::var_os("PLACET_CHROMIUM").unwrap_or("/usr/bin/chromium".into());
    let browser = browser(program.as_ref());
    let page = hostile(&address);
    let taken = browser.take(&scene(&page)).await;
    let taken = taken.unwrap_or_else(|Fault(why)| panic!("{why}"));
    assert_eq!(taken.text, "tried", "the page really tried");
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    // The neighbour would have counted.
    drop(std::net::TcpStream::connect(&address).unwrap());
    while calls.load(Ordering::Relaxed) == 0 {
        tokio::task::yield_now().await;
    }
}

#[test]
fn folders_that_no_process_holds_are_swept() {
    let parent = tempfile::tempdir().unwrap();
    let path = |name: &str| parent.path().join(name);
    for name in [
        "placet-picture-left",
        "placet-picture-held",
        "placet-picture-new",
        "other",
    ] {
        std::fs::create_dir(path(name)).unwrap();
        std::fs::write(path(name).join("file"), "").unwrap();
        if name != "placet-picture-new" {
            let folder = std::fs::File::open(path(name)).unwrap();
            folder.set_modified(std::time::UNIX_EPOCH).unwrap();
        }
    }
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), path("placet-picture-link")).unwrap();
    let held = std::fs::File::open(path("placet-picture-held")).unwrap();
    held.lock().unwrap();
    process::sweep(parent.path()).unwrap();
    let names = std::fs::read_dir(parent.path()).unwrap();
    let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    let stay = [
        "other",
        "placet-picture-held",
        "placet-picture-link",
        "placet-picture-new",
    ];
    assert_eq!(names, stay);
}

#[tokio::test]
async fn a_program_without_a_picture_is_told_with_its_last_words() {
    let folder = Folder::make().unwrap();
    let program = folder.path().join("browser");
    std::fs::write(&program, "#!/bin/sh\necho lost the display >&2\nexit 3\n").unwrap();
    std::fs::set_permissions(
        &program,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let browser = browser(&program);
    let Err(Fault(why)) = browser.take(&scene("")).await else {
        panic!("it took a picture");
    };
    assert_eq!(
        why,
        "the page showed nothing (exit status: 3): lost the display"
    );
    let absent = self::browser(Path::new("/nowhere/chromium"))
        .take(&scene(""))
        .await;
    let why = absent.err().unwrap().0;
    assert!(
        why.starts_with("/nowhere/chromium cannot be started: "),
        "{why}"
    );
}
