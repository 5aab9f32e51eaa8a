//! The page that verifies proofs of consent in a browser: one file of HTML in `target/web/verify/`, with styles, script
//! and module inside.
//!
//! The module is compressed and part of the script, so one hash in the page's policy binds both. The policy stands in
//! the page itself, because a page that is opened as a file has no headers.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

use crate::{
    css, sdk, setup,
    step::{Tool, step, usually},
    wasm,
    web::Mode,
    workspace,
};

/// Name of the file.
pub const PAGE: &str = "placet-verify.html";

/// The built page.
pub fn page() -> PathBuf {
    workspace::web().join("verify").join(PAGE)
}

/// Builds the page.
pub fn build(mode: Mode) -> Result<()> {
    let target = workspace::target().join("verifier");
    let (profile, usual) = match mode {
        Mode::Quick => ("wasm-quick", "about 20 s the first time"),
        Mode::Release => ("wasm", "about 40 s the first time"),
    };
    let work = target.join("made").join(profile);
    let html = step(&usually("page that verifies proofs", usual), || {
        let folders = wasm::without_folders();
        let flags = folders.each_ref().map(String::as_str);
        let module = wasm::cargo_build("verifier", profile, &target, &flags)?;
        let script = script(&module, &work, mode)?;
        fill(&workspace::root(), &script)
    })?;
    if mode == Mode::Release {
        weigh(
            &workspace::root().join("verifier/size-budget.toml"),
            html.as_bytes(),
        )?;
    }
    let page = page();
    fs::create_dir_all(page.parent().context("the page is in a folder")?)?;
    // An unchanged file is not touched, so that the server is linked again only after a change.
    if fs::read_to_string(&page).is_ok_and(|present| present == html) {
        return Ok(());
    }
    fs::write(&page, html).with_context(|| format!("writing {}", page.display()))
}

/// The script of the page, with the module inside.
fn script(module: &Path, work: &Path, mode: Mode) -> Result<String> {
    let bound = work.join("bound");
    wasm::bind_for_web(module, "verifier", &bound)?;
    let module = bound.join("verifier_bg.wasm");
    if mode == Mode::Release {
        wasm::optimise(&module)?;
    }
    let packed = bound.join("module.gz");
    fs::write(&packed, gzip(&fs::read(module)?)?)?;
    let tools = workspace::sdk_tools();
    setup::need_npm_packages(&tools)?;
    Tool::new(tools.join("node_modules/.bin/esbuild"))
        .arg(workspace::root().join("verifier/page/page.js"))
        .args([
            "--bundle",
            "--format=iife",
            "--minify",
            // The first browsers with all that the page needs: its policy, and the unpacking of the module.
            "--target=chrome103,firefox113,safari16.4",
            "--loader:.gz=base64",
            "--log-level=error",
        ])
        .arg(format!(
            "--alias:verifier={}",
            bound.join("verifier.js").display()
        ))
        .arg(format!("--alias:module={}", packed.display()))
        .output()
}

fn gzip(content: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

/// Fills the template.
fn fill(root: &Path, script: &str) -> Result<String> {
    let read =
        |path: &str| fs::read_to_string(root.join(path)).with_context(|| format!("reading {path}"));
    let style = css::minify(&(read("style/plain.css")? + &read("verifier/page/page.css")?));
    let script = script.trim();
    for (text, end) in [(&*style, "</style"), (script, "</script")] {
        ensure!(!text.contains(end), "{end} would end its element early");
    }
    let policy = format!(
        "default-src 'none'; script-src '{}' 'wasm-unsafe-eval'; style-src '{}'; img-src data:; connect-src 'none'; \
         base-uri 'none'; form-action 'none'",
        source(script),
        source(&style),
    );
    let mut page = read("verifier/page/page.html")?;
    for (place, content) in [
        ("{policy}", &*policy),
        ("{icon}", &address(&read("style/icon.svg")?)),
        ("{version}", env!("CARGO_PKG_VERSION")),
        ("{style}", &style),
        // The last one, because a script may hold anything.
        ("{script}", script),
    ] {
        ensure!(page.matches(place).count() == 1, "one {place} in the page");
        page = page.replace(place, content);
    }
    Ok(page)
}

/// A text as a content security policy permits it.
fn source(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// A picture as a part of an address in double quotes.
fn address(svg: &str) -> String {
    svg.trim()
        .replace('"', "'")
        .replace('%', "%25")
        .replace('#', "%23")
        .replace('<', "%3C")
        .replace('>', "%3E")
}

/// Fails if the page is larger than its budget.
fn weigh(budget: &Path, page: &[u8]) -> Result<()> {
    let most = sdk::budget::read(budget)?;
    let most = *most.get("page").context("no budget for page")?;
    let size = sdk::budget::brotli(page);
    println!(
        "  page: {size} of {most} bytes (brotli), {} raw",
        page.len()
    );
    ensure!(
        size <= most,
        "the page that verifies proofs is too large: {size} bytes, {most} allowed"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_permits_this_style_and_this_script_alone() {
        let page = fill(&workspace::root(), "alert('{style}')\n").unwrap();
        let (_, policy) = page
            .split_once("http-equiv=\"content-security-policy\" content=\"")
            .unwrap();
        let (policy, rest) = policy.split_once("\">").unwrap();
        let inside = |name: &str| {
            let (_, text) = rest.split_once(&format!("<{name}>")).unwrap();
            text.split_once(&format!("</{name}>")).unwrap().0
        };
        assert_eq!(inside("script"), "alert('{style}')");
        assert!(policy.contains(&format!("script-src '{}' ", source("alert('{style}')"))));
        assert!(policy.contains(&format!("style-src '{}';", source(inside("style")))));
        assert!(policy.contains("connect-src 'none'"));
        assert!(!rest.contains(" style=") && !rest.contains(" onclick="));
        let known = "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
        assert_eq!(source("abc"), known);
        assert!(fill(&workspace::root(), "</script>").is_err());
    }

    #[test]
    fn a_page_above_its_budget_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let budget = folder.path().join("budget.toml");
        let noise: Vec<u8> = (0..200_u8).map(|at| at.wrapping_mul(167)).collect();
        for (text, fits) in [
            ("page = 250", true),
            ("page = 150", false),
            ("other = 250", false),
        ] {
            fs::write(&budget, text).unwrap();
            assert_eq!(weigh(&budget, &noise).is_ok(), fits, "{text}");
        }
    }

    #[test]
    fn a_picture_stays_in_its_quotes() {
        assert_eq!(
            address("<a b=\"#1\" c=\"5%\"/>\n"),
            "%3Ca b='%231' c='5%25'/%3E"
        );
    }
}
