//! Makes the files for browsers from rustc's module.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use wasm_bindgen_cli_support::{Bindgen, EncodeInto};

use super::{features, panics, tool};
use crate::wasm::FEATURES;

const STRIP: [&str; 3] = [
    "--strip-debug",
    "--strip-producers",
    "--strip-target-features",
];

/// Sizes of functions that are inlined. A browser compiles each function at its first call, which takes
/// longer than running it: a third fewer functions means less work, and fewer bytes as well. A large function
/// with one caller stays separate (`#[inline(never)]` keeps the compiler from inlining it too), because few
/// visitors need it inside of code that all visitors run.
const INLINED: [&str; 2] = [
    "--always-inline-max-function-size=16",
    "--one-caller-inline-max-function-size=150",
];

/// Placeholder of the embedded module in a template. It is an undeclared name, because a minifier would
/// evaluate a literal.
const WASM: &str = "__PLACET_WASM__";

/// The script that runs, whatever elements the page has (`js/page.js`).
const RUNNING: &str = "Reflect.get(Document.prototype,\"currentScript\",document)";

/// Separate scripts that few visitors need, each with the name that stands for its file.
const PARTS: [(&str, &str); 11] = [
    // Before `iab-part`, which names it.
    ("layers", "LAYERS"),
    ("iab-part", "IAB_PART"),
    ("stub", "STUB"),
    ("withdraw", "WITHDRAW"),
    // Before `more`, which names them.
    ("fold-part", "FOLD"),
    ("farewell-part", "FAREWELL"),
    ("picture-part", "PICTURE"),
    ("more", "MORE"),
    ("boxes", "BOXES"),
    ("odd", "ODD"),
    ("debug", "DEBUG"),
];

/// Results of the SDK build.
pub struct Made {
    pub module: Vec<u8>,
    pub fallback: Vec<u8>,
    /// The loaders of bundles, in the order of [`BUNDLES`].
    pub loaders: Vec<Vec<u8>>,
    pub generic: Vec<u8>,
    /// Scripts that are loaded on demand, with the names of their sources.
    pub parts: Vec<(&'static str, Vec<u8>)>,
    bundles: Vec<String>,
    preview: String,
}

/// A form of the bundle. Each leaves out the scripts that its configurations do not use.
pub struct Bundle {
    /// The name of its file.
    pub name: &'static str,
    /// The name of its loader in `size-budget.toml`.
    pub budget: &'static str,
    /// With `js/iab.js`.
    has_frameworks: bool,
    /// With `js/speak.js`.
    has_languages: bool,
}

/// All forms of the bundle.
pub const BUNDLES: [Bundle; 4] = [
    Bundle {
        name: "bundle.js",
        budget: "loader",
        has_frameworks: false,
        has_languages: false,
    },
    Bundle {
        name: "bundle-iab.js",
        budget: "loader-iab",
        has_frameworks: true,
        has_languages: false,
    },
    Bundle {
        name: "bundle-languages.js",
        budget: "loader-languages",
        has_frameworks: false,
        has_languages: true,
    },
    Bundle {
        name: "bundle-iab-languages.js",
        budget: "loader-iab-languages",
        has_frameworks: true,
        has_languages: true,
    },
];

/// Names before and after binaryen shortened them.
#[derive(Deserialize)]
struct Renamed {
    imports: Vec<(String, String, String)>,
    exports: Vec<(String, String)>,
}

pub fn pack(root: &Path, work: &Path, module: &[u8]) -> Result<Made> {
    let bound = work.join("bound");
    if bound.exists() {
        fs::remove_dir_all(&bound)?;
    }
    let module = features::without(module, &["reference-types", "call-indirect-overlong"])?;
    let mut module = panics::without(&module)?;
    let names = names(&mut module)?;
    Bindgen::new()
        .input_module("sdk", module)
        .bundler(true)
        .context("wasm-bindgen")?
        .typescript(false)
        .encode_into(EncodeInto::Always)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(&bound)
        .context("wasm-bindgen")?;

    let small = work.join("small.wasm");
    tool(root, "wasm-opt")
        .arg(bound.join("sdk_bg.wasm"))
        .args(["-Oz", "--converge", "--low-memory-unused"])
        .args(INLINED)
        .args(FEATURES)
        .args(STRIP)
        .arg("-o")
        .arg(&small)
        .output()?;
    // A separate pass, because the pass above would print the names more than once.
    let short = work.join("short.wasm");
    let renamed = tool(root, "wasm-opt")
        .arg(&small)
        .arg("--minify-imports-and-exports-and-modules")
        .args(FEATURES)
        .args(STRIP)
        .arg("-o")
        .arg(&short)
        .output()?;
    let renamed: Renamed = serde_json::from_str(&renamed).context("names from wasm-opt")?;
    glue(&bound, &renamed)?;

    let module = fs::read(&short)?;
    let fallback = fallback(root, work, &short)?;
    let wasm_name = hashed("core", "wasm", &module);
    let fallback_name = hashed("core", "js", &fallback);
    let mut files = vec![("WASM", wasm_name), ("FALLBACK", fallback_name)];
    let mut parts = Vec::new();
    for (part, place) in PARTS {
        let defines = defines(&files);
        let content = script(root, work, &bound, part, &defines)?.into_bytes();
        files.push((place, hashed(part, "js", &content)));
        parts.push((part, content));
    }
    let script = |entry: &str, preview: bool, iab: bool, languages: bool| {
        let mut defines: Vec<(&str, String)> = vec![
            ("PREVIEW", preview.to_string()),
            ("IAB", iab.to_string()),
            ("LANGUAGES", languages.to_string()),
            ("NAMES", names.clone()),
        ];
        defines.extend(self::defines(&files));
        let script = script(root, work, &bound, entry, &defines)?;
        let places = script.matches(WASM).count();
        ensure!(
            places == usize::from(entry != "generic"),
            "{entry}.js has {places} places for the module"
        );
        Ok(script)
    };
    let mut loaders = Vec::new();
    for bundle in &BUNDLES {
        let loader = script("bundle", false, bundle.has_frameworks, bundle.has_languages)?;
        for (part, mark, is_wanted) in [
            ("iab.js", "__tcfapi", bundle.has_frameworks),
            ("speak.js", ".payload\"", bundle.has_languages),
        ] {
            ensure!(
                loader.contains(mark) == is_wanted,
                "{} and {part} do not go together",
                bundle.name
            );
        }
        loaders.push(loader);
    }
    let preview = script("preview", true, false, false)?;
    let embedded = literal(&module, false);
    let bundles = loaders.iter().map(|loader| loader.replace(WASM, &embedded));
    Ok(Made {
        bundles: bundles.collect(),
        preview: preview.replace(WASM, &literal(&module, true)),
        loaders: loaders.into_iter().map(String::into_bytes).collect(),
        generic: script("generic", false, false, true)?.into_bytes(),
        module,
        fallback,
        parts,
    })
}

/// Names that stand for files, with the files as JavaScript strings.
fn defines<'a>(files: &[(&'a str, String)]) -> Vec<(&'a str, String)> {
    let files = files.iter();
    files
        .map(|(place, name)| (*place, format!("{name:?}")))
        .collect()
}

