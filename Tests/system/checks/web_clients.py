"""Programs of other projects read the dashboard: pandas its exports, promtool its metrics, curl the rest of a file.

The real roostd with a simulated SDS011 at 1 Hz, and the real roost-web before it, without accounts. pandas (from
PyPI into .build-clients, once) reads CSV and NDJSON as they are, and its counts and sums are those of /readings, page
by page; what `value_template` of docs/reference/api.md asks for is there; `curl -C -` completes an export that broke
off; `promtool check metrics` (Debian's package prometheus) accepts /metrics. Without promtool that part is left out,
and the check says so; --promtool names one.
"""

import json
import os
import shutil
import subprocess
import urllib.parse

from ..browser.dashboard import Balcony, Dashboard
from ..check import Failed, until
from ..packaging.python_packages import PythonPackages

PRODUCTS = ("roost", "roostd", "roost-web")
NEEDS = "the network once"
CLIENTS = PythonPackages(".build-clients", ["pandas==2.2.3"])
SAMPLES = 20  # Before the export is asked for.
READ = """
import json, sys, pandas
base, end = sys.argv[1:]
query = f"channel=dust/pm25&from=2020-01-01T00:00:00Z&to={end}"
table = pandas.read_csv(f"{base}/export?format=csv&{query}", parse_dates=["time"])
lines = pandas.read_json(f"{base}/export?format=ndjson&{query}", lines=True)
values = lines["channels"].map(lambda channels: channels["pm25"].get("value")).dropna()
print(json.dumps({
    "rows": len(table), "values": int(table["value"].count()), "sum": round(float(table["value"].sum()), 4),
    "isTime": str(table["time"].dtype).startswith("datetime64"), "lines": len(lines),
    "lineSum": round(float(values.sum()), 4)}))
"""


def arguments(parser):
    parser.add_argument("--promtool", default=shutil.which("promtool"))


def curl(*words):
    done = subprocess.run(["curl", "--silent", "--show-error", *words], capture_output=True, check=False)
    if done.returncode != 0:
        raise Failed(f"curl {' '.join(words)}: {done.stderr.decode()}")
    return done.stdout


def ask(base, path, **query):
    return json.loads(curl(f"{base}/{path}?{urllib.parse.urlencode(query)}"))


def readings(base, end):
    """Every reading up to a time, page by page."""
    items, query = [], {"channel": "dust/pm25", "from": "2020-01-01T00:00:00Z", "to": end, "limit": 7}
    while True:
        page = ask(base, "readings", **query)
        items += page.get("items", [])  # No such channel before its first sample.
        if "next" not in page:
            return items
        query["cursor"] = page["next"]


def pandas(check, base, end):
    """CSV and NDJSON, as a notebook or a Grafana source reads them."""
    text = subprocess.run([CLIENTS.python, "-c", READ, base, end], capture_output=True, text=True, check=False)
    if text.returncode != 0:
        raise Failed(f"pandas: {text.stderr[-400:]}")
    found, items = json.loads(text.stdout), readings(base, end)
    total = round(sum(item["value"] for item in items if "value" in item), 4)
    check.say(f"pandas: {found['rows']} rows, sum {found['sum']}; /readings: {len(items)}, {total}")
    check.same((found["rows"], found["sum"]), (len(items), total), "rows and sum of the CSV")
    check.same((found["lines"], found["lineSum"]), (len(items), total), "lines and sum of the NDJSON")
    check.demand(found["isTime"], "pandas does not take the times for times")


def rest(check, base, end):
    """An export that broke off in its middle, completed."""
    address = f"{base}/export?channel=dust/pm25&from=2020-01-01T00:00:00Z&to={end}"
    whole, part, heads = check.path("whole.csv"), check.path("part.csv"), check.path("heads")
    curl("--dump-header", heads, "--output", whole, address)
    with open(heads, encoding="ascii") as file:
        tag = next(line.split(": ", 1)[1].strip() for line in file if line.lower().startswith("etag:"))
    with open(whole, "rb") as file:
        data = file.read()
    with open(part, "wb") as file:
        file.write(data[:len(data) // 3])
    curl("--continue-at", "-", "--header", f"If-Range: {tag}", "--output", part, address)
    with open(part, "rb") as file:
        check.demand(file.read() == data, "curl -C - made another file")


def promtool(check, program, address):
    metrics = curl(address)
    done = subprocess.run([program, "check", "metrics"], input=metrics, capture_output=True, check=False)
    check.demand(done.returncode == 0, f"promtool: {(done.stderr + done.stdout).decode()[-400:]}")


def run(check, options):
    CLIENTS.demand()
    balcony = Balcony(check)
    dashboard = Dashboard(check, balcony.station, "--open")
    dashboard.start()
    base = f"{dashboard.address}/api/v1"
    if not until(lambda: len(readings(base, "2100-01-01T00:00:00Z")) >= SAMPLES, 60):
        raise Failed(f"the station has fewer than {SAMPLES} readings after 60 s")
    end = ask(base, "station")["time"]["now"]
    pandas(check, base, end)
    rest(check, base, end)
    channels = ask(base, "station")["channels"]
    value = next((channel["value"] for channel in channels if channel["id"] == "dust/pm25"), None)
    check.demand(isinstance(value, float), f"Home Assistant's template finds {value}")
    if not options.promtool or not os.path.exists(options.promtool):
        check.say("promtool is missing (apt install prometheus): /metrics was not checked")
        return "pandas, curl and the template of Home Assistant; no promtool"
    promtool(check, options.promtool, f"{dashboard.address}/metrics")
    return "pandas, promtool, curl and the template of Home Assistant"
