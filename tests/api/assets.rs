//! Files of customers: accepted types, renders, publishing.

use std::path::{Path, PathBuf};

use axum::{Router, http::header, routing::get};
use image::ImageFormat;
use reqwest::Method;
use serde_json::{Value, json};
use tests::{
    Client, TestApp, both,
    pictures::{ENDLESS_SVGS, picture},
    until,
};
use tokio::{net::TcpListener, task::JoinSet};

async fn new_project(owner: &Client) -> String {
    let project = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    owner.create("projects", &project).await
}

/// Media type, size and headers of a render.
async fn render(
    app: &TestApp,
    url: &str,
    accept: &str,
) -> (String, (u32, u32), reqwest::header::HeaderMap) {
    let request = app.nobody().request(Method::GET, url);
    let response = request
        .header("accept", accept)
        .send()
        .await
        .expect("an answer");
    assert_eq!(response.status(), 200, "{url}");
    let headers = response.headers().clone();
    let bytes = response.bytes().await.expect("bytes");
    let drawn = image::load_from_memory(&bytes).expect("a picture");
    let kind = headers["content-type"].to_str().expect("text").to_owned();
    (kind, (drawn.width(), drawn.height()), headers)
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Hides a file until it is dropped.
struct Hidden<'a>(&'a Path);

impl<'a> Hidden<'a> {
    fn new(file: &'a Path) -> Self {
        std::fs::rename(file, file.with_extension("away")).unwrap();
        Self(file)
    }
}

impl Drop for Hidden<'_> {
    fn drop(&mut self) {
        std::fs::rename(self.0.with_extension("away"), self.0).unwrap();
    }
}

both!(an_svg_is_drawn_at_upload, |app| async move {
    let ada = app.user("ada").await;
    let project = new_project(&ada).await;
    let svg = "<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\" \
        viewBox=\"0 0 40 20\"><script>alert(1)</script><circle cx=\"10\" cy=\"10\" r=\"8\"/></svg>";
    let answer = ada.upload(&project, "logo.svg", svg.into()).await;
    let asset = answer.expect(201).json();
    assert_eq!(asset["originalName"], "logo.svg");
    assert_eq!(asset["mimeType"], "image/png");
    assert_eq!(
        (&asset["width"], &asset["height"]),
        (&json!(1024), &json!(512))
    );
    let url = format!("{}?w=128", asset["url"].as_str().unwrap());
    let (kind, size, _) = render(&app, &url, "*/*").await;
    assert_eq!((kind.as_str(), size), ("image/png", (128, 64)));
    let text = "<svg xmlns=\"http://www.w3.org/2000/svg\"><text>Hi</text></svg>";
    let refused = ada.upload(&project, "text.svg", text.into()).await;
    let problem = refused.problem(422, "invalid");
    assert_eq!(problem["errors"][0]["code"], "not_drawn");
    let long = svg.replace("</svg>", &format!("{}</svg>", " ".repeat(1024 * 1024)));
    let refused = ada.upload(&project, "long.svg", long.into()).await;
    let problem = refused.problem(422, "invalid");
    assert_eq!(problem["errors"][0]["code"], "svg_too_large");
});

both!(a_drawing_of_endless_work_is_refused, |app| async move {
    let ada = app.user("ada").await;
    let project = new_project(&ada).await;
    for svg in ENDLESS_SVGS {
        let refused = ada.upload(&project, "a.svg", svg.into()).await;
        let problem = refused.problem(422, "invalid");
        assert_eq!(problem["errors"][0]["code"], "too_much_work", "{svg}");
    }
    // Each level of nested clip paths would double the work.
    let nested: String = (1..40)
        .map(|at| {
            let before = at - 1;
            format!(
                "<clipPath id='c{at}' clip-path='url(#c{before})'>\
                 <path d='M0 0h9v9z' clip-path='url(#c{before})'/></clipPath>"
            )
        })
        .collect();
    let nested = format!(
        "<svg xmlns='http://www.w3.org/2000/svg'><clipPath id='c0'><path d='M0 0h9v9z'/></clipPath>\
         {nested}<path d='M0 0h9v9z' clip-path='url(#c39)'/></svg>"
    );
    let refused = ada.upload(&project, "a.svg", nested.into()).await;
    let problem = refused.problem(422, "invalid");
    assert_eq!(problem["errors"][0]["code"], "not_drawn");
});

