"""What the first visit, the drawing and a reading's way cost, each beside its limit."""

import gzip
import json
import os
import shutil
import statistics
import subprocess
import threading
import time

from ..check import now, until
from ..station import end
from . import events
from .browser import Browser
from .files import WWW
from .states import Stage

REQUESTS_MAX = 12
LCP_MAX, CLS_MAX = 1000, 0.02
DRAW_MAX = {600: 300, 1500: 500}
WAY_MAX = 1000
TASK_MAX = 100
READINGS = 100  # Two values each.
SLOW = {"offline": False, "latency": 20, "downloadThroughput": 1_250_000, "uploadThroughput": 1_250_000}

PAINT = """const done = arguments[0]; let lcp = 0, cls = 0;
new PerformanceObserver((list) => { for (const one of list.getEntries()) lcp = one.startTime; })
  .observe({type: 'largest-contentful-paint', buffered: true});
new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) cls += one.value; })
  .observe({type: 'layout-shift', buffered: true});
requestAnimationFrame(() => setTimeout(() => done({lcp, cls}), 0));"""
DRAW = """const [count, done] = arguments;
(async () => {
  const base = document.querySelector('script[src]').src.replace(/roost\\.js$/, '');
  const { Chart } = await import(base + 'chart.js');
  const box = document.createElement('div');
  box.className = 'chart';
  document.querySelector('main').append(box);
  const chart = new Chart(box, {}), t = [], least = [], mean = [], most = [];
  const from = 1767225600, width = 604800 / count;
  for (let index = 0; index < count; index += 1) {
    const value = 15 + 10 * Math.sin(index / 30) + (index * 7919 % 97) / 20;
    t.push(from + index * width);
    const isGap = index % 50 === 7;
    least.push(isGap ? null : value - 3); mean.push(isGap ? null : value); most.push(isGap ? null : value + 4);
  }
  const stretches = t.filter((_, index) => index % 50 === 7).map((at) => [at, at + width, 'silent']);
  const series = [{ t, least, mean, most, width, unsure: [], stretches, since: from }];
  const times = [];
  for (let turn = 0; turn < 5; turn += 1) {
    const began = performance.now();
    chart.data = { from, to: from + 604800, now: from + 604800, series, marks: [] };
    await new Promise((next) => requestAnimationFrame(() => setTimeout(next, 0)));
    times.push(performance.now() - began);
  }
  chart.close();
  box.remove();
  done(times);
})();"""
TASKS = """window.tasks = [];
new PerformanceObserver((list) => { for (const one of list.getEntries()) window.tasks.push(one.duration); }).observe({type: 'longtask'});
const link = document.createElement('a');
link.href = arguments[0];
document.body.append(link);
link.click();
link.remove();"""
FOLLOW = """window.seen = [];
const node = document.querySelector('.reading .value b');
new MutationObserver(() => window.seen.push([Date.now() / 1000, node.textContent]))
  .observe(node, {childList: true, characterData: true, subtree: true});"""


def installed(check):
    """The client's files as `scripts/install` puts them: joined, and each by gzip as well."""
    folder = check.path("www")
    shutil.copytree(WWW, folder)
    for name in ("js/roost.js", "js/later.js", "css/roost.css"):
        text = subprocess.check_output([check.program("roost-web"), "--www", WWW, "--print", name])
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text)
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith((".js", ".css", ".json")):
                path = os.path.join(place, name)
                with open(path, "rb") as file, open(path + ".gz", "wb") as zipped:
                    zipped.write(gzip.compress(file.read(), 9))
    return folder


def transfers(browser):
    """Addresses and sizes of what the network brought since the last call."""
    found, sizes, kept = {}, {}, set()
    for entry in browser.driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        words = message["params"]
        if message["method"] == "Network.requestWillBeSent" and words["request"]["url"].startswith("http"):
            found[words["requestId"]] = words["request"]["url"].replace(browser.address, "")
        elif message["method"] == "Network.loadingFinished":
            sizes[words["requestId"]] = words["encodedDataLength"]
        elif message["method"] == "Network.requestServedFromCache":
            kept.add(words["requestId"])
    return [(url, int(sizes.get(key, 0))) for key, url in found.items() if key not in kept]


class Budget:
    """Prints figures beside their limits and demands that they keep them."""

    def __init__(self, check):
        self.check = check

    def line(self, what, figure, limit, unit):
        self.check.demand(figure <= limit, f"{what}: {figure:.3g} {unit}, more than {limit}")
        self.check.say(f"budget: {what:44} {figure:8.3g} {unit:9} of {limit}")


