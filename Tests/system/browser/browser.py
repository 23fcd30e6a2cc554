"""Chromium by its driver: what the suite does with a page."""

import json
import os

from selenium import webdriver
from selenium.common.exceptions import JavascriptException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from ..check import Failed, until

READY_SECONDS = 20
CHROMIUM, CHROMIUM_DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
SWITCHES = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--lang=en-GB",
            "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update")
# Runs before any script of a page: what the content policy reports is kept.
WATCH = """window.policyReports = [];
document.addEventListener('securitypolicyviolation',
  (event) => policyReports.push(`${event.violatedDirective} ${event.blockedURI}`));"""
AXE = """const done = arguments[0];
axe.run(document, {runOnly: {type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}})
  .then((found) => done(found.violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 120)}`)));"""
WIDER = """return [...document.querySelectorAll('body *')].filter((node) =>
  node.getBoundingClientRect().right > innerWidth + 1 && !node.closest('.scroll') && !node.closest('.sprite')
  && !node.closest('.skip')).slice(0, 2).map((node) => node.outerHTML.slice(0, 100));"""


# Charts are drawn with the next frame; the one after it is late enough for what they measure.
FRAMES = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)));"

# A button that still moves would let the pointer meet what lies beside it: three frames at one place.
STEADY = """const [button, done] = arguments;
button.scrollIntoView({block: 'center'});
let place = '', count = 0;
const look = () => {
  const { x, y } = button.getBoundingClientRect(), now = `${x} ${y}`;
  count = now === place ? count + 1 : 0; place = now;
  if (count === 3) done(true); else requestAnimationFrame(look);
};
look();"""


class Browser:
    """One profile of Chromium; `address` is the dashboard's."""

    engine = "chromium"
    switches = SWITCHES

    def __init__(self, check, address, library, logs=("browser",)):
        self.address, self.noise, self.logs = address, [], logs
        self.driver = self.start(check)
        self.driver.set_script_timeout(60)
        with open(os.path.join(library, "axe_playwright_python", "axe.min.js"), encoding="utf-8") as file:
            self.axe_source = file.read()
        check.ends(self)

    def start(self, check):
        options = Options()
        options.binary_location = CHROMIUM
        for switch in self.switches:
            options.add_argument(switch)
        options.set_capability("goog:loggingPrefs", {name: "ALL" for name in self.logs})
        log = os.path.join(check.folder, "chromedriver.log")
        driver = webdriver.Chrome(service=Service(CHROMIUM_DRIVER, log_output=log), options=options)
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        return driver

    def close(self):
        self.driver.quit()

    def command(self, name, **words):
        return self.driver.execute_cdp_cmd(name, words)

    def script(self, text, *words):
        return self.driver.execute_script(text, *words)

    # Places and sizes

    def view(self, width, height=800, dark=False, **media):
        """Size and media; `media` are more features, as `forced_colors="active"`."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                     mobile=width < 700)
        self.command("Emulation.setEmulatedMedia",
                     features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                               {"name": "prefers-reduced-motion", "value": "reduce"},
                               *({"name": name.replace("_", "-"), "value": value} for name, value in media.items())])

    def language(self, name):
        self.script("localStorage.setItem('roost.language', arguments[0])", name)

    def open(self, path):
        self.driver.get(self.address + path)
        self.ready()

    def ready(self):
        """Until the page has its first part, and waits for no answer."""
        question = "return !!document.querySelector('main .card') && !document.querySelector('main[aria-busy]')"
        if not until(lambda: self.script(question), READY_SECONDS, 0.05):
            raise Failed(f"{self.driver.current_url}: no page after {READY_SECONDS} s: "
                         f"{self.text()[:200]} {self.messages()}")
        self.driver.execute_async_script(FRAMES)

    @property
    def path(self):
        return self.script("return location.pathname + location.search")

    # What it shows

    def text(self, selector="main"):
        return self.script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def shows(self, words, limit=10, selector="body"):
        return until(lambda: words in self.text(selector), limit, 0.1)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    @property
    def wrong(self):
        """Whether a form says that something is wrong."""
        return self.script("return [...document.querySelectorAll('.wrong')].some((one) => one.innerText)")

    def labelled(self, label):
        """The control that a label names."""
        field = self.script(
            """const label = [...document.querySelectorAll('label')]
              .find((one) => one.innerText.trim() === arguments[0]);
            return label && (label.control ?? document.getElementById(label.htmlFor));""", label)
        if field is None:
            raise Failed(f"{self.path}: no field {label}")
        return field

    def fill(self, label, text):
        field = self.labelled(label)
        self.script("arguments[0].scrollIntoView({block: 'center'})", field)
        field.clear()
        field.send_keys(text)

    def press(self, words, inside="main"):
        """Presses the button with these words."""
        button = self.script(
            """const inside = document.querySelectorAll(`${arguments[1]} :is(button, a, summary)`);
            return [...inside].find((one) => one.innerText.trim() === arguments[0] && one.checkVisibility());""", words, inside)
        if button is None:
            raise Failed(f"{self.path}: no button {words}")
        self.driver.execute_async_script(STEADY, button)
        button.click()

    def keys(self, *names):
        for name in names:
            self.driver.switch_to.active_element.send_keys(getattr(Keys, name))

    def ask(self, method, path, body=None):
        """A request of the page itself, with its cookie; status and content."""
        return self.driver.execute_async_script(
            """const [method, path, body, done] = arguments;
            fetch('/api/v1' + path, {method, headers: body ? {'Content-Type': 'application/json'} : {},
              body: body ? JSON.stringify(body) : undefined})
              .then(async (answer) => { const text = await answer.text();
                let content = null; try { content = JSON.parse(text); } catch {} done([answer.status, content]); })
              .catch((problem) => done([0, String(problem)]));""", method, path, body)

    # What must not be

    def messages(self):
        """Console messages since the last call; what the server does not offer is kept apart."""
        found = []
        for entry in self.driver.get_log("browser"):
            text = entry["message"]
            if "Failed to load resource" in text and "/api/v1/" in text:
                if any(f"status of {status}" in text for status in (404, 405, 501)):
                    self.noise.append(text.split(" - ")[0].split("?")[0].replace(self.address, ""))
            else:
                found.append(text[:200])
        return found

    def reports(self):
        return self.script("return window.policyReports ?? []")

    def findings(self):
        """What axe-core has against the page."""
        try:
            self.script(self.axe_source)
            return self.driver.execute_async_script(AXE)
        except JavascriptException as problem:
            return [f"axe does not run: {problem.msg[:200]}"]

    def wider(self):
        """Parts that reach beyond the screen."""
        if self.script("return document.documentElement.scrollWidth <= innerWidth"):
            return []
        return self.script(WIDER) or ["the page"]

    def picture(self, path, width, dark):
        height = self.script("return document.documentElement.scrollHeight")
        self.view(width, max(700, min(height, 6000)), dark)
        self.driver.execute_async_script(FRAMES)
        self.driver.save_screenshot(path)

    def cookies(self):
        return {one["name"]: one["value"] for one in self.command("Network.getAllCookies")["cookies"]}

    def forget(self):
        """As a browser that was never here."""
        self.command("Network.clearBrowserCookies")

    def __repr__(self):
        return json.dumps({"path": self.path})