both!(
    one_picture_does_not_wait_behind_the_many_of_others,
    |app| async move {
        let ada = app.user("ada").await;
        let project = new_project(&ada).await;
        let mut others = JoinSet::new();
        for at in 0..7 {
            let stranger = app.user(&format!("stranger{at}")).await;
            let project = new_project(&stranger).await;
            for svg in ENDLESS_SVGS {
                let request = stranger.upload_request(&project, "a.svg", svg.into());
                others.spawn(request.send());
            }
        }
        // The first answer shows that the queue is full.
        others.join_next().await;
        let logo = "<svg xmlns=\"http://www.w3.org/2000/svg\"><circle r=\"8\"/></svg>";
        let kept = ada.upload(&project, "logo.svg", logo.into()).await;
        kept.expect(201);
        let waiting = std::iter::from_fn(|| others.try_join_next()).count();
        assert!(waiting < 20, "{waiting} of 28 were answered before");
        others.shutdown().await;
    }
);

both!(a_picture_is_served_as_renders, |app| async move {
    let ada = app.user("ada").await;
    let project = new_project(&ada).await;
    let bytes = picture(600, 300, ImageFormat::Png);
    let size = bytes.len();
    let answer = ada
        .upload(&project, "../../logo.png", bytes)
        .await
        .expect(201);
    let asset = answer.json();
    assert_eq!(asset["originalName"], "logo.png");
    assert_eq!(
        (&asset["mimeType"], &asset["size"]),
        (&json!("image/png"), &json!(size))
    );
    assert_eq!(
        (&asset["width"], &asset["height"]),
        (&json!(600), &json!(300))
    );
    assert_eq!(answer.header("location"), asset["url"].as_str().unwrap());
    let list = ada
        .get(&format!("/v1/assets?projectId={project}"))
        .await
        .expect(200);
    assert_eq!(
        (list.header("x-total-count"), list.json()),
        ("1", json!([asset]))
    );

    let kept = app.config().data_dir.join("cdn/assets");
    let kept = kept.join(asset["id"].as_str().unwrap());
    let original = files_in(&kept).pop().expect("the original");
    let url = asset["url"].as_str().unwrap();
    let webp = "image/avif,image/webp,*/*;q=0.8";
    let (kind, size, headers) = render(&app, url, webp).await;
    assert_eq!((kind.as_str(), size), ("image/webp", (600, 300)));
    assert_eq!(
        headers["vary"].to_str().unwrap().split(',').next(),
        Some("Accept")
    );
    assert_eq!(
        headers["cache-control"],
        "public, max-age=31536000, immutable"
    );
    assert_eq!(
        headers["content-security-policy"],
        "sandbox; default-src 'none'"
    );
    assert_eq!(headers["x-content-type-options"], "nosniff");
    assert_eq!(headers["cross-origin-resource-policy"], "cross-origin");
    for (query, accept, kind, size) in [
        ("?w=128", webp, "image/webp", (128, 64)),
        ("?w=128", "*/*", "image/png", (128, 64)),
        ("?w=128&format=jpeg", webp, "image/jpeg", (128, 64)),
        ("?w=64&h=64&fit=cover", webp, "image/webp", (64, 64)),
        ("?w=2048", webp, "image/webp", (600, 300)),
        ("?h=128&format=png", webp, "image/png", (256, 128)),
    ] {
        // The second render comes from the store, because its original is hidden.
        for hidden in [false, true] {
            let held = hidden.then(|| Hidden::new(&original));
            let (is, measures, _) = render(&app, &format!("{url}{query}"), accept).await;
            assert_eq!((is.as_str(), measures), (kind, size), "{query}");
            drop(held);
        }
    }
    let again = app
        .nobody()
        .request(Method::GET, url)
        .header("accept", webp);
    let again = again.header("if-none-match", headers["etag"].clone());
    assert_eq!(app.nobody().send(again).await.status, 304);
    for broken in ["w=100", "w=0", "w=x", "fit=fill", "format=gif", "h=4096"] {
        let problem = app.nobody().get(&format!("{url}?{broken}")).await;
        problem.problem(400, "bad_request");
    }
    let jpeg = ada
        .upload(&project, "photo", picture(90, 60, ImageFormat::Jpeg))
        .await;
    let jpeg = jpeg.expect(201).json();
    let photo = jpeg["url"].as_str().unwrap();
    let (kind, ..) = render(&app, photo, "*/*").await;
    assert_eq!(kind, "image/jpeg");
    // Photographs are smallest as AVIF. Drawings stay sharp in WebP.
    for (accept, kind) in [
        (webp, "image/avif"),
        ("image/avif;q=0, image/webp", "image/webp"),
    ] {
        let request = app.nobody().request(Method::GET, photo);
        let answer = app.nobody().send(request.header("accept", accept)).await;
        assert_eq!(answer.expect(200).header("content-type"), kind);
    }

    let avif = picture(90, 60, ImageFormat::Avif);
    let avif = ada.upload(&project, "photo.avif", avif).await.expect(201);
    let avif = avif.json();
    assert_eq!(
        (&avif["mimeType"], &avif["width"], &avif["height"]),
        (&json!("image/avif"), &json!(90), &json!(60))
    );
    let url_of_avif = avif["url"].as_str().unwrap();
    let (kind, size, _) = render(&app, url_of_avif, "*/*").await;
    assert_eq!((kind.as_str(), size), ("image/png", (90, 60)));

    // The full size is requested with and without its numbers.
    assert_eq!(files_in(&kept).len(), 1 + 6, "{:?}", files_in(&kept));
    let path = format!("/v1/assets/{}", asset["id"].as_str().unwrap());
    ada.delete(&path).await.expect(204);
    app.nobody().get(url).await.problem(404, "not_found");
    until("nothing is left", async || {
        files_in(&kept).is_empty().then_some(())
    })
    .await;
});

