"""The rules that the client's files keep, read without a browser."""

import collections
import gzip
import json
import os
import re
import subprocess

from ..check import ROOT

WWW = os.path.join(ROOT, "Sources", "RoostWeb", "www")
LANGUAGES = ("en", "de", "it", "es", "fr")
PARTS = ("", "facts-", "explain-", "alerts-", "entries-", "backup-", "network-", "pins-", "start-", "camera-", "trust-", "dose-", "records-", "measurements-", "proof-", "health-", "devices-", "account-", "update-", "history-", "outbox-", "sites-",
         "livepicture-", "surveys-", "settings-", "claim-", "login-", "now-", "import-", "refusals-", "bus-")
LINES_MAX = 400
CHART_LINES_MAX = 350
LATE_BYTES_MAX = {"explain": 6_000, "facts": 12_000, "alerts": 1_500, "entries": 4_500, "pins": 2_500, "start": 2_000, "proof": 2_500}  # Catalogues that a page asks for when it has need of them.
# Of these the page Events shows the value alone, or the words of a code.
BARE_DETAILS = {"nextStep", "sentence", "identity", "profile", "node", "text", "reason", "why"}
BYTES_MAX = 60_000  # By gzip: what a browser gets at the first visit, in one language.
LATER_BYTES_MAX = 68_000  # By gzip: the scripts of Events, and of all pages that are not in the navigation bar.


def read(*names):
    with open(os.path.join(*names), encoding="utf-8") as file:
        return file.read()


def paths():
    """Every text of the client, relative to its folder; pictures are not read here."""
    found = []
    for folder, _, names in os.walk(WWW):
        found += [os.path.relpath(os.path.join(folder, name), WWW) for name in names]
    return sorted(name for name in found if not name.endswith((".gz", ".png")))


def catalogue(language):
    """Every text of a language, those that are asked for later included."""
    return {key: text for part in PARTS for key, text in json.loads(read(WWW, "strings", f"{part}{language}.json")).items()}


def pages():
    """Address and name of every page of the navigation."""
    return re.findall(r'\{ path: "([^"]+)", name: "([^"]+)"', read(WWW, "js", "navigation.js"))


def swift_cases(*place):
    """The names that an enum of Core has in `case` lines."""
    text = read(ROOT, "Sources", "Core", *place)
    lines = re.findall(r"^    case ([\w, ]+)$", text, re.M)
    return [name.strip() for line in lines for name in line.split(",")]


def event_kinds():
    """Every kind of event, as JSON has it."""
    listed = read(ROOT, "docs", "reference", "events.md")
    return re.findall(r"^\| `([^`]+)` \|", listed, re.M)


def fault_kinds():
    """The keys of every kind of fault."""
    return [f"fault.{name}" for name in re.findall(r'case \w+ = "([^"]+)"', read(ROOT, "Sources", "Station", "Faults", "Fault.swift"))]


def refusals():
    """The names of every refusal."""
    listed = read(ROOT, "Sources", "ControlProtocol", "RefusalCode.swift")
    return [name or plain for plain, name in re.findall(r'^    case `?(\w+)`?(?: = "([^"]+)")?$', listed, re.M)]


def checks():
    """The names of what `roost doctor` checks."""
    folder, found = os.path.join(ROOT, "Sources", "Doctor"), set()
    for place, _, names in os.walk(folder):
        for name in names:
            found |= set(re.findall(r'^ +name: "([a-z0-9-]+)",$', read(place, name), re.M))
    return sorted(found)


def details():
    """What a page looks up of each event's details: seconds without their unit, truths with their value."""
    listed = read(ROOT, "docs", "reference", "events.md")
    rows = re.findall(r"^\| `[^`]+` \|[^|]*\|([^|]*)\|", listed, re.M)
    names = {name for row in rows for name in re.findall(r"`(\w+)`", row)} - BARE_DETAILS
    return sorted(name.removesuffix("Seconds") for name in names if not re.match(r"is[A-Z]", name))


def hold(check):
    """Demands all of it."""
    texts = {path: read(WWW, path) for path in paths() if not path.endswith(".json")}
    for path, text in texts.items():
        most = CHART_LINES_MAX if path == "js/chart.js" else LINES_MAX
        check.demand(text.count("\n") <= most, f"{path}: more than {most} lines")
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", " style="):
            check.demand(word not in text, f"{path}: {word}")
        foreign = re.findall(r"https?://(?!www\.w3\.org/2000/svg)[^\s\"']+", text)
        check.demand(not foreign, f"{path}: a foreign address, {foreign[:1]}")
    listed = read(ROOT, "Sources", "RoostWeb", "Static", "StaticFiles.swift").split("pages = [")[1].split("]")[0]
    check.same(sorted(re.findall(r'"([^"]+)"', listed)), sorted(path for path, _ in pages()), "addresses that the server has a page for")
    hold_modules(check, texts)
    hold_catalogues(check, texts)
    hold_size(check)


