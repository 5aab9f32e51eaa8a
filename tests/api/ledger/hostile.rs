//! Bundles that programs could read differently. All hashes and signatures in them are right, and both verifiers judge
//! each of them alike.

mod texts;

use proof::{
    base64,
    bundle::Bundle,
    inclusion::Inclusion,
    note::Signer,
    policy::Policy,
    promise::{FORMAT, Terms, key_name},
    receipt::receipt,
    tree,
    verify::{Outcome, verify_file},
};
use serde_json::{Value, json};
use service::objects::sha256_hex;

use self::texts::{MANIFEST, ORIGIN, Texts};
use super::judged_by;

/// A file, and whether it is in order for somebody who believes the keys, and for somebody who believes none.
struct Case {
    name: String,
    file: Vec<u8>,
    good: [bool; 2],
}

/// A bundle with the receipt that follows from it.
fn with_receipt(mut bundle: Value) -> Value {
    let parsed = Bundle::parse(&bundle.to_string()).expect("a bundle");
    bundle["receipt"] = receipt(&parsed);
    bundle
}

/// The bundle without what a consent that names no publication lacks.
fn alone(mut bundle: Value) -> Value {
    for key in ["publication", "evidence"] {
        bundle.as_object_mut().expect("an object").remove(key);
    }
    bundle
}

fn replaced(text: &str, from: &str, to: &str) -> Vec<u8> {
    assert!(text.contains(from), "{from} in {text}");
    text.replacen(from, to, 1).into_bytes()
}

/// Changes of the bundle itself.
fn of_bundles(key: &Signer, add: &mut dyn FnMut(&str, Vec<u8>, bool)) {
    let whole = with_receipt(Texts::in_order().made(key));
    let text = whole.to_string();
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut bundle = whole.clone();
        edit(&mut bundle);
        bundle.to_string().into_bytes()
    };
    add("as it is", text.clone().into_bytes(), true);
    for optional in ["receipt", "evidence"] {
        let without = edited(&|bundle| drop(bundle.as_object_mut().unwrap().remove(optional)));
        add(&format!("without {optional}"), without, true);
    }
    add(
        "no files",
        edited(&|bundle| bundle["files"] = json!([])),
        true,
    );
    for key in ["publication", "erasure", "evidence", "files", "receipt"] {
        add(
            &format!("{key} is null"),
            edited(&|bundle| bundle[key] = Value::Null),
            false,
        );
    }
    for key in ["salt", "json", "digest"] {
        let null = edited(&|bundle| bundle["record"]["person"][key] = Value::Null);
        add(&format!("{key} is null"), null, false);
    }
    let withheld = json!({"digest": "00".repeat(32), "salt": null});
    add(
        "a salt beside a digest",
        edited(&|bundle| bundle["record"]["person"] = withheld.clone()),
        false,
    );
    // A list with the values of an object.
    for pointer in ["", "/record", "/record/person", "/publication", "/evidence"] {
        let listed = edited(&|bundle| {
            let object = bundle.pointer_mut(pointer).unwrap();
            *object = object.as_object().unwrap().values().cloned().collect();
        });
        add(&format!("{pointer} is a list"), listed, false);
    }
    let file = json!([sha256_hex(b"RIFF"), base64(b"RIFF")]);
    add(
        "a file is a list",
        edited(&|bundle| bundle["files"] = json!([file])),
        false,
    );
    let file = json!({"sha256": sha256_hex(b"RIFF"), "content": base64(b"RIFF")});
    add(
        "a file",
        edited(&|bundle| bundle["files"] = json!([file])),
        true,
    );
    add(
        "a file twice",
        edited(&|bundle| bundle["files"] = json!([file, file])),
        false,
    );
    for (from, to) in [
        ("\"index\":0", "\"index\":0.0"),
        ("\"index\":0", "\"index\":-0"),
        ("\"index\":0", "\"index\":\"0\""),
        ("\"index\":1", "\"index\":true"),
        ("\"timestamps\":[]", "\"timestamps\":[],\"timestamps\":[]"),
        ("\"timestamps\":[]", "\"timestamps\":[null]"),
        ("\"timestamps\":[]", "\"timestamps\":{}"),
        ("\"record_id\":", "\"record_id\":\"x\",\"record_id\":"),
        ("{\"salt\":", "{\"salt\":\"x\",\"salt\":"),
        ("{\"salt\":", "{\"more\":\"x\",\"salt\":"),
        ("{\"format\":", "\u{feff}{\"format\":"),
        ("\"placet-proof/1\"", "\"placet-proof/1 \""),
        ("\"Sales\"", "\"\\ud800\""),
    ] {
        add(
            &format!("{to} for {from}"),
            replaced(&text, from, to),
            false,
        );
    }
    add("more behind it", format!("{text}{{}}").into_bytes(), false);
    add("not UTF-8", [text.as_bytes(), b"\xff"].concat(), false);
    let proof = whole["proofs"][0].clone();
    for (number, good) in [(0, false), (1, true), (17, true), (18, false)] {
        let many = edited(&|bundle| bundle["proofs"] = vec![proof.clone(); number].into());
        add(&format!("{number} proofs"), many, good);
    }
    // Lines of strangers below the note.
    let and_lines = |lines: &str| {
        let proof = format!("{}{lines}", proof.as_str().unwrap());
        edited(&|bundle| bundle["proofs"] = json!([proof]))
    };
    let line = "\u{2014} s.example AAAAAAA=\n";
    add("63 strangers", and_lines(&line.repeat(63)), true);
    add("64 strangers", and_lines(&line.repeat(64)), false);
    add(
        "a sign of control",
        and_lines("\u{2014} s\u{1}e AAAAAAA=\n"),
        false,
    );
    let half = String::from_utf8(and_lines("\u{2014} s\u{e000}e AAAAAAA=\n")).unwrap();
    add(
        "half a character",
        replaced(&half, "\u{e000}", "\\ud800"),
        false,
    );
}

