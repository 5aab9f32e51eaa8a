//! Puts files for browsers into the program: the admin UI's and the page that verifies proofs, compressed beforehand.
//! `cargo xtask build` makes their folders in `target/web` (`PLACET_WEB_DIR` names another `web` folder); while these
//! are empty, the table is empty and the crate still compiles.

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fmt::Write as _,
    fs,
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Folders of `target/web` that the server embeds.
const FOLDERS: [&str; 2] = ["ui", "verify"];

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PLACET_WEB_DIR");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    let web = match env::var_os("PLACET_WEB_DIR") {
        Some(dir) => PathBuf::from("..").join(dir),
        None => PathBuf::from("../target/web"),
    };
    let mut files = Vec::new();
    for folder in FOLDERS.map(|name| web.join(name)) {
        // Cargo runs the script each time when what it watches is absent.
        fs::create_dir_all(&folder)?;
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(&folder, &mut files)?;
    }

    let release = env::var_os("PROFILE").is_some_and(|profile| profile == "release");
    println!("cargo::rerun-if-env-changed=PLACET_FOLD");
    if env::var_os("PLACET_FOLD").is_some() && links_with_lld() {
        // Equal functions become one. Rust promises no address of its own to a function.
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
    }
    // As text, for the search in the table.
    files.sort_by_key(|path| slashed(path));

    let (mut table, mut hashed) = (String::new(), String::new());
    let mut manifest = BTreeMap::new();
    for path in files.iter().filter(|path| path.ends_with("manifest.json")) {
        let folder = path.strip_prefix(&web)?.parent().unwrap_or(Path::new(""));
        for (name, file) in read_manifest(&fs::read_to_string(path)?)? {
            manifest.insert(name, slashed(&folder.join(file)));
        }
    }
    for (at, path) in files
        .iter()
        .filter(|path| !path.ends_with("manifest.json"))
        .enumerate()
    {
        let name = slashed(path.strip_prefix(&web)?);
        let content = match fs::read(path) {
            // `cargo xtask build` replaces files at the same time. Cargo then runs this script again.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            content => content?,
        };
        let immutable = manifest.values().any(|file| *file == name);
        let packed = brotli(&content, release)?;
        // Files that hardly shrink (pictures, fonts) are sent as they are.
        let content_as = if packed.len() * 20 > content.len() * 19 {
            format!("Plain({})", write(&out, &format!("{at}"), &content)?)
        } else {
            format!(
                "Packed(Packed::new({}))",
                write(&out, &format!("{at}.br"), &packed)?
            )
        };
        writeln!(
            table,
            "Embedded {{ path: {name:?}, content_type: {:?}, policy: {:?}, immutable: {immutable}, etag: {:?}, \
             content: Content::{content_as} }},",
            content_type(&name),
            policy(&content),
            etag(&content),
        )?;
    }
    for (name, file) in manifest {
        writeln!(hashed, "({name:?}, {file:?}),")?;
    }
    fs::write(
        out.join("embedded.rs"),
        format!(
            "/// Sorted by path.\npub static FILES: [Embedded; {}] = [\n{table}];\n\
             /// Plain names and paths of files whose names change with their content, sorted.\n\
             pub static HASHED: &[(&str, &str)] = &[\n{hashed}];\n",
            table.lines().count(),
        ),
    )?;
    Ok(())
}

/// True for the target that rustc links with `rust-lld` unless told otherwise
/// (rustc book, "Codegen Options", `linker-features`).
fn links_with_lld() -> bool {
    let is = |name: &str, value: &str| env::var_os(name).is_some_and(|found| found == value);
    is("CARGO_CFG_TARGET_ARCH", "x86_64")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Reads a flat JSON object of plain strings.
fn read_manifest(text: &str) -> Result<Vec<(String, String)>> {
    let strings: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
    if text.contains('\\') || !strings.len().is_multiple_of(2) {
        return Err("a manifest is one flat object of plain strings".into());
    }
    Ok(strings
        .chunks_exact(2)
        .filter_map(|pair| Some((pair.first()?.to_string(), pair.get(1)?.to_string())))
        .collect())
}

fn slashed(path: &Path) -> String {
    path.components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}

/// Writes bytes into the build's folder and gives the expression that includes them.
fn write(out: &Path, name: &str, content: &[u8]) -> Result<String> {
    let path = out.join(name);
    fs::write(&path, content)?;
    Ok(format!("include_bytes!({:?})", path.display().to_string()))
}

/// Densest for what is shipped; quick while developing.
fn brotli(content: &[u8], release: bool) -> Result<Vec<u8>> {
    let mut packed = Vec::new();
    let quality = if release { 11 } else { 4 };
    brotli::CompressorWriter::new(&mut packed, 4096, quality, 22).write_all(content)?;
    Ok(packed)
}

fn etag(content: &[u8]) -> String {
    let mut tag = hex::encode(Sha256::digest(content));
    tag.truncate(24);
    tag
}

/// The content security policy that a page names for itself.
fn policy(content: &[u8]) -> Option<&str> {
    let page = str::from_utf8(content).ok()?;
    let (_, rest) = page.split_once("<meta http-equiv=\"content-security-policy\" content=\"")?;
    Some(rest.split_once('"')?.0)
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "ico" => "image/x-icon",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "txt" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}
