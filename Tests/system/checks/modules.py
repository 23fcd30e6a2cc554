"""Chromium reads every module of the dashboard's client, and finds each name that it imports.

A module that is not JavaScript, or imports what another does not have, leaves every page that loads it
empty. No Swift test sees that. Takes two seconds on a quiet machine; nothing is built.
"""

import functools
import html
import http.server
import json
import os
import re
import subprocess
import threading

from ..browser.files import WWW, paths
from ..check import Failed, Skipped

NEEDS = "chromium"
CHROMIUM, SECONDS = "/usr/bin/chromium", 240
SWITCHES = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
            "--disable-component-update", "--virtual-time-budget=30000", "--dump-dom")
# First each by itself: a blob cannot import, so what is no JavaScript is named by its own file. Modules of the
# start run at once and need a page: they come last, and only what cannot be read or joined counts.
PAGE = """<!DOCTYPE html><title>modules</title><pre></pre><script type="module">
const paths = PATHS, found = {};
const read = (path, address) => import(address).catch((problem) => {
  if (problem instanceof SyntaxError || (address === path && /dynamically imported/.test(problem.message))) (found[problem.message] ??= []).push(path);
});
for (const path of paths) await read(path, URL.createObjectURL(new Blob([await (await fetch(path)).text()], {type: "text/javascript"})));
if (!Object.keys(found).length) for (const path of paths) await read(path, path);
document.querySelector("pre").textContent = `read ${JSON.stringify(found)}`;
</script>"""


class Folder(http.server.SimpleHTTPRequestHandler):
    """The client's folder, and the page that imports all of it."""

    def do_GET(self):
        if self.path != "/modules.html":
            return super().do_GET()
        modules = sorted((f"/{path}" for path in paths() if re.fullmatch(r"js/.*\.js", path)),
                         key=lambda path: (path.endswith("main.js"), path))
        body = PAGE.replace("PATHS", json.dumps(modules)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return self.wfile.write(body)

    def log_message(self, *_):
        pass


def run(check, _options):
    if not os.path.exists(CHROMIUM):
        raise Skipped("no chromium: sudo apt-get install chromium")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Folder, directory=WWW)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        done = subprocess.run(
            [CHROMIUM, *SWITCHES, f"--user-data-dir={check.path('profile')}", f"http://127.0.0.1:{server.server_address[1]}/modules.html"],
            capture_output=True, text=True, check=False, timeout=SECONDS)
        server.shutdown()
    answer = re.search(r"<pre>read (.*?)</pre>", done.stdout, re.S)
    if not answer:
        raise Failed(f"chromium read nothing: {done.stdout[-300:]}{done.stderr[-300:]}")
    for problem, places in json.loads(html.unescape(answer[1])).items():
        check.demand(False, f"{', '.join(places)}: {problem}")
    check.say(f"{sum(path.startswith('js/') for path in paths())} modules read")
