"""Twenty secrets, and none of them anywhere but at their servers.

A real roostd in bad air and a real roost-courier with every kind of target and receiver that has a secret. Their servers
are the check's own: they log in, refuse the log-in, or are not there. Then each secret is looked for in the courier's and
the station's logs, events, reports as text and JSON, dry runs, probes and error messages; and each file that others may
read is refused by name. A folder of subscribers is listed without a courier, and without an address.
"""

import hashlib
import json
import os
import signal
import time

from ..browser.dashboard import free_port
from ..check import Failed, until
from ..courier import Courier, LineServer, PostBox
from ..station import Part, Station

PRODUCTS = ("roost", "roostd", "roost-courier")
CURVE_KEY = ("MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg",
             "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=")


# Of SubscriberStoreTests: the key is 0...31, the nonce 0...11.
PHONE = "a1b2c3d4e5f60718293a4b5c6d7e8f900112233445566778899aabbccddeeff0"
LINE = ("000102030405060708090a0b2633b429a6d6a62fe874f1bd81de4955b1efb455c4196a1f0e03d2e0250f3982"
        "31219fce9df221ac40914adbbeb01f00d66059ec3bb4c1b95cf34e7c7d8593de8c341d816ca8ba0d99d9691f"
        "76e8ac23")


def arguments(_):
    pass


def text(name):
    """The secret of a name: no word of any language, and nothing that a report could have by chance."""
    return f"zq{name.replace('-', '')}x7K2".lower()


def subscribers(check):
    """roost subscribers --state: a folder, as of a card, without a courier."""
    folder = check.path("card")
    os.makedirs(folder)
    check.same(check.roost("subscribers", "--state", folder, status=0).stdout, "nothing has subscribed yet\n", "none")
    for name, data in (("subscribers.data", f"{LINE}\n00ff\n".encode("ascii")), ("key.key", bytes(range(32)))):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    check.roost("subscribers", "--state", folder, status=1, says="chmod 600")
    for name in os.listdir(folder):
        os.chmod(os.path.join(folder, name), 0o600)
    before = {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)}
    label = hashlib.sha256(PHONE.encode("ascii")).hexdigest()[:12]
    shown = check.roost("subscribers", "--state", folder, status=0)
    check.demand(f"{label}  " in shown.stdout and "at most one in 20 min, en" in shown.stdout, f"listed: {shown.stdout}")
    check.demand("subscribers.data, line 2: it is too short" in shown.stdout, f"a line in ruins: {shown.stdout}")
    told = check.roost("subscribers", "list", "--json", "--state", folder, status=0)
    found = json.loads(told.stdout)
    found = found.get("result", found)
    check.same((found["count"], found["subscribers"][0]["label"]), (1, label), "as JSON")
    check.demand(PHONE not in shown.stdout + shown.stderr + told.stdout, "an address is shown")
    after = {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)}
    check.same(after, before, "files of the folder")
    with open(os.path.join(folder, "key.key"), "wb") as file:
        file.write(bytes(32))
    wrong = check.roost("subscribers", "--state", folder)
    check.demand("opens no line" in wrong.stdout + wrong.stderr, f"another key: {wrong.stdout}{wrong.stderr}")
    check.roost("subscribers", "--state", check.path("none"), status=1, says="No such file or directory")


def targets(lines, closed):
    web, away = f"http://127.0.0.1:{lines.port}", f"http://127.0.0.1:{closed}"

    def named(name):
        return {"secret": name}

    return [
        {"id": "one", "type": "influx1", "url": web, "database": "air", "user": "me", "password": named("one")},
        {"id": "two", "type": "influx2", "url": web, "org": "o", "bucket": "b", "token": named("two")},
        {"id": "three", "type": "influx3", "url": away, "database": "air", "token": named("three")},
        {"id": "hook", "type": "webhook", "url": named("hook-url"), "signature": named("hook-signature"),
         "authorization": named("hook-authorization")},
        {"id": "map", "type": "opensensemap", "url": web, "box": "5a0c1b2d3e4f5a6b7c8d9e0f", "token": named("map"),
         "sensors": {"dust/pm25": "5a0c1b2d3e4f5a6b7c8d9e01"}},
        {"id": "safe", "type": "safecast", "url": web, "apiKey": named("safe"), "device": "dust",
         "place": {"latitude": 45.1, "longitude": 9.2}},
        {"id": "community", "type": "sensor-community", "url": web, "sensor": named("community"),
         "devices": {"dust": {"pin": 1}}},
        {"id": "alive", "type": "heartbeat", "url": named("alive")},
        {"id": "bucket", "type": "s3", "url": web, "bucket": "air", "region": "eu-1", "accessKey": "AK",
         "secretKey": named("bucket"), "periods": ["hourly"]},
        {"id": "dav", "type": "webdav", "url": web, "user": "me", "password": named("dav"), "periods": ["hourly"]},
        {"id": "broker", "type": "mqtt", "url": f"mqtt://127.0.0.1:{closed}", "user": "me", "password": named("broker")},
    ]


