"""The guide's pages as a person sees them: Chromium claims the station in the guest by its form and takes the pictures."""

import os
import sys

from ..check import until
from ..checks.browser import PACKAGES
from .bench import LabFailed

WIDTH, HEIGHT = 640, 760
CLAIM_SECONDS, VALUE_SECONDS = 90, 300  # On an emulated processor.


class Pages:
    """A browser at the station's first page."""

    def __init__(self, bench, port):
        PACKAGES.demand()
        if PACKAGES.library not in sys.path:
            sys.path.insert(0, PACKAGES.library)
        from ..browser.browser import Browser  # Imports selenium, which is there only now.
        self.bench, self.folder = bench, bench.options.pictures
        os.makedirs(self.folder, exist_ok=True)
        self.browser = Browser(bench.check, f"http://127.0.0.1:{port}", PACKAGES.library)
        self.browser.view(WIDTH, HEIGHT)

    def take(self, name):
        path = os.path.join(self.folder, f"{name}.png")
        self.browser.driver.save_screenshot(path)
        self.bench.check.say(f"  {name}.png, {os.path.getsize(path) / 1000:.0f} kB")

    def claim(self, person):
        """Types what the guide says into the form; the first steps have to follow."""
        browser = self.browser
        browser.open("/")
        if not browser.shows("No code is needed now", 20):
            raise LabFailed(f"the first page asks for a code: {browser.text()[:300]}")
        self.take("claim-of-image")
        browser.fill("Name", person["name"])
        browser.fill("Email", person["email"])
        browser.fill("Password", person["password"])
        browser.press("Become the owner")
        if not until(lambda: "no owner yet" not in browser.text("body"), CLAIM_SECONDS):
            raise LabFailed(f"no First steps after the claim: {browser.text()[:300]}")
        browser.ready()
        browser.open("/")
        self.take("no-sensor-of-image")

    def first_reading(self):
        """The page Now once the sensor has a value; it is not loaded anew."""
        if not self.browser.shows("µg/m³", VALUE_SECONDS):
            raise LabFailed(f"the page Now shows no value: {self.browser.text()[:300]}")
        self.bench.check.demand("Plug a sensor in" not in self.browser.text(), "the page still asks for a sensor that has a value")
        self.browser.open("/")
        self.take("now-of-image")
