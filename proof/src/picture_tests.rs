//! The pictures of a publication in a bundle: those of the ledger, and others.

use super::*;

#[test]
fn the_verdict_names_the_pictures_of_the_first_layer() {
    let mut made = pictured();
    let report = made.verify();
    assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
    let verdict = "This consent was given on 25 November 2026, 08:00:00 UTC, on the text shown in pictures 2 and 3 of the \
                   evidence (first layer, French, 360 and 768 px wide), as the operator states.";
    assert!(report.verdict.starts_with(verdict), "{report:?}");
    let told = "The list of 4 pictures of this publication is in the ledger at index 4, unchanged; 4 of them are in this \
                file. It says: taken 2026-11-25T07:00:00.000Z, by “Chromium 1”.";
    assert!(report.shown.iter().any(|line| line == told), "{report:?}");
    let screen = "That the visitor's screen looked as the pictures do.";
    assert!(report.not_shown.iter().any(|line| line == screen));
    let fits: Vec<_> = report.pictures.iter().map(|picture| picture.fits).collect();
    assert_eq!(fits, [false, true, true, false]);
    let file = report.pictures[1].file.as_ref().unwrap();
    assert_eq!(
        (&*file.name, from_base64(&file.content).unwrap()),
        ("picture-2.webp", PICTURE.to_vec())
    );
    made.bundle.files.clear();
    let report = made.verify();
    assert!(report.verdict.starts_with(verdict), "{report:?}");
    assert!(report.pictures.iter().all(|picture| picture.file.is_none()));
}

#[test]
fn pictures_that_are_not_those_of_the_ledger_are_refused() {
    let changes: &[(&str, Damage)] = &[
        ("a word of the list", |bundle| {
            let list = &mut bundle.evidence.as_mut().unwrap().pictures;
            *list = list.replace("Chromium", "Firefox");
        }),
        ("the index", |bundle| {
            bundle.evidence.as_mut().unwrap().index = 3;
        }),
        ("the entry", |bundle| {
            let publication = bundle.publication.clone().unwrap();
            let evidence = bundle.evidence.as_mut().unwrap();
            (evidence.entry, evidence.index) = (publication.entry, publication.index);
            evidence.proof = publication.proof;
        }),
        ("a picture", |bundle| {
            bundle.files[0].content = base64(b"RIFX");
        }),
        ("another picture", |bundle| {
            bundle.files[0] = bundle::PictureFile {
                sha256: hex::encode(sha256(&[b"RIFX"])),
                content: base64(b"RIFX"),
            };
        }),
        ("a picture twice", |bundle| {
            let file = bundle.files[0].clone();
            bundle.files.push(file);
        }),
        ("no list", |bundle| bundle.evidence = None),
        ("no publication", |bundle| bundle.publication = None),
    ];
    for (name, change) in changes {
        let mut made = pictured();
        change(&mut made.bundle);
        assert_eq!(made.verify().outcome, Outcome::Failed, "{name}");
    }
}

#[test]
fn a_list_that_was_entered_after_the_consent_is_told() {
    let mut made = pictured();
    let late = "The list of pictures was entered after this consent: it stands at index 280, and the consent at 270.";
    let is_told = |report: &Report| report.warnings.iter().any(|line| line == late);
    assert!(!is_told(&made.verify()));
    made.bundle.evidence = Some(made.evidence[1].clone());
    let report = made.verify();
    assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
    assert!(is_told(&report), "{report:?}");
    // Programs read the same.
    let report = serde_json::to_value(&report).unwrap();
    let warnings = report["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|line| line == late), "{report}");
}

/// The entry of another list of pictures, in a checkpoint of its own.
fn entered(made: &Made, list: &Value) -> bundle::Evidence {
    let pictures = list.to_string();
    let entry = made::Pictures {
        publication: list["publication"].as_str().unwrap(),
        pictures: &hex::encode(sha256(&[pictures.as_bytes()])),
    }
    .entry();
    let checkpoint = Checkpoint {
        origin: ORIGIN.to_owned(),
        size: 1,
        root: tree::leaf(&entry),
    };
    bundle::Evidence {
        entry: base64(&entry),
        index: 0,
        proof: inclusion::text(0, &[], &made.key.sign(&checkpoint.text())),
        pictures,
    }
}

/// A report has each picture as often as the list names it, so a small file could fill the memory.
#[test]
fn a_list_that_names_one_picture_very_often_is_refused() {
    let mut made = pictured();
    let content = vec![7; 200_000];
    let hash = hex::encode(sha256(&[&content]));
    let mut list: Value = serde_json::from_str(&made.evidence[0].pictures).unwrap();
    let mut picture = list["pictures"][1].clone();
    (picture["sha256"], picture["bytes"]) = (hash.as_str().into(), content.len().into());
    made.bundle.files = vec![bundle::PictureFile {
        sha256: hash,
        content: base64(&content),
    }];
    let mut named = |times: usize| {
        list["pictures"] = vec![picture.clone(); times].into();
        made.bundle.evidence = Some(entered(&made, &list));
        made.verify()
    };
    let few = named(2);
    assert_eq!(few.outcome, Outcome::Unwitnessed, "{few:?}");
    for (times, reason) in [
        (504, "the list names more of pictures than any server keeps"),
        (1_025, "the list of pictures is not of its format"),
    ] {
        let report = named(times);
        let refused = format!("This proof is not in order: {reason}.");
        assert_eq!(report.verdict, refused, "{times}");
        assert!(report.pictures.is_empty());
    }
}

#[test]
fn lists_of_a_bundle_have_bounds() {
    let mut made = make(false);
    let proof = made.bundle.proofs[0].clone();
    for (proofs, reason) in [
        (17, None),
        (18, Some("the bundle holds more than 17 proofs")),
        (1_025, Some("a list has more than 1024 members")),
    ] {
        made.bundle.proofs = vec![proof.clone(); proofs];
        let report = made.verify();
        match reason {
            Some(reason) => assert!(report.verdict.contains(reason), "{report:?}"),
            None => assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}"),
        }
    }
}
