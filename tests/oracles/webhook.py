"""Verifies a webhook with the PyPI library: a line {secret, headers, body} in, a line {verified} or {error}
out."""

import json
import sys

from standardwebhooks import Webhook

for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = {"verified": Webhook(asked["secret"]).verify(asked["body"], asked["headers"])}
    except Exception as error:  # every refusal is an answer
        answer = {"error": str(error) or type(error).__name__}
    print(json.dumps(answer), flush=True)
