"""A bucket of S3 (moto) and a folder of WebDAV (wsgidav) on loopback, for the check `files`.

Verifies the signature of each request to the bucket with botocore, refuses some names once, and holds
two files of another writer. Prints the ports as JSON; at the end of standard input prints what it has.
"""

import hashlib
import json
import os
import sys
import threading
import urllib.parse

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.compat import HTTPHeaders
from botocore.credentials import Credentials
from cheroot import wsgi
from moto.server import DomainDispatcherApplication, create_backend_app
from wsgidav.wsgidav_app import WsgiDAVApp

from file_servers_rows import PREFIX, rows, time_of

BUCKET = "air"
KEYS = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
REFUSED = 3  # The first names of these are refused once.


class Verifier(S3SigV4Auth):
    """Signs what a request says it has signed."""

    def __init__(self, region, names):
        super().__init__(KEYS, "s3", region)
        self.names = names

    def headers_to_sign(self, request):
        found = HTTPHeaders()
        for name in self.names:
            found[name] = request.headers[name]
        return found


def signature(environ):
    """What botocore signs for a request; nil when its form is another one."""
    scheme, _, rest = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    parts = dict(part.strip().split("=", 1) for part in rest.split(",") if "=" in part)
    if scheme != "AWS4-HMAC-SHA256":
        return None, None
    names = parts["SignedHeaders"].split(";")
    headers = {name: environ.get("HTTP_" + name.upper().replace("-", "_"), "") for name in names}
    if "content-type" in headers:
        headers["content-type"] = environ.get("CONTENT_TYPE", "")
    if "content-length" in headers:
        headers["content-length"] = environ.get("CONTENT_LENGTH", "")
    path = environ["REQUEST_URI"] if "REQUEST_URI" in environ else urllib.parse.quote(
        environ["PATH_INFO"].encode("latin-1"), safe="/-_.~")
    request = AWSRequest(environ["REQUEST_METHOD"], f"http://{environ['HTTP_HOST']}{path}", headers)
    request.context["timestamp"] = environ.get("HTTP_X_AMZ_DATE", "")
    request.headers["X-Amz-Content-SHA256"] = environ.get("HTTP_X_AMZ_CONTENT_SHA256", "")
    region = parts["Credential"].split("/")[2]
    auth = Verifier(region, names)
    text = auth.string_to_sign(request, auth.canonical_request(request))
    return parts["Signature"], auth.signature(text, request)


class Counted:
    """A server behind which the first names are refused once; counts wrong signatures."""

    def __init__(self, app, is_signed):
        self.app, self.is_signed, self.seen, self.wrong, self.signed = app, is_signed, set(), [], 0
        self.lock = threading.Lock()

    def __call__(self, environ, start_response):
        with self.lock:
            if self.is_signed and environ.get("HTTP_AUTHORIZATION"):
                theirs, ours = signature(environ)
                self.signed += 1
                if theirs != ours or theirs is None:
                    self.wrong.append(environ["PATH_INFO"])
            name = environ["PATH_INFO"]
            is_new = environ["REQUEST_METHOD"] == "PUT" and name not in self.seen
            is_refused = is_new and len(self.seen) < REFUSED and "hourly" in name
            if is_refused:
                self.seen.add(name)
        if is_refused:
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            start_response("503 Slow Down", [("Content-Length", "0")])
            return [b""]
        return self.app(environ, start_response)


def serve(app):
    server = wsgi.Server(("127.0.0.1", 0), app, numthreads=4)
    server.prepare()
    threading.Thread(target=server.serve, daemon=True).start()
    return server, server.bind_addr[1]


def main(folder):
    import boto3  # Needs a second of a small board, so not before it is used.
    bucket = Counted(DomainDispatcherApplication(create_backend_app), True)
    dav = Counted(WsgiDAVApp({
        "provider_mapping": {"/dav": folder}, "verbose": 0, "logging": {"enable": False},
        "http_authenticator": {"accept_basic": True, "accept_digest": False,
                               "default_to_digest": False},
        "simple_dc": {"user_mapping": {"*": {"ann": {"password": "app-password"}}}},
    }), False)
    (s3, s3_port), (dav_server, dav_port) = serve(bucket), serve(dav)
    client = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{s3_port}", region_name="eu-central-1",
                          aws_access_key_id="other", aws_secret_access_key="writer")
    location = {"LocationConstraint": "eu-central-1"}
    client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration=location)
    taken = {f"{PREFIX}/hourly/{time_of(300)}.csv": b"theirs",
             f"{PREFIX}/hourly/{time_of(420)}.csv": rows(7)}
    for name, body in taken.items():
        client.put_object(Bucket=BUCKET, Key=name, Body=body)
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(body)
    bucket.wrong, bucket.signed, bucket.seen = [], 0, set()
    print(json.dumps({"s3": s3_port, "webdav": dav_port}), flush=True)
    sys.stdin.read()
    wrong, signed = list(bucket.wrong), bucket.signed
    found = {"s3": {}, "webdav": {}, "wrong": wrong[:5], "wrongCount": len(wrong), "signed": signed}
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
        for item in page.get("Contents", []):
            body = client.get_object(Bucket=BUCKET, Key=item["Key"])["Body"].read()
            found["s3"][item["Key"]] = hashlib.md5(body).hexdigest()
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found["webdav"][os.path.relpath(path, folder)] = hashlib.md5(file.read()).hexdigest()
    print(json.dumps(found), flush=True)
    s3.stop()
    dav_server.stop()


if __name__ == "__main__":
    main(sys.argv[1])
