"""WebKitGTK by its driver, on a screen in memory: the engine that is nearest to the phones of Apple."""

import glob
import os
import subprocess

from selenium import webdriver
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from ..check import Failed
from ..station import end
from .browser import Browser

DRIVER = "/usr/bin/WebKitWebDriver"
SCREEN = "/usr/bin/Xvfb"
SCREEN_HEIGHT = 1500


def minibrowser():
    """The small browser that comes with the library."""
    return next(iter(sorted(glob.glob("/usr/lib/*/webkit2gtk-*/MiniBrowser"))), None)


class Screen:
    """A screen in memory that Xvfb gives a free number."""

    def __init__(self, check):
        reading, writing = os.pipe()
        with open(check.path("xvfb.log"), "ab") as log:
            self.process = subprocess.Popen(
                [SCREEN, "-displayfd", str(writing), "-screen", "0", "1600x1600x24", "-nolisten", "tcp"],
                stdout=log, stderr=log, pass_fds=[writing])
        os.close(writing)
        with os.fdopen(reading) as file:
            number = file.readline().strip()
        if not number:
            raise Failed("Xvfb does not start")
        self.name = f":{number}"
        check.ends(self)

    def close(self):
        end(self.process)


class WebKit(Browser):
    """One window of WebKitGTK. It has no console to read and no themes to choose."""

    engine = "webkit"

    def start(self, check):
        screen = Screen(check)
        options = Options()
        options.binary_location = minibrowser()
        options.add_argument("--automation")
        log = open(check.path("webkitdriver.log"), "ab")
        environment = {**os.environ, "DISPLAY": screen.name, "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
                       "WEBKIT_FORCE_SANDBOX": "0", "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1"}
        service = Service(DRIVER, log_output=log, env=environment)
        return webdriver.WebKitGTK(options=options, service=service)

    def command(self, name, **words):
        raise NotImplementedError(f"WebKit has no {name}")

    def view(self, width, height=800, dark=False, **media):
        """The window's outer size so that the page has this width; the theme is the system's."""
        self.driver.set_window_size(width, min(height, SCREEN_HEIGHT))
        inner = self.script("return innerWidth")
        if inner != width:
            self.driver.set_window_size(width + width - inner, height)

    def picture(self, path, width, dark):
        """None: without a window manager the driver waits for ever for some windows to be painted."""

    def messages(self):
        return []

    def cookies(self):
        return {one["name"]: one["value"] for one in self.driver.get_cookies()}

    def forget(self):
        self.driver.delete_all_cookies()