/// Takes the section of `sdk-wasm/src/names.rs` out of the module and returns it as a JavaScript string.
fn names(module: &mut walrus::Module) -> Result<String> {
    let section = module
        .customs
        .remove_raw("placet_names")
        .context("the module has no section of names")?;
    let names = std::str::from_utf8(&section.data)?;
    let names = names.strip_suffix('\n').unwrap_or(names);
    Ok(serde_json::to_string(names)?)
}

impl Made {
    /// Writes changed files and removes those of an earlier build.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let (wasm, script) = (
            hashed("core", "wasm", &self.module),
            hashed("core", "js", &self.fallback),
        );
        let parts: Vec<_> = self
            .parts
            .iter()
            .map(|(part, content)| (hashed(part, "js", content), content.as_slice()))
            .collect();
        let mut files: BTreeMap<&str, &[u8]> = BTreeMap::from([
            ("generic.js", self.generic.as_slice()),
            ("preview.js", self.preview.as_bytes()),
            (&*wasm, &self.module),
            (&*script, &self.fallback),
        ]);
        let bundles = BUNDLES.iter().zip(&self.bundles);
        files.extend(bundles.map(|(bundle, content)| (bundle.name, content.as_bytes())));
        files.extend(parts.iter().map(|(name, content)| (&**name, *content)));
        let mut hasher = Sha256::new();
        for content in files.values() {
            hasher.update(Sha256::digest(content));
        }
        let mut manifest = format!(
            "{}\n{wasm}\tapplication/wasm\n{script}\ttext/javascript; charset=utf-8\n",
            hex::encode(hasher.finalize())
        );
        for (name, _) in &parts {
            let _ = writeln!(manifest, "{name}\ttext/javascript; charset=utf-8");
        }
        files.insert("manifest.txt", manifest.as_bytes());
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let known = path
                .file_name()
                .is_some_and(|name| files.contains_key(&*name.to_string_lossy()));
            if !known {
                fs::remove_file(path)?;
            }
        }
        for (name, content) in files {
            let path = folder.join(name);
            if fs::read(&path).ok().as_deref() != Some(content) {
                fs::write(path, content)?;
            }
        }
        Ok(())
    }
}

