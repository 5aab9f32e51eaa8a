//! Processes that draw pictures with endless work end.

use image::ImageFormat;
use reqwest::Method;
use serde_json::json;
use tests::{
    Client, Engine, Process,
    pictures::{ENDLESS_SVGS, picture},
    until,
};
use tokio::task::JoinSet;

/// Drawing processes of the server at one time (`assets/drawing/mod.rs`).
const AT_ONCE: usize = 2;

async fn new_project(owner: &Client) -> String {
    let project = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    owner.create("projects", &project).await
}

#[tokio::test]
async fn a_drawing_ends_with_the_request_that_asked_for_it() {
    let process = Process::start(Engine::Sqlite, &[]).await;
    let mut requests = JoinSet::new();
    for at in 0..10 {
        let stranger = process.user(&format!("stranger{at}")).await;
        let project = new_project(&stranger).await;
        for svg in ENDLESS_SVGS {
            let request = stranger.upload_request(&project, "a.svg", svg.into());
            requests.spawn(request.send());
        }
    }
    until("pictures are drawn", async || {
        (process.children().len() == AT_ONCE).then_some(())
    })
    .await;
    // All clients hang up.
    requests.shutdown().await;
    until("nothing is drawn for nobody", async || {
        let drawing = process.children().len();
        assert!(drawing <= AT_ONCE, "{drawing} at once");
        (drawing == 0).then_some(())
    })
    .await;
    let ada = process.user("ada").await;
    let project = new_project(&ada).await;
    let logo = b"<svg xmlns='http://www.w3.org/2000/svg'><circle r='8'/></svg>";
    let kept = ada.upload(&project, "logo.svg", logo.to_vec()).await;
    kept.expect(201);
}

#[tokio::test]
async fn a_drawing_process_has_limits_and_no_environment() {
    let process = Process::start(Engine::Sqlite, &[]).await;
    let stranger = process.user("stranger").await;
    let project = new_project(&stranger).await;
    let [endless, ..] = ENDLESS_SVGS;
    let request = stranger.upload_request(&project, "a.svg", endless.into());
    let asking = tokio::spawn(request.send());
    // The process limits itself after its start, and its processor time once more when it knows the kind of picture.
    until("it has its limits", async || {
        let child = *process.children().first()?;
        let of = |name: &str| std::fs::read_to_string(format!("/proc/{child}/{name}")).ok();
        let limits = of("limits")?;
        let soft_and_hard = |name: &str| {
            let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
            let mut words = line.split_whitespace().map(str::to_owned);
            Some([words.next()?, words.next()?])
        };
        let has =
            |name: &str, most: &str| soft_and_hard(name) == Some([most, most].map(str::to_owned));
        let environment = of("environ")?;
        let is_confined = has("Max cpu time", "2")
            && has("Max address space", "2147483648")
            && has("Max file size", "0")
            && has("Max core file size", "0")
            && has("Max open files", "0");
        (is_confined && environment.is_empty()).then_some(())
    })
    .await;
    asking.abort();
}

#[tokio::test]
async fn a_server_that_draws_stops_when_it_is_told_to() {
    let mut process = Process::start(Engine::Sqlite, &[]).await;
    let stranger = process.user("stranger").await;
    let project = new_project(&stranger).await;
    let [endless, ..] = ENDLESS_SVGS;
    let request = stranger.upload_request(&project, "a.svg", endless.into());
    let asking = tokio::spawn(request.send());
    until("it is drawn", async || {
        (!process.children().is_empty()).then_some(())
    })
    .await;
    process.terminate();
    process.wait_for_death().await;
    asking.abort();
}

#[tokio::test]
async fn a_render_that_has_begun_is_kept_when_its_reader_hangs_up() {
    let process = Process::start(Engine::Sqlite, &[]).await;
    let ada = process.user("ada").await;
    let project = new_project(&ada).await;
    let large = picture(1_200, 1_200, ImageFormat::Jpeg);
    let asset = ada.upload(&project, "photo.jpg", large).await.expect(201);
    let asset = asset.json();
    let kept = process.folder().join("cdn/assets");
    let kept = kept.join(asset["id"].as_str().expect("an id"));
    let files = || std::fs::read_dir(&kept).expect("its folder").count();
    let url = asset["url"].as_str().expect("an address");
    let request = format!("{url}?w=2048&format=webp");
    let request = process.nobody().request(Method::GET, &request);
    let asking = tokio::spawn(request.send());
    until("it is drawn", async || {
        (!process.children().is_empty()).then_some(())
    })
    .await;
    asking.abort();
    until("the render is kept", async || (files() == 2).then_some(())).await;
    let larger = format!("{url}?w=2048&format=avif");
    let larger = process.nobody().get(&larger).await;
    larger.problem(400, "bad_request");
    assert_eq!(files(), 2);
}
