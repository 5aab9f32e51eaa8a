"""A witness of logs by another author (c2sp.org/tlog-witness, c2sp.org/tlog-cosignature), and a reader of cosignatures.
It shares no code with `proof/`.

Its first line is {"url": …, "vkey": …}: the address and the key of a witness. Then each line of input is answered:

{"know": VKEY}                          the witness signs for this log from now on: {"known": origin}
{"note": NOTE, "vkeys": [VKEY…]}        verifies the cosignatures under a note: {"signed": {name+id: seconds}}
{"seen": ORIGIN}                        what the witness has signed: {"sizes": [size…], "refused": [reason…]}

A wrong signature is {"refused": reason}.
"""

import base64
import hashlib
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

NAME = "python.example/witness"


class Refused(Exception):
    pass


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def unbase64(text):
    data = base64.b64decode(text.encode("ascii"), validate=True)
    if base64.b64encode(data).decode() != text:
        raise Refused("base64 is not canonical")
    return data


def key_id(name, kind, key):
    return sha(name.encode(), b"\n", bytes([kind]), key)[:4]


KINDS = {1: Ed25519PublicKey, 4: Ed25519PublicKey, 6: MLDSA44PublicKey}


def verifier(vkey, *kinds):
    name, digits, key = vkey.split("+", 2)
    key = unbase64(key)
    if key[0] not in kinds or key_id(name, key[0], key[1:]).hex() != digits:
        raise Refused("not a key of this kind")
    return name, bytes.fromhex(digits), KINDS[key[0]].from_public_bytes(key[1:])


def take_apart(note):
    """Text of a note, and its signatures as (name, id and signature)."""
    text, divider, lines = note.rpartition("\n\n")
    if not divider or not lines.endswith("\n"):
        raise Refused("not a signed note")
    signatures = []
    for line in lines[:-1].split("\n"):
        dash, name, blob = line.split(" ")
        if dash != "\u2014":
            raise Refused("not a line of a signature")
        signatures.append((name, unbase64(blob)))
    return text + "\n", signatures


def check(key, signature, message):
    try:
        key.verify(signature, message)
    except InvalidSignature:
        raise Refused("a signature is wrong") from None


def message(text, seconds):
    return b"cosignature/v1\ntime %d\n" % seconds + text.encode()


def tree_message(name, text, seconds):
    """The message of ML-DSA-44: of the whole tree of a checkpoint."""
    origin, size, root = text.split("\n")[:3]
    names = [bytes([len(one.encode())]) + one.encode() for one in (name, origin)]
    numbers = [one.to_bytes(8, "big") for one in (seconds, 0, int(size))]
    return b"".join([b"subtree/v1\n\0", names[0], numbers[0], names[1], *numbers[1:], unbase64(root)])


def cosigned(note, vkeys):
    """The times at which these witnesses have signed a note, by name and id of the key."""
    text, signatures = take_apart(note)
    times = {}
    for name, digits, key in (verifier(vkey, 4, 6) for vkey in vkeys):
        is_large = isinstance(key, MLDSA44PublicKey)
        for by, blob in signatures:
            if by == name and blob[:4] == digits:
                if len(blob) != (2432 if is_large else 76):
                    raise Refused("a cosignature has another length")
                seconds = int.from_bytes(blob[4:12], "big")
                signed = tree_message(name, text, seconds) if is_large else message(text, seconds)
                check(key, blob[12:], signed)
                times[f"{name}+{digits.hex()}"] = seconds
    return times


def consistent(old, old_root, new, new_root, proof):
    """By the recursive definition of RFC 6962, section 2.1.2."""
    if old == 0:
        return not proof
    rest = list(proof)

    def subtree(old, new, whole):
        if old == new:
            both = old_root if whole else rest.pop()
            return both, both
        half = 1 << ((new - 1).bit_length() - 1)
        beside = rest.pop()
        if old <= half:
            before, after = subtree(old, half, whole)
            return before, sha(b"\1", after, beside)
        before, after = subtree(old - half, new - half, False)
        return sha(b"\1", beside, before), sha(b"\1", beside, after)

    try:
        before, after = subtree(old, new, True)
    except IndexError:
        return False
    return not rest and (before, after) == (old_root, new_root)


class Witness:
    def __init__(self):
        self.key = Ed25519PrivateKey.generate()
        self.public = self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.id = key_id(NAME, 4, self.public)
        self.logs, self.latest, self.signed, self.refused = {}, {}, {}, {}
        self.lock = threading.Lock()

    def vkey(self):
        return f"{NAME}+{self.id.hex()}+{base64.b64encode(bytes([4]) + self.public).decode()}"

    def add(self, body):
        head, _, note = body.partition("\n\n")
        first, *proof = head.split("\n")
        old = int(first.removeprefix("old "))
        proof = [unbase64(line) for line in proof]
        text, signatures = take_apart(note)
        origin, size, root = text.split("\n")[:3]
        size, root = int(size), unbase64(root)
        if origin not in self.logs:
            return 404, "text/plain", ""
        name, digits, key = self.logs[origin]
        own = [blob[4:] for by, blob in signatures if by == name and blob[:4] == digits]
        if not own:
            return 403, "text/plain", ""
        for signature in own:
            check(key, signature, text.encode())
        with self.lock:
            seen, seen_root = self.latest.get(origin, (0, sha()))
            if old != seen:
                return 409, "text/x.tlog.size", f"{seen}\n"
            if size == seen and root != seen_root:
                self.refused.setdefault(origin, []).append(f"{seen} to {size}")
                return 409, "text/plain", ""
            if not consistent(seen, seen_root, size, root, proof):
                self.refused.setdefault(origin, []).append(f"{seen} to {size}")
                return 422, "text/plain", ""
            self.latest[origin] = (size, root)
            self.signed.setdefault(origin, []).append(size)
        seconds = int(time.time())
        blob = self.id + seconds.to_bytes(8, "big") + self.key.sign(message(text, seconds))
        return 200, "text/plain", f"\u2014 {NAME} {base64.b64encode(blob).decode()}\n"


def serve(witness):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            status, kind, text = witness.add(body) if self.path == "/w/add-checkpoint" else (404, "text/plain", "")
            data = text.encode()
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/w"


def answer(witness, asked):
    if "know" in asked:
        log = verifier(asked["know"], 1)
        witness.logs[log[0]] = log
        return {"known": log[0]}
    if "seen" in asked:
        origin = asked["seen"]
        return {"sizes": witness.signed.get(origin, []), "refused": witness.refused.get(origin, [])}
    try:
        return {"signed": cosigned(asked["note"], asked["vkeys"])}
    except Refused as refused:
        return {"refused": str(refused)}


def main():
    witness = Witness()
    print(json.dumps({"url": serve(witness), "vkey": witness.vkey()}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(witness, json.loads(line))), flush=True)


main()
