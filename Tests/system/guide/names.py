"""The other names in pages: those by which they lead through the dashboard, links, and addresses of its interface."""

import glob
import json
import os
import re

from . import exceptions
from ..check import ROOT

# `the page *Now*`, `*More → Update*`, `under *Audit*`, `press *Notify this browser*`.
NAMED = re.compile(r"(?:\b(?:pages?|[Uu]nder|press) )\*([^*]+)\*|\*(More → [^*]+)\*|^(?:\d\.|.*) Open \*([^*]+)\*")
LINK = re.compile(r"\]\(([^)\s]+)\)")
ADDRESS = re.compile(r"`(GET|POST|PUT|PATCH|DELETE) (/[\w/{}.-]*)")


def judge(check, pages):
    shown = set()
    for path in glob.glob(os.path.join(ROOT, "Sources", "RoostWeb", "www", "strings", "*en.json")):
        with open(path, encoding="utf-8") as file:
            shown.update(json.load(file).values())
    for page in pages:
        for number, line in enumerate(page.lines, 1):
            for found in NAMED.finditer(line):
                for name in next(filter(None, found.groups())).split(" → "):
                    check.demand(name in shown, f"{page.place(number)}: the dashboard shows no text *{name}*")
            for link in LINK.findall(line):
                check.demand(leads(page.name, link), f"{page.place(number)}: the link {link} leads nowhere")
    addresses(check, pages)


def leads(name, link):
    """Whether a link leads to a file and a heading that are there; other servers are not asked."""
    if re.match(r"https?:|mailto:", link):
        return True
    file, _, heading = link.partition("#")
    path = os.path.normpath(os.path.join(ROOT, os.path.dirname(name), file)) if file else os.path.join(ROOT, name)
    if not os.path.exists(path):
        return False
    if not heading or not path.endswith(".md"):
        return True
    with open(path, encoding="utf-8") as text:
        headings = re.findall(r"^#+ (.*)$", text.read(), re.M)
    return heading in {re.sub(r"[^\w -]", "", one.strip().lower()).replace(" ", "-") for one in headings}


ROUTE = re.compile(r'\bRoute\(\s*\.(\w+),\s*"/api/v1(/[^"]*)"')
HISTORY = re.compile(r'\bget\("/api/v1(/[^"]*)"')


def addresses(check, pages):
    """Each `GET /…` is an address that the dashboard describes, which its tests hold to those that it has."""
    others = ""
    for path in glob.glob(os.path.join(ROOT, "Sources", "RoostWeb", "**", "*.swift"), recursive=True):
        with open(path, encoding="utf-8") as file:
            others += file.read()
    known = {(method.upper(), plain(path)) for method, path in ROUTE.findall(others)}
    known |= {("GET", plain(path)) for path in [*HISTORY.findall(others), "/openapi.json"]}
    check.demand(len(known) > 80, f"only {len(known)} addresses in the routes of RoostWeb")
    for page in pages:
        for number, line in enumerate(page.lines, 1):
            for method, path in ADDRESS.findall(line):
                is_known = (method, plain(path)) in known or method == "GET" and f'"{path}"' in others
                check.demand(is_known or path in exceptions.ADDRESSES,
                             f"{page.place(number)}: the dashboard has no `{method} {path}`")


def plain(path):
    return re.sub(r"{[^}]*}", "{}", path.removeprefix("/api/v1"))