def receivers(posts, closed):
    web = f"http://127.0.0.1:{posts.port}"
    common = {"severities": ["notice", "warning", "critical"], "waitSeconds": 1, "local": True}

    def named(name):
        return {"secret": name}

    return [{**common, **entry} for entry in (
        {"id": "phone", "type": "ntfy", "url": web, "topic": named("phone-topic"), "token": named("phone-token")},
        {"id": "chat", "type": "telegram", "url": web, "token": named("chat"), "chat": "1"},
        {"id": "call", "type": "webhook", "url": named("call"), "signature": named("call-signature")},
        {"id": "seed", "type": "seed", "url": named("seed")},
        {"id": "mail", "type": "smtp", "url": f"smtps://127.0.0.1:{closed}", "from": "a@example.org",
         "to": ["b@example.org"], "user": "me", "password": named("mail")},
    )]


def names(entries):
    for entry in entries:
        for value in entry.values():
            if isinstance(value, dict) and "secret" in value:
                yield value["secret"]


def value(name, lines, posts):
    if name in ("hook-url", "alive"):
        return f"http://127.0.0.1:{lines.port}/{text(name)}"
    if name in ("call", "seed"):
        return f"http://127.0.0.1:{posts.port}/{text(name)}"
    return text(name)


def shown(courier, station, entries):
    """All that programs print of a courier, by what printed it."""
    pieces = {"the courier's log": courier.log(), "the station's log": station.log()}
    config = ("--config", courier.config_path)
    commands = [("outbox",), ("outbox", "--json"), ("courier", "status"), ("courier", "status", "--json"),
                ("courier", "check", courier.config_path), ("courier", "check", courier.config_path, "--json")]
    for entry in entries:
        name = entry["id"]
        commands += [("target", "try", name), ("target", "show", name), ("courier", "send", name, "--dry-run", *config),
                     ("courier", "send", name, "--dry-run", "--json", *config), ("outbox", "why", name)]
    for words in commands:
        answer = courier.roost(*words)
        pieces["roost " + " ".join(words[:3])] = answer.stdout + answer.stderr
    for words in (("events", "--last", "1h"), ("events", "--last", "1h", "--json"), ("alerts", "--json"),
                  ("status", "--json")):
        answer = station.roost(*words)
        pieces["roost " + " ".join(words)] = answer.stdout + answer.stderr
    with open(f"/proc/{courier.process.pid}/cmdline", "rb") as file:
        pieces["the command line"] = file.read().decode()
    with open(f"/proc/{courier.process.pid}/environ", "rb") as file:
        pieces["the environment"] = file.read().decode()
    return pieces


def look(check, courier, station, entries, wanted, when):
    pieces = shown(courier, station, entries)
    for place, piece in pieces.items():
        low = piece.lower()
        found = [name for name in wanted if text(name) in low]
        check.demand(not found, f"{when}: {place} has the secrets {found}: {piece[:300]}")
    check.demand("•••" in "".join(pieces.values()), f"{when}: nothing was masked, so nothing was shown")
    return len(pieces)