both!(the_bytes_of_a_file_decide_its_type, |app| async move {
    let ada = app.user("ada").await;
    let project = new_project(&ada).await;
    for (bytes, code) in [
        (
            b"<html><script>alert(1)</script>".to_vec(),
            "unsupported_type",
        ),
        (
            b"<html><svg xmlns='http://www.w3.org/2000/svg'/></html>".to_vec(),
            "unsupported_type",
        ),
        (b"MZ\x90".to_vec(), "unsupported_type"),
        (Vec::new(), "unsupported_type"),
        (
            picture(50, 50, ImageFormat::Png)[..200].to_vec(),
            "broken_file",
        ),
        (b"\xff\xd8\xff\xe0 no picture".to_vec(), "broken_file"),
    ] {
        let problem = ada
            .upload(&project, "a.png", bytes)
            .await
            .problem(422, "invalid");
        assert_eq!(problem["errors"][0]["code"], code);
    }
    let large = ada
        .upload(
            &project,
            "a.pdf",
            [b"%PDF-1.4".to_vec(), vec![b' '; 10_500_000]].concat(),
        )
        .await;
    large.problem(413, "body_too_large");
    ada.post("/v1/assets", &json!({}))
        .await
        .problem(415, "unsupported_media_type");
    ada.upload("", "a.pdf", b"%PDF-1.4".to_vec())
        .await
        .problem(404, "not_found");
    let bob = app.user("bob").await;
    bob.upload(&project, "a.pdf", b"%PDF-1.4".to_vec())
        .await
        .problem(404, "not_found");
});

