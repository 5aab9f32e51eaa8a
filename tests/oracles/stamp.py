"""Verifies a time stamp (RFC 3161) with `rfc3161-client`: a line {token, text, root} in, with the token in base64 and
the root certificate in PEM, a line {verified: <the time>} or {refused: <the reason>} out. Its first line is {}."""

import base64
import json
import sys

from cryptography.x509 import load_pem_x509_certificate
from rfc3161_client import VerificationError, VerifierBuilder, decode_timestamp_response


def length(size):
    if size < 128:
        return bytes([size])
    digits = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([128 + len(digits)]) + digits


def response(token):
    """The answer that granted a token, as its reader wants it."""
    content = bytes.fromhex("3003020100") + token
    return b"\x30" + length(len(content)) + content


print("{}", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    root = load_pem_x509_certificate(asked["root"].encode())
    try:
        stamp = decode_timestamp_response(response(base64.b64decode(asked["token"])))
        verifier = VerifierBuilder().add_root_certificate(root).build()
        verifier.verify_message(stamp, asked["text"].encode())
        said = {"verified": stamp.tst_info.gen_time.isoformat()}
    except (ValueError, VerificationError) as refused:
        said = {"refused": str(refused)}
    print(json.dumps(said), flush=True)
