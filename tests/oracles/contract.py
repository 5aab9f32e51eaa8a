"""Teaches Schemathesis to write files of consents."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def ndjson(ctx, value):
    if isinstance(value, bytes):
        return value
    rows = value if isinstance(value, list) else [value]
    return "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows).encode(errors="replace")


@schemathesis.serializer("text/csv")
def csv(ctx, value):
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")