def first_visit(browser, budget):
    """A browser that was never here, on a slow phone in a middling Wi-Fi."""
    browser.view(360)
    browser.command("Network.enable")
    browser.command("Network.clearBrowserCache")
    browser.command("Emulation.setCPUThrottlingRate", rate=4)
    browser.command("Network.emulateNetworkConditions", **SLOW)
    browser.driver.get("about:blank")
    transfers(browser)
    browser.open("/")
    until(lambda: browser.script("return !!document.querySelector('.chart svg')"), 15, 0.05)
    loaded = transfers(browser)  # What comes later belongs to the watching.
    painted = browser.driver.execute_async_script(PAINT)
    foreign = [url for url, _ in loaded if url.startswith("http")]
    budget.check.same(foreign, [], "first visit: requests to other hosts")
    budget.check.say(f"first visit: {', '.join(url.split('?')[0].rsplit('/', 1)[-1] or '/' for url, _ in loaded)}")
    # The worker of a secure page fetches once more what it keeps; a slow machine asks for fresh values meanwhile.
    budget.line("first visit, requests", len({url for url, _ in loaded}), REQUESTS_MAX, "requests")
    whole = sum(size for _, size in loaded)
    budget.check.say(f"first visit: {whole / 1000:.1f} kB over the network, heads and answers included")
    budget.line("largest paint, CPU / 4, 10 Mbit/s, 20 ms", painted["lcp"], LCP_MAX, "ms")
    budget.line("layout shift", painted["cls"], CLS_MAX, "")
    browser.command("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1,
                    uploadThroughput=-1)


def drawing(browser, budget):
    browser.command("Emulation.setCPUThrottlingRate", rate=6)
    browser.view(1280)
    for count, limit in DRAW_MAX.items():
        times = browser.driver.execute_async_script(DRAW, count)
        budget.line(f"draw {count} steps, CPU / 6, median of 5", statistics.median(times), limit, "ms")
    browser.command("Emulation.setCPUThrottlingRate", rate=1)


def crowd(browser, budget):
    """The page Events on a slow phone, on a day of ten thousand, and all of them at the door."""
    browser.view(360)
    end = events.filled(browser, events.many())
    browser.command("Emulation.setCPUThrottlingRate", rate=4)
    for path, turns in (("/events", 2), ("/events?about=door", 20)):
        browser.open("/more")
        browser.script(TASKS, path)
        until(lambda: browser.script("return document.querySelector('.events .list li')"), 20, 0.05)
        for _ in range(turns):
            until(lambda: browser.script(events.EARLIER), 10, 0.05)
        budget.line(f"longest task, {path}", max(browser.script("return window.tasks"), default=0), TASK_MAX, "ms")
    browser.command("Emulation.setCPUThrottlingRate", rate=1)
    end()


def tasks(browser, budget):
    """The pages of the bar and Proof on a slow phone."""
    browser.view(360)
    browser.command("Emulation.setCPUThrottlingRate", rate=4)
    for path in ("/", "/history", "/events", "/devices", "/proof"):
        browser.open("/more" if path != "/" else "/health")
        browser.script(TASKS, path)
        until(lambda wanted=path: browser.path == wanted and not browser.script("return document.querySelector('main').getAttribute('aria-busy')"), 20, 0.05)
        budget.line(f"longest task, {path}", max(browser.script("return window.tasks"), default=0), TASK_MAX, "ms")
    browser.command("Emulation.setCPUThrottlingRate", rate=1)


def way(stage, browser, budget):
    """From the sensor's frame, by its own instant, to the page that shows its value."""
    printed, offset = [], time.time() - now()
    process = subprocess.Popen(
        [stage.check.program("roost"), "live", "--json", "--socket", stage.station.socket],
        stdout=subprocess.PIPE, text=True)

    def read():
        for line in process.stdout:
            item = json.loads(line)
            printed.append(item.get("reading") or item)
    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    browser.open("/")
    browser.script(FOLLOW)
    began = time.time()
    until(lambda: len(browser.script("return window.seen")) >= READINGS, READINGS * 2.5, 1)
    seen = browser.script("return window.seen")
    end(process)
    process.stdout.close()
    reader.join(5)
    channel = browser.script("return document.querySelector('.reading').dataset.key")
    sent = [(one["instantSeconds"] + offset, f"{one['value']:.1f}") for one in printed
            if one.get("channel") == channel and one.get("value") is not None]
    sent = [(at, text) for at, text in sent if at > began]
    ways = []
    for at, text in sent:
        match = next((when for when, shown in seen if shown == text and 0 <= when - at < 5), None)
        if match is not None:
            ways.append((match - at) * 1000)
    if budget.check.demand(len(ways) >= 20, f"only {len(ways)} of {len(sent)} values seen on the page: {printed[:1]}"):
        ways.sort()
        budget.line(f"reading to page, p50 of {len(ways)}", ways[len(ways) // 2], WAY_MAX, "ms")
        budget.line("reading to page, p99", ways[int(len(ways) * 0.99) - 1], WAY_MAX, "ms")


def run(check, library):
    """All figures."""
    class Bare:
        """What a stage needs of a walk."""

        browser = None

    walk = Bare()
    walk.check = check
    stage = Stage(walk, "budget", {"dust": ("--air", "waves")}, words=("--www", installed(check)))
    until(stage.station.values, 60)
    browser = Browser(check, stage.dashboard.address, library, logs=("browser", "performance"))
    budget = Budget(check)
    first_visit(browser, budget)
    drawing(browser, budget)
    tasks(browser, budget)
    crowd(browser, budget)
    way(stage, browser, budget)
    return "within the budget" if not check.problems else None
