"""What the first page says in each state of a station: sentence, mark, grey, and what is offered.

Each state is made for real: a station without a sensor, a sensor that is silent, a store that cannot be
written, a program that is stopped in the middle. The dashboards of these stations have no accounts.
"""

import os
import signal
import time

from ..check import Failed, until
from ..station import Part, Station
from .dashboard import START_SECONDS, Dashboard

PATIENCE = 45
AGE = "return document.querySelector('.reading .age')?.innerText ?? ''"


class Stage:
    """One station with its dashboard, made for one state or a few."""

    def __init__(self, walk, name, parts=(), words=(), arguments=(), mode="live", **config):
        self.walk, self.browser, self.check = walk, walk.browser, walk.check
        self.parts = {
            part: Part(self.check, "sds011", *options, link=self.check.path(f"{name}-{part}"))
            for part, options in dict(parts).items()}
        devices = [{"name": part, "type": "sds011", "port": one.place} for part, one in self.parts.items()]
        self.station = Station(self.check, name, arguments, devices=devices, **config)
        self.station.start()
        if not until(self.station.status, START_SECONDS):
            raise Failed(f"{name}: roostd does not answer: {self.station.log()[-300:]}")
        if mode == "live":
            self.station.roost("mode", "live", "--for", "2h", status=0)
        self.dashboard = Dashboard(self.check, self.station, "--open", *words)
        self.dashboard.start()

    def open(self, path="/"):
        self.browser.driver.get(self.dashboard.address + path)
        self.browser.ready()

    def close(self):
        """Ends it at once, so that the next state has the machine for itself."""
        for one in (self.dashboard, self.station, *self.parts.values()):
            one.close()


class State:
    """What the page shows, and what is demanded of it."""

    def __init__(self, stage, name):
        self.browser, self.check, self.name = stage.browser, stage.check, name

    def says(self, *words, limit=PATIENCE):
        """The first sentence has one of these."""
        def sentence():
            text = self.browser.text(".verdict strong")
            return next((one for one in words if one in text), None)
        found = until(sentence, limit, 0.2)
        self.check.demand(found, f"{self.name}: the sentence is {self.browser.text('.verdict strong')!r}, not {words}")

    def marks(self, level):
        """The mark of the sentence, by its shape."""
        shape = "return document.querySelector('.verdict use')?.getAttribute('href')"
        self.check.same(self.browser.script(shape), f"#mark-{level}", f"{self.name}: the mark")

    def greys(self, is_grey):
        """Whether every value of the page is greyed."""
        question = """const cards = [...document.querySelectorAll('.reading')];
            return document.body.classList.contains('old')
              || cards.length > 0 && cards.every((card) => card.classList.contains('stale'));"""
        found = until(lambda: self.browser.script(question) == is_grey, PATIENCE, 0.2)
        self.check.demand(found, f"{self.name}: values are {'not ' if is_grey else ''}greyed")

    def shows(self, words, where="main"):
        found = self.browser.shows(words, PATIENCE, where)
        self.check.demand(found, f"{self.name}: {where} does not say {words!r}: {self.browser.text(where)[:300]}")

    def shows_not(self, words, where="body"):
        gone = until(lambda: words not in self.browser.text(where), PATIENCE, 0.2)
        self.check.demand(gone, f"{self.name}: {where} still says {words!r}")


def no_sensor(walk):
    stage = Stage(walk, "empty")
    stage.open()
    state = State(stage, "no sensor")
    state.says("No sensor found.")
    state.marks("unknown")
    state.shows("Plug a sensor in")
    walk.check.same(walk.browser.script("return document.querySelectorAll('.reading').length"), 0, "no sensor: cards")
    return stage


def duty_cycle(walk):
    """Warming up without a value, then asleep between two samples."""
    stage = Stage(walk, "cycle", {"dust": ()}, mode="months")
    stage.open()
    state = State(stage, "warming up")
    state.says("Warming up", "No value yet")
    state.marks("unknown")
    numbers = walk.browser.script("return [...document.querySelectorAll('.reading .value b')].map((one) => one.innerText)")
    walk.check.demand(all(one == "–" for one in numbers), f"warming up: the page shows {numbers}")
    state = State(stage, "asleep")
    state.says("Measuring. The air is", limit=90)
    state.shows("next in")
    state.greys(False)
    return stage


def doubtful(walk):
    stage = Stage(walk, "doubtful", {"dust": ("--fault", "ceiling")})
    stage.open()
    state = State(stage, "doubtful")
    state.shows("doubtful")
    walk.check.demand(walk.browser.script("return !!document.querySelector('.reading.doubtful')"), "doubtful: no outline")
    return stage


def one_away(walk):
    """One of two sensors is unplugged, then the other one too."""
    stage = Stage(walk, "two", {"dust": (), "attic": ()})
    stage.open()
    state = State(stage, "channel stale")
    state.says("Measuring. The air is")
    stage.parts["attic"].unplug()
    state.says("But attic")
    state.greys(False)
    walk.check.same(walk.browser.script("return document.querySelectorAll('.reading.stale').length"), 2,
                    "channel stale: greyed cards")
    stage.parts["dust"].unplug()
    state = State(stage, "unplugged")
    # The sentence before has *unplugged*, too.
    state.says("No value of")
    state.marks("unknown")
    state.shows("unplugged")
    state.greys(True)
    return stage


def silent(walk):
    stage = Stage(walk, "silent", {"dust": ()})
    stage.open()
    State(stage, "stale").says("Measuring. The air is")
    stage.parts["dust"].process.send_signal(signal.SIGSTOP)  # The adapter stays, the part says nothing.
    state = State(stage, "stale")
    state.greys(True)
    state.says("No value")
    state.marks("unknown")
    return stage


