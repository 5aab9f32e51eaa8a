//! Stamps and answers that are made here. `tests/faults/stamped.rs` has those of an authority by others.

use super::*;

/// An element of any length.
fn element(tag: u8, content: &[&[u8]]) -> Vec<u8> {
    let content = content.concat();
    let length = content.len();
    let head = if length < 0x80 {
        vec![tag, length as u8]
    } else {
        vec![tag, 0x82, (length >> 8) as u8, length as u8]
    };
    [head, content].concat()
}

/// An element of indefinite length.
fn open(tag: u8, content: &[&[u8]]) -> Vec<u8> {
    [&[tag, 0x80], content.concat().as_slice(), &[0, 0]].concat()
}

fn imprint_of(hash: &[u8]) -> Vec<u8> {
    let sha256 = element(SEQUENCE, &[&element(OBJECT_ID, &[&SHA256]), &[NULL, 0]]);
    element(SEQUENCE, &[&sha256, &element(ber::OCTETS, &[hash])])
}

/// The text of a stamp over a hash, as authorities make it.
fn facts(hash: &[u8], time: &str, nonce: &[u8]) -> Vec<u8> {
    element(
        SEQUENCE,
        &[
            &[INTEGER, 1, 1],
            &element(OBJECT_ID, &[&[0x2a, 3]]),
            &imprint_of(hash),
            &[INTEGER, 1, 99],
            &element(GENERALIZED_TIME, &[time.as_bytes()]),
            &element(SEQUENCE, &[&[INTEGER, 1, 1]]),
            &[BOOLEAN, 1, 0xff],
            &element(INTEGER, &[nonce]),
            &element(ZERO, &[&[0xa4, 0]]),
        ],
    )
}

fn signed(facts: &[u8]) -> Vec<u8> {
    signed_by(facts, &element(SEQUENCE, &[]))
}

fn signed_by(facts: &[u8], signers: &[u8]) -> Vec<u8> {
    let inner = element(
        SEQUENCE,
        &[
            &element(OBJECT_ID, &[&STAMP]),
            &element(ZERO, &[&element(ber::OCTETS, &[facts])]),
        ],
    );
    let data = element(
        SEQUENCE,
        &[
            &[INTEGER, 1, 3],
            &element(SET, &[]),
            &inner,
            &element(ZERO, &[&[7; 300]]),
            &element(SET, &[signers]),
        ],
    );
    element(
        SEQUENCE,
        &[
            &element(OBJECT_ID, &[&SIGNED_DATA]),
            &element(ZERO, &[&data]),
        ],
    )
}

/// A stamp over a text, that nobody signed. `time` is `YYYYMMDDhhmmssZ`.
pub(crate) fn stamp(text: &str, time: &str) -> Vec<u8> {
    signed(&facts(&sha256(&[text.as_bytes()]), time, &[1]))
}

const AT: &str = "20261126200001Z";

#[test]
fn the_request_is_that_of_the_standard() {
    let question = Question::new("", [0xff; 8]);
    let request = question.request();
    assert_eq!(
        hex::encode(&request),
        "3043020101\
         3031300d060960864801650304020105000420\
         e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\
         02087fffffffffffffff0101ff"
    );
    assert_eq!(request.len(), 69);
    // A nonce of nothing but zeros would be a shorter number.
    assert!(hex::encode(Question::new("", [0; 8]).request()).contains("02084000000000000000"));
}

#[test]
fn an_answer_belongs_to_its_question() {
    let question = Question::new("text", [9; 8]);
    let nonce = question.nonce;
    let hash = sha256(&[b"text"]);
    let granted = element(SEQUENCE, &[&[INTEGER, 1, 0]]);
    let right = signed(&facts(&hash, AT, &nonce));
    let answer = |status: &[u8], token: &[u8]| element(SEQUENCE, &[status, token]);
    let bytes = answer(&granted, &right);
    let (token, facts_of_it) = question.answer(&bytes).unwrap();
    assert_eq!(token, right);
    assert_eq!(facts_of_it.time.unix_timestamp(), 1_795_723_201);
    assert_eq!(facts_of_it.imprint, hash);

    let declined = element(
        SEQUENCE,
        &[
            &[INTEGER, 1, 2],
            &element(SEQUENCE, &[&element(UTF8, &["trop tôt".as_bytes()])]),
        ],
    );
    for (wrong, why) in [
        (
            answer(&declined, &[]),
            "the authority declined, with status 2: trop tôt",
        ),
        (
            answer(&element(SEQUENCE, &[&[INTEGER, 2, 0, 0]]), &right),
            "the authority answered with no known status",
        ),
        (
            answer(&granted, &signed(&facts(&[0; 32], AT, &nonce))),
            "the stamp is over another text",
        ),
        (
            answer(&granted, &signed(&facts(&hash, AT, &[1]))),
            "the stamp answers another question: its nonce differs",
        ),
        (
            answer(&granted, &[]),
            "the bytes of a time stamp are malformed",
        ),
        (
            [&bytes[..], &[0]].concat(),
            "the bytes of a time stamp are malformed",
        ),
        (
            b"<html>busy</html>".to_vec(),
            "the bytes of a time stamp are malformed",
        ),
    ] {
        assert_eq!(question.answer(&wrong).unwrap_err().0, why);
    }
}

