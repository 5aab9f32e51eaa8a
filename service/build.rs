//! Embeds the built browser SDK (`cargo xtask build --only sdk`) for `render::parts`. Without a
//! built one, `PARTS` is `None` and the crate compiles all the same, so that checks and lints
//! need neither node nor a wasm build.

use std::{env, fmt::Write, fs, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PLACET_WEB_DIR");
    let folder = web_folder().join("sdk");
    // An existing folder, because a missing one would make cargo run this on every build.
    let _ = fs::create_dir_all(&folder);
    println!("cargo::rerun-if-changed={}", folder.display());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    if let Err(error) = fs::write(out.join("sdk_parts.rs"), parts(&folder)) {
        println!("cargo::error=cannot write sdk_parts.rs: {error}");
    }
}

fn web_folder() -> PathBuf {
    let given = env::var_os("PLACET_WEB_DIR").map(PathBuf::from);
    given.unwrap_or_else(|| {
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../target/web")
    })
}

/// Rust source of `PARTS` and `FILES`. The manifest's first line is the hash of the build; each
/// other line is a file that browsers load: name, tab, media type.
fn parts(folder: &std::path::Path) -> String {
    let Ok(manifest) = fs::read_to_string(folder.join("manifest.txt")) else {
        return "static PARTS: Option<Parts> = None;\nstatic FILES: &[SdkFile] = &[];\n".to_owned();
    };
    let path = |name: &str| format!("r{0}\"{1}\"{0}", "#", folder.join(name).display());
    let mut lines = manifest.lines();
    let mut source = format!(
        "static PARTS: Option<Parts> = Some(Parts {{ hash: {:?}, bundle: include_str!({}), bundle_iab: include_str!({}), bundle_languages: include_str!({}), bundle_iab_languages: include_str!({}), generic: include_str!({}), preview: include_str!({}) }});\n",
        lines.next().unwrap_or_default(),
        path("bundle.js"),
        path("bundle-iab.js"),
        path("bundle-languages.js"),
        path("bundle-iab-languages.js"),
        path("generic.js"),
        path("preview.js"),
    );
    source += "static FILES: &[SdkFile] = &[\n";
    for (name, content_type) in lines.filter_map(|line| line.split_once('\t')) {
        let _ = writeln!(
            source,
            "SdkFile {{ name: {name:?}, content_type: {content_type:?}, bytes: include_bytes!({}) }},",
            path(name)
        );
    }
    source + "];\n"
}
