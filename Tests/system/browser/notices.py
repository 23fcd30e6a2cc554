"""Whether this browser gets notices: by the station's list, which it tells of itself at each visit.

The push service and the courier are replaced in the page: a subscription that the browser has, and what the
station answers to it.
"""

from ..check import until

STUB = """
const asked = window.asked = [];
const bytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0)).buffer;
const make = (endpoint, key) => ({ endpoint, options: { applicationServerKey: key && bytes(key) },
  toJSON: () => ({ endpoint, keys: { p256dh: "p", auth: "a" }, expirationTime: null }),
  unsubscribe: async () => { asked.push(["unsubscribe", endpoint]); state.own = null; return true; } });
const state = { own: make("https://push.example.org/1", %(key)r) };
const pushManager = { getSubscription: async () => state.own,
  subscribe: async ({ applicationServerKey: key }) => {
    asked.push(["subscribe", key]);
    return state.own ??= make("https://push.example.org/2", null); } };
Object.defineProperty(navigator.serviceWorker, "getRegistration", { value: async () => ({ pushManager }) });
Object.defineProperty(Notification, "permission", { value: "granted" });
const real = window.fetch;
window.fetch = async (url, init = {}) => {
  if (!String(url).endsWith("/api/v1/push")) return real(url, init);
  if ((init.method ?? "GET") !== "GET") asked.push([init.method, JSON.parse(init.body)]);
  const [status, body] = (init.method ?? "GET") === "GET" ? [200, { key: "AAEC-_4", isOffered: true }] : %(answer)s;
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } }); };
"""
HERE, OTHER = "AAEC+/4=", "CQgH"
KEPT = '[200, { change: "same", every: 3600 }]'
LOST = '[503, { type: "/problems/courier", title: "away", detail: "no courier answers", status: 503 }]'
FIRST = {"endpoint": "https://push.example.org/1", "keys": {"p256dh": "p", "auth": "a"}}
SECOND = {**FIRST, "endpoint": "https://push.example.org/2"}


def visit(walk, path, key, answer):
    """Opens a page under a subscription of a key; what it asked of the service and of the station."""
    browser = walk.browser
    script = browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument",
        {"source": "{" + STUB % {"key": key, "answer": answer} + "}"})["identifier"]
    try:
        browser.open(path)
        until(lambda: any(one[0] == "POST" for one in browser.script("return window.asked")), 10)
        return browser.script("return window.asked")
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})


def run(walk):
    browser, check = walk.browser, walk.check
    asked = visit(walk, "/alerts", HERE, KEPT)
    check.same([one for one in asked if one[0] != "subscribe"], [["POST", FIRST]], "a visit tells the station once, without choices")
    check.demand(browser.shows("This browser gets notices"), "the station's list has it, and the page does not say so")
    chosen = "return [...document.querySelectorAll('select')].map((one) => one.value)"
    check.demand("3600" in browser.script(chosen), "its interval is not shown as the station has it")
    asked = visit(walk, "/alerts", HERE, LOST)
    check.same([one for one in asked if one[0] != "subscribe"], [["POST", FIRST]], "a visit without a courier")
    check.demand(browser.shows("gets no notices") and browser.shows("no courier answers"),
                 f"the station does not have it, and the page says {browser.text()[-300:]!r}")
    asked = visit(walk, "/alerts", OTHER, KEPT)
    check.same(asked, [["unsubscribe", FIRST["endpoint"]], ["subscribe", "AAEC-_4"], ["POST", SECOND]],
               "a subscription under the key of another card")
    asked = visit(walk, "/history", HERE, KEPT)
    check.same([one for one in asked if one[0] != "subscribe"], [["POST", FIRST]], "a visit of another page")
    browser.messages()
    return 4
