"""Verifies bundles of the format placet-proof/1, and promises of the format placet-promise/1 (docs/proof.md), without
any code of `proof/`. `forms.py` beside it has the forms of JSON, of trees and of signatures.

python proof.py [--key VKEY]… FILE…   prints for each file `1` (refused) or `3` (in order), a tab and the reason. Counts
no witnesses, reads no time stamps, does not ask whether a promise was kept. Exit code: 1 if any was refused.
"""

import re
import sys

from forms import (check_note, check_proof, facts, hashes, loose, members, micros, moment, name_of_ledger, need, number,
                   parse, root_of, sha, shape, unbase64, unhex, verifier)

GROUPS = ["core", "choice", "person", "circumstances"]
PROVEN = {"entry": str, "index": int, "proof": str}
LIST = {"format": str, "publication": str, "takenAt": str, "browser": str, "sdk": str, "pictures": list, "texts": dict}
PICTURE = {"layer": str, "language": str, "width": int, "height": int, "sha256": str, "bytes": int, "text": str}


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
        states = {True: "given", False: "refused"}
        services = [{"service": name, "event_state": states[vendors[name] is True]} for name in sorted(vendors)]
    party = there(party_name=text(told, "dataProcessor", "name"), party_url=text(told, "dataProcessor", "website"),
                  party_contact=text(told, "contact"))
    return there(
        header=there(schema_version="placet-receipt/1", record_id=core["consentId"],
                     pii_principal_id=text(opened.get("person"), "token")),
        processing=there(privacy_notice=core.get("publication"), language=text(told, "language"),
                         purpose=text(told, "purpose"), services=services),
        party_identification=[party] if party else None,
        event=there(event_time=core["decidedAt"], event_state="refused" if core["outcome"] == "refused" else "given"),
    )


def check_core(core):
    """The forms of texts that others read in sentences (step 1)."""
    words = [core[field] for field in ["consentId", "projectId", "collection", "identifier"]]
    for word in words + ([core["publication"]] if "publication" in core else []):
        need(re.fullmatch("[A-Za-z0-9-]{1,64}", word), "a word of core has another form")
    need(core["outcome"] in ["accepted", "partial", "refused"], "not an outcome")
    need(type(core["accept"]) is type(core.get("imported", False)) is bool, "not a flag")
    need(moment(core["receivedAt"]) and moment(core["decidedAt"]), "not times")


def check_record(record, erased):
    """Hashes the groups; returns the commitment and the open ones."""
    shape(record, dict.fromkeys(GROUPS, dict))
    digests, opened = [], {}
    for group in GROUPS:
        shown = record[group]
        if "digest" in shown:
            shape(shown, {"digest": str})
            digests.append(unhex(shown["digest"]))
            continue
        shape(shown, {"salt": str, "json": str})
        need(group == "core" or not erased, "an erased group is open")
        digests.append(sha(unhex(shown["salt"]), shown["json"].encode()))
        opened[group] = facts(shown["json"])
    check_core(opened["core"])
    return sha(b"placet consent 1\n", *digests), opened


def check_entry(shown, kind, origin, keys, **more):
    """The facts of a public entry of this type, in this ledger; and its index."""
    shape(shown, PROVEN | more)
    entry = unbase64(shown["entry"])
    need(entry[0] == kind, "an entry of another type")
    at, from_log = check_proof(shown["proof"], entry, shown["index"], keys)
    need(from_log == origin, "another ledger")
    return facts(entry[1:].decode()), at


def check_publication(shown, core, index, origin, keys):
    entered, at = check_entry(shown, 3, origin, keys, manifest=str)
    need(at < index, "the publication stands behind the consent")
    need(unhex(entered["manifest"]) == sha(shown["manifest"].encode()), "another manifest")
    need(type(entered.get("language", "")) is str, "the language is no text")
    for field in ["publication", "projectId", "collection", "identifier"]:
        need(entered[field] == core[field], f"another {field}")


def check_erasure(shown, record, commitment, keys):
    shape(shown, PROVEN | {"erasedAt": str})
    parts = [unhex(record["core"]["salt"]), commitment, micros(shown["erasedAt"]).to_bytes(8, "big")]
    entry = b"\2" + sha(b"placet erasure 1\n", *parts)
    need(unbase64(shown["entry"]) == entry, "another erasure")
    check_proof(shown["proof"], entry, shown["index"], keys)


