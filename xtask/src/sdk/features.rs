//! Removes features from a module's `target_features` section.
//!
//! rustc's own objects declare `reference-types` whatever the flags say. wasm-bindgen then keeps JavaScript
//! values in a WebAssembly table, which wasm2js cannot lower. The section is a convention of the tool chain
//! and not part of WebAssembly. The browser tests check this step. Without it the build still works, larger
//! and without the fallback.

use anyhow::{Context, Result, ensure};

const SECTION: &[u8] = b"target_features";

/// Returns the module without the `dropped` features.
pub fn without(module: &[u8], dropped: &[&str]) -> Result<Vec<u8>> {
    let (header, mut rest) = module.split_at_checked(8).context("not a module")?;
    let mut out = header.to_vec();
    while let Some((id, after)) = rest.split_first() {
        let (length, body) = number(after)?;
        let (section, next) = body
            .split_at_checked(length)
            .context("a section is cut off")?;
        let head = rest.len() - body.len();
        match (*id == 0)
            .then(|| features_of(section))
            .transpose()?
            .flatten()
        {
            Some(features) => {
                let body = without_features(features, dropped)?;
                out.push(0);
                write_number(&mut out, body.len());
                out.extend(body);
            }
            None => out.extend(rest.get(..head + length).context("a section is cut off")?),
        }
        rest = next;
    }
    Ok(out)
}

/// Content of a `target_features` section after its name; `None` for other custom sections.
fn features_of(section: &[u8]) -> Result<Option<&[u8]>> {
    let (length, body) = number(section)?;
    let (name, content) = body.split_at_checked(length).context("a name is cut off")?;
    Ok((name == SECTION).then_some(content))
}

fn without_features(features: &[u8], dropped: &[&str]) -> Result<Vec<u8>> {
    let (count, mut rest) = number(features)?;
    let mut kept = Vec::new();
    for _ in 0..count {
        let (prefix, after) = rest.split_first().context("a feature is cut off")?;
        let (length, body) = number(after)?;
        let (name, next) = body
            .split_at_checked(length)
            .context("a feature is cut off")?;
        if !dropped.iter().any(|drop| drop.as_bytes() == name) {
            kept.push((*prefix, name));
        }
        rest = next;
    }
    let mut body = Vec::new();
    write_number(&mut body, SECTION.len());
    body.extend(SECTION);
    write_number(&mut body, kept.len());
    for (prefix, name) in kept {
        body.push(prefix);
        write_number(&mut body, name.len());
        body.extend(name);
    }
    Ok(body)
}

/// Parses an unsigned LEB128 number. Returns it with the remaining bytes.
fn number(bytes: &[u8]) -> Result<(usize, &[u8])> {
    let (mut value, mut rest) = (0u64, bytes);
    for shift in (0..35).step_by(7) {
        let (byte, next) = rest.split_first().context("a number is cut off")?;
        value |= u64::from(byte & 127) << shift;
        rest = next;
        if byte & 128 == 0 {
            return Ok((usize::try_from(value)?, rest));
        }
    }
    ensure!(false, "a number is too long");
    Ok((0, rest))
}

fn write_number(out: &mut Vec<u8>, mut number: usize) {
    loop {
        let byte = (number & 127) as u8;
        number >>= 7;
        if number == 0 {
            out.push(byte);
            return;
        }
        out.push(byte | 128);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(features: &[&str]) -> Vec<u8> {
        let mut body = vec![15];
        body.extend(SECTION);
        body.push(features.len() as u8);
        for feature in features {
            body.push(b'+');
            body.push(feature.len() as u8);
            body.extend(feature.as_bytes());
        }
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        module.extend([1, 2, 7, 7, 0, body.len() as u8]);
        module.extend(body);
        module.extend([3, 1, 9]);
        module
    }

    #[test]
    fn only_the_named_features_leave() {
        let before = module(&["sign-ext", "reference-types", "bulk-memory"]);
        let after = without(&before, &["reference-types"]).unwrap();
        assert_eq!(after, module(&["sign-ext", "bulk-memory"]));
        assert_eq!(without(&before, &[]).unwrap(), before);
    }

    #[test]
    fn other_bytes_than_a_module_are_an_error() {
        assert!(without(b"\0asm", &[]).is_err());
        assert!(without(b"\0asm\x01\0\0\0\x01\x7f", &[]).is_err());
    }
}