def muted(walk):
    stage = Stage(walk, "muted", {"dust": ()})
    stage.open()
    state = State(stage, "muted")
    state.says("Measuring. The air is")
    stage.station.roost("mute", "dust", "--for", "1h", status=0)
    state.shows("muted")
    state.greys(True)
    stage.station.roost("unmute", "dust", status=0)
    state.says("Measuring. The air is")
    state.greys(False)
    return stage


def store_missing(walk):
    place = walk.check.path("no-folder")
    with open(place, "w", encoding="ascii") as file:
        file.write("A file where the store wants its folder.\n")
    stage = Stage(walk, "storeless", {"dust": ()}, store={"folder": os.path.join(place, "store")})
    stage.open()
    state = State(stage, "store missing")
    state.says("keeping only the last hours")
    state.greys(False)
    return stage


def daemon(walk):
    """The station's program hangs, goes on, and is gone."""
    stage = Stage(walk, "daemon", {"dust": ()})
    stage.open()
    state = State(stage, "daemon hung")
    state.says("Measuring. The air is")
    stage.station.daemon.send_signal(signal.SIGSTOP)
    state.says("does not answer")
    state.marks("fault")
    state.greys(True)
    stage.station.daemon.send_signal(signal.SIGCONT)
    State(stage, "daemon back").says("Measuring. The air is")
    stage.station.stop()
    state = State(stage, "daemon down")
    state.says("does not run")
    state.marks("fault")
    state.greys(True)
    # What could not be answered comes by itself, and what stood there stays while it cannot.
    stage.open("/devices")
    state = State(stage, "daemon starts again")
    state.shows("Try again")
    stage.station.start()
    state.shows("One sensor measures")
    state.shows_not("Try again", "main")
    stage.station.stop()
    state.shows("Try again")
    state.shows("SDS011")
    return stage


def connection(walk):
    """The dashboard's server is gone: grey, an absolute time, and the ages go on."""
    stage = Stage(walk, "connection", {"dust": ()}, store={"folder": walk.check.path("connection-store")})
    stage.open()
    state = State(stage, "connection lost")
    state.says("Measuring. The air is")
    stage.dashboard.stop()
    state.shows("Not connected since", "#lost")
    state.says("the air was")
    state.shows("not connected", "#live")
    state.greys(True)
    age = walk.browser.script(AGE)
    walk.check.demand(until(lambda: walk.browser.script(AGE) != age, 5, 0.2), f"connection lost: the age stays {age}")
    stage.dashboard.start()
    state.shows_not("Not connected since")
    state.greys(False)
    # Each first sentence says what was, and each page asks for what happened meanwhile.
    for path in ("/devices", "/health", "/events"):
        stage.open(path)
        walk.browser.script("window.asked = 0; window.fetch = ((real) => (url, options) => { asked += String(url).includes(location.pathname); return real(url, options); })(window.fetch.bind(window));")
        stage.dashboard.stop()
        state.shows("Not connected since", "#lost")
        if path == "/events":
            walk.check.same(stage.station.roost("note", "written meanwhile").returncode, 0, "connection lost: a note")
        else:
            state.shows("Last heard at")
        # As if a minute had gone by since the last return.
        walk.browser.script("const now = performance.now.bind(performance); performance.now = () => now() + 61000;")
        stage.dashboard.start()
        state.shows_not("Last heard at")
        walk.check.demand(until(lambda: walk.browser.script("return window.asked") > 0, PATIENCE, 0.2), f"connection lost: {path} does not ask for what happened meanwhile")
        if path == "/events":
            state.shows("wrote a note")
    return stage


def clock(walk):
    """A clock that is not sure, then is; and a browser whose clock is set ten minutes on."""
    stage = Stage(walk, "clock", {"dust": ()}, store={"folder": walk.check.path("clock-store")})
    stage.open()
    state = State(stage, "clock unsure")
    state.says("Measuring. The air is")
    if not ((stage.station.status() or {}).get("clock") or {}).get("isSure"):
        state.shows("time not sure", "#chips")
        stage.station.trust_clock()
        state.shows_not("time not sure", "#chips")
    walk.browser.script("const now = Date.now; Date.now = () => now() + 600000;")
    ages = []
    until(lambda: ages.append(walk.browser.script(AGE)), 4, 0.5)
    old = [age for age in ages if "min" in age or " h" in age]
    walk.check.demand(not old, f"clock step: ages become {old[:3]}")
    return stage


def simulated(walk):
    stage = Stage(walk, "simulated", {"dust": ()}, words=("--simulated",))
    stage.open()
    state = State(stage, "simulated")
    state.shows("simulated", "#chips")
    state.says("Measuring. The air is")
    walk.browser.script("document.querySelector('#chips button').click()")
    state.shows("Plug in a sensor for real values", "dialog")
    return stage


STATES = (no_sensor, duty_cycle, doubtful, one_away, silent, muted, store_missing, daemon, connection, clock, simulated)


def run(walk, names=()):
    """Every state; returns how many there were."""
    chosen = [state for state in STATES if not names or state.__name__.replace("_", "-") in names]
    for state in chosen:
        began, before = time.monotonic(), len(walk.check.problems)
        walk.browser.view(360)
        try:
            state(walk).close()
        except Failed as failure:
            walk.check.problems.append(f"{state.__name__}: {failure}")
        result = "passed" if len(walk.check.problems) == before else "failed"
        walk.check.say(f"state {state.__name__.replace('_', '-')}: {result}, {time.monotonic() - began:.0f} s")
        walk.browser.messages()
    return len(chosen)
