"""Answers in which everything stands that a page can show: each kind of event and fault, each check, each state of a delivery.

A page that asks the station gets the real answer with these members in place of its own; nothing that a page sends
reaches the station, and each such request is refused.
"""

import json
import re

from ..check import ROOT
from .files import checks, fault_kinds, read

TIME = "2026-04-08T10:30:00Z"
# What a program says in English, which no page may take for its own words.
FOREIGN = "Something odd happened to the port"
# An example of each detail whose value is a code, a name or a text of somebody.
DETAILS = {
    "reason": FOREIGN, "why": FOREIGN, "sentence": FOREIGN, "last": FOREIGN, "history": FOREIGN, "nextStep": FOREIGN, "text": FOREIGN,
    "action": "sent to sleep", "remedy": "ask again", "doubt": "unchanging", "mode": "live", "lamp": "poor", "was": "dust", "cause": "unplugged",
    "fault": "device-away:dust", "severity": "warning", "kind": "index", "key": "us-nowcast:dust/pm10", "level": "1", "value": "158", "unit": "µg/m³",
    "channel": "dust/pm25", "of": "dust/pm25", "with": "dust/pm10", "flags": "humid", "since": TIME, "until": TIME, "time": TIME, "at": TIME,
}
# Kinds whose codes are other ones.
KINDS = {"lamp changed": {"was": "good"}, "recovered": {"fault": "stuck high"}, "line muted": {"fault": "edge storm"}, "mode changed": {"was": "months"}, "clock trusted": {"cause": "browser"},
         "claim window opened": {"cause": "button"}, "claim window closed": {"cause": "claimed"}, "alert resolved": {"why": "over"},
         "alert level": {"was": "1", "level": "2"}, "alerts left out": {"limit": 64}}
FACTS = {"firmware": "9.9", "awakeSeconds": 90, "frameCount": 3, "measurementCount": 3, "rejectedCount": 3, "lastRejected": FOREIGN,
         "omittedCount": 3, "isAcknowledging": True, "doubts": ["unchanging"], "lastMeasurementAgeSeconds": 3, "motionCount": 3, "lastMotionAgeSeconds": 3,
         "pressCount": 3, "lastPressAgeSeconds": 3, "answerCount": 3, "questionCount": 3, "lastAnswerAgeSeconds": 3, "changeCount": 3, "pulseCount": 3,
         "edgeCount": 3, "shortPulseCount": 3, "overrunCount": 3, "muteCount": 3, "lamp": "good", "remedy": "reopen", "isFollowing": False, "trouble": FOREIGN}
LEFT_OUT = ("dropped", "expired", "flagged", "markedPrivate", "noValue", "notKept", "refused", "timeUnknown", "tooOld", "unknown")


def detail(name, kind):
    if name in KINDS.get(kind, {}):
        return KINDS[kind][name]
    if name in DETAILS:
        return DETAILS[name]
    if re.match(r"is[A-Z]", name):
        return False
    number = name.endswith(("Seconds", "Count", "ID")) or name in ("seconds", "n", "raise", "limit", "worst", "hours", "percent", "count", "part", "attempt")
    return 77 if number else "dust"


def events():
    """Each kind of event that docs/reference/events.md lists, with all its details: alone, and with what ends it."""
    listed = re.findall(r"^\| `([^`]+)` \|([^|]*)\|([^|]*)\|", read(ROOT, "docs", "reference", "events.md"), re.M)
    found = []
    for kind, severity, names in listed:
        details = {name: detail(name, kind) for name in re.findall(r"`(\w+)`", names)}
        found.append({"kind": kind, "severity": severity.split(",")[0].strip(), "details": details})
        if kind == "alert raised":
            found += [{"kind": kind, "severity": "warning", "details": {**details, "kind": name, "key": "who-24h:dust/pm25"}}
                      for name in ("mean", "silent", "stuck", "laser")]
            found.append({"kind": kind, "severity": "warning", "details": {**details, "kind": "clock", "key": "clock:station"}})
            found.append({"kind": kind, "severity": "warning", "details": {**details, "kind": "value", "key": "low:dust/pm25", "limit": 200}})
        if kind == "alert level":
            found.append({"kind": kind, "severity": "notice", "details": {**details, "was": "2", "level": "1"}})
        if kind == "alert resolved":
            found += [{"kind": kind, "severity": "notice", "details": {**details, "key": key}} for key in ("clock:station", "low:dust/pm25", "who-24h:dust/pm25")]
        if kind == "alert silenced":
            found.append({"kind": kind, "severity": "notice", "details": {**details, "forSeconds": 0}})
    # Newest first: a kind that ends another one comes after it too, so that both stand as one.
    return [{"id": str(number), "time": TIME, "isSure": True, "bootID": "0", "instantSeconds": 5, "source": "dust", **one}
            for number, one in enumerate([*found, *reversed(found)])]


def faults():
    return [{"id": key.removeprefix("fault.") + ":dust", "since": TIME, "ageSeconds": 60, "isStopping": True,
             "sentence": FOREIGN, "nextStep": FOREIGN} for key in fault_kinds()]


def findings():
    verdicts = ("warning", "failure", "note", "ok")
    return [{"name": name, "verdict": verdicts[number % 4], "sentence": FOREIGN, "details": [FOREIGN], "nextStep": FOREIGN}
            for number, name in enumerate([*checks(), "channels", "storing", "device-away:dust"])]


