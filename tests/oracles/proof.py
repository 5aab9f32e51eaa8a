"""Verifies bundles of the format placet-proof/1, and promises of the format placet-promise/1 (docs/proof.md), without any
code of `proof/`.

python proof.py [--key VKEY] FILE…   prints for each file `0`, `1` or `3`, a tab and the reason:
3 in order, 1 refused (0 never: this program counts no witnesses; it does not ask whether a promise was kept). Exit
code: 1 if any was refused.
"""

import base64
import hashlib
import json
import re
import sys
from datetime import datetime

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey

GROUPS = ["core", "choice", "person", "circumstances"]
TOP = {"format", "record", "proofs", "timestamps", "publication", "erasure", "evidence", "files", "receipt"}
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)


class Refused(Exception):
    pass


def need(condition, reason):
    if not condition:
        raise Refused(reason)


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def unhex(text):
    need(isinstance(text, str) and re.fullmatch("[0-9a-f]{64}", text), "a hash is not 64 lower-case hex digits")
    return bytes.fromhex(text)


def unbase64(text):
    need(isinstance(text, str), "base64 expected")
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (ValueError, UnicodeError):
        raise Refused("not base64") from None
    need(base64.b64encode(data).decode() == text, "base64 is not canonical")
    return data


def unique(pairs):
    need(len({key for key, _ in pairs}) == len(pairs), "a key stands twice")
    return dict(pairs)


def parse(text):
    try:
        return json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        raise Refused("not JSON") from None


def shape(value, required, optional=()):
    need(isinstance(value, dict), "an object is missing")
    need(set(required) <= set(value) <= set(required) | set(optional), f"keys are not {required}")


def number(text):
    need(re.fullmatch("0|[1-9][0-9]{0,18}", text), "not a number")
    return int(text)


def root_of(leaf, index, size, path):
    """RFC 9162, section 2.1.3.2, which is RFC 6962's proof."""
    need(index < size, "the index is beyond the tree")
    node, last, value = index, size - 1, leaf
    for sibling in path:
        need(last > 0, "the path is too long")
        if node & 1 or node == last:
            value = sha(b"\1", sibling, value)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            value = sha(b"\1", value, sibling)
        node, last = node >> 1, last >> 1
    need(last == 0, "the path is too short")
    return value


def verifier(vkey):
    name, key_id, key = vkey.split("+", 2)
    key = unbase64(key)
    need((len(key), key[0]) in [(33, 1), (1313, 6)], "not a key of a ledger")
    need(sha(name.encode(), b"\n", key)[:4].hex() == key_id, "a key's id is wrong")
    kind = Ed25519PublicKey if key[0] == 1 else MLDSA44PublicKey
    return name, bytes.fromhex(key_id), kind.from_public_bytes(key[1:])


def sized(name):
    need(0 < len(name.encode()) < 256, "a name is too long")
    return bytes([len(name.encode())]) + name.encode()


def check_signature(name, key, signature, note):
    """Checks what follows the id of a signature of a note, whose text this is without its last newline."""
    message = note.encode() + b"\n"
    if isinstance(key, MLDSA44PublicKey):
        time, signature = signature[:8], signature[8:]
        need(len(time) == 8 and time[0] < 128, "not a time")
        fields = note.split("\n")
        need(len(fields) == 3, "a checkpoint has three lines")
        size = number(fields[1]).to_bytes(8, "big")
        message = b"subtree/v1\n\0" + sized(name) + time + sized(fields[0]) + bytes(8) + size + unbase64(fields[2])
    try:
        key.verify(signature, message)
    except (InvalidSignature, ValueError):
        raise Refused("a signature is wrong") from None


def check_proof(text, entry, index, keys):
    """Checks a tlog-proof of an entry; returns index and origin."""
    need(isinstance(text, str), "a proof is not text")
    head, _, checkpoint = text.partition("\n\n")
    lines = head.split("\n")
    need(lines[0] == "c2sp.org/tlog-proof@v1" and len(lines) >= 2, "not a tlog-proof")
    need(lines[1].startswith("index "), "the line of the index is missing")
    at = number(lines[1][6:])
    need(index is None or at == index, "the indexes differ")
    path = [unbase64(line) for line in lines[2:]]
    need(all(len(one) == 32 for one in path), "a hash of the path is not 32 bytes")
    fields = check_note(checkpoint, lambda fields: fields[0], keys)
    need(len(fields) == 3 and fields[0], "a checkpoint has three lines")
    size, root = number(fields[1]), unbase64(fields[2])
    need(len(root) == 32, "a root is not 32 bytes")
    need(root_of(sha(b"\0", entry), at, size, path) == root, "the path does not lead to the root")
    return at, fields[0]