/// Writes the glue between the module and `js/` from the output of wasm-bindgen: names of the module's
/// functions and its import object. The module passes numbers, and passes texts and bytes by their place in
/// memory. So the functions of `js/dom.js` need no wrappers, which would be a fifth of the loader.
fn glue(bound: &Path, renamed: &Renamed) -> Result<()> {
    let written = fs::read_to_string(bound.join("sdk_bg.js"))?;
    let mut glue = String::new();
    for (name, short) in &renamed.exports {
        ensure!(
            name != "__wbindgen_start",
            "the module has a start function, which nothing here calls"
        );
        if name == "memory" {
            let _ = write!(glue, "{}", MEMORY.replace("__MEMORY__", short));
        } else {
            let _ = writeln!(glue, "export const {name} = {short:?};");
        }
    }
    fs::write(bound.join("glue.js"), glue)?;

    let mut functions = Vec::new();
    let mut members = String::new();
    for (module, name, short) in &renamed.imports {
        // Imports without a wrapper come from the script itself.
        let direct = (module != "./sdk_bg.js").then_some((name.as_str(), Takes::Numbers));
        let (function, takes) = direct
            .or_else(|| import(&written, name))
            .with_context(|| format!("unexpected output of wasm-bindgen for {name}"))?;
        let adapted = match takes {
            Takes::Numbers => function.to_owned(),
            Takes::Text => format!("(at, length) => {function}(text(at, length))"),
            Takes::Bytes => format!("(at, length) => {function}(bytes(at, length))"),
        };
        let _ = write!(members, "{short:?}: {adapted}, ");
        functions.push(function);
    }
    let source = format!(
        "import {{ bytes, text }} from './glue.js';\nimport {{ {} }} from 'dom';\nexport const imports = {{ a: {{ {members} }} }};\n",
        functions.join(", ")
    );
    fs::write(bound.join("imports.js"), source)?;
    Ok(())
}

const MEMORY: &str = "export let wasm;
export const use = (exports) => { wasm = exports; };
export const bytes = (at, length) => new Uint8Array(wasm.__MEMORY__.buffer, at, length);
const decoder = new TextDecoder();
export const text = (at, length) => decoder.decode(bytes(at, length));
";

/// Arguments that the module passes in a call.
#[derive(Debug, PartialEq)]
enum Takes {
    Numbers,
    Text,
    Bytes,
}

/// The function of `js/dom.js` that an import ends up calling, with its arguments.
fn import<'a>(written: &'a str, name: &str) -> Option<(&'a str, Takes)> {
    let (_, body) = written.split_once(&format!("export function {name}("))?;
    let (arguments, body) = body.split_once(") {")?;
    let (call, _) = body.split_once(';')?;
    let call = call.trim();
    let call = call.strip_prefix("const ret = ").unwrap_or(call);
    let (function, given) = call.strip_suffix(')')?.split_once('(')?;
    let numbers: Vec<_> = given
        .split(", ")
        .map(|one| one.strip_suffix(" >>> 0").unwrap_or(one))
        .collect();
    let takes = match given {
        "getStringFromWasm0(arg0, arg1)" => Takes::Text,
        "getArrayU8FromWasm0(arg0, arg1)" => Takes::Bytes,
        _ if numbers.join(", ") == arguments => Takes::Numbers,
        _ => return None,
    };
    Some((function, takes))
}

/// First line of a script for browsers that know explicit compile hints (V8). They compile its functions in
/// the background while it loads, instead of parsing each twice.
const AT_ONCE: &str = "//# allFunctionsCalledOnLoad\n";

/// Builds one script with placeholders for module, payload and addresses.
fn script(
    root: &Path,
    work: &Path,
    bound: &Path,
    entry: &str,
    defines: &[(&str, String)],
) -> Result<String> {
    let joined = work.join(format!("{entry}.joined.js"));
    let small = work.join(format!("{entry}.js"));
    tool(root, "esbuild")
        .arg(root.join("sdk-wasm/js").join(format!("{entry}.js")))
        .args([
            "--bundle",
            "--format=iife",
            "--minify",
            "--target=es2021",
            "--log-level=error",
        ])
        .arg(format!(
            "--inject:{}",
            root.join("sdk-wasm/js/page.js").display()
        ))
        .arg(format!("--alias:core={}", bound.join("glue.js").display()))
        .arg(format!(
            "--alias:core-imports={}",
            bound.join("imports.js").display()
        ))
        .arg(format!("--alias:dom={}", snippet(bound)?.display()))
        .args(
            defines
                .iter()
                .map(|(place, value)| format!("--define:{place}={value}")),
        )
        .arg(format!("--outfile={}", joined.display()))
        .output()?;
    tool(root, "terser")
        .arg(&joined)
        .args(["--compress", "passes=4,toplevel=true,ecma=2020"])
        .args([
            "--mangle",
            "toplevel=true",
            "--format",
            "quote_style=2,ascii_only=true",
        ])
        .arg("--output")
        .arg(&small)
        .output()?;
    let script = fs::read_to_string(small)?;
    // The other scripts are small or few visitors need them.
    let hint = if entry == "bundle" { AT_ONCE } else { "" };
    Ok(hint.to_owned() + &script)
}

