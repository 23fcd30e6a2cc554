"""Tools of other projects read /api/v1/openapi.json: a validator, a typed client proved by mypy, schemathesis.

Installs from PyPI into .build-api (once): openapi-spec-validator, openapi-python-client, mypy and schemathesis.

  the description  is valid OpenAPI 3.1
  the client       is made without a warning; mypy proves that Tests/system/api/report.py, which reads a station with it,
                   has no value without a type; its report is that of the running station
  the answers      of each route are as their schemas say, and no answer has a key that its schema does not name: over
                   the card of a simulated life, then before a running station for its owner, also what changes something

  scripts/check api --small       without a running station
  scripts/check api --full        more questions, and the cards with each cause of a gap and with a drive
  scripts/check api --seed 11     other questions; a failure says its seed and the command that asks it again
"""

import copy
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

from ..api.client import Client
from ..api.contract import LEFT_OUT, Contract, accepted, closed
from ..check import Failed, objects
from ..net import cards
from ..net.stage import RULE, SILENCED, Stage, Web
from ..packaging.python_packages import PythonPackages

PRODUCTS = ("roost", "roostd", "roost-web", "roost-courier", "roost-eyes", "roost-lab")
NEEDS = "the network once"
TOGETHER = ("--small",)
PACKAGES = PythonPackages(".build-api", (
    "openapi-spec-validator==0.9.0", "openapi-python-client==0.29.1", "mypy==2.4.1", "schemathesis==4.32.5"))
HOUSE, CAR = ("everything", 3, 5, "house"), ("drive", 3, 2, "car")
# What parameters may be besides what schemathesis makes up: what the cards have.
ON_CARDS = {
    "query.channel": ["sds011/pm25", "bgeigie-nano/cpm", "dust/pm25"], "path.quantity": ["pm25", "cpm"],
    "path.device": ["sds011", "bgeigie-nano", "dust"], "path.time": ["2026-01-01T01:00:00Z", "2026-04-08T12:30:00Z"],
    "query.from": ["2026-01-01T00:00:00Z", "2026-04-01T00:00:00Z"], "query.to": ["2026-01-01T03:00:00Z", "2026-04-09T00:00:00Z"],
    "path.type": ["hourly", "daily"], "query.by": ["hour", "day"], "query.zone": ["UTC", "Europe/Rome"], "query.limit": ["5", "50"]}
NEVER = {"GET /files/{type}/{name}": "no file is complete in the first hour", "GET /dose": "there is no counter"}
UNREACHABLE = (502, 503)  # What a target has to answer that is paused.
NO_STATION = (503,)  # Over a card, where the station would have to answer.


def arguments(parser):
    parser.add_argument("--small", action="store_true", help="without a running station")
    parser.add_argument("--full", action="store_true", help="200 questions a route in place of 10, and two more cards")
    parser.add_argument("--seed", type=int, default=7, help="of the questions (7)")


def described(web):
    status, _, text = web.ask("/api/v1/openapi.json")
    if status != 200:
        raise Failed(f"openapi.json: {status}")
    return json.loads(text)


def made(check, place):
    """The client of a description that is valid, with a program that mypy has proved."""
    done = subprocess.run([PACKAGES.python, "-m", "openapi_spec_validator", place], capture_output=True, text=True, check=False)
    check.demand(done.returncode == 0, f"openapi-spec-validator: {(done.stdout + done.stderr)[-1000:]}")
    client = Client(check, PACKAGES, place)
    client.prove()
    return client


def over(check, name):
    """roost-web over a card, without accounts."""
    web = Web(check, "--store", check.path(name), "--name", name, "--open")
    web.start()
    return web


class Questions:
    """What schemathesis asks: the seed, the number of questions, and which routes answered."""

    def __init__(self, check, options):
        self.check = check
        self.seed, self.examples = options.seed, 200 if options.full else 10
        self.again = f"scripts/check api --seed {options.seed}" + " --full" * options.full + " --small" * options.small
        self.phases = "fuzzing" if options.small else "coverage,fuzzing"  # 50 requests a second: that is what takes time.
        self.count, self.accepted = 0, set()

    def ask(self, contract, description, methods):
        report, said = contract.ask(description, methods, self.seed, self.examples, self.phases)
        self.check.demand(not said, f"{contract.name}, {' '.join(methods)}, seed {self.seed}; again: {self.again}\n{said}")
        self.count += report["test_cases"]["generated"]
        self.accepted |= accepted(report)

    def spoiled(self, contract, description):
        """Whether a difference is found: a description without a key that an answer has."""
        description = copy.deepcopy(description)
        schema = description["components"]["schemas"]["MeView"]
        del schema["properties"]["isOpen"]
        schema["required"].remove("isOpen")
        _, said = contract.ask(description, ["GET /me"], self.seed, 1, "fuzzing")
        self.check.demand("isOpen" in said, "schemathesis does not find a key that the description does not name")


def cards_asked(check, questions, options, client):
    """Everything over cards: without a station, and without accounts."""
    cards.lived(check, HOUSE)
    names = ["house"]
    if options.full:
        cards.lived(check, CAR)
        cards.plant(check)
        names += ["car", "planted"]
    for name in names:
        web = over(check, name)
        contract, description = Contract(check, PACKAGES, web, name, ON_CARDS, NO_STATION), closed(described(web))
        questions.ask(contract, description, ["GET"])
        if name == "house":
            questions.spoiled(contract, description)
            check.say(f"the client's report of the card has {history(check, client.result(), web)} lines")