#[test]
fn stamps_are_read_in_each_encoding_and_others_are_refused() {
    let hash = sha256(&[b"text"]);
    let facts = facts(&hash, AT, &[1]);
    let der = signed(&facts);
    let token = Token::parse(&der).unwrap();
    let (one, two) = facts.split_at(50);
    let pieces = open(
        0x24,
        &[&element(ber::OCTETS, &[one]), &element(ber::OCTETS, &[two])],
    );
    let inner = open(
        SEQUENCE,
        &[&element(OBJECT_ID, &[&STAMP]), &open(ZERO, &[&pieces])],
    );
    let data = open(
        SEQUENCE,
        &[
            &[INTEGER, 1, 3],
            &element(SET, &[]),
            &inner,
            &element(SET, &[&element(SEQUENCE, &[])]),
        ],
    );
    let ber = open(
        SEQUENCE,
        &[&element(OBJECT_ID, &[&SIGNED_DATA]), &open(ZERO, &[&data])],
    );
    assert_eq!(Token::parse(&ber), Ok(token));

    for end in 0..der.len() {
        assert!(Token::parse(&der[..end]).is_err(), "{end}");
    }
    let changed = |from: &[u8], to: &[u8]| {
        let at = der.windows(from.len()).position(|found| found == from);
        let at = at.unwrap();
        let mut bytes = der.clone();
        bytes[at..at + to.len()].copy_from_slice(to);
        Token::parse(&bytes).unwrap_err().0
    };
    assert_eq!(
        changed(&SIGNED_DATA, &[0x2b]),
        "a time stamp is no signed data"
    );
    assert_eq!(
        changed(&STAMP, &[0x2b]),
        "the signed data are no time stamp"
    );
    assert_eq!(
        changed(&SHA256, &[0x61]),
        "a time stamp is over another hash than SHA-256"
    );
    assert_eq!(
        changed(&[INTEGER, 1, 1, OBJECT_ID], &[INTEGER, 1, 2]),
        "a time stamp is of another version"
    );
    assert_eq!(
        changed(AT.as_bytes(), b"20261326"),
        "the time of a time stamp is not in its form"
    );
    assert_eq!(
        Token::parse(&signed_by(&facts, &[])).unwrap_err().0,
        "nobody signed the time stamp"
    );
    assert_eq!(
        Token::parse(&vec![0; MOST_BYTES + 1]).unwrap_err().0,
        "a time stamp is longer than 64 KiB"
    );
}

#[test]
fn no_bytes_bring_the_reader_to_a_fall() {
    fastrand::seed(5);
    let der = stamp("text", AT);
    for _ in 0..20_000 {
        let mut bytes = der.clone();
        for _ in 0..fastrand::usize(1..4) {
            let at = fastrand::usize(..bytes.len());
            bytes[at] = fastrand::u8(..);
        }
        let _ = Token::parse(&bytes);
        bytes.truncate(fastrand::usize(..bytes.len()));
        let _ = Question::new("text", [1; 8]).answer(&bytes);
    }
}

#[test]
fn moments_are_rounded_up_to_a_second() {
    let read = |text: &str| moment(text.as_bytes()).map(OffsetDateTime::unix_timestamp);
    assert_eq!(read("19700101000001Z"), Some(1));
    assert_eq!(read("19700101000001.0Z"), Some(1));
    assert_eq!(read("19700101000001.001Z"), Some(2));
    for wrong in [
        "19700101000001",
        "19700101000001.Z",
        "19700101000001.xZ",
        "197001010000Z",
        "19700101000060Z",
        "19700230000001Z",
        "+9700101000001Z",
        "1970010100000éZ",
    ] {
        assert_eq!(read(wrong), None, "{wrong}");
    }
}

#[test]
fn an_address_says_nothing_else() {
    assert!(is_address("https://tsa.example/a?b=c"));
    assert!(is_address("http://tsa.example"));
    for wrong in [
        "tsa.example",
        "ftp://tsa.example",
        "https://tsa.example says so. It is checked",
        "https://tsa.example/\u{202e}",
        &format!("https://{}", "a".repeat(2_000)),
    ] {
        assert!(!is_address(wrong), "{wrong}");
    }
}