def deliveries():
    states = ("idle", "waiting", "later", "held", "broken", "paused", "waitsForStation")
    codes = ("status-503", "foreign", "refuses", "time-unknown", "key-refused", "of another version", None)
    return [{"id": f"target{number}", "type": "influx1", "origin": "file" if number else "ui", "state": state, "why": FOREIGN, "code": codes[number], "nextTrySeconds": 60, "isProvable": True,
             "samples": {"delivered": 5, "waiting": 5, "leftOut": dict.fromkeys(LEFT_OUT, 1)}, "oldestWaiting": TIME, "lastDeliverySeconds": 5,
             "requestCount": 5, "byteCount": 5000, "proof": FOREIGN, "drives": {"delivered": 1, "waiting": 1, "leftOut": 1}}
            for number, state in enumerate(states)]


def entry_kind():
    """A type with an option of each kind."""
    kinds = {"url": {}, "password": {}, "measurement": {"choices": ["dust"]}, "flags": {}, "streams": {"choices": ["dust"]}, "backlog": {"choices": ["dust"]},
             "timeoutSeconds": {"low": 1, "high": 600}, "devices": {"example": '{ "dust": { "pin": 1 } }'}}
    names = dict(zip(kinds, ("url", "secret", "text", "flag", "list", "number", "number", "map")))
    return {"type": "influx1", "fields": [{"key": key, "kind": names[key], "isRequired": key == "url", "isCommon": key == "streams", **more}
                                          for key, more in kinds.items()]}


def answers():
    """By the path of a question, the members of its answer."""
    record = {"source": "dust", "time": TIME, "isSure": True, "instantSeconds": 5, "seconds": 5, "hasPicture": False}
    alert = {"n": 5, "key": "us-nowcast:dust/pm10", "state": "raised", "severity": "warning", "level": 1, "sinceSeconds": 60, "value": 158.0, "unit": "µg/m³",
             "overSeconds": 43200, "limit": 155, "worst": 160, "blind": "silent", "blindSeconds": 60, "flags": ["flapping"], "isAcknowledged": True}
    return {
        "/events": {"items": events(), "next": None},
        "/station": {"faults": faults(), "accounts": {"trouble": FOREIGN}},
        "/health": {"findings": findings(), "hidden": ["serial-holders"]},
        "/outbox": {"isRunning": True, "isMetered": True, "stationTrouble": FOREIGN, "cursorTrouble": FOREIGN, "settingsTrouble": FOREIGN,
                    "leftOut": [{"id": "target9", "sentence": FOREIGN}], "targets": deliveries(),
                    "receivers": [{**deliveries()[2], "id": "bell", "type": "webhook", "notices": {"sent": 5, "waiting": 5}}]},
        "/outbox/kinds": {"targets": [entry_kind()], "receivers": []},
        "/outbox/target0/entry": {"id": "target0", "section": "targets", "origin": "ui", "entry": {"type": "influx1", "password": {"secret": "influx"}}},
        "/devices": {"devices": [{"name": "dust", "type": "sds011", "location": "/dev/ttyUSB0", "state": "silent",
                                  "facts": FACTS, "intervalSeconds": 300, "records": False, "mutes": [{"target": "dust", "endTime": TIME}]}],
                     "found": [{"identity": "adapter:1", "state": state, "why": FOREIGN, "name": "dust", "node": "/dev/ttyUSB0", "usb": "1a86:7523"}
                               for state in ("found", "probing", "adopted", "ignored", "unknown", "absent", "faulty", "claimed")]},
        "/alerts": {"alerts": [alert, {**alert, "key": "who-24h:dust/pm25", "isAcknowledged": False, "state": "pending"}], "leftOutCount": 5},
        "/records": {"camera": "on", "trouble": FOREIGN, "stationTrouble": FOREIGN, "pictureCount": 5, "room": 40, "retentionDays": 5, "mayDelete": True, "newest": 5,
                     "items": [{**record, "event": str(number), "lack": lack, "lackWords": FOREIGN if lack == "failed" else None}
                               for number, lack in enumerate(("busy", "failed", "masked"))], "next": None},
        "/camera": {"camera": "on", "state": "gone", "why": FOREIGN, "mayLook": True},
        "/update": {"isImage": True, "slot": "A", "keys": ["0123abcd"], "isBusy": False, "last": {"state": "refused", "why": FOREIGN, "version": "9", "time": TIME}},
        "/stations": {"search": "failed", "why": FOREIGN, "items": [
            {"name": "attic", "host": "attic.local", "url": "http://attic.local/", "state": state, "why": FOREIGN} for state in ("silent", "foreign", "needsToken")]},
        "/tree": {"lastExit": FOREIGN},
    }


REFUSED = {"type": "/problems/conflict", "title": FOREIGN, "status": 409, "detail": FOREIGN, "errors": []}


def script():
    """Runs before any script of a page."""
    return """(() => {
      const answers = %s, refused = %s, real = window.fetch.bind(window);
      const json = (value, status) => new Response(JSON.stringify(value), { status, headers: { 'Content-Type': 'application/json' } });
      window.fetch = async (url, options) => {
        const path = new URL(url, location.href).pathname.replace(/^\\/api\\/v1/, '');
        if ((options?.method ?? 'GET') !== 'GET') return json(refused, 409);
        const answer = await real(url, options);
        if (!answers[path] || sessionStorage.getItem('rehearsal') !== 'on') return answer;
        return json({ ...(answer.ok ? await answer.json() : {}), ...answers[path] }, 200);
      };
    })();""" % (json.dumps(answers()), json.dumps(REFUSED))