def backups(check, courier, station):
    """A secret that the owner gave: in no backup as text, and in none at all without a passphrase."""
    wanted = text("backup")
    given = courier.roost("target", "add", "given", "influx2", "url=http://192.168.1.5:8086", "org=o", "bucket=b", "--secret",
                          "token", input=wanted)
    check.same(given.returncode, 0, f"target add: {given.stdout}{given.stderr}")
    phrase = check.path("phrase")
    with open(phrase, "w", encoding="utf-8") as file:
        file.write("correct horse\n")
    places = ("--socket", station.socket, "--courier-socket", courier.socket, "--claim-socket", check.path("none.sock"))
    for name, words in (("plain.backup", ()), ("sealed.backup", ("--passphrase-file", phrase))):
        made = check.roost("backup", check.path(name), *words, *places)
        tried = check.roost("restore", check.path(name), "--dry-run", *words, *places)
        check.same((made.returncode, tried.returncode), (0, 0), f"{name}: {made.stderr}{tried.stderr}")
        with open(check.path(name), "rb") as file:
            content = file.read().decode("latin-1")
        said = content + made.stdout + made.stderr + tried.stdout + tried.stderr + courier.log() + station.log()
        check.demand(wanted not in said.lower(), f"{name}: the secret stands there, or in what was said")
        check.same("given" in content, name == "plain.backup", f"{name}: whether the target can be read")


def reload(courier, entries, people):
    """Has the courier read other entries."""
    courier.configure(targets=entries, receivers=people)
    courier.process.send_signal(signal.SIGHUP)
    if not until(lambda: len(courier.report().get("targets", [])) == len(entries), 30):
        raise Failed(f"the courier does not reload: {courier.log()[-600:]}")


def run(check, _):
    subscribers(check)
    part = Part(check, "sds011", "--air", "80.0/160.0", link=check.path("sensor"))
    station = Station(check, "secrets", store={"folder": check.path("store")}, mode="live",
                      alerts={"use": ["sample-levels"]},
                      devices=[{"name": "dust", "type": "nova-sds011", "port": part.place}])
    lines, posts, closed = LineServer(check), PostBox(check), free_port()
    entries = [{"local": True, **entry} for entry in targets(lines, closed)]
    people = receivers(posts, closed)
    wanted = sorted(set(names(entries + people)))
    check.demand(len(wanted) >= 20, f"only {len(wanted)} secrets")
    courier = Courier(check, station, targets=entries, receivers=people)
    for name in wanted:
        courier.secret(name, value(name, lines, posts))
    checked = courier.roost("courier", "check", courier.config_path, "--json")
    if checked.returncode != 0:
        raise Failed(f"the configuration of the check itself: {checked.stdout}{checked.stderr}")
    station.start()
    station.trust_clock()
    courier.start()
    if not until(lambda: len(courier.report().get("targets", [])) == len(entries), 30):
        raise Failed(f"the courier does not begin: {courier.log()[-600:]}")
    check.demand(until(lambda: posts.at(f"/{text('call')}"), 30), f"no notice arrives: {posts.posts}")
    counts = [look(check, courier, station, entries + people, wanted, "servers that take everything")]
    # One fewer than a courier has at most, for the one that is added.
    reload(courier, entries[:-1], people)
    backups(check, courier, station)
    courier.roost("target", "remove", "given")
    reload(courier, entries, people)
    lines.mood = "unauthorised"
    time.sleep(3)
    counts.append(look(check, courier, station, entries + people, wanted, "servers that refuse the log-in"))
    lines.shut()
    time.sleep(3)
    counts.append(look(check, courier, station, entries + people, wanted, "no servers"))
    check.say(f"{len(wanted)} secrets, looked for in {sum(counts)} outputs")
    for name in wanted:
        os.chmod(os.path.join(courier.secrets, name), 0o644)
    courier.process.send_signal(signal.SIGHUP)

    def refused():
        reports = json.dumps(courier.report(), ensure_ascii=False)
        return [name for name in wanted if f"/{name}" not in reports and f" {name} " not in reports]

    check.demand(until(lambda: "chmod 600" in json.dumps(courier.report()), 20), "secrets for all are not refused")
    states = [(one["id"], one.get("state")) for kind in ("targets", "receivers")
              for one in courier.report().get(kind, [])]
    check.same([name for name, state in states if state != "broken"], [], f"not refused ({refused()})")
    look(check, courier, station, entries + people, wanted, "files that others may read")
