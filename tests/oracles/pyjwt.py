"""Verifies an access token of Placet with PyJWT, and forges others from it: a line {jwks, token, issuer} in,
a line {claims, header, forged: {<how>: <token>}} out."""

import json
import sys
import warnings

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt.utils import base64url_decode

for line in sys.stdin:
    asked = json.loads(line)
    token, issuer = asked["token"], asked["issuer"]
    header = jwt.get_unverified_header(token)
    keys = jwt.PyJWKSet.from_dict(asked["jwks"])
    claims = jwt.decode(
        token,
        keys[header["kid"]],
        algorithms=["EdDSA"],
        audience=issuer,
        issuer=issuer,
        options={"require": ["exp", "iat", "iss", "aud", "sub", "jti"]},
    )
    kid = {"kid": header["kid"]}
    public = base64url_decode(next(key["x"] for key in asked["jwks"]["keys"] if key["kid"] == header["kid"]))
    own = Ed25519PrivateKey.generate()
    signature = token.rsplit(".", 1)[1]

    def signed_before(changed):
        return jwt.encode(changed, own, algorithm="EdDSA", headers=kid).rsplit(".", 1)[0] + "." + signature

    # PyJWT itself warns of such short keys.
    warnings.simplefilter("ignore")
    forged = {
        "none": jwt.encode(claims, None, algorithm="none", headers=kid),
        "HMAC with the public key": jwt.encode(claims, public, algorithm="HS256", headers=kid),
        "HMAC of 512 bits with the public key": jwt.encode(claims, public, algorithm="HS512", headers=kid),
        "HMAC with zeros": jwt.encode(claims, bytes(32), algorithm="HS256", headers=kid),
        "own key under our name": jwt.encode(claims, own, algorithm="EdDSA", headers=kid),
        "own key under a path": jwt.encode(claims, own, algorithm="EdDSA", headers={"kid": "../../dev/null"}),
        "own key behind an address": jwt.encode(
            claims, own, algorithm="EdDSA", headers={**kid, "jku": f"{issuer}/keys.json"}
        ),
        "another audience": signed_before({**claims, "aud": "https://elsewhere.example"}),
        "another user": signed_before({**claims, "sub": "0190b6a0-0000-7000-8000-000000000000"}),
        "a later end": signed_before({**claims, "exp": claims["exp"] + 9_000_000}),
    }
    print(json.dumps({"claims": claims, "header": header, "forged": forged}), flush=True)