/// Facts and entries that are bound as they are.
fn of_facts(key: &Signer, add: &mut dyn FnMut(&str, Vec<u8>, bool)) {
    const CORE: usize = 0;
    const PERSON: usize = 2;
    let made = |texts: Texts| texts.made(key).to_string().into_bytes();
    let at = "\"receivedAt\":\"2026-11-25T08:00:00.000000Z\"";
    for (time, good) in [
        ("2026-11-25T08:00:00Z", true),
        ("2026-11-25T08:00:00.123456789Z", true),
        ("2026-11-25T08:00:00.1234567890Z", false),
        ("2026-11-25T08:00:00.Z", false),
        ("2026-11-25t08:00:00z", false),
        ("2026-11-25 08:00:00Z", false),
        ("2026-11-25T08:00:00+00:00", false),
        ("2026-12-31T23:59:60Z", false),
        ("2026-12-31T24:00:00Z", false),
        ("2026-02-30T08:00:00Z", false),
        ("0000-01-01T00:00:00Z", false),
    ] {
        let to = format!("\"receivedAt\":\"{time}\"");
        add(time, made(Texts::in_order().in_group(CORE, at, &to)), good);
    }
    let id = "\"identifier\":\"019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70\"";
    for (from, to, good) in [
        ("\"accept\":true", "\"accept\":true,\"more\":\"x\"", true),
        ("\"accept\":true", "\"accept\":true,\"imported\":true", true),
        (
            "\"accept\":true",
            "\"accept\":true,\"imported\":null",
            false,
        ),
        (
            "\"accept\":true",
            "\"accept\":true,\"imported\":\"yes\"",
            false,
        ),
        ("\"accept\":true", "\"accept\":\"true\"", false),
        ("\"accept\":true,", "", false),
        ("\"accept\":true", "\"accept\":true,\"accept\":true", false),
        ("\"outcome\":\"accepted\"", "\"outcome\":true", false),
        (id, "\"identifier\":true", false),
        (id, "\"identifier\":\"a\\n\"", false),
    ] {
        add(to, made(Texts::in_order().in_group(CORE, from, to)), good);
    }
    for (to, good) in [
        ("", true),
        ("\"more\":\"x\",", true),
        ("\"more\":null,", false),
        ("\"more\":1,", false),
        ("\"more\":NaN,", false),
        ("\"more\":[],", false),
        ("\"more\":{},", false),
        ("\"more\":\"\\ud800\",", false),
        ("\"token\":\"t\",", false),
    ] {
        let to = format!("{{{to}\"token\":");
        add(
            &to,
            made(Texts::in_order().in_group(PERSON, "{\"token\":", &to)),
            good,
        );
    }
    for person in ["[]", "\"t\"", "", "{} {}"] {
        let mut texts = Texts::in_order();
        texts.groups[PERSON] = person.to_owned();
        add(&format!("a person is {person}"), made(texts), false);
    }
    let publication = format!("\"publication\":\"{}\",", sha256_hex(MANIFEST.as_bytes()));
    for (to, good) in [("", true), ("\"publication\":null,", false)] {
        let bundle = Texts::in_order().in_group(CORE, &publication, to).made(key);
        add(
            &format!("alone, {to}"),
            alone(bundle).to_string().into_bytes(),
            good,
        );
    }
    let nameless = Texts::in_order().in_group(CORE, &publication, "");
    let nameless = nameless.in_published(&publication, b"");
    add("nobody names the publication", made(nameless), false);
    let published: [(&str, &[u8], bool); 7] = [
        ("\"language\":\"en\",", b"", true),
        ("\"language\":\"en\"", b"\"language\":true", false),
        ("\"language\":\"en\"", b"\"language\":null", false),
        (
            "\"language\":\"en\"",
            b"\"language\":\"en\",\"language\":\"en\"",
            false,
        ),
        ("\"version\":\"0.1.0\"", b"\"version\":1", false),
        ("\"version\":\"0.1.0\"", b"\"version\":\"\xff\"", false),
        (
            "\"collection\":\"cookies\"",
            b"\"collection\":\"contracts\"",
            false,
        ),
    ];
    for (from, to, good) in published {
        let name = String::from_utf8_lossy(to).into_owned();
        add(&name, made(Texts::in_order().in_published(from, to)), good);
    }
    // Manifests that libraries read in several ways say nothing in a receipt.
    let nested = |lists: usize| format!("{}{}", "[".repeat(lists), "]".repeat(lists));
    for (inside, is_told) in [
        ("1", true),
        ("NaN", false),
        ("1e999", false),
        ("\"\\ud800\"", false),
        ("[", false),
        (&*nested(125), true),
        (&*nested(126), false),
    ] {
        let manifest = format!("{{\"configuration\":{{\"language\":\"en\",\"x\":{inside}}}}}");
        let hash = sha256_hex(manifest.as_bytes());
        let mut texts = Texts::in_order().in_published(
            &format!("\"manifest\":\"{}\"", sha256_hex(MANIFEST.as_bytes())),
            format!("\"manifest\":\"{hash}\"").as_bytes(),
        );
        texts.manifest = manifest;
        let bundle = with_receipt(texts.made(key));
        let told = bundle["receipt"]["processing"]["language"].is_string();
        assert_eq!(told, is_told, "{inside}");
        add(
            &format!("{inside:.20} in a manifest"),
            bundle.to_string().into_bytes(),
            true,
        );
    }
    let mut texts = Texts::in_order();
    texts.origin = "a.example\u{a0}b".to_owned();
    add("a space in a name", made(texts), false);
}