def hold_size(check):
    """The joined files and those that are served beside them."""
    sizes = {}
    def joined(path):
        command = [check.program("roost-web"), "--www", WWW, "--print", path]
        return len(gzip.compress(subprocess.check_output(command), 9))

    for path in ("js/roost.js", "css/roost.css", "sw.js"):
        sizes[path] = joined(path)
    for path in ("index.html", "icon.svg", "strings/en.json"):
        sizes[path] = len(gzip.compress(read(WWW, path).encode(), 9))
    whole = sum(sizes.values())
    check.demand(whole <= BYTES_MAX, f"the client has {whole} bytes by gzip, more than {BYTES_MAX}: {sizes}")
    more = joined("js/later.js")
    check.demand(more <= LATER_BYTES_MAX, f"js/later.js has {more} bytes by gzip, more than {LATER_BYTES_MAX}")
    for name, most in LATE_BYTES_MAX.items():
        sizes[name] = len(gzip.compress(read(WWW, "strings", f"{name}-en.json").encode(), 9))
        check.demand(sizes[name] <= most, f"{name}-en.json has {sizes[name]} bytes by gzip, more than {most}")
    late = " and ".join(f"{sizes[name] / 1000:.1f} of {name}" for name in LATE_BYTES_MAX)
    check.say(f"client: {whole / 1000:.1f} kB by gzip in English (at most {BYTES_MAX / 1000:.0f}), later {more / 1000:.1f} of more pages, {late}")


def circles(texts):
    """Modules that import each other, at the start or later: each circle as its modules."""
    imports = {path: [os.path.normpath(os.path.join(os.path.dirname(path), name))
                      for name in re.findall(r'(?:from |import\()"(\.[^"]+)"', text)]
               for path, text in texts.items() if path.startswith("js/")}
    found, finished = [], set()

    def visit(path, way):
        if path in way:
            found.append([*way[way.index(path):], path])
        elif path not in finished:
            for name in imports.get(path, ()):
                visit(name, [*way, path])
            finished.add(path)
    for path in imports:
        visit(path, [])
    return found


def hold_modules(check, texts):
    """Modules import downwards; one asks the server, one has the stream, no page has text of its own."""
    check.same(circles(texts), [], "circles of the client's modules")
    check.same(circles({"js/a.js": 'import { b } from "./b/c.js";', "js/b/c.js": 'import("../a.js")'}),
               [["js/a.js", "js/b/c.js", "js/a.js"]], "a circle that is there")
    for path, text in texts.items():
        if not path.startswith("js/"):
            continue
        check.demand("fetch(" not in text or path == "js/api.js", f"{path}: asks the server itself")
        is_alone = "new EventSource" not in text or path == "js/live.js"
        check.demand(is_alone, f"{path}: a stream of its own")
        literal = re.findall(r'el\("\w+", \{[^{}]*\}, "([A-Za-z][^"]{2,})"', text)
        # The name of a command is the same in every language.
        literal = [words for words in literal if "roost" not in words]
        check.demand(not literal, f"{path}: text beside the catalogues, {literal[:1]}")


def hold_catalogues(check, texts):
    """The same keys and placeholders in all languages; every key that a page uses, every code of Core."""
    catalogues = {name: catalogue(name) for name in LANGUAGES}
    english = catalogues["en"]
    for name, texts_of in catalogues.items():
        parts = [json.loads(read(WWW, "strings", f"{part}{name}.json")) for part in PARTS]
        counts = collections.Counter(key for given in parts for key in given)
        check.same([key for key, count in counts.items() if count > 1], [], f"texts of {name} that two catalogues have")
        for part, given in zip(PARTS, parts):
            check.same(sorted(given), sorted(json.loads(read(WWW, "strings", f"{part}en.json"))), f"the keys of {part}{name}.json")
        for key, text in texts_of.items():
            check.demand(text.strip(), f"{name}.json: {key} is empty")
            found, wanted = (set(re.findall(r"\{\w+\}", one)) for one in (text, english.get(key, "")))
            check.same(found, wanted, f"{name}.json: the placeholders of {key}")
    missing = [name for name in catalogues if f'["{name}", "' not in texts["js/i18n.js"]]
    check.same(missing, [], "js/i18n.js: languages that it does not offer")
    for path, text in texts.items():
        for how, key in re.findall(r'\b(t|plural)\(\s*"([^"]+)"', text):
            wanted = [key] if how == "t" else [f"{key}.one", f"{key}.other"]
            check.demand(all(one in english for one in wanted), f"{path}: no catalogue has {key}")
    for path, name in pages():
        if name not in ("claim", "login"):
            check.demand(f"{name}.purpose" in english, f"no catalogue says what {path} is for")
        check.demand(f"{name}.title" in english, f"no catalogue has a title of {path}")
    codes = [f"cause.{name}" for name in swift_cases("Events", "GapCause.swift")]
    codes += [f"event.{kind}" for kind in event_kinds()]
    codes += [f"detail.{name}" for name in details()]
    codes += [f"problem.{name}.short" for name in refusals()]
    codes += [f"{key}{end}" for key in fault_kinds() for end in ("", ".next")] + [f"check.{name}" for name in checks()]
    quality = read(ROOT, "Sources", "Core", "Reading.swift")
    codes += [f"flag.{name}" for name in re.findall(r'\(\.\w+, "(\w+)"\)', quality)]
    missing = [one for one in codes if one not in english]
    check.demand(len(codes) > 120 and not missing, f"codes that no catalogue has: {missing[:5]}")
