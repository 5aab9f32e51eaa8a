//! Removes code that is never called, which no optimiser can know.
//!
//! leptos can hydrate while parts of the page still load (`hydrate_lazy`). Each type-erased view carries a
//! function for that, and these are a fifth of all code. `app/src/wake.rs` waits for the parts and then
//! hydrates at once, so nothing calls these functions. They become traps, and their relocations are removed,
//! so the splitter sees that nobody calls the functions that only they need.
//!
//! Measured after brotli: 6 per cent of the first part, 8 to 12 of each other one. Without it the sign-in page would
//! be 316 kB, and no first page may be more than 300.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use anyhow::{Context, Result};
use wasmparser::{
    BinaryReader, FunctionBody, KnownCustom, Name, NameSectionReader, Operator, Parser, Payload,
    RelocationEntry, TypeRef,
};

/// Part of the mangled names of these functions. Functions that only drop their values have it too. They are
/// kept, because the compiler may have merged them with identical functions.
const UNUSED: &str = "hydrate_async";
const DESTROYS: &str = "drop_in_place";

/// Smaller functions are kept for the same reason.
const SMALL: usize = 64;

const CODE_NOTES: &str = "reloc.CODE";

/// Returns the module without them. Everything else keeps its place.
pub fn without(module: &[u8]) -> Result<Vec<u8>> {
    let read = Read::new(module)?;
    let unused = read.unused();
    let mut made = module.to_vec();
    for range in &unused {
        let body = made
            .get_mut(range.clone())
            .context("a body in the module")?;
        // No locals, a trap, `nop` up to the end, and the end.
        body.fill(NOP);
        if let [locals, first, .., last] = body {
            (*locals, *first, *last) = (0, UNREACHABLE, END);
        }
    }
    forget_needs(&made, read.code_start, &unused)
}

const UNREACHABLE: u8 = 0x00;
const NOP: u8 = 0x01;
const END: u8 = 0x0b;

struct Read<'a> {
    /// Start of the code section's content.
    code_start: usize,
    /// The functions' bodies with their locals, by index.
    bodies: BTreeMap<u32, FunctionBody<'a>>,
    names: BTreeMap<u32, &'a str>,
}

impl<'a> Read<'a> {
    fn new(module: &'a [u8]) -> Result<Self> {
        let (mut code_start, mut next) = (0, 0);
        let mut bodies = BTreeMap::new();
        let mut names = BTreeMap::new();
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        if matches!(import?.ty, TypeRef::Func(_)) {
                            next += 1;
                        }
                    }
                }
                Payload::CodeSectionStart { range, .. } => {
                    code_start = usize::try_from(range.start)?;
                }
                Payload::CodeSectionEntry(body) => {
                    bodies.insert(next, body);
                    next += 1;
                }
                Payload::CustomSection(section) => {
                    if let KnownCustom::Name(reader) = section.as_known() {
                        read_names(reader, &mut names)?;
                    }
                }
                _ => {}
            }
        }
        Ok(Self {
            code_start,
            bodies,
            names,
        })
    }

    /// The bodies that no used function calls.
    fn unused(&self) -> Vec<Range<usize>> {
        let mut unused: BTreeSet<u32> = self
            .names
            .iter()
            .filter(|(_, name)| name.contains(UNUSED) && !name.contains(DESTROYS))
            .map(|(index, _)| *index)
            .filter(|index| self.range(*index).is_some_and(|range| range.len() > SMALL))
            .collect();
        loop {
            let called: BTreeSet<u32> = self
                .bodies
                .iter()
                .filter(|(index, _)| !unused.contains(index))
                .flat_map(|(_, body)| calls(body))
                .filter(|index| unused.contains(index))
                .collect();
            if called.is_empty() {
                break;
            }
            unused.retain(|index| !called.contains(index));
        }
        unused
            .into_iter()
            .filter_map(|index| self.range(index))
            .collect()
    }

    fn range(&self, index: u32) -> Option<Range<usize>> {
        let range = self.bodies.get(&index)?.range();
        Some(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
    }
}

fn read_names<'a>(reader: NameSectionReader<'a>, names: &mut BTreeMap<u32, &'a str>) -> Result<()> {
    for part in reader {
        if let Name::Function(map) = part? {
            for naming in map {
                let naming = naming?;
                names.insert(naming.index, naming.name);
            }
        }
    }
    Ok(())
}

fn calls(body: &FunctionBody<'_>) -> Vec<u32> {
    body.get_operators_reader()
        .into_iter()
        .flatten()
        .filter_map(|operator| match operator {
            Ok(Operator::Call { function_index }) => Some(function_index),
            _ => None,
        })
        .collect()
}