/// Lists of pictures.
fn of_lists(key: &Signer, add: &mut dyn FnMut(&str, Vec<u8>, bool)) {
    let made = |texts: Texts| texts.made(key).to_string().into_bytes();
    let set = |pointer: &'static str, value: Value| {
        made(Texts::in_order().in_list(|list| *list.pointer_mut(pointer).unwrap() = value))
    };
    let with =
        |name: &str, value: Value| made(Texts::in_order().in_list(|list| list[name] = value));
    let finding = json!({"concern": "no_way_back", "pointer": "/settings", "detail": "None."});
    add("findings", with("findings", json!([finding])), true);
    add("no findings", with("findings", json!([])), true);
    add("findings are null", with("findings", Value::Null), false);
    add(
        "a finding is a text",
        with("findings", json!(["None."])),
        false,
    );
    let mut more = finding.clone();
    more["more"] = json!("x");
    add("a finding has more", with("findings", json!([more])), false);
    add("left out", with("leftOut", json!(["partners"])), true);
    add("left out is null", with("leftOut", Value::Null), false);
    add("left out are numbers", with("leftOut", json!([1])), false);
    add("an unknown key", with("more", json!("x")), false);
    add("quotes", set("/browser", json!("“Chromium”")), false);
    add(
        "a name of 200 signs",
        set("/browser", json!("é".repeat(200))),
        true,
    );
    add(
        "a name of 201 signs",
        set("/browser", json!("é".repeat(201))),
        false,
    );
    add("no time", set("/takenAt", json!("today")), false);
    add(
        "another format",
        set("/format", json!("placet-pictures/2")),
        false,
    );
    add(
        "another publication",
        set("/publication", json!("x")),
        false,
    );
    add("texts are a list", set("/texts", json!([])), false);
    for (field, value, good) in [
        ("width", json!(4_294_967_295_u64), true),
        ("width", json!(4_294_967_296_u64), false),
        ("width", json!(-1), false),
        ("height", json!(1.0), false),
        ("bytes", json!(i64::MAX), true),
        ("bytes", json!(i64::MAX as u64 + 1), false),
        ("bytes", json!(true), false),
        ("sdk", json!("s"), false),
        ("text", json!("x"), false),
    ] {
        let name = format!("{field} is {value}");
        let edited = Texts::in_order().in_list(|list| list["pictures"][0][field] = value);
        add(&name, made(edited), good);
    }
    for missing in ["takenAt", "browser", "sdk", "pictures", "texts"] {
        let without = |list: &mut Value| drop(list.as_object_mut().unwrap().remove(missing));
        add(
            &format!("without {missing}"),
            made(Texts::in_order().in_list(without)),
            false,
        );
    }
    let picture = Texts::in_order().list["pictures"][0].clone();
    let listed = |number: usize| with("pictures", vec![picture.clone(); number].into());
    add("1024 pictures", listed(1_024), true);
    add("1025 pictures", listed(1_025), false);
    let as_list: Value = picture.as_object().unwrap().values().cloned().collect();
    add(
        "a picture is a list",
        with("pictures", json!([as_list])),
        false,
    );
    let list = Texts::in_order().list.to_string();
    let twice = replaced(
        &list,
        "\"texts\":{",
        &format!("\"texts\":{{\"{}\":\"Cookies?\",", sha256_hex(b"Cookies?")),
    );
    let twice = String::from_utf8(twice).unwrap();
    let bundle = Texts::in_order().bundle(&twice, key);
    add(
        "a text stands twice",
        bundle.to_string().into_bytes(),
        false,
    );
    for entered in ["{\"publication\":null}", "[]"] {
        let mut texts = Texts::in_order();
        texts.entered = Some(entered.to_owned());
        add(&format!("the entry is {entered}"), made(texts), false);
    }
}

