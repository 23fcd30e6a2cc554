"""What the command line says: the help of each command of each program, and each command at a running station."""

import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

from ..check import ROOT
from .cards import plain
from .moments import WORDS, masked, steady
from .stage import RULE

PROGRAMS = ("roost", "roostd", "roost-web", "roost-courier", "roost-eyes", "roost-lab")
WORKERS = 3
LONG = 15  # Lines of an answer from which on others are told by their difference to it.
# Answers that others repeat.
BASES = ("status", "devices list", "alerts list", "settings list", "sites list", "outbox show")
# Their texts are of the moment; those of cards are in store/.
CHANGING = {"status", "events", "readings", "records list", "outbox prove"}
# Commands with --json that another golden has, or whose answer is another machine's; each with the reason.
LEFT_OUT = {
    "web": "serves; its routes are in get/", "export": "its formats are in store/export",
    "profiles show": "prints a file of hardware-profiles", "profiles rules": "prints files of udev-rules",
    "doctor": "looks at this machine", "claim": "its code is asked when the dashboard is made",
    "backup": "part backup of scripts/check browser has its texts", "restore": "as backup",
    "update status": "needs an image", "update install": "needs an image", "update rollback": "needs an image",
    "update confirm": "needs an image", "provision": "needs a boot partition", "station new-id": "ends the station's name elsewhere",
    "store partition": "scripts/check partition has its texts", "simulator part": "as simulator sds011",
    "simulator http": "as simulator sds011",
    "roost-eyes cameras": "lists the cameras of this machine",
    **{f"roost-lab {name}": "figures of a run in the lab, which nothing reads" for name in ("cuts", "states", "rot", "years", "fuzz", "sessions")},
}
OF_CARDS = {"ledger", "store status", "store check", "store series", "store replay", "store compact-copy", "import",
            "alerts replay", "dose"}