/// Publishes and returns the job and the published file.
async fn publish(app: &TestApp, owner: &Client, project: &str) -> (Value, Value) {
    let job = owner.publish(project).await;
    let pointer = match job["url"].as_str() {
        Some(url) => app.nobody().get(url).await.expect(200).json(),
        None => Value::Null,
    };
    (job, pointer)
}

both!(
    pictures_and_files_are_published_as_copies,
    |app| async move {
        let ada = app.user("ada").await;
        let project = new_project(&ada).await;
        let own = ada
            .upload(&project, "own.png", picture(1_600, 800, ImageFormat::Png))
            .await
            .expect(201)
            .json();
        let terms = ada
            .upload(&project, "terms.pdf", b"%PDF-1.4\nterms".to_vec())
            .await
            .expect(201)
            .json();
        let foreign = picture(80, 40, ImageFormat::Jpeg);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let elsewhere = format!("http://{}/a.jpg", listener.local_addr().unwrap());
        let site = Router::new().route(
            "/a.jpg",
            get(|| async move { ([(header::CONTENT_TYPE, "text/plain")], foreign) }),
        );
        tokio::spawn(async move { axum::serve(listener, site).await });
        let cookies = ada
            .create(
                "cookies",
                &json!({"projectId": project, "name": "en", "steps": [
        {"name": "a", "layout": "welcome", "title": "Hi", "image": own["id"]},
        {"name": "b", "layout": "category", "title": "More", "image": elsewhere}]}),
            )
            .await;
        ada.create(
            "processings",
            &json!({"projectId": project, "title": "News", "picture": own["id"], "purpose": "News",
                "processors": [{"name": "Shop"}], "consentWithdraw": "Write to us."}),
        )
        .await;
        ada.create(
            "contracts",
            &json!({"projectId": project, "title": "Terms", "file": terms["id"]}),
        )
        .await;

        let at_project = format!("/v1/vault/projects/{project}");
        let logos = json!({"logo": own["id"], "darkLogo": elsewhere});
        ada.patch(&at_project, &logos).await.expect(200);

        let (job, pointer) = publish(&app, &ada, &project).await;
        assert_eq!(job["status"], "complete", "{job}");
        let copies = format!("{}/cdn/{project}/image.", app.base);
        let images = [
            &pointer["cookies"][0]["steps"][0]["image"],
            &pointer["cookies"][0]["steps"][1]["image"],
            &pointer["processings"][0]["picture"],
        ]
        .map(|image| image.as_str().expect("an address").to_owned());
        assert_eq!(images[0], images[2]);
        let client = &pointer["client"];
        assert_eq!(
            (client["logo"].as_str(), client["darkLogo"].as_str()),
            (Some(&*images[0]), Some(&*images[1]))
        );
        for (image, size) in [(&images[0], (768, 384)), (&images[1], (80, 40))] {
            assert!(image.starts_with(&copies), "{image}");
            let (kind, measures, headers) = render(&app, image, "*/*").await;
            assert_eq!((kind.as_str(), measures), ("image/webp", size));
            assert_eq!(
                headers["cache-control"],
                "public, max-age=31536000, immutable"
            );
        }
        let payload = app
            .nobody()
            .get(&format!("/cdn/{project}/en.payload"))
            .await
            .expect(200)
            .text;
        assert!(payload.contains(&images[0]), "the widget shows it");
        assert!(payload.contains(&format!("srcset=\"{}\"><img class=lo", images[1])));
        let file = pointer["contracts"][0]["file"].as_str().unwrap();
        let file = app.nobody().get(file).await.expect(200);
        assert_eq!(
            (file.header("content-type"), file.text.as_str()),
            ("application/pdf", "%PDF-1.4\nterms")
        );
        assert_eq!(
            file.header("content-security-policy"),
            "default-src 'none'; frame-ancestors 'none'"
        );

        // The live picture stays when the original is deleted. The next publish names the fault.
        ada.delete(&format!("/v1/assets/{}", own["id"].as_str().unwrap()))
            .await
            .expect(204);
        render(&app, &images[0], "*/*").await;
        let (failed, _) = publish(&app, &ada, &project).await;
        assert_eq!(failed["error"]["code"], "build_failed");
        assert!(
            failed["message"]
                .as_str()
                .unwrap()
                .contains(own["id"].as_str().unwrap()),
            "{failed}"
        );
        // A picture of another project cannot be used.
        let other = new_project(&ada).await;
        let others = ada
            .upload(&other, "b.png", picture(8, 8, ImageFormat::Png))
            .await
            .expect(201)
            .json();
        let steps = json!({"steps": [{"name": "a", "layout": "welcome", "image": others["id"]}]});
        ada.patch(&format!("/v1/vault/cookies/{cookies}"), &steps)
            .await
            .problem(422, "invalid");
        let logo = json!({"logo": others["id"]});
        let problem = ada.patch(&at_project, &logo).await.problem(422, "invalid");
        assert_eq!(tests::pointers(&problem), ["/logo"]);
        // A rollback to the earlier version works all the same.
        let path = format!(
            "/v1/publish/jobs/{project}/{}/rollback",
            job["_id"].as_str().unwrap()
        );
        let again = ada.post(&path, &json!({})).await.expect(202).json();
        assert_eq!(ada.ended(&again).await["status"], "complete");
        render(&app, &images[0], "*/*").await;
        // A rollback fails if the store has lost the picture and no copy exists.
        let copies = app.config().data_dir.join("cdn").join(&project);
        std::fs::remove_dir_all(copies).unwrap();
        let again = ada.post(&path, &json!({})).await.expect(202).json();
        let failed = ada.ended(&again).await;
        assert_eq!(failed["error"]["code"], "build_failed", "{failed}");
    }
);