def check_pictures(shown, core, origin, keys):
    """The pictures of the list of a bundle (section "Pictures")."""
    entered, _ = check_entry(shown, 4, origin, keys, pictures=str)
    need(unhex(entered["pictures"]) == sha(shown["pictures"].encode()), "another list")
    listed = parse(shown["pictures"])
    shape(listed, LIST, leftOut=list, findings=list)
    need(listed["format"] == "placet-pictures/1", "another format of a list")
    need(core["publication"] == entered["publication"] == listed["publication"], "another publication")
    need(moment(listed["takenAt"]) and re.fullmatch("[^“”]{0,200}", listed["browser"]), "not a time, or not a name")
    need(all(sha(text.encode()).hex() == name for name, text in listed["texts"].items()), "another text")
    members(listed.get("leftOut", []), str)
    for finding in members(listed.get("findings", []), dict):
        shape(finding, {"concern": str, "pointer": str, "detail": str})
    for picture in members(listed["pictures"], dict):
        shape(picture, PICTURE)
        need(picture["width"] < 2**32 and picture["height"] < 2**32, "a picture is too wide")
        need(picture["text"] in listed["texts"], "a picture has no text")
    return listed["pictures"]


def check_files(files, listed):
    held = {}
    for file in members(files, dict):
        shape(file, {"sha256": str, "content": str})
        content, name = unbase64(file["content"]), file["sha256"]
        need(sha(content) == unhex(name) and name not in held, "another picture, or one that stands twice")
        held[name] = len(file["content"])
        sizes = [one["bytes"] for one in listed if one["sha256"] == name]
        need(sizes[:1] == [len(content)], "a picture is not in the list")
    need(sum(held.get(one["sha256"], 0) for one in listed) <= 2**27, "the list names more than any server keeps")


def check_promise(promise, keys):
    """A promise (section "The promise")."""
    shape(promise, {"format": str, "record": dict, "index": int, "path": list, "note": str})
    commitment, _ = check_record(promise["record"], False)
    fields = check_note(promise["note"], lambda fields: "/".join([*fields[1:2], "promise"]), keys)
    form, origin, time, first, leaves, root = fields
    need(form == "placet-promise/1" and name_of_ledger(origin), "not the terms of a promise")
    need(number(time) + 86_400 < 253_402_300_800 and number(first) >= 0, "not a time before the year 10000")
    leaf, path = sha(b"\0", b"\1" + commitment), hashes(members(promise["path"], str))
    found = root_of(leaf, promise["index"], number(leaves), path)
    need(found == hashes([root])[0], "the path does not lead to the root")


def check(data, keys):
    need(len(data) <= 16 * 2**20, "it is too large")
    bundle = parse(data.decode())
    if bundle["format"] == "placet-promise/1":
        return check_promise(bundle, keys)
    shape(bundle, {"format": str, "record": dict, "proofs": list, "timestamps": list},
          publication=dict, erasure=dict, evidence=dict, files=list, receipt=dict)
    need(bundle["format"] == "placet-proof/1", "another format")
    commitment, opened = check_record(bundle["record"], "erasure" in bundle)
    core, proofs = opened["core"], members(bundle["proofs"], str)
    need(0 < len(proofs) <= 17, "no proof, or too many of them")
    placed = {check_proof(proof, b"\1" + commitment, None, keys) for proof in proofs}
    need(len(placed) == 1, "the proofs differ")
    index, origin = placed.pop()
    need(len(bundle["timestamps"]) <= 16, "too many time stamps")
    for stamp in bundle["timestamps"]:
        shape(stamp, {"url": str, "checkpoint": str, "token": str})
    if "publication" in bundle:
        check_publication(bundle["publication"], core, index, origin, keys)
    if "erasure" in bundle:
        check_erasure(bundle["erasure"], bundle["record"], commitment, keys)
    listed = []
    if "evidence" in bundle:
        need("publication" in bundle, "pictures without a publication")
        listed = check_pictures(bundle["evidence"], core, origin, keys)
    check_files(bundle.get("files", []), listed)
    if "receipt" in bundle:
        manifest = loose(bundle.get("publication", {}).get("manifest"))
        need(bundle["receipt"] == receipt(opened, manifest), "the receipt says something else")


def main(arguments):
    keys, code = [], 3
    while arguments and arguments[0] == "--key":
        keys.append(verifier(arguments[1]))
        arguments = arguments[2:]
    for name in arguments:
        with open(name, "rb") as file:
            data = file.read()
        try:
            check(data, keys)
            print("3\tin order")
        except Exception as reason:  # what cannot be read is refused
            print(f"1\t{type(reason).__name__}: {reason}"[:200])
            code = 1
    return code


sys.exit(main(sys.argv[1:]))
