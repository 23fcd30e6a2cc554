// Notices to this browser with the page closed; the browser asks for permission after a tap alone.
import { api } from "../api.js";
import { card, el } from "../dom.js";
import { duration } from "../format.js";
import { language, t } from "../i18n.js";
import { action } from "../words.js";

const INTERVALS = [60, 300, 1200, 3600, 21600, 86400];

/** What is known of this browser; null where it cannot be notified. */
export async function subscription() {
  try {
    const worker = await navigator.serviceWorker?.getRegistration();
    if (!worker?.pushManager) return null;
    return { worker, offer: await api.maybe("/push"), own: await worker.pushManager.getSubscription() };
  } catch { return null; }
}

export function browserCard(found, { reload }) {
  if (!found) return card(t("push.title"), el("p", {}, t("push.unsafe")), el("p", {}, el("a", { href: "/trust" }, t("trust.title"))));
  if (!found.offer?.isOffered) return card(t("push.title"), el("p", { class: "quiet" }, t("push.notOffered")));
  const { worker, offer, own } = found;
  const interval = el("select", {}, INTERVALS.map((seconds) => el("option", { value: seconds, selected: seconds === 1200 }, duration(seconds))));
  const begin = async () => {
    if ((await Notification.requestPermission()) !== "granted") return t("push.denied");
    const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: offer.key });
    const { endpoint, keys } = made.toJSON();
    await api.send("POST", "/push", { endpoint, keys, seconds: Number(interval.value), language: language() });
    await reload();
    return t("do.done");
  };
  const end = async () => {
    // The station first: an address that it keeps would be tried for days.
    await api.send("DELETE", "/push", undefined, { body: { endpoint: own.endpoint } });
    await own.unsubscribe();
    await reload();
  };
  return card(t("push.title"), el("p", {}, t(own ? "push.on" : "push.off")), el("div", { class: "form" }, el("label", {}, t("push.interval"), interval)),
    el("div", { class: "row" }, action(t(own ? "push.change" : "push.begin"), begin, { class: "first" }), own ? action(t("push.end"), end) : null));
}