/// Removes the relocations for places in `gone`.
fn forget_needs(module: &[u8], code_start: usize, gone: &[Range<usize>]) -> Result<Vec<u8>> {
    const HEADER: usize = 8;
    let mut made = module.get(..HEADER).context("a module")?.to_vec();
    let mut rest = BinaryReader::new(module.get(HEADER..).unwrap_or_default(), 0);
    while !rest.eof() {
        let id = rest.read_u8()?;
        let length = rest.read_var_u32()?;
        let mut content = rest.read_bytes(length as usize)?.to_vec();
        if id == 0 && BinaryReader::new(&content, 0).read_string()? == CODE_NOTES {
            content = keep(&content, |offset| {
                let place = code_start + offset;
                let before = gone.partition_point(|range| range.end <= place);
                !gone.get(before).is_some_and(|range| range.contains(&place))
            })?;
        }
        made.push(id);
        write_u32(&mut made, u32::try_from(content.len())?);
        made.extend_from_slice(&content);
    }
    Ok(made)
}

/// Returns the section with the relocations whose place `stays`.
fn keep(section: &[u8], stays: impl Fn(usize) -> bool) -> Result<Vec<u8>> {
    let mut reader = BinaryReader::new(section, 0);
    reader.read_string()?;
    reader.read_var_u32()?;
    let mut made = section
        .get(..position(&reader)?)
        .context("a head")?
        .to_vec();
    let count = reader.read_var_u32()?;
    let (mut kept, mut entries) = (0, Vec::new());
    for _ in 0..count {
        let start = position(&reader)?;
        let note: RelocationEntry = reader.read()?;
        if stays(note.offset as usize) {
            kept += 1;
            entries.extend_from_slice(section.get(start..position(&reader)?).context("a note")?);
        }
    }
    write_u32(&mut made, kept);
    made.extend_from_slice(&entries);
    Ok(made)
}

fn position(reader: &BinaryReader<'_>) -> Result<usize> {
    Ok(usize::try_from(reader.original_position())?)
}

fn write_u32(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relocations_of_removed_code_are_removed() {
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        // Section 3 with three relocations: calls at 5 and 200, an address with an addend at 20.
        let notes = b"\x0areloc.CODE\x03\x03\0\x05\x07\x03\x14\x08\x7f\0\xc8\x01\x09";
        module.extend_from_slice(&[0, notes.len() as u8]);
        module.extend_from_slice(notes);
        module.extend_from_slice(b"\0\x02\x01x");
        let made = forget_needs(&module, 100, &[90..99, 115..125, 140..150]).unwrap();
        let kept = b"\x0areloc.CODE\x03\x02\0\x05\x07\0\xc8\x01\x09";
        let mut expected = b"\0asm\x01\0\0\0\0".to_vec();
        expected.push(kept.len() as u8);
        expected.extend_from_slice(kept);
        expected.extend_from_slice(b"\0\x02\x01x");
        assert_eq!(made, expected);
        assert_eq!(forget_needs(&module, 100, &[]).unwrap(), module);
    }

    #[test]
    fn only_code_without_used_callers_becomes_a_trap() {
        let mut config = walrus::ModuleConfig::new();
        config.generate_name_section(true);
        let mut module = walrus::Module::with_config(config);
        let mut function = |name: &str, callee: Option<walrus::FunctionId>| {
            let mut builder = walrus::FunctionBuilder::new(&mut module.types, &[], &[]);
            builder.name(name.to_owned());
            let mut body = builder.func_body();
            for value in 0..40 {
                body.i32_const(value).drop();
            }
            if let Some(callee) = callee {
                body.call(callee);
            }
            builder.finish(vec![], &mut module.funcs)
        };
        let inner = function("inner::hydrate_async", None);
        function("outer::hydrate_async", Some(inner));
        let shared = function("shared::hydrate_async", None);
        let user = function("user", Some(shared));
        function("drop_in_place<hydrate_async>", None);
        module.exports.add("user", user);
        let before = module.emit_wasm();
        let after = without(&before).unwrap();
        assert_eq!(before.len(), after.len());
        let trapping: BTreeSet<String> = {
            let read = Read::new(&after).unwrap();
            let traps = |body: &FunctionBody<'_>| {
                let first = body.get_operators_reader().unwrap().read().unwrap();
                matches!(first, Operator::Unreachable)
            };
            read.names
                .iter()
                .filter(|(index, _)| read.bodies.get(index).is_some_and(traps))
                .map(|(_, name)| (*name).to_owned())
                .collect()
        };
        let expected = ["inner::hydrate_async", "outer::hydrate_async"];
        assert_eq!(trapping, expected.map(str::to_owned).into());
    }
}
