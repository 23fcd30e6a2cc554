"""A month of files goes to servers of S3 (moto) and WebDAV (wsgidav), each once, with equal MD5.

Installs moto, wsgidav and cheroot from PyPI into .build-files (once). The suite FileServersTests sends
files of 30 days through libcurl; some are refused once, one name is taken by another file, one by an
equal one. botocore computes the signature of each request to S3 again.
"""

import hashlib
import json
import os
import subprocess
from collections import Counter

from ..check import ROOT, Failed, swift_test
from ..servers.file_servers_rows import MINUTES, PREFIX, rows, time_of
from ..packaging.python_packages import PythonPackages

TESTS = True
NEEDS = "the network once"
PACKAGES = PythonPackages(".build-files", ("moto[server]==5.2.1", "wsgidav==4.3.3", "cheroot==11.1.2"))
COUNTS = {"hourly": 732, "daily": 30, "weekly": 4, "monthly": 1}


def wanted():
    """The MD5 of each file by its path."""
    files = {}
    for period, minutes in MINUTES.items():
        for number in range(COUNTS[period]):
            hour = number * minutes // 60
            body = rows(hour, minutes)
            name = f"{PREFIX}/{period}/{time_of(number * minutes)}.csv"
            files[name] = hashlib.md5(body).hexdigest()
    files[f"{PREFIX}/hourly/{time_of(300)}.csv"] = hashlib.md5(b"theirs").hexdigest()
    return files


def run(check, options):
    PACKAGES.demand()
    folder = check.path("dav")
    os.makedirs(folder)
    script = os.path.join(ROOT, "Tests", "system", "servers", "file_servers.py")
    with subprocess.Popen([PACKAGES.python, script, folder], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as servers:
        line = servers.stdout.readline()
        if not line:
            raise Failed("the servers do not start")
        ports = json.loads(line)
        try:
            swift_test("FileServersTests", options,
                       ROOST_FILES_S3=f"http://127.0.0.1:{ports['s3']}",
                       ROOST_FILES_WEBDAV=f"http://127.0.0.1:{ports['webdav']}")
        finally:
            servers.stdin.close()
            found = json.loads(servers.stdout.readline() or "{}")
    files = wanted()
    for place in ("s3", "webdav"):
        have = found.get(place, {})
        differ = sorted(name for name in set(files) | set(have) if files.get(name) != have.get(name))
        check.same(differ, [], f"files that differ at {place}")
        check.same(Counter(name.split("/")[1] for name in have), Counter(COUNTS), place)
    check.same(found.get("wrong"), [], "requests with another signature than botocore's")
    # Each file, three refusals, and the questions about the two names that were taken.
    check.same(found.get("signed"), 767 + 3 + 2, "signed requests")
    check.say(f"{len(files)} files at each, {found.get('signed')} signatures equal to botocore's")
