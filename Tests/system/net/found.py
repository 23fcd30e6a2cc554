"""What detection makes of adapters: one with a part that is known, one with a stranger, and what a person does with them."""

from ..check import Failed, until
from ..station import Part
from ..servers.strangers import PluggedStation, Strangers
from .commands import ask, section
from .moments import steady
from .stage import START_SECONDS, Web

USB = ("1a86", "7523")
# What is refused, as text; then what is done, with what is waited for: an answer in between is of the moment.
REFUSED = ("devices rename sds011 store", "devices rename nobody somebody", "devices adopt absent", "devices ignore absent", "devices forget absent")
DONE = [("devices rename sds011 balcony", ("adopted", "balcony")), ("devices ignore balcony", ("ignored", "balcony")), ("devices adopt balcony", None)]


class Cellar:
    """A station whose adapters are a file; `node` and `check` are what `commands.ask` needs."""

    def __init__(self, check):
        self.check, self.strangers = check, check.ends(Strangers())
        self.part = Part(check, "part", "nova-sds011", "--seed", "1")
        self.stranger = self.strangers.add("silent")
        self.station = PluggedStation(check, "cellar", mode="live", store={"folder": check.path("cellar-store"), "megabytes": 4})
        self.web = Web(check, "--socket", self.station.socket, "--open", "--name", "cellar")

    def start(self):
        self.strangers.thread.start()
        self.station.plug(1, self.part.place, USB)
        self.station.plug(2, self.stranger["node"], USB)
        self.station.start()
        self.web.start()
        self.reaches(self.part.place, ("adopted", "sds011"))
        self.reaches(self.stranger["node"], ("unknown", None))
        if not until(lambda: "sds011/pm25" in self.station.values(), START_SECONDS):
            raise Failed("the sensor that was found has no value")

    def reaches(self, node, wanted):
        def state():
            entry = self.station.found().get(node)
            return entry and (entry["state"], entry.get("name"))
        if not until(lambda: state() == wanted, START_SECONDS):
            raise Failed(f"{node} is {state()}, not {wanted}")

    def say(self, words, is_json, bases):
        shown = words + (" --json" if is_json else "")
        return section(shown, ask(self, [*words.split(), "--socket", self.station.socket], is_json), bases)


def run(check, goldens):
    """Asks and does all of it; how many questions."""
    cellar, bases = Cellar(check), {}
    cellar.start()
    status, _, body = cellar.web.ask("/api/v1/devices")
    goldens.look("get/found-devices", ["GET /api/v1/devices, of a station that detects", str(status), *steady(body.decode())])
    goldens.look("live/found-devices", [*cellar.say("devices list", True, bases), *cellar.say("devices", False, {})])
    lines = [line for words in REFUSED for line in cellar.say(words, False, {})]
    identity = cellar.station.found()[cellar.part.place]["identity"]
    for words, wanted in DONE:
        lines += cellar.say(words, True, bases)[:2]
        if wanted:
            cellar.reaches(cellar.part.place, wanted)
    cellar.station.unplug(1)
    cellar.part.close()
    cellar.reaches(identity, ("absent", "balcony"))
    lines += ["", *cellar.say("devices list", True, bases), *cellar.say("devices forget balcony", True, bases)]
    goldens.look("live/found-acts", lines)
    return len(REFUSED) + len(DONE) + 4