both!(
    pages_send_files_with_the_session_of_their_person,
    |app| async move {
        let (ada, eve) = (app.user("ada").await, app.user("eve").await);
        let project = new_project(&ada).await;
        let address = format!("/ui/assets/upload?project={project}&name=..%2Flogo.png");
        let send = async |who: &Client, site: &str, what: &str, bytes: &[u8]| {
            let nobody = app.nobody();
            let session = who.token.as_deref().unwrap();
            let request = nobody
                .request(Method::POST, &format!("{address}&for={what}"))
                .header("sec-fetch-site", site)
                .header("cookie", format!("placet_session={session}"))
                .body(bytes.to_vec());
            nobody.send(request).await
        };
        let own = "same-origin";
        let png = picture(60, 40, ImageFormat::Png);
        let kept = send(&ada, own, "picture", &png).await.expect(201);
        assert_eq!(kept.header("cache-control"), "no-store");
        assert_eq!(kept.json()["originalName"], "logo.png");
        let url = kept.json()["url"].as_str().unwrap().to_owned();
        render(&app, &url, "*/*").await;
        send(&ada, own, "document", b"%PDF-1.7 terms")
            .await
            .expect(201);

        // Other origins, users without a role, and credentials of the API are refused.
        let foreign = send(&ada, "cross-site", "picture", &png).await;
        foreign.problem(403, "foreign_origin");
        let stranger = send(&eve, own, "picture", &png).await;
        stranger.problem(404, "not_found");
        let bearer = ada
            .request(Method::POST, &address)
            .header("sec-fetch-site", own);
        let bearer = ada.send(bearer.body(png.clone())).await;
        bearer.problem(403, "unauthenticated");

        for (what, bytes) in [("picture", &b"%PDF-1.7 terms"[..]), ("document", &png)] {
            let problem = send(&ada, own, what, bytes).await.problem(422, "invalid");
            assert_eq!(problem["errors"][0]["code"], "unsupported_type", "{what}");
        }
        let large = vec![0; service::assets::MOST_BYTES + 1];
        let large = send(&ada, own, "picture", &large).await;
        large.problem(413, "body_too_large");
        let list = ada.get(&format!("/v1/assets?projectId={project}")).await;
        assert_eq!(list.header("x-total-count"), "2");
    }
);

