"""The forms that `proof.py` reads: JSON as docs/proof.md has it in "The bundle", and the appendix of that page:
numbers, hashes, base64, signed notes, checkpoints, trees, and proofs of entries. Whatever is wrong raises an error.
"""

import base64
import hashlib
import json
import math
import re
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey


def need(condition, reason):
    if not condition:
        raise ValueError(reason)


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def unhex(text):
    need(re.fullmatch("[0-9a-f]{64}", text), "a hash is not 64 lower-case hex digits")
    return bytes.fromhex(text)


def unbase64(text):
    data = base64.b64decode(text, validate=True)
    need(base64.b64encode(data).decode() == text, "base64 is not canonical")
    return data


def hashes(lines):
    found = [unbase64(line) for line in lines]
    need(all(len(one) == 32 for one in found), "a hash is not 32 bytes")
    return found


def name_of_ledger(text):
    need(re.fullmatch(r"[^\s+]+", text), "not the name of a ledger")
    return text


def number(text):
    need(re.fullmatch("0|[1-9][0-9]{0,18}", text) and int(text) < 2**63, "not a number in its plain form")
    return int(text)


def unique(pairs):
    need(len(dict(pairs)) == len(pairs), "a key stands twice")
    need(all(value is not None for _, value in pairs), "null stands for an absent key")
    return dict(pairs)


def parse(text):
    value = json.loads(text, object_pairs_hook=unique, parse_int=number, parse_float=number, parse_constant=number)
    json.dumps(value, ensure_ascii=False).encode()  # refuses halves of characters
    return value


def finite(digits):
    need(math.isfinite(float(digits)), "a number is out of range")


def depth(value):
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inside is None else 1 + max(map(depth, inside), default=0)


def loose(text):
    """JSON of somebody else, in any form, without its numbers. None if it is not JSON, or nested deeper than 127."""
    try:
        value = json.loads(text, parse_int=finite, parse_float=finite, parse_constant=finite)
        json.dumps(value, ensure_ascii=False).encode()
        return value if depth(value) <= 127 else None
    except (TypeError, ValueError, RecursionError):
        return None


def shape(value, keys, **optional):
    """An object with these keys and perhaps the optional ones, whose values are of these types."""
    known = keys | optional
    need(type(value) is dict and set(keys) <= set(value) <= set(known), f"not an object of {set(known)}")
    need(all(type(value[key]) is known[key] for key in value), "a value is of another type")


def members(values, kind):
    need(len(values) <= 1024 and all(type(one) is kind for one in values), "a list is too long, or of something else")
    return values


def facts(text):
    value = parse(text)
    need(type(value) is dict and {type(one) for one in value.values()} <= {str, bool}, "not texts and flags")
    return value


def moment(text):
    need(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z", text, re.ASCII), "not a time")
    return datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")


def micros(text):
    """Microseconds from 1970 on of a time with six decimals."""
    need(len(text) == 27, "not a time with six decimals")
    since = moment(text) - datetime(1970, 1, 1)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + int(text[20:26])


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
    return len(name.encode()).to_bytes(1, "big") + name.encode()


def check_signature(name, key, signature, note):
    """Checks what follows the id of a signature of a note, whose text this is without its last newline."""
    message = note.encode() + b"\n"
    if isinstance(key, MLDSA44PublicKey):
        time, signature = signature[:8], signature[8:]
        need(len(time) == 8 and time[0] < 128, "not a time")
        origin, size, root = note.split("\n")
        size = number(size).to_bytes(8, "big")
        message = b"subtree/v1\n\0" + sized(name) + time + sized(origin) + bytes(8) + size + unbase64(root)
    key.verify(signature, message)


def check_note(text, signer, keys):
    """The lines of a note. Its signatures by these keys must be right, one of them by the key that `signer` names."""
    need(len(text.encode()) <= 2**18 and not re.search("[\0-\x09\x0b-\x1f]", text), "not a note")
    note, divider, signatures = text.rpartition("\n\n")
    need(divider and signatures.endswith("\n") and signatures.count("\n") <= 64, "not a signed note")
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
                signed = signed or name == signer(fields)
    need(signed or not keys, "nobody who is believed signed the note")
    return fields


def check_proof(text, entry, index, keys):
    """Checks a tlog-proof of an entry; returns index and origin."""
    head, _, checkpoint = text.partition("\n\n")
    first, second, *path = head.split("\n")
    need(first == "c2sp.org/tlog-proof@v1" and second.startswith("index "), "not a tlog-proof")
    at = number(second[6:])
    need(index is None or at == index, "the indexes differ")
    origin, size, root = check_note(checkpoint, lambda fields: fields[0], keys)
    leaf = sha(b"\0", entry)
    need(root_of(leaf, at, number(size), hashes(path)) == hashes([root])[0], "the path does not lead to the root")
    return at, name_of_ledger(origin)
