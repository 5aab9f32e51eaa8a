"""S3 and CloudFront: moto behind a gate that signs every request again with botocore, Amazon's own
library, and refuses requests with another signature. The first line of output is `{port, id, secret,
distribution}`, then comes a line for each request. The commands `objects` and `invalidations` are
answered. `refuse <pattern>` refuses to store paths that fit; `down <pattern>` refuses everything after
the first such path; `up` ends both. Each of these three is answered with its name."""

import http.client
import http.server
import json
import logging
import re
import sys
import threading

import boto3
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.server import ThreadedMotoServer

ID, SECRET, BUCKET = "AKIDEXAMPLE", "s3cr3t-of-the-test", "placet-published"
FORM = re.compile(
    r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request, ?"
    r"SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$"
)
said = threading.Lock()
# The current fault: the command and its pattern.
fault = {"kind": None, "pattern": None}


def say(line):
    with said:
        print(json.dumps(line), flush=True)


def refusal(handler, body):
    """Return the reason why the signature of a request is wrong, or None."""
    form = FORM.match(handler.headers.get("authorization", ""))
    if not form:
        return "no signature"
    if form[1] != ID:
        return "another key"
    names = form[5].split(";")
    if not {"host", "x-amz-date"} <= set(names):
        return "host or date is not signed"
    request = AWSRequest(
        method=handler.command,
        url=f"http://{handler.headers['host']}{handler.path}",
        data=body,
        headers={name: handler.headers[name] for name in names},
    )
    request.context["timestamp"] = handler.headers["x-amz-date"]
    kind = S3SigV4Auth if form[4] == "s3" else SigV4Auth
    signer = kind(Credentials(ID, SECRET), form[4], form[3])
    canonical = signer.canonical_request(request)
    if signer.signature(signer.string_to_sign(request, canonical), request) != form[6]:
        return "another signature"
    return None


def fails(method, path):
    """Return true if a correctly signed request should fail."""
    if method not in ("PUT", "DELETE") or not fault["kind"]:
        return False
    fits = fault["pattern"].search(path) is not None
    if fits and fault["kind"] == "down":
        fault["pattern"] = re.compile("")
    return fits


class Gate(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        why = refusal(self, body)
        if not why and fails(self.command, self.path):
            why = "as told"
        say({"event": "request", "method": self.command, "path": self.path, "refused": why})
        if why:
            return self.send(403, {}, b"")
        passed = {k: v for k, v in self.headers.items() if k.lower() not in ("connection", "expect")}
        upstream = http.client.HTTPConnection("127.0.0.1", moto_port)
        upstream.request(self.command, self.path, body or None, passed)
        reply = upstream.getresponse()
        dropped = ("transfer-encoding", "connection", "content-length")
        headers = {k: v for k, v in reply.headers.items() if k.lower() not in dropped}
        length = reply.headers.get("content-length", "0")
        self.send(reply.status, headers, reply.read(), length if self.command == "HEAD" else None)

    def send(self, status, headers, body, length=None):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", length or str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = answer

    def log_message(self, *_):
        pass


logging.getLogger("werkzeug").setLevel(logging.ERROR)
moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
moto.start()
moto_port = moto.get_host_and_port()[1]
access = {
    "endpoint_url": f"http://127.0.0.1:{moto_port}",
    "region_name": "us-east-1",
    "aws_access_key_id": ID,
    "aws_secret_access_key": SECRET,
}
s3, cloudfront = boto3.client("s3", **access), boto3.client("cloudfront", **access)
s3.create_bucket(Bucket=BUCKET)
origin = {"Id": "bucket", "DomainName": f"{BUCKET}.s3.amazonaws.com", "S3OriginConfig": {"OriginAccessIdentity": ""}}
distribution = cloudfront.create_distribution(
    DistributionConfig={
        "CallerReference": "test",
        "Comment": "",
        "Enabled": True,
        "Origins": {"Quantity": 1, "Items": [origin]},
        "DefaultCacheBehavior": {"TargetOriginId": "bucket", "ViewerProtocolPolicy": "https-only"},
    }
)["Distribution"]["Id"]

gate = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gate)
threading.Thread(target=gate.serve_forever, daemon=True).start()
say({"port": gate.server_port, "id": ID, "secret": SECRET, "bucket": BUCKET, "distribution": distribution})

for line in sys.stdin:
    kind, _, pattern = line.strip().partition(" ")
    if kind in ("refuse", "down", "up"):
        fault.update(kind=None if kind == "up" else kind, pattern=re.compile(pattern))
        say({"event": kind})
    if line.strip() == "objects":
        objects = {}
        for entry in s3.list_objects_v2(Bucket=BUCKET).get("Contents", []):
            object = s3.get_object(Bucket=BUCKET, Key=entry["Key"])
            objects[entry["Key"]] = {
                "type": object["ContentType"],
                "cache": object.get("CacheControl"),
                "encoding": object.get("ContentEncoding"),
                "size": object["ContentLength"],
            }
        say({"event": "objects", "objects": objects})
    if line.strip() == "invalidations":
        listed = cloudfront.list_invalidations(DistributionId=distribution)["InvalidationList"].get("Items", [])
        batches = [
            cloudfront.get_invalidation(DistributionId=distribution, Id=entry["Id"])["Invalidation"]["InvalidationBatch"]
            for entry in listed
        ]
        say({"event": "invalidations", "batches": [
            {"paths": batch["Paths"]["Items"], "reference": batch["CallerReference"]} for batch in batches
        ]})