/// Promises of the consent.
fn of_promises(key: &Signer, add: &mut dyn FnMut(&str, Vec<u8>, bool)) {
    let (record, entry) = Texts::in_order().record();
    // The last second of the year 9999 is the last one that has a name.
    for (due, good) in [(253_402_300_799_u64, true), (253_402_300_800, false)] {
        let terms = Terms {
            origin: ORIGIN.to_owned(),
            time: due - 86_400,
            from: 0,
            leaves: 1,
            root: tree::leaf(&entry),
        };
        let note = key.sign(&terms.text());
        let promise =
            json!({"format": FORMAT, "record": record, "index": 0, "path": [], "note": note});
        add(
            &format!("due {due}"),
            promise.to_string().into_bytes(),
            good,
        );
        let text = promise.to_string();
        for (from, to) in [
            ("\"path\":[]", "\"path\":null"),
            ("\"index\":0", "\"index\":-0"),
        ] {
            add(
                &format!("{to}, due {due}"),
                replaced(&text, from, to),
                false,
            );
        }
        let as_list: Value = promise.as_object().unwrap().values().cloned().collect();
        add(
            &format!("a list, due {due}"),
            as_list.to_string().into_bytes(),
            false,
        );
    }
}

/// Signatures that count for somebody who believes the keys.
fn of_signatures(key: &Signer, other: &Signer, cases: &mut Vec<Case>) {
    let bundle = Texts::in_order().made(key);
    let proof = bundle["proofs"][0].as_str().unwrap();
    let note = Inclusion::parse(proof).unwrap().note;
    let (head, _) = proof.rsplit_once("\n\n").unwrap();
    // By a key of another ledger, over another text.
    let wrong = other.sign("x\n");
    let wrong = wrong.split_once("\n\n").unwrap().1;
    let stranger = Signer::new(ORIGIN, &[9; 32]).unwrap().sign(note.text);
    let stranger = format!("{head}\n\n{}", stranger.rsplit_once("\n\n").unwrap().1);
    let right = bundle["proofs"][0].clone();
    for (name, proofs) in [
        (
            "a wrong line of another believed key",
            json!([format!("{proof}{wrong}")]),
        ),
        ("a proof that a stranger signed", json!([right, stranger])),
    ] {
        let mut bundle = bundle.clone();
        bundle["proofs"] = proofs;
        cases.push(Case {
            name: name.to_owned(),
            file: bundle.to_string().into_bytes(),
            good: [false, true],
        });
    }
}

