//! The functions that a module imports.
//!
//! wasm-bindgen names those of its script by a hash, and a hash cannot be compressed. Script and module both contain it, and
//! get short names.

use anyhow::{Result, ensure};
use wasmparser::{Parser, Payload};

/// A function that the module lacks. The linker takes it for an import from `env`, which no browser has. A build that was
/// ended while it wrote its files leaves such modules behind.
pub fn missing(module: &[u8]) -> Result<Option<String>> {
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::ImportSection(imports) = payload? {
            for import in imports.into_imports() {
                let import = import?;
                if import.module == "env" {
                    return Ok(Some(import.name.to_owned()));
                }
            }
        }
    }
    Ok(None)
}

/// Renames the imports from `script`'s functions in the module and in the text of the script, where each of them is a
/// member of an object: `name: function`.
pub fn shorten(module: &[u8], script: &str) -> Result<(Vec<u8>, String)> {
    let mut module = walrus::ModuleConfig::new()
        .generate_producers_section(false)
        .generate_name_section(false)
        .parse(module)?;
    let mut script = script.to_owned();
    let generated = |name: &str| name.starts_with("__wb");
    let imports = module.imports.iter_mut();
    for (number, import) in imports.filter(|it| generated(&it.name)).enumerate() {
        let short = format!("i{number}");
        let member = format!(" {}: function", import.name);
        ensure!(
            script.matches(&member).count() == 1,
            "the script does not define {} once",
            import.name
        );
        script = script.replace(&member, &format!(" {short}: function"));
        import.name = short;
    }
    Ok((module.emit_wasm(), script))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(name: &str) -> Vec<u8> {
        let mut module = walrus::Module::default();
        let kind = module.types.add(&[], &[]);
        module.add_import_func("./ui_bg.js", name, kind);
        module.add_import_func("./parts.js", "part", kind);
        module.emit_wasm()
    }

    #[test]
    fn module_and_script_agree_on_the_new_names() {
        let script = "return { __wbg_get_01: function(a) { return a; }, };";
        let (made, script) = shorten(&module("__wbg_get_01"), script).unwrap();
        assert_eq!(script, "return { i0: function(a) { return a; }, };");
        let made = walrus::Module::from_buffer(&made).unwrap();
        let names: Vec<_> = made.imports.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["i0", "part"]);
    }

    #[test]
    fn a_function_that_a_module_lacks_is_named() {
        assert_eq!(missing(&module("part")).unwrap(), None);
        let mut broken = walrus::Module::default();
        let kind = broken.types.add(&[], &[]);
        broken.add_import_func("env", "app.llvm.1", kind);
        let broken = broken.emit_wasm();
        assert_eq!(missing(&broken).unwrap().as_deref(), Some("app.llvm.1"));
    }

    #[test]
    fn an_import_that_the_script_does_not_define_is_noticed() {
        assert!(
            shorten(
                &module("__wbg_get_01"),
                "return { __wbg_get_02: function() {}, };"
            )
            .is_err()
        );
    }
}
