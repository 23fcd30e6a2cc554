"""A phone that trusts the station, one that does not, and a station that is gone."""

import os
import subprocess

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

from ..check import Failed, until
from .browser import CHROMIUM, CHROMIUM_DRIVER, SWITCHES, WATCH, Browser

REGISTRATION = """const done = arguments[0];
navigator.serviceWorker.getRegistration().then((one) => done(Boolean(one?.active)));"""
TRUSTS = "roost-trusts"
KEPT = """const done = arguments[0];
(async () => { const found = []; for (const name of await caches.keys())
  for (const key of await (await caches.open(name)).keys()) found.push(new URL(key.url).pathname); done(found); })();"""


class Phone(Browser):
    """A profile of its own, with the authority in it or without; `pin` is the hash of a server key that it takes."""

    def __init__(self, check, name, address, authority=None, pin=None):
        self.pin = (f"--ignore-certificate-errors-spki-list={pin}",) if pin else ()
        self.home = check.path(name)
        os.makedirs(self.home)
        if authority:
            store = os.path.join(self.home, ".pki", "nssdb")
            os.makedirs(store)
            for words in (["-N", "--empty-password"], ["-A", "-n", "roost", "-t", "C,,", "-i", authority]):
                subprocess.run(["certutil", "-d", f"sql:{store}", *words], check=True)
        self.address, self.noise = address, []
        self.driver = self.start(check)
        self.driver.set_script_timeout(30)
        check.ends(self)

    def start(self, check):
        options = Options()
        options.binary_location = CHROMIUM
        for switch in (*SWITCHES, *self.pin, f"--user-data-dir={self.home}/profile",
                       "--host-resolver-rules=MAP balcony.local 127.0.0.1,MAP bank.example 127.0.0.1"):
            options.add_argument(switch)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = Service(CHROMIUM_DRIVER, log_output=os.path.join(check.folder, "phone.log"),
                          env={**os.environ, "HOME": self.home})
        driver = webdriver.Chrome(service=service, options=options)
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        return driver

    def wait(self, script):
        return self.driver.execute_async_script(script)


def redirected(check, web, pin):
    """A browser that has once trusted the station, and one that has not."""
    secure, plain = f"https://balcony.local:{web.tls_port}", f"http://balcony.local:{web.port}"
    guest = Phone(check, "guest", secure, pin=pin)

    def leads(browser, path):
        browser.driver.get(plain + path)
        return browser.driver.current_url

    check.demand(leads(guest, "/").startswith(plain), "before a browser trusts, plain HTTP stays as it is")
    guest.driver.get(secure + "/")

    def mark():
        found = guest.command("Network.getAllCookies")["cookies"]
        return [one["value"] for one in found if one["name"] == TRUSTS and one["value"]]

    check.demand(guest.wait(REGISTRATION) or until(lambda: guest.wait(REGISTRATION), 15), "its worker registers")
    check.demand(until(mark, 15), f"it has the cookie {TRUSTS} {mark()}")
    for path in ("/", "/history?channel=dust/pm25"):
        check.demand(leads(guest, path).startswith(secure), f"{path} by plain HTTP leads to HTTPS from then on")
    check.demand(leads(guest, "/trust").startswith(plain), "but for the page by which a device comes to trust again")
    other = Phone(check, "other", plain)
    check.demand(leads(other, "/").startswith(plain), "another browser is not sent there")


def run(check, web, owner, forge):
    address = f"https://balcony.local:{web.tls_port}"
    phone = Phone(check, "phone", address, web.ca)
    trusted(check, web, owner, phone)
    refused(check, phone, forge)
    stranger(check, Phone(check, "stranger", address))


def trusted(check, web, owner, phone):
    phone.open("/")
    phone.fill("Code", web.claim_code())
    for label, words in (("Name", owner["name"]), ("Email", owner["email"]), ("Password", owner["password"])):
        phone.fill(label, words)
    phone.press("Become the owner")
    phone.shows("measure")
    phone.open("/")
    check.demand(phone.shows("µg/m³"), "a phone that trusts the station claims it by HTTPS")
    cookies = [one for one in phone.command("Network.getAllCookies")["cookies"]
               if "roost" in one["name"] and one["name"] != TRUSTS]
    check.demand([one["name"].startswith("__Host-") and one["secure"] for one in cookies] == [True],
                 f"its cookie is {[one['name'] for one in cookies]}")
    check.demand(until(lambda: phone.wait(REGISTRATION), 10), "the worker registers")
    phone.open("/")
    phone.open("/history")
    check.demand(until(lambda: "/api/v1/station" in phone.wait(KEPT), 10), "the last answer is kept")
    problems = phone.command("Page.getInstallabilityErrors").get("installabilityErrors", [])
    problems = [one["errorId"] for one in problems if one["errorId"] != "in-incognito"]
    check.demand(not problems, f"it can be installed {problems}")
    web.stop()
    check.demand(phone.shows("Not connected since", 45), "an open page says since when it is not connected")
    for path in ("/", "/history"):
        phone.open(path)
        check.demand(phone.shows("not live", 15), f"{path} opens without the station and says that it is saved")
    phone.open("/")
    check.demand(phone.shows("µg/m³"), "with its last values")
    web.start()
    check.demand(until(lambda: "not live" not in phone.text("body"), 30), "and is live again with it")
    phone.driver.refresh()
    check.demand(until(lambda: "/api/v1/station" in phone.wait(KEPT), 10), "answers are kept")
    phone.open("/account")
    phone.press("Log out")
    check.demand(until(lambda: phone.path == "/login", 10), "a log-out leads to Log in")
    kept = [path for path in phone.wait(KEPT) if path.startswith("/api/")]
    check.demand(not kept, f"nothing is kept after it {kept}")
    known = ("net::ERR", "401", "Clear-Site-Data")
    noise = [words for words in phone.messages() if not any(one in words for one in known)]
    check.demand(not noise, f"the console is quiet {noise[:2]}")


def refused(check, phone, forge):
    """A certificate of the trusted authority for a name that it may not sign for."""
    made, key = forge()
    listener = subprocess.Popen(["openssl", "s_server", "-accept", "0", "-cert", made, "-key", key, "-www"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        line = next((line for line in listener.stdout if line.startswith("ACCEPT")), "")
        phone.driver.get(f"https://bank.example:{line.split(':')[-1].strip()}/")
        words = phone.driver.page_source
        check.demand("ERR_CERT" in words or "net-error" in words or "Privacy error" in phone.driver.title,
                     f"a certificate for another name is refused ({phone.driver.title})")
    finally:
        listener.kill()
        listener.wait()
        listener.stdout.close()


def stranger(check, phone):
    """Clicks the warning away, as people do."""
    phone.driver.get(phone.address + "/")
    if "Privacy error" not in phone.driver.title:
        raise Failed(f"no warning for an unknown certificate: {phone.driver.title}")
    phone.find("body").send_keys("thisisunsafe")
    check.demand(until(lambda: phone.shows("Log in", 1), 15), "the page is there after the warning")
    check.demand(phone.wait(REGISTRATION) is False, "and no worker")
    phone.open("/trust")
    check.demand(phone.shows("does not know the station"), "the page Trust says so")