def check_note(text, name_of, keys):
    """Checks the signatures of a note by the key with the name that follows from its lines; returns these."""
    note, divider, signatures = text.rpartition("\n\n")
    need(divider and signatures.endswith("\n"), "not a signed note")
    fields = note.split("\n")
    signed = False
    for line in signatures[:-1].split("\n"):
        found = re.fullmatch("\u2014 ([^ +]+) ([A-Za-z0-9+/=]+)", line)
        need(found, "not a line of a signature")
        blob = unbase64(found[2])
        need(len(blob) > 4, "a signature is too short")
        for name, key_id, key in keys:
            if found[1] == name and blob[:4] == key_id:
                check_signature(name, key, blob[4:], note)
                signed = signed or name == name_of(fields)
    need(signed or not keys, "nobody who is believed signed the note")
    return fields


def loose(text):
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return None


def receipt(opened, manifest):
    """The receipt that follows from a bundle (section "The receipt")."""

    def text(value, *path):
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return value if isinstance(value, str) else None

    def there(**fields):
        return {key: value for key, value in fields.items() if value is not None}

    manifest = manifest if isinstance(manifest, dict) else {}
    told = manifest.get("configuration", manifest.get("document"))
    core = opened["core"]
    preferences = loose(text(opened.get("choice"), "preferences"))
    vendors = preferences.get("vendors") if isinstance(preferences, dict) else None
    services = None
    if isinstance(vendors, dict):
        states = {name: "given" if vendors[name] is True else "refused" for name in sorted(vendors)}
        services = [{"service": name, "event_state": state} for name, state in states.items()]
    party = there(party_name=text(told, "dataProcessor", "name"), party_url=text(told, "dataProcessor", "website"),
                  party_contact=text(told, "contact"))
    return there(
        header=there(schema_version="placet-receipt/1", record_id=text(core, "consentId"),
                     pii_principal_id=text(opened.get("person"), "token")),
        processing=there(privacy_notice=text(core, "publication"), language=text(told, "language"),
                         purpose=text(told, "purpose"), services=services),
        party_identification=[party] if party else None,
        event=there(event_time=text(core, "decidedAt"),
                    event_state="refused" if core.get("outcome") == "refused" else "given"),
    )


def check_pictures(bundle, core, origin, keys):
    """The list of pictures and the pictures of a bundle (section "Pictures")."""
    shown = bundle["evidence"]
    shape(shown, ["entry", "index", "proof", "pictures"])
    need("publication" in bundle, "pictures without a publication")
    entry = unbase64(shown["entry"])
    need(entry[:1] == b"\4" and type(shown["index"]) is int, "not an entry of pictures")
    need(check_proof(shown["proof"], entry, shown["index"], keys)[1] == origin, "another ledger")
    need(isinstance(shown["pictures"], str), "the list is not text")
    entered, listed = parse(entry[1:].decode("utf-8", "replace")), parse(shown["pictures"])
    need(entered.get("pictures") == sha(shown["pictures"].encode()).hex(), "another list")
    need(listed.get("format") == "placet-pictures/1", "another format of a list")
    need(core.get("publication") == entered.get("publication") == listed.get("publication"), "another publication")
    for name, text in listed["texts"].items():
        need(sha(text.encode()).hex() == name, "a text is not that of its hash")
    need(all(one["text"] in listed["texts"] for one in listed["pictures"]), "a picture has no text")
    return {one["sha256"]: one["bytes"] for one in listed["pictures"]}


def check_record(record, erased):
    """Hashes the groups; returns the commitment and the open ones."""
    shape(record, GROUPS)
    digests, opened = {}, {}
    for group, shown in record.items():
        if isinstance(shown, dict) and "digest" in shown:
            need(group != "core", "core is withheld")
            shape(shown, ["digest"])
            digests[group] = unhex(shown["digest"])
            continue
        shape(shown, ["salt", "json"])
        need(isinstance(shown["json"], str), "a group is not text")
        need(group == "core" or not erased, "an erased group is open")
        digests[group] = sha(unhex(shown["salt"]), shown["json"].encode())
        opened[group] = parse(shown["json"])
        need(isinstance(opened[group], dict), "a group is no object")
    check_core(opened["core"])
    return sha(b"placet consent 1\n", *(digests[group] for group in GROUPS)), opened


def check_core(core):
    """The forms of texts that others read in sentences (step 1)."""
    words = [core.get(field) for field in ["consentId", "projectId", "collection", "identifier"]]
    if core.get("publication") is not None:
        words.append(core["publication"])
    for word in words:
        need(isinstance(word, str) and re.fullmatch("[A-Za-z0-9-]{1,64}", word), "a word of core has another form")
    need(core.get("outcome") in ["accepted", "partial", "refused"], "not an outcome")
    for field in ["receivedAt", "decidedAt"]:
        moment = core.get(field)
        need(isinstance(moment, str) and MOMENT.fullmatch(moment), f"{field} is not a time")


