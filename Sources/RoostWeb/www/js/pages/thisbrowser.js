// Notices to this browser with the page closed; the browser asks for permission after a tap alone.
import { api } from "../api.js";
import { card, choice, el } from "../dom.js";
import { duration } from "../format.js";
import { noticeLanguage, t } from "../i18n.js";
import { action, problemWords } from "../words.js";

const INTERVALS = [60, 300, 1200, 3600, 21600, 86400];

const keyOf = (own) => btoa(String.fromCharCode(...new Uint8Array(own.options.applicationServerKey))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

/** Subscribes, or gives what there is; one under the key of another card is of no use. */
async function subscribed({ pushManager }, { key }, own) {
  if (own && keyOf(own) !== key) await own.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

function post(own, choice) {
  const { endpoint, keys } = own.toJSON();
  return api.send("POST", "/push", { endpoint, keys, ...choice });
}

/** This browser's subscription, renewed at each visit; null where it cannot be notified. */
export async function subscription() {
  try {
    const worker = await navigator.serviceWorker?.getRegistration();
    if (!worker?.pushManager) return null;
    const found = { worker, offer: await api.maybe("/push"), own: await worker.pushManager.getSubscription() };
    if (found.own && found.offer?.isOffered) {
      try { found.kept = await post(found.own = await subscribed(worker, found.offer, found.own)); } catch (problem) { found.problem = problem; }
    }
    return found;
  } catch { return null; }
}

export function browserCard(found, { may, reload }) {
  if (!found) return card(t("push.title"), el("p", {}, t("push.unsafe")), el("p", {}, el("a", { href: "/trust" }, t("trust.title"))));
  if (!found.offer?.isOffered && may("owner")) return card(t("push.title"), el("p", {}, t("push.notOffered.owner")), el("p", {}, el("a", { class: "button", href: "/alerts?add=webpush" }, t("push.add"))));
  if (!found.offer?.isOffered) return card(t("push.title"), el("p", { class: "quiet" }, t("push.notOffered")));
  const { worker, offer, own, kept, problem } = found;
  const interval = choice(INTERVALS.map((seconds) => [seconds, duration(seconds)]), kept?.every ?? 1200);
  const begin = async () => {
    if ((await Notification.requestPermission()) !== "granted") return t("push.denied");
    await post(await subscribed(worker, offer, own), { seconds: Number(interval.value), language: noticeLanguage() });
    await reload();
    return t("do.done");
  };
  const end = async () => {
    // The station first: an address that it keeps would be tried for days.
    await api.send("DELETE", "/push", undefined, { body: { endpoint: own.endpoint } });
    await own.unsubscribe();
    await reload();
  };
  return el("div", { "data-endpoint": own?.endpoint }, card(t("push.title"), el("p", {}, t(kept ? "push.on" : "push.off")), problem ? el("p", { class: "wrong" }, problemWords(problem)) : null, el("div", { class: "form" }, el("label", {}, t("push.interval"), interval)),
    el("div", { class: "row" }, action(t(kept ? "push.change" : "push.begin"), begin, { class: "first" }), own ? action(t("push.end"), end) : null)));
}
