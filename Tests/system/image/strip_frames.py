"""Pictures of one way through the pages, with taps, letters and seconds, and one picture of all of them."""

import html
import json
import os

from selenium.common.exceptions import WebDriverException

from ..browser.browser import Browser
from ..check import Failed, until

WIDTH, HEIGHT, ACROSS = 360, 760, 5
# What is in no page of the station: drawn in the same size, and called drawn.
DRAWN = """<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>
  body {{ margin: 0; padding: 16px; font: 15px sans-serif; background: #e8e6df; color: #222; }}
  pre {{ font: 11px/1.5 monospace; background: #fff; padding: 10px; border-radius: 8px; white-space: pre-wrap; word-break: break-word; }}
  small {{ color: #666; }}
</style><h2>{title}</h2><pre>{text}</pre><small>{stands}</small>"""
STRIP = """<!doctype html><meta charset="utf-8"><title>The first ten minutes</title><style>
  body {{ margin: 0; padding: 20px; width: {width}px; font: 15px/1.35 sans-serif; background: #fff; color: #222; }}
  ol {{ display: grid; grid-template-columns: repeat({across}, 360px); gap: 24px 20px; list-style: none; margin: 0; padding: 0; }}
  img {{ width: 360px; height: {height}px; border: 1px solid #999; box-sizing: border-box; display: block; }}
  b {{ display: block; margin-top: 6px; }} span, p {{ color: #555; }}
</style><h1>The first ten minutes</h1><p>{summary}</p><ol>{frames}</ol><p>{limits}</p>"""
FRAME = '<li><img src="{file}" alt=""><b>{number}. {title}</b><span>{seconds:.0f} s · {taps} taps · {letters} letters</span></li>'
# The button, link or row that begins with these words; of several the innermost.
PLACE = """const [words, inside] = arguments;
return [...document.querySelectorAll(`${inside} :is(button, a, summary)`)]
  .find((one) => one.innerText.trim().startsWith(words) && one.checkVisibility()) ?? null;"""

FIELD = "return [...document.querySelectorAll('label')].some((one) => one.innerText.trim() === arguments[0]);"


class Phone(Browser):
    """Chromium as the phone of the owner: names and addresses of the station lead to a port of this machine."""

    def __init__(self, check, library, port, places):
        rules = ",".join(f"MAP {place}:80 127.0.0.1:{port}" for place in places)
        self.switches = (*Browser.switches, f"--host-resolver-rules={rules}")
        super().__init__(check, "", library)

    def ready(self):
        """Pages of an emulated processor come late."""
        until(lambda: self.script("return !!document.querySelector('main .card')"), 60, 0.1)
        super().ready()

    def visit(self, address):
        """What is typed into the line of the address; once more where no connection comes about, as a person does."""
        def arrives():
            try:
                self.driver.get(address)
                return True
            except WebDriverException:
                return False

        if not until(arrives, 90, 1):
            raise Failed(f"{address} does not open: {self.driver.current_url}")
        self.address = "/".join(self.driver.current_url.split("/")[:3])
        self.ready()


class Hands:
    """Presses and types as a person does, and counts both."""

    def __init__(self, browser):
        self.browser, self.taps, self.letters = browser, 0, 0

    def press(self, words, inside="main"):
        if not until(lambda: self.browser.script(PLACE, words, inside), 20):
            raise Failed(f"{self.browser.path}: nothing to press begins with '{words}': {self.browser.text('body')[:600]}")
        self.taps += 1
        whole = self.browser.script("return arguments[0].innerText.trim()", self.browser.script(PLACE, words, inside))
        self.browser.press(whole, inside)

    def fill(self, label, text):
        # A page of an emulated processor has its form late.
        until(lambda: self.browser.script(FIELD, label), 30)
        self.taps += 1
        self.letters += len(text)
        self.browser.fill(label, text)

    def elsewhere(self, taps, letters=0):
        """On the phone's own screens or a computer, which are not here: by their number."""
        self.taps += taps
        self.letters += letters


class Frames:
    """The pictures of a folder, in their order. `clock` gives the seconds since power on."""

    def __init__(self, check, browser, hands, folder, clock):
        self.check, self.browser, self.hands, self.folder, self.clock = check, browser, hands, folder, clock
        self.steps = []
        os.makedirs(folder, exist_ok=True)
        browser.view(WIDTH, HEIGHT)

    def shot(self, name, title):
        """What the phone shows now, as it is scrolled."""
        path = os.path.join(self.folder, f"{len(self.steps) + 1:02}-{name}.png")
        self.browser.driver.save_screenshot(path)
        self._add(path, title)
        self.check.same(self.browser.wider(), [], f"{title}: parts wider than the screen")

    def drawn(self, name, title, text, stands):
        """A step that no page shows, in a tab of its own; `stands` says what was done instead."""
        driver, own = self.browser.driver, self.browser.driver.current_window_handle
        page = os.path.join(self.folder, "drawn.html")
        with open(page, "w", encoding="utf-8") as file:
            file.write(DRAWN.format(title=html.escape(title), text=html.escape(text), stands=html.escape(stands)))
        driver.switch_to.new_window("tab")
        self.browser.view(WIDTH, HEIGHT)
        driver.get(f"file://{page}")
        path = os.path.join(self.folder, f"{len(self.steps) + 1:02}-{name}.png")
        driver.save_screenshot(path)
        driver.close()
        driver.switch_to.window(own)
        os.remove(page)
        self._add(path, f"{title} (drawn)")

    def _add(self, path, title):
        before = self.steps[-1]["total"] if self.steps else {"taps": 0, "letters": 0}
        total = {"taps": self.hands.taps, "letters": self.hands.letters}
        self.steps.append({"file": os.path.basename(path), "title": title, "seconds": round(self.clock(), 1),
                           **{name: total[name] - before[name] for name in total}, "total": total})
        self.check.say(f"  {len(self.steps)}. {title}: {self.steps[-1]['seconds']:.0f} s, {self.steps[-1]['taps']} taps, "
                       f"{self.steps[-1]['letters']} letters")

    def strip(self, limits):
        """All of them in strip.html and strip.png, and the numbers in steps.json; returns the summary."""
        summary = (f"{len(self.steps)} pictures at {WIDTH} px, {self.hands.taps} taps, {self.hands.letters} letters, "
                   f"{self.clock():.0f} s since power on, on an emulated board")
        page = os.path.join(self.folder, "strip.html")
        frames = "".join(FRAME.format(number=number, **step) for number, step in enumerate(self.steps, 1))
        with open(page, "w", encoding="utf-8") as file:
            file.write(STRIP.format(width=ACROSS * 380 - 20, across=ACROSS, height=HEIGHT, frames=frames,
                                    summary=html.escape(summary), limits=html.escape(" ".join(limits))))
        with open(os.path.join(self.folder, "steps.json"), "w", encoding="utf-8") as file:
            json.dump({"summary": summary, "limits": limits, "steps": self.steps}, file, indent=1, ensure_ascii=False)
        browser = self.browser
        browser.view(ACROSS * 380 + 20, 1000)
        browser.driver.get(f"file://{page}")
        height = browser.script("return document.documentElement.scrollHeight")
        browser.view(ACROSS * 380 + 20, height)
        browser.driver.save_screenshot(os.path.join(self.folder, "strip.png"))
        return summary