def history(check, client, web):
    """The program's report of a card, beside what the command line reads of it."""
    channel, begin, end = "sds011/pm25", "2026-01-01T00:00:00Z", "2026-01-01T03:00:00Z"
    lines = client.report("history", f"http://127.0.0.1:{web.port}/api/v1", "-", channel, begin, end)

    def told(*words):
        return objects(check.roost(*words, "--from", begin, "--to", end, "--store", check.path("house"), "--json", status=0).stdout)
    readings = told("readings", "--channel", channel)
    found = [[words[1][:19], *words[2:]] for words in lines if words[0] == "reading"]  # The command has whole seconds.
    check.demand(len(found) > 14, f"the client has {len(found)} readings, not several pages")
    check.same(found, [[one["time"][:19], f"{one['value']:g}" if "value" in one else "-", one["unit"]] for one in readings],
               "the client's readings")
    hours = {}
    for one in readings:
        if "value" in one:
            hours.setdefault(one["time"][:13], []).append(one["value"])
    means = {words[1][:13]: (float(words[2]), int(words[3])) for words in lines if words[0] == "mean"}
    check.same({hour: count for hour, (_, count) in means.items()}, {hour: len(values) for hour, values in hours.items()},
               "values of the client's means")
    for hour, values in hours.items():
        check.demand(abs(means[hour][0] - sum(values) / len(values)) < 0.006, f"the client's mean of {hour}: {means[hour]}")
    events = [[one["time"], one["source"], one["severity"], *one["kind"].split(" ")] for one in told("events")]
    check.same(sorted(words[1:] for words in lines if words[0] == "event"), sorted(events), "the client's events")
    return len(lines)


def report(stage, client):
    """The program's report of a running station."""
    check = stage.check
    lines = client.report("station", f"http://127.0.0.1:{stage.web.port}/api/v1", stage.web.token)

    def found(kind):
        return [words[1:] for words in lines if words[0] == kind]
    devices = {name: rest for name, *rest in found("device")}
    with open(stage.node.config, encoding="utf-8") as file:
        configured = {device["name"]: device["type"] for device in json.load(file)["devices"]}
    check.same({name: rest[0] for name, rest in devices.items()}, {**configured, "lights": "traffic-light"}, "the client's devices")
    check.same(devices["dust"], ["sds011", "1"], "the client's dust sensor")
    check.same(found("mute"), [["court/co2"]], "the client's mutes")
    alerts = {f"{rule['id']}:{rule['channel']}": [rule["severity"], "raised", "0.5"] for rule in (RULE, SILENCED)}
    check.same({key: rest[:3] for key, *rest in found("alert")}, alerts, "the client's alerts")
    check.same(found("setting"), [["name", "file", "balcony"], ["position", "ui", "46.17,", "9.87"], ["zone", "ui", "Europe/Rome"]],
               "the client's settings")
    return len(lines)


def running(stage, questions, client, description):
    """Everything before a running station."""
    check = stage.check
    stage.start()
    lines = report(stage, client.result())
    copied, _ = stage.web.post("/copies", {}, "owner")
    values = {
        "query.channel": ["dust/pm25", "dust/pm10", "court/co2"], "path.quantity": ["pm25", "co2"], "path.device": ["dust", "court"],
        "path.time": [stage.began], "query.time": [stage.began], "query.last": ["1h", "1d"], "path.type": ["hourly", "daily"],
        "path.number": [str(stage.picture())], "path.id": [copied["id"], "influx", "bell"], "query.by": ["hour", "day"],
        "query.zone": ["UTC", "Europe/Rome"], "path.target": ["court", "court/co2"], "path.name": ["court", "dust"], "path.n": ["1", "2"],
        "header.If-Match": ["*"]}
    questions.ask(Contract(check, PACKAGES, stage.web, "station", values), description, ["GET"])
    changes = Contract(check, PACKAGES, stage.web, "changes", values, UNREACHABLE)
    questions.ask(changes, description, ["POST", "PATCH", "DELETE"])
    routes = {f"GET {path}" for path, entry in description["paths"].items() if "get" in entry}
    silent = routes - questions.accepted - set(LEFT_OUT) - set(NEVER)
    check.demand(not silent, f"never answered what was asked for: {', '.join(sorted(silent))}")
    return lines


def run(check, options):
    os.environ.update(TZ="UTC", LC_ALL="C.UTF-8", ROOST_SOCKET=check.path("no-station"), ROOST_COURIER_SOCKET=check.path("no-courier"))
    PACKAGES.demand()
    stage = Stage(check)
    stage.web.start()  # The whole description: without accounts some routes are not there.
    place, description = check.path("openapi.json"), described(stage.web)
    with open(place, "w", encoding="utf-8") as file:
        json.dump(description, file)
    questions = Questions(check, options)
    with ThreadPoolExecutor(3) as pool:
        client = pool.submit(made, check, place)
        card = pool.submit(cards_asked, check, questions, options, client)
        lines = running(stage, questions, client, closed(description)) if not options.small else 0
        client.result()
        card.result()
    what = f"{questions.count} questions, seed {options.seed}, {len(description['paths'])} paths"
    return what if options.small else f"{what}; the client's report has {lines} lines"
