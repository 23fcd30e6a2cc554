"""Sensors on the header, a fold of the page Devices: looked for, used and forgotten, over a stand-in for a bus (header_bus.py)."""

import os

from .. import header_bus
from ..check import until
from .dashboard import Dashboard

FOLD, SECONDS = "Sensors on the header", 40
SIZES = ((360, False, "en"), (360, True, "de"), (768, False, "it"), (1280, False, "fr"), (360, False, "es"))


def said(walk, words):
    shown = walk.browser.shows(words, SECONDS, "main")
    walk.check.demand(shown, f"bus: the page does not say {words!r}: {walk.browser.text('main')[-900:]}")


def look(walk, words):
    """Opens the fold anew, and looks."""
    walk.browser.open("/devices")
    walk.browser.press(FOLD)
    said(walk, "SDA and SCL")
    walk.browser.press("Look")
    said(walk, words)


def sizes(walk):
    """The list in all sizes and languages: clean, narrow enough, and a picture of each."""
    browser, check = walk.browser, walk.check
    for width, dark, language in SIZES:
        browser.language(language)
        browser.view(width, dark=dark)
        browser.open("/devices")
        browser.script("document.querySelector('main details.card > summary').click()")
        until(lambda: browser.script("return !!document.querySelector('main details.card button.first')"), SECONDS)
        browser.script("document.querySelector('main details.card button.first').click()")
        said(walk, "0x76")
        where = f"the fold at {width} px, {language}"
        check.same(browser.wider(), [], f"{where}: parts wider than the screen")
        if walk.shots:
            browser.picture(os.path.join(walk.shots, f"bus-{width}-{'dark' if dark else 'light'}-{language}.png"), width, dark)
        check.same(browser.findings(), [], f"{where}: findings of axe")
        check.same(browser.messages(), [], f"{where}: console messages")
    browser.language("en")
    browser.view(360)


def run(walk):
    browser, check, address = walk.browser, walk.check, walk.browser.address
    bench = header_bus.Bench(check)
    page = Dashboard(check, bench.station, "--open")
    try:
        page.start()
        browser.address = page.address
        look(walk, "This computer shows no I²C bus.")
        bench.machine()
        bench.buses.put(header_bus.LOW)
        look(walk, "answers at every address")
        bench.buses.put(header_bus.WELL)
        bench.part("1-0048", "lm75", "lm75")
        look(walk, "Bosch BME280")
        said(walk, "in use")
        sizes(walk)
        look(walk, "Bosch BME280")
        root = bench.bind(lambda: until(lambda: bench.written("new_device"), SECONDS) and bench.part("1-0076", "bme280", "bmp280"))
        browser.script("[...document.querySelectorAll('main li')].find((one) => one.innerText.startsWith('0x76')).querySelector('button').click()")
        said(walk, "has its driver")
        root.join()
        bench.hold()
        root = bench.bind(lambda: bench.let_go("1-0076"))
        browser.press("Forget")
        said(walk, "is not used any more")
        root.join()
        check.same(browser.messages(), [], "bus: console messages")
    finally:
        browser.address = address
        page.close()
        bench.station.close()
    return 5
