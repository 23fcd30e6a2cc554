"""Subjects of the owner's edits: each is one value of a station that page, shell or file change, and one report shows.

An edit is planned before it is made, so that a seed repeats it. It ends in one of three ways: *done*, so its value must be
there; *refused*, so nothing may have changed; *unknown* where a program died under it, so either may be.
"""

import json

DONE, REFUSED, UNKNOWN = "done", "refused", "unknown"
# A refusal after which the change may be there all the same: the program before it did not hear the other one's answer.
OPEN_REFUSALS = {"/problems/station-down", "/problems/unreachable", "/problems/bad-answer", "/problems/not-kept",
                 "/problems/internal"}
NO_ANSWER_EXIT = 69
SECRET_COUNT = 20


def secret(number):
    """The text of a secret: no word of any language, so that it is nowhere by chance."""
    return f"zq{number:02d}x7k2vw9m"


class Subject:
    """One value. `possible` has all that it may be by now; `wanted` are those of edits without an answer."""

    ways = ("page", "shell")

    def __init__(self, name):
        self.name, self.possible = name, None

    def seen(self, value):
        """Whether a value may be there; from then on it alone is, unless an edit of before may still come."""
        if self.possible is None:
            self.possible = {value}
        return value in self.possible

    def ended(self, outcome, value):
        """What an edit leaves."""
        if outcome == DONE:
            self.possible = {value}
        elif outcome == UNKNOWN:
            self.possible.add(value)

    def plan(self, chance):
        """(way, value, is right): a value of None takes it back."""
        is_right = chance.random() > 0.2
        way = chance.choice(self.ways)
        return way, self.value(chance) if chance.random() > 0.2 or not is_right else None, is_right


class Rule(Subject):
    """The limit of a rule of the owner."""

    def value(self, chance):
        return chance.randrange(100, 900)

    def page(self, world, value, is_right):
        path = f"/rules/{self.name}"
        if value is None:
            return world.http("DELETE", path, missing=404)
        rule = {"channel": "dust/pm25", "when": {"value": {"atLeast": value if is_right else "high"}}}
        return world.http("PUT", path, rule)

    def shell(self, world, value, is_right):
        if value is None:
            return world.shell("alerts", "remove", self.name)
        channel = "dust/pm25" if is_right else "no channel"
        return world.shell("alerts", "add", self.name, "--channel", channel, "--above", str(value))

    def read(self, reports):
        rule = next((one for one in reports["rules"]["alerts"] or [] if one["id"] == self.name), None)
        return rule and rule["parts"][0]["limits"][0]


class Setting(Subject):
    """A setting of the station, or its default."""

    def __init__(self, key, values, wrong):
        super().__init__(key)
        self.values, self.wrong, self.default = values, wrong, None

    def value(self, chance):
        return chance.choice(self.values)

    def page(self, world, value, is_right):
        return world.http("PATCH", "/settings", {self.name: value if is_right else self.wrong}, headers={"If-Match": "*"})

    def shell(self, world, value, is_right):
        if value is None:
            return world.shell("settings", "set", self.name, "--default")
        return world.shell("settings", "set", self.name, "--", value if is_right else self.wrong)

    def read(self, reports):
        origin = reports["settings"]["origins"][self.name]
        return reports["settings"]["values"][self.name] if origin == "ui" else None


class Title(Subject):
    """The title of the sensor."""

    def value(self, chance):
        return chance.choice(("Fenster links", "Küche", "Straße <b>", "北側の窓", "attic"))

    def page(self, world, value, is_right):
        return world.http("PATCH", "/devices/dust", {"title": (value or "") if is_right else "x" * 65})

    def shell(self, world, value, is_right):
        return world.shell("devices", "set", "dust", "--title", (value or "") if is_right else "x\ny")

    def read(self, reports):
        return next((one.get("title") for one in reports["devices"]["devices"] if one["name"] == "dust"), None)


class Board(Subject):
    """A device on the network, there or not."""

    def value(self, chance):
        return "there"

    def page(self, world, value, is_right):
        if value is None:
            return world.http("DELETE", "/devices/board", missing=404)
        address = world.address if is_right else "ftp://board"
        return world.http("POST", "/devices", {"name": "board", "type": "milano-board", "address": address})

    def shell(self, world, value, is_right):
        if value is None:
            return world.shell("devices", "remove", "board")
        return world.shell("devices", "add", "board", "--at", world.address if is_right else "no address")

    def read(self, reports):
        return "there" if any(one["name"] == "board" for one in reports["devices"]["devices"]) else None


class Entry(Subject):
    """A target or receiver of the owner: a number and, by that number, the secret that goes with it."""

    def __init__(self, name, section, kind, number, token, options):
        super().__init__(name)
        self.section, self.kind, self.number, self.token, self.options = section, kind, number, token, options

    def value(self, chance):
        return chance.randrange(5, 5 + SECRET_COUNT)

    def page(self, world, value, is_right):
        path = f"/outbox/{self.name}"
        if value is None:
            return world.http("DELETE", path, missing=404)
        entry = {"type": self.kind, **self.options, self.number: value if is_right else -value}
        return world.http("PUT", path, {"section": self.section, "entry": entry, "secrets": {self.token: secret(value - 5)}})

    def shell(self, world, value, is_right):
        word = self.section.removesuffix("s")
        if value is None:
            return world.shell(word, "remove", self.name)
        options = {**self.options, self.number: value if is_right else -value}
        words = [f"{key}={json.dumps(one) if not isinstance(one, str) else one}" for key, one in options.items()]
        return world.shell(word, "add", self.name, self.kind, *words, "--secret", self.token, input=secret(value - 5))

    def read(self, reports):
        entry = reports["entries"][self.name]
        return entry and entry["entry"].get(self.number)


class FileRule(Subject):
    """A rule of roost.json, read again at once."""

    ways = ("file",)

    def value(self, chance):
        return chance.randrange(100, 900)

    def file(self, world, value, is_right):
        rule = {"id": self.name, "channel": "dust/pm25", "when": {"value": {"atLeast": value}}}
        if not is_right:
            alerts = {"rules": [{**rule, "wehn": 1}]}
            return world.spoilt(world.station.config_path, "station", lambda text: (
                text[:len(text) // 2], json.dumps({**json.loads(text), "alerts": alerts})))
        rules = [] if value is None else [rule]
        world.station.configure(**{**world.config, "alerts": {"use": ["station"], "rules": rules}})
        return world.reloaded(self, value, "station")

    read = Rule.read


class FileEntry(Subject):
    """A target of courier.json, read again at once."""

    ways = ("file",)

    def value(self, chance):
        return chance.randrange(5, 500)

    def file(self, world, value, is_right):
        entry = {"id": self.name, "type": "influx1", "url": world.address, "database": "air", "local": True,
                 "timeoutSeconds": value}
        path = world.courier.config_path
        if not is_right:
            wrong = {"targets": [{**entry, "timeoutSeconds": -value}]}
            return world.spoilt(path, "courier", lambda text: (text[:len(text) // 2], json.dumps(wrong)))
        world.replace(path, json.dumps({"targets": [] if value is None else [entry]}))
        return world.reloaded(self, value, "courier")

    def read(self, reports):
        entry = reports["entries"][self.name]
        return entry and entry["entry"].get("timeoutSeconds")
