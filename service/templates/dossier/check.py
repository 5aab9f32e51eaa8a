#!/usr/bin/env python3
"""Compares the files of each folder beside this one with each other. It reads files and needs nothing but Python 3.

placet-verify, or a program written from FORMAT.md, shows that the proofs are in the ledger; this shows that the other
files are those that the proofs speak of."""

import hashlib
import json
import pathlib
import sys


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def facts(bundle):
    """The facts of a consent that its proof binds to the ledger (FORMAT.md: the entry of a consent)."""
    found = {}
    for group in bundle["record"].values():
        found.update(json.loads(group.get("json", "{}")))
    if "preferences" in found:
        found["preferences"] = json.loads(found["preferences"])
    return found


def same(name, one, other):
    if name in ("receivedAt", "decidedAt"):
        # The proof has microseconds, consent.json milliseconds.
        return str(one)[:23] == str(other)[:23]
    return one == other


def comparisons(folder):
    """Pairs of a sentence and whether it is true."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
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


def main():
    is_right = True
    for folder in sorted(pathlib.Path(__file__).resolve().parent.iterdir()):
        if folder.is_dir():
            for sentence, is_true in comparisons(folder):
                print(f"{folder.name}: {'true' if is_true else 'NOT TRUE'}: {sentence}")
                is_right = is_right and is_true
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
