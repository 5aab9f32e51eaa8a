//! Removes the messages of panics.
//!
//! The SDK's panic handler only traps, but the standard library still builds a message for it, and the
//! formatting of numbers in that message is a tenth of the module. Functions that never return are replaced
//! by traps: nothing can observe the difference.

use anyhow::Result;
use walrus::{FunctionBuilder, FunctionId, FunctionKind, Module};

/// Parts of the mangled names of functions that end in the panic handler or serve only it.
const NEVER_RETURN: [&str; 5] = [
    // Formatting serves messages only, because the SDK does not use it.
    "4core3fmt",
    "18handle_alloc_error",
    "7raw_vec12handle_error",
    "9panicking9panic_fmt",
    "9panicking5panic",
];

pub fn without(module: &[u8]) -> Result<Module> {
    let mut module = Module::from_buffer(module)?;
    let found: Vec<(FunctionId, walrus::TypeId)> = module
        .funcs
        .iter_local()
        .filter(|(id, _)| {
            let name = module.funcs.get(*id).name.as_deref().unwrap_or_default();
            NEVER_RETURN.iter().any(|part| name.contains(part))
        })
        .map(|(id, function)| (id, function.ty()))
        .collect();
    for (id, kind) in found {
        let (params, results) = module.types.params_results(kind);
        let (params, results) = (params.to_vec(), results.to_vec());
        let args = params
            .iter()
            .map(|param| module.locals.add(*param))
            .collect();
        let mut builder = FunctionBuilder::new(&mut module.types, &params, &results);
        builder.func_body().unreachable();
        module.funcs.get_mut(id).kind = FunctionKind::Local(builder.local_func(args));
    }
    let segments: Vec<_> = module.data.iter().map(walrus::Data::id).collect();
    for segment in segments {
        let data = &mut module.data.get_mut(segment).value;
        blank_paths(data);
        blank_words(data);
    }
    Ok(module)
}

/// Blanks paths of the standard library's sources, which only messages name. Paths of other sources stay, and
/// the budget counts them.
fn blank_paths(data: &mut [u8]) {
    let start = b"/rustc/";
    let mut from = 0;
    while let Some(at) = find(data, start, from) {
        let Some(end) = find(data, b".rs", at) else {
            return;
        };
        if let Some(path) = data.get_mut(at..end + 3) {
            path.fill(0);
        }
        from = end;
    }
}

/// Parts of messages that the linker keeps.
const WORDS: [&[u8]; 4] = [
    b"memory allocation of ",
    b" bytes failed",
    b"capacity overflow",
    // Pairs of digits for writing numbers.
    b"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899",
];

/// Blanks [`WORDS`]. Without formatting nothing reads them.
fn blank_words(data: &mut [u8]) {
    for word in WORDS {
        while let Some(at) = find(data, word, 0) {
            if let Some(word) = data.get_mut(at..at + word.len()) {
                word.fill(0);
            }
        }
    }
}

fn find(data: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let rest = data.get(from..)?;
    Some(
        from + rest
            .windows(wanted.len())
            .position(|window| window == wanted)?,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_the_standard_library_are_blanked() {
        let mut data = b"a/rustc/x/vec.rs;sdk/src/a.rs/rustc/y.rs".to_vec();
        blank_paths(&mut data);
        let kept: Vec<u8> = data.into_iter().filter(|byte| *byte != 0).collect();
        assert_eq!(kept, b"a;sdk/src/a.rs");
    }

    #[test]
    fn words_of_messages_are_blanked_wherever_they_stand() {
        let mut data =
            b"x memory allocation of 1 bytes failed;capacity overflow!capacity overflow0102"
                .to_vec();
        blank_words(&mut data);
        let kept: Vec<u8> = data.into_iter().filter(|byte| *byte != 0).collect();
        assert_eq!(kept, b"x 1;!0102");
    }
}