def tree(check, program):
    done = subprocess.run([check.program(program), "--experimental-dump-help"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["command"]


def commands(command, words=()):
    """Each command with its words, those that only group others too."""
    yield words, command
    for one in command.get("subcommands", []):
        if one["commandName"] != "help":
            yield from commands(one, words + (one["commandName"],))


def takes_json(command):
    return any(name["name"] == "json" for one in command.get("arguments", []) for name in one.get("names") or [])


def is_leaf(command):
    return not [one for one in command.get("subcommands", []) if one["commandName"] != "help"]


def help_of(check, program, goldens):
    """The text of `--help` of each command of a program; how many commands."""
    all_words = [words for words, _ in commands(tree(check, program))]

    def text(words):
        done = subprocess.run([check.program(program), *words, "--help"], capture_output=True, text=True, check=False,
                              env={**os.environ, "COLUMNS": "80"})
        lines = plain(check, re.sub(r"\n {26}(?=\S)", " ", done.stdout)).splitlines()
        # Each ends with the same two options, which stand once. Empty lines and the breaks within an option are left out.
        lines = [line for line in lines if line and (not words or not line.startswith(("  --version  ", "  -h, --help  ")))]
        return [f"==== {' '.join([program, *words])} --help: {done.returncode}", *lines]

    with ThreadPoolExecutor(WORKERS) as pool:
        texts = list(pool.map(text, all_words))
    goldens.look(f"help/{program}", [line for lines in texts for line in lines])
    return len(all_words)


def look_rows(stage):
    """Questions that change nothing, by name: what stands behind `roost`."""
    node, courier, eyes = stage.node, stage.courier, stage.eyes
    asks, reads = ["--socket", node.socket], ["--store", node.store, "--socket", node.socket]
    control, ring = ["--control", courier.socket], ["--ring", eyes.ring]
    rules = os.path.join(node.folder, "rules.json")
    with open(rules, "w", encoding="utf-8") as file:
        json.dump({"use": [], "rules": [RULE]}, file)
    dust = ["--channel", "dust/pm25"]
    return {
        "status": ["--eyes", eyes.control, *asks], "tree": asks, "devices list": asks, "devices pins": asks, "bus look": asks, "settings list": asks, "clock show": asks,
        "readings": [*dust, *reads], "events": reads,
        "alerts list": asks, "alerts rules": asks, "alerts check": [rules],
        "sites list": [*reads, *control], "sites regions": [*reads, *control], "sites references": [*reads, *control],
        "sites clusters": ["pm25", *reads],
        "store plan": ["--medium", "ext4"], "profiles list": [], "profiles graph": ["plantower-pms"],
        "profiles check": [os.path.join(ROOT, "hardware-profiles", "nova-sds011.json")],
        "update describe": [], "records list": ring, "camera list": ["--socket", eyes.control],
        "courier status": control, "outbox show": control, "outbox why": [stage.began, *control], "outbox prove": ["influx", *control],
        "courier check": [courier.config_path], "target try": ["influx", *control], "target show": ["influx", *control],
        "receiver try": ["influx", *control], "receiver show": ["influx", *control],
        "courier send": ["influx", "--dry-run", *courier_words(stage)], "secret list": ["--folder", courier.secrets],
        "subscribers list": control, "stations": control, "target nearby": control, "cameras": None,
    }


def courier_words(stage):
    courier = stage.courier
    return ["--config", courier.config_path, "--socket", stage.node.socket, "--secrets", courier.secrets, "--state",
            os.path.join(stage.node.folder, "courier")]


# Acts in their order (none that lamp or alerts would see), each with what stands behind it; `{asks}` is the station, `{control}` the courier.
ACTS = [
    ("mode", "mode normal --for 1h {asks}"), ("mode", "mode survey --name walk --for 1h {asks}"), ("mode", "mode live --for 1h {asks}"),
    ("mute", "mute court/temperature --for 1h {asks}"), ("unmute", "unmute court/temperature {asks}"),
    ("note", "note door@closed {asks}"), ("clock trust", "clock trust {asks}"),
    ("settings set", "settings set zone Europe/Berlin {asks}"), ("settings set", "settings set position nowhere {asks}"),
    ("devices record", "devices record dust off {asks}"), ("devices record", "devices record dust on {asks}"),
    ("devices add", "devices add yard --at 127.0.0.1:9 {asks}"), ("devices set", "devices set yard --every 30s {asks}"),
    ("devices set", "devices set dust --title Klasse_3b {asks}"), ("devices remove", "devices remove yard {asks}"), ("devices remove", "devices remove dust {asks}"),
    ("devices try", "devices try GPIO22 --type led {asks}"), ("devices add", "devices add spot --line GPIO22 --type led --shows level {asks}"),
    ("devices remove", "devices remove spot {asks}"), ("devices add", "devices add spot --line GPIO17 --type led {asks}"),
    ("bus use", "bus use 0x76 {asks}"), ("bus forget", "bus forget 0x76 {asks}"),
    ("alerts silence", "alerts silence thicker:dust/pm10 --for 1h {asks}"),
    ("alerts unsilence", "alerts unsilence thicker:dust/pm10 {asks}"), ("alerts ack", "alerts ack 1 {asks}"),
    ("alerts test", "alerts test thick {asks}"), ("alerts add", "alerts add thin --channel */pm25 --above 900 --for 10m {asks}"),
    ("alerts add", "alerts add thin --channel pm25 --below 9 {asks}"), ("alerts off", "alerts off thin {asks}"),
    ("alerts on", "alerts on thin {asks}"), ("alerts remove", "alerts remove thin {asks}"), ("alerts remove", "alerts remove thin {asks}"),
    ("devices rename", "devices rename dust dirt {asks}"), ("devices adopt", "devices adopt absent {asks}"), ("devices ignore", "devices ignore absent {asks}"),
    ("devices forget", "devices forget absent {asks}"), ("settings new-id", "settings new-id --yes {asks}"),
    ("outbox flush", "outbox flush influx {control}"), ("outbox retry", "outbox retry influx {control}"),
    ("outbox drop", "outbox drop influx --before 2020-01-01T00:00:00Z --yes {control}"), ("pause", "courier pause influx --for 1h {control}"),
    ("resume", "courier resume influx {control}"),
    ("target add", "target add hook webhook url=https://hook.example.org/x {control}"),
    ("target set", "target set hook expect=ok {control}"), ("target undo", "target undo hook {control}"),
    ("target remove", "target remove hook {control}"),
    ("receiver add", "receiver add phone ntfy topic=balcony-7fk2 {control}"),
    ("receiver set", "receiver set phone everySeconds=600 {control}"), ("receiver undo", "receiver undo phone {control}"), ("receiver remove", "receiver remove phone {control}"),
    ("records get", "records get {n} --output {folder}/{n}.jpg {ring}"), ("records export", "records export {folder}/records-{n} {ring} {reads}"),
    ("records delete", "records delete {n} {ring} --socket {eyes}"),
    ("camera set", "camera set retentionDays 9 --socket {eyes}"), ("camera set", "camera set retentionDays 0 --socket {eyes}"),
    ("camera undo", "camera undo --socket {eyes}"), ("camera try", "camera try --socket {eyes}"),
]


def ask(stage, words, is_json):
    """One command: its status, and the lines of its answer and of what it says beside it."""
    done = stage.check.roost(*words, *(["--json"] if is_json else []))
    out = plain(stage.check, done.stdout)
    is_events = words[:1] == ["events"]
    lines = steady(out, WORDS - {"kind", "severity"} if is_events else WORDS) if is_json and out.strip() else masked(out)
    beside = [line.replace("| ", "beside: ", 1) for line in masked(plain(stage.check, done.stderr))]
    return done.returncode, lines, beside


def brief(lines, bases):
    """An answer by its difference to one that stands elsewhere, where that is short."""
    for name, base in bases.items():
        less, more = [line for line in base if line not in lines], [line for line in lines if line not in base]
        if lines and (len(less) + len(more)) * 4 <= len(lines):
            return [f"as `roost {name}`", *(f"- {line}" for line in less), *(f"+ {line}" for line in more)]
    return lines


def section(shown, answer, bases):
    """The lines of one question; a long answer is one that others are compared with."""
    status, lines, beside = answer
    short = brief(lines, bases)
    if short is lines and len(lines) >= LONG:
        bases[shown] = lines
    return [f"$ roost {shown}", f"status {status}", *short, *beside, ""]


def looks(stage, goldens):
    """Each question as JSON and as text; how many, and the answers that others are compared with."""
    rows = {name: rest for name, rest in look_rows(stage).items() if rest is not None}

    def both(name):
        words = [*name.split(), *rows[name]]
        return ask(stage, words, True), None if name in CHANGING else ask(stage, words, False)

    with ThreadPoolExecutor(WORKERS) as pool:
        answers = dict(zip(rows, pool.map(both, rows)))
    bases = {f"{name} --json": answers[name][0][1] for name in BASES}
    for name, (value, text) in answers.items():
        lines = section(f"{name} --json", value, {} if name in BASES else bases)
        goldens.look(f"live/{name.replace(' ', '-')}", lines + (section(name, text, {}) if text else []))
    return len(rows), bases


def acts(stage, goldens, bases):
    """Each act in its turn, as text, then as JSON; how many."""
    node, eyes = stage.node, stage.eyes
    places = {"asks": ["--socket", node.socket], "control": ["--control", stage.courier.socket], "ring": ["--ring", eyes.ring],
              "reads": ["--store", node.store, "--socket", node.socket], "eyes": [eyes.control]}
    found = {}
    for is_json in (False, True):
        for name, text in ACTS:
            words = []
            for word in text.split():
                word = word.replace("{folder}", node.folder).replace("{n}", "2" if is_json else "1").replace("@", " ")
                words += places.get(word.strip("{}"), [word])
            shown = re.sub(r" (--\w+ )?\{(asks|control|ring|reads|eyes)\}", "", text).replace("@", " ")
            found.setdefault(name, []).extend(section(shown + (" --json" if is_json else ""), ask(stage, words, is_json), bases))
    for name, lines in found.items():
        goldens.look(f"live/act-{name.replace(' ', '-')}", lines)
    return len(ACTS)


def uncovered(check, stage):
    """Commands with --json that nothing asks."""
    asked = {*OF_CARDS, *LEFT_OUT, *look_rows(stage), *(name for name, _ in ACTS), "watch", "live", "demo", "simulator sds011",
             "roost-lab simulate", "roost-lab plant"}
    found = []
    for program in PROGRAMS:
        for words, one in commands(tree(check, program)):
            name = " ".join(words)
            names = {name} if program == "roost" else {f"{program} {name}"}
            if program == "roost-courier":  # `roost` runs it.
                names |= {name, f"courier {name}"}
            if is_leaf(one) and takes_json(one) and not names & asked:
                found.append(f"{program} {name}")
    return found