#[test]
fn hostile_bundles_are_judged_alike_by_two_programs() {
    let key = Signer::new(ORIGIN, &[1; 32]).unwrap();
    let of_promises_of = Signer::new(&key_name(ORIGIN), &[2; 32]).unwrap();
    let other = Signer::new("b.example/ledger/0123456789ab", &[3; 32]).unwrap();
    let mut cases: Vec<Case> = Vec::new();
    let mut add = |name: &str, file: Vec<u8>, good: bool| {
        cases.push(Case {
            name: name.to_owned(),
            file,
            good: [good; 2],
        });
    };
    of_bundles(&key, &mut add);
    of_facts(&key, &mut add);
    of_lists(&key, &mut add);
    of_promises(&of_promises_of, &mut add);
    of_signatures(&key, &other, &mut cases);

    let folder = tempfile::tempdir().unwrap();
    let files: Vec<_> = (0..)
        .zip(&cases)
        .map(|(number, case)| {
            let path = folder.path().join(format!("{number}"));
            std::fs::write(&path, &case.file).unwrap();
            path
        })
        .collect();
    let vkeys = [&key, &of_promises_of, &other].map(|key| key.verifier().vkey());
    let vkeys = vkeys.each_ref().map(String::as_str);
    let policy = Policy::of_vkeys(vkeys).unwrap();
    for (at, keys, policy) in [(0, &vkeys[..], Some(&policy)), (1, &vkeys[..0], None)] {
        let judged = judged_by(keys, &files);
        for (case, judged) in cases.iter().zip(judged) {
            let report = verify_file(&case.file, policy);
            let ours = report.outcome != Outcome::Failed;
            assert_eq!(ours, case.good[at], "{}: {report:?}", case.name);
            let theirs = judged.starts_with('3');
            assert_eq!(theirs, case.good[at], "{}: {judged}", case.name);
        }
    }
}