both!(
    no_project_keeps_more_than_its_share_and_no_picture_is_a_bomb,
    |app| async move {
        let ada = app.user("ada").await;
        let project = new_project(&ada).await;
        // A few bytes announce a side that is too long, or too many pixels with permitted sides.
        for (width, height) in [(50_000_u32, 1_u32), (1, 50_000), (7_000, 7_000)] {
            let mut bomb = picture(1, 1, ImageFormat::Png);
            bomb[16..20].copy_from_slice(&width.to_be_bytes());
            bomb[20..24].copy_from_slice(&height.to_be_bytes());
            let checksum = crc32(&bomb[12..29]);
            bomb[29..33].copy_from_slice(&checksum.to_be_bytes());
            let problem = ada.upload(&project, "a.png", bomb).await;
            let problem = problem.problem(422, "invalid");
            assert_eq!(problem["errors"][0]["code"], "too_many_pixels");
        }

        let pdf = || b"%PDF-1.4\n".to_vec();
        let kept = ada.upload(&project, "a.pdf", pdf()).await.expect(201);
        // As if the project had used up its storage.
        let mut tx = app.placet.db.begin().await.unwrap();
        tx.query("UPDATE assets SET size = 209715200")
            .exec()
            .await
            .unwrap();
        tx.commit().await.unwrap();
        ada.upload(&project, "b.pdf", pdf())
            .await
            .problem(409, "too_many_assets");
        let other = new_project(&ada).await;
        ada.upload(&other, "b.pdf", pdf()).await.expect(201);
        let path = format!("/v1/assets/{}", kept.json()["id"].as_str().unwrap());
        ada.delete(&path).await.expect(204);
        ada.upload(&project, "b.pdf", pdf()).await.expect(201);
    }
);

both!(
    a_picture_from_elsewhere_is_published_whole_or_not_at_all,
    |app| async move {
        let ada = app.user("ada").await;
        let project = new_project(&ada).await;
        // Readers of this format take the beginning of a file for a picture.
        let mut large = picture(80, 40, ImageFormat::Jpeg);
        large.resize(5 * 1024 * 1024 + 1, 0);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let elsewhere = format!("http://{}/a.jpg", listener.local_addr().unwrap());
        let site = Router::new().route("/a.jpg", get(|| async move { large }));
        tokio::spawn(async move { axum::serve(listener, site).await });
        let step = json!({"name": "a", "layout": "welcome", "title": "Hi", "image": elsewhere});
        ada.create(
            "cookies",
            &json!({"projectId": project, "name": "en", "steps": [step]}),
        )
        .await;
        let path = format!("/v1/publish/jobs/{project}");
        let job = ada.post(&path, &json!({})).await.expect(202).json();
        let job = ada.ended(&job).await;
        let message = job["message"].as_str().expect("a message");
        assert!(message.contains("is larger than 5 MB"), "{message}");
    }
);

both!(
    objects_of_a_deleted_file_go_as_soon_as_the_storage_is_back,
    |app| async move {
        let ada = app.user("ada").await;
        let project = new_project(&ada).await;
        let kept = ada
            .upload(&project, "logo.png", picture(80, 40, ImageFormat::Png))
            .await;
        let kept = kept.expect(201).json();
        let path = format!("/v1/assets/{}", kept["id"].as_str().unwrap());
        app.nobody().get(&format!("{path}?w=64")).await.expect(200);
        let assets = app.config().data_dir.join("cdn/assets");
        let [folder] = &files_in(&assets)[..] else {
            panic!("one folder")
        };
        assert_eq!(files_in(folder).len(), 2);
        {
            // A file in the place of the folder lets nothing in it be removed.
            let _hidden = Hidden::new(folder);
            std::fs::write(folder, "in the way").unwrap();
            ada.delete(&path).await.expect(204);
            app.nobody().get(&path).await.problem(404, "not_found");
            let tried = "SELECT COUNT(*) FROM jobs WHERE kind = 'assets.removal' AND attempts > 0";
            until("its removal is tried", async || {
                let tried: i64 = app.placet.db.query(tried).one_value().await.unwrap();
                (tried > 0).then_some(())
            })
            .await;
            std::fs::remove_file(folder).unwrap();
        }
        until("its objects are gone", async || {
            files_in(folder).is_empty().then_some(())
        })
        .await;
    }
);