/// wasm-bindgen's copy of `js/dom.js`. The loaders must share it instead of adding a second one.
fn snippet(bound: &Path) -> Result<std::path::PathBuf> {
    for entry in fs::read_dir(bound.join("snippets"))? {
        let path = entry?.path().join("js/dom.js");
        if path.exists() {
            return Ok(path);
        }
    }
    anyhow::bail!("wasm-bindgen has not copied js/dom.js")
}

/// The module as JavaScript, which passes its function to the loader.
fn fallback(root: &Path, work: &Path, module: &Path) -> Result<Vec<u8>> {
    let (lowered, small, script) = (
        work.join("lowered.wasm"),
        work.join("lowered-small.wasm"),
        work.join("fallback.mjs"),
    );
    tool(root, "wasm-opt")
        .arg(module)
        .args(FEATURES)
        .args(["--signext-lowering", "--llvm-memory-copy-fill-lowering"])
        .args(["--llvm-nontrapping-fptoint-lowering", "-o"])
        .arg(&lowered)
        .output()?;
    tool(root, "wasm-opt")
        .arg(&lowered)
        .args(["-Oz", "--converge", "--enable-mutable-globals", "-o"])
        .arg(&small)
        .output()?;
    tool(root, "wasm2js")
        .arg(&small)
        .args(["-Oz", "--enable-mutable-globals", "-o"])
        .arg(&script)
        .output()?;
    let source = fs::read_to_string(&script)?;
    let body = source
        .split_once("var retasmFunc")
        .context("unexpected output of wasm2js")?
        .0;
    let body: String = body
        .lines()
        .filter(|line| !line.starts_with("import "))
        .flat_map(|line| [line, "\n"])
        .collect();
    let open = work.join("fallback.open.js");
    fs::write(
        &open,
        format!("(()=>{{const {{start}}={RUNNING}.placet;{body}\nstart(asmFunc)}})()"),
    )?;
    let closed = work.join("fallback.js");
    tool(root, "terser")
        .arg(&open)
        .args([
            "--compress",
            "passes=2,ecma=2020",
            "--mangle",
            "--format",
            "ascii_only=true",
        ])
        .arg("--output")
        .arg(&closed)
        .output()?;
    Ok(fs::read(closed)?)
}

fn hashed(stem: &str, extension: &str, content: &[u8]) -> String {
    let hash = hex::encode(Sha256::digest(content));
    format!("{stem}.{}.{extension}", hash.get(..8).unwrap_or(&hash))
}

/// Encodes bytes as the characters of a JavaScript string. It is five per cent larger after compression,
/// where base64 is a quarter larger. `plain` uses printable ASCII without `<`, for inline scripts.
fn literal(bytes: &[u8], plain: bool) -> String {
    let mut literal = String::from("\"");
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'\\' => literal += "\\\\",
            b'"' => literal += "\\\"",
            b'\n' => literal += "\\n",
            b'\r' => literal += "\\r",
            // `\0` before a digit would be an octal escape.
            0 if !bytes.get(index + 1).is_some_and(u8::is_ascii_digit) => literal += "\\0",
            0 => literal += "\\x00",
            byte if plain && (!(b' '..=b'~').contains(byte) || *byte == b'<') => {
                let _ = write!(literal, "\\x{byte:02x}");
            }
            byte => literal.push(char::from(*byte)),
        }
    }
    literal + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_recognised() {
        let written = "export function __wbg_same_1(arg0, arg1) {
    const ret = same(arg0 >>> 0, arg1 >>> 0);
    return ret;
}
export function __wbg_say_2(arg0, arg1) {
    say(getStringFromWasm0(arg0, arg1));
}
export function __wbg_odd_3(arg0) {
    odd(takeObject(arg0));
}";
        let of = |name| import(written, name);
        assert_eq!(of("__wbg_same_1"), Some(("same", Takes::Numbers)));
        assert_eq!(of("__wbg_say_2"), Some(("say", Takes::Text)));
        assert_eq!((of("__wbg_odd_3"), of("__wbg_gone_4")), (None, None));
    }

    #[test]
    fn bytes_become_characters() {
        assert_eq!(
            literal(b"a\0b\x001\n\"\\\xff", false),
            "\"a\\0b\\x001\\n\\\"\\\\\u{ff}\""
        );
        assert_eq!(literal(b"<\xff\x01", true), "\"\\x3c\\xff\\x01\"");
    }
}