def check_promise(promise, keys):
    """A promise (section "The promise")."""
    shape(promise, ["format", "record", "index", "path", "note"])
    commitment, _ = check_record(promise["record"], False)
    need(isinstance(promise["note"], str) and isinstance(promise["path"], list), "note or path are missing")
    fields = check_note(promise["note"], lambda fields: "/".join([*fields[1:2], "promise"]), keys)
    need(len(fields) == 6 and fields[0] == "placet-promise/1" and fields[1], "not the terms of a promise")
    _, _, leaves, root = [number(one) for one in fields[2:5]] + [unbase64(fields[5])]
    path = [unbase64(one) for one in promise["path"]]
    need(all(len(one) == 32 for one in [root, *path]), "a hash is not 32 bytes")
    need(type(promise["index"]) is int and promise["index"] >= 0, "not an index")
    leaf = sha(b"\0", b"\1" + commitment)
    need(root_of(leaf, promise["index"], leaves, path) == root, "the path does not lead to the root")


def check(text, keys):
    need(len(text) <= 16 * 2**20, "it is too large")
    bundle = parse(text)
    if isinstance(bundle, dict) and bundle.get("format") == "placet-promise/1":
        return check_promise(bundle, keys)
    shape(bundle, ["format", "record", "proofs", "timestamps"], TOP)
    need(bundle["format"] == "placet-proof/1", "another format")
    erased = "erasure" in bundle
    commitment, opened = check_record(bundle["record"], erased)
    need(isinstance(bundle["proofs"], list) and bundle["proofs"], "no proof")
    placed = [check_proof(proof, b"\1" + commitment, None, keys) for proof in bundle["proofs"]]
    index, origin = placed[0]
    need(all(one == placed[0] for one in placed), "the proofs differ")
    need(isinstance(bundle["timestamps"], list), "timestamps are not a list")
    if "publication" in bundle:
        shown = bundle["publication"]
        shape(shown, ["entry", "index", "proof", "manifest"])
        entry = unbase64(shown["entry"])
        need(entry[:1] == b"\3" and type(shown["index"]) is int, "not an entry of a publication")
        at, from_log = check_proof(shown["proof"], entry, shown["index"], keys)
        need(from_log == origin and at < index, "the publication stands behind the consent")
        published = parse(entry[1:].decode("utf-8", "replace"))
        need(isinstance(shown["manifest"], str), "the manifest is not text")
        need(published.get("manifest") == sha(shown["manifest"].encode()).hex(), "another manifest")
        for field in ["publication", "projectId", "collection", "identifier"]:
            need(published.get(field) == opened["core"].get(field), f"another {field}")
    if erased:
        shown = bundle["erasure"]
        shape(shown, ["erasedAt", "entry", "index", "proof"])
        need(isinstance(shown["erasedAt"], str) and TIME.fullmatch(shown["erasedAt"]), "not a time")
        try:
            since = datetime.fromisoformat(shown["erasedAt"][:-1]) - datetime(1970, 1, 1)
        except ValueError:
            raise Refused("not a time") from None
        micros = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
        need(micros >= 0, "not a time")
        salt = unhex(bundle["record"]["core"]["salt"])
        entry = b"\2" + sha(b"placet erasure 1\n", salt, commitment, micros.to_bytes(8, "big"))
        need(unbase64(shown["entry"]) == entry and type(shown["index"]) is int, "another erasure")
        check_proof(shown["proof"], entry, shown["index"], keys)
    listed = check_pictures(bundle, opened["core"], origin, keys) if "evidence" in bundle else {}
    need(isinstance(bundle.get("files", []), list), "files are not a list")
    for file in bundle.get("files", []):
        shape(file, ["sha256", "content"])
        content = unbase64(file["content"])
        need(sha(content) == unhex(file["sha256"]), "another picture")
        need(listed.pop(file["sha256"], None) == len(content), "a picture is not in the list, or stands twice")
    if bundle.get("receipt") is not None:
        manifest = loose(bundle["publication"]["manifest"]) if "publication" in bundle else None
        need(bundle["receipt"] == receipt(opened, manifest), "the receipt says something else")


def main(arguments):
    keys, worst = [], 3
    while arguments and arguments[0] == "--key":
        keys.append(verifier(arguments[1]))
        arguments = arguments[2:]
    for name in arguments:
        try:
            with open(name, encoding="utf-8", newline="") as file:
                check(file.read(), keys)
            print("3\tin order")
        except (Refused, UnicodeError) as refused:
            print(f"1\t{refused}")
            worst = 1
    return worst


sys.exit(main(sys.argv[1:]))
