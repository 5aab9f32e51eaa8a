"""Follows the path of a tlog-proof with the Merkle tree of `sigstore`: a line {entry, proof} in, with the entry in
base64, a line {right: <the index>} or {refused: <the reason>} out. Its first line is {}."""

import base64
import json
import sys
from types import SimpleNamespace

from sigstore._internal.merkle import verify_merkle_inclusion
from sigstore.errors import VerificationError


def read(entry, proof):
    """The entry and its path, as sigstore wants them."""
    head, _, checkpoint = proof.partition("\n\n")
    _, index, *path = head.split("\n")
    _, size, root = checkpoint.split("\n")[:3]
    inclusion = SimpleNamespace(log_index=int(index.removeprefix("index ")), tree_size=int(size),
                                hashes=[base64.b64decode(one) for one in path], root_hash=base64.b64decode(root))
    return SimpleNamespace(inclusion_proof=inclusion, canonicalized_body=base64.b64decode(entry))


print("{}", flush=True)
for line in sys.stdin:
    inner = read(**json.loads(line))
    try:
        verify_merkle_inclusion(SimpleNamespace(_inner=inner))
        said = {"right": inner.inclusion_proof.log_index}
    except VerificationError as refused:
        said = {"refused": str(refused)}
    print(json.dumps(said), flush=True)