both!(gif_and_webp_pictures_are_taken, |app| async move {
    let ada = app.user("ada").await;
    let project = new_project(&ada).await;
    for (format, kind) in [
        (ImageFormat::Gif, "image/gif"),
        (ImageFormat::WebP, "image/webp"),
    ] {
        let bytes = picture(60, 30, format);
        let asset = ada.upload(&project, "a", bytes).await.expect(201).json();
        assert_eq!(asset["mimeType"], kind);
        let url = format!("{}?w=64", asset["url"].as_str().unwrap());
        let (_, size, _) = render(&app, &url, "*/*").await;
        assert_eq!(size, (60, 30), "{kind}");
    }
});

/// The checksum of a PNG's chunks.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 {
                (crc >> 1) ^ 0xedb8_8320
            } else {
                crc >> 1
            }
        })
    })
}

both!(
    documents_name_files_of_their_project_and_vendors_once,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, other) = (new_project(&ada).await, new_project(&ada).await);
        let upload = async |project: &str, bytes: Vec<u8>| {
            let made = ada.upload(project, "file", bytes).await.expect(201).json();
            made["id"].as_str().unwrap().to_owned()
        };
        let png = || picture(60, 40, ImageFormat::Png);
        let (own, foreign) = (upload(&project, png()).await, upload(&other, png()).await);
        let pdf = upload(&project, b"%PDF-1.7 terms".to_vec()).await;
        let unknown = uuid::Uuid::nil().to_string();
        let with = |image: &str| {
            json!({"projectId": project, "steps": [{"name": "a", "layout": "welcome"},
                {"name": "b", "layout": "welcome", "image": image}]})
        };
        for (collection, document, expected) in [
            ("cookies", with(&unknown), "/steps/1/image unknown_asset"),
            ("cookies", with(&foreign), "/steps/1/image unknown_asset"),
            ("cookies", with(&pdf), "/steps/1/image unsupported_type"),
            (
                "processings",
                json!({"projectId": project, "picture": unknown}),
                "/picture unknown_asset",
            ),
            (
                "contracts",
                json!({"projectId": project, "file": own}),
                "/file unsupported_type",
            ),
        ] {
            let path = format!("/v1/vault/{collection}");
            let problem = ada.post(&path, &document).await.problem(422, "invalid");
            let error = &problem["errors"][0];
            let pointer = error["pointer"].as_str().unwrap();
            let code = error["code"].as_str().unwrap();
            assert_eq!(format!("{pointer} {code}"), expected);
        }
        let contract = json!({"projectId": project, "file": pdf});
        ada.create("contracts", &contract).await;
        let id = ada.create("cookies", &with(&own)).await;
        let path = format!("/v1/vault/cookies/{id}");
        // A document whose file was deleted meanwhile stays editable, and names no other such file.
        ada.delete(&format!("/v1/assets/{own}")).await.expect(204);
        let title = json!({"title": "Still editable"});
        ada.patch(&path, &title).await.expect(200);
        ada.put(&path, &with(&own)).await.expect(200);
        ada.put(&path, &with(&unknown))
            .await
            .problem(422, "invalid");

        let vendor = json!({"name": "own", "projectId": project});
        let vendor = ada.create("vendors", &vendor).await;
        let twice = json!({"projectId": project, "steps": [
            {"name": "a", "layout": "category", "vendors": [vendor]},
            {"name": "b", "layout": "category", "vendors": [{"id": vendor}]}]});
        let problem = ada.put(&path, &twice).await.problem(422, "invalid");
        assert_eq!(tests::pointers(&problem), ["/steps/1/vendors/0"]);
        assert_eq!(problem["errors"][0]["code"], "repeated_vendor");
    }
);
