#!/usr/bin/env python3
"""Compares the files of each folder beside this one with each other. It reads files and needs nothing but Python 3.

placet-verify, or a program written from FORMAT.md, shows that the proofs are in the ledger; this shows that the other
files are those that the proofs speak of. With the key of the ledger as its argument it also has OpenSSL check the
signatures of the checkpoints over lists of pictures."""

import base64
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile


def sha256(data):
    return hashlib.sha256(data).hexdigest()


# The facts of each group (FORMAT.md: the entry of a consent). A proof leaves out those that a consent has not.
GROUPS = {
    "core": "consentId projectId collection identifier accept outcome publication receivedAt decidedAt imported",
    "choice": "preferences value",
    "person": "token tokenKind",
    "circumstances": "pageHost ip country userAgent",
}


def facts(bundle):
    """The facts of a consent that its proof binds to the ledger, of the groups that it shows."""
    found = {}
    for name, group in bundle["record"].items():
        if "json" in group:
            found.update(dict.fromkeys(GROUPS[name].split()))
            found.update(json.loads(group["json"]))
    if found.get("preferences") is not None:
        found["preferences"] = json.loads(found["preferences"])
    return found


def same(name, one, other):
    if name in ("receivedAt", "decidedAt"):
        # The proof has microseconds, consent.json milliseconds.
        return str(one)[:23] == str(other)[:23]
    if name == "imported":
        return bool(one) == bool(other)
    return one == other


def comparisons(folder):
    """Pairs of a sentence and whether it is true."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    if "pictures.json" in files:
        yield "the folder of a consent has no pictures.json", False
    consent = json.loads(files["consent.json"])
    manifest = files.get("manifest.json")
    for name in sorted(files):
        if name.endswith(".placet-proof.json"):
            bound = facts(json.loads(files[name]))
            yield "consent.json has the facts of the proof", all(
                same(fact, value, consent.get(fact)) for fact, value in bound.items()
            )
            if manifest is not None:
                yield "the proof names manifest.json", bound.get("publication") == sha256(manifest)
    if manifest is None:
        return
    yield "consent.json names manifest.json", consent.get("publication") == sha256(manifest)
    told = json.loads(manifest)
    if "payload.txt" in files:
        # Its second line holds nothing that people see: the publication, addresses, and names of other files.
        lines = files["payload.txt"].split(b"\n")
        yield "manifest.json names payload.txt", told.get("payload") == sha256(b"\n".join(lines[:1] + lines[2:]))
    if "box.json" in files:
        yield "manifest.json names box.json", told.get("drawn") == sha256(files["box.json"])
    if "partners.txt" in files:
        yield "manifest.json names partners.txt", told["tcf"]["partners"]["sha256"] == sha256(files["partners.txt"])
    if "standard-texts.txt" in files:
        # The manifest has the first 16 digits, in the name of the published file.
        end = "." + sha256(files["standard-texts.txt"])[:16] + ".txt"
        yield "manifest.json names standard-texts.txt", told["tcf"]["texts"]["file"].endswith(end)


def root(leaf, index, size, path):
    """The root of a tree that a path leads to (RFC 9162, section 2.1.3.2); None if it does not fit."""
    here, last = index, size - 1
    if not 0 <= here <= last:
        return None
    for other in path:
        if last == 0:
            return None
        if here % 2 or here == last:
            leaf = hashlib.sha256(b"\1" + other + leaf).digest()
            while here and not here % 2:
                here, last = here // 2, last // 2
        else:
            leaf = hashlib.sha256(b"\1" + leaf + other).digest()
        here, last = here // 2, last // 2
    return leaf if last == 0 else None


def is_signed(note, key):
    """True if the key signed a note (c2sp.org/signed-note): Ed25519, by OpenSSL. None for a key of another type."""
    name, _, rest = key.partition("+")
    identity, _, public = rest.partition("+")
    text, _, signatures = note.partition("\n\n")
    public = base64.b64decode(public)
    if public[:1] != b"\1":
        return None
    # The start of a public key in DER (RFC 8410), in place of the type byte.
    public = bytes.fromhex("302a300506032b6570032100") + public[1:]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "key").write_bytes(public)
        (folder / "text").write_bytes((text + "\n").encode())
        for line in signatures.split("\n"):
            words = line.split(" ")
            if len(words) != 3 or words[0] != "\u2014" or words[1] != name:
                continue
            signature = base64.b64decode(words[2])
            if signature[:4].hex() != identity:
                continue
            (folder / "signature").write_bytes(signature[4:])
            asked = "openssl pkeyutl -verify -pubin -keyform DER -inkey key -rawin -in text -sigfile signature"
            return subprocess.run(asked.split(), cwd=folder, stdout=subprocess.DEVNULL).returncode == 0
    return False


def pictures(folder, key):
    """Pairs of a sentence and whether it is true, of a folder of pictures; None if that was not checked."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    text = files.get("pictures.json")
    yield "the folder has pictures.json and no consent", text is not None and "consent.json" not in files
    if text is None:
        return
    listed = json.loads(text)
    yield "the name of the folder begins pictures.json's publication", listed["publication"][:16] == folder.name[9:]
    manifests = [path.read_bytes() for path in folder.parent.glob("*/manifest.json")]
    yield "pictures.json names the manifest.json of a consent", listed["publication"] in map(sha256, manifests)
    for picture in listed["pictures"]:
        name = picture["sha256"] + ".webp"
        yield "pictures.json names %s" % name, sha256(files.get(name, b"")) == picture["sha256"]
    yield "pictures.json names its texts by their hashes", all(
        sha256(told.encode()) == name for name, told in listed["texts"].items()
    )
    if "pictures.ledger.json" not in files:
        yield "without pictures.ledger.json nothing shows that the ledger has pictures.json", None
        return
    proven = json.loads(files["pictures.ledger.json"])
    entry = base64.b64decode(proven["entry"])
    named = {"publication": listed["publication"], "pictures": sha256(text)}
    yield "the entry in the ledger names pictures.json", entry[:1] == b"\4" and json.loads(entry[1:]) == named
    head, _, note = proven["proof"].partition("\n\n")
    lines = head.splitlines()
    path = [base64.b64decode(line) for line in lines[2:]]
    size, top = note.splitlines()[1:3]
    leaf = hashlib.sha256(b"\0" + entry).digest()
    index = int(lines[1].removeprefix("index "))
    yield "the path leads to the checkpoint", root(leaf, index, int(size), path) == base64.b64decode(top)
    if not key:
        yield "without the key of the ledger nothing shows who signed the checkpoint", None
        return
    try:
        yield "the key signed the checkpoint", is_signed(note, key)
    except FileNotFoundError:
        yield "OpenSSL is missing, which would check the signature of the checkpoint", None


def main():
    key = sys.argv[1] if len(sys.argv) > 1 else None
    is_right = True
    for folder in sorted(pathlib.Path(__file__).resolve().parent.iterdir()):
        if folder.is_dir():
            is_gallery = folder.name.startswith("pictures-")
            for sentence, is_true in pictures(folder, key) if is_gallery else comparisons(folder):
                found = "not checked" if is_true is None else "true" if is_true else "NOT TRUE"
                print(f"{folder.name}: {found}: {sentence}")
                is_right = is_right and is_true is not False
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
