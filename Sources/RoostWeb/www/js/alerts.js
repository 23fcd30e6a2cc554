// Alerts as sentences, and the dialog that says a new one, once a browser.
import { api } from "./api.js";
import { el, dialog } from "./dom.js";
import { number, over, stamp } from "./format.js";
import { code, t } from "./i18n.js";
import { live } from "./live.js";
import { may } from "./navigation.js";
import { quantityName, quantityOf } from "./words.js";

const KEY = "roost.alert", AIR = ["who-24h", "sample-levels"];
let open = null, isAsking = false;

export const ruleOf = (alert) => alert.key.split(":")[0];
const subject = (alert) => alert.key.slice(ruleOf(alert).length + 1);

/** `PM2.5 · balcony`. */
export function subjectWords(alert) {
  const [device, quantity] = [subject(alert).split("/")[0], quantityOf(subject(alert))];
  return quantity ? `${quantityName(quantity)} · ${device}` : device;
}

export const ruleName = (id) => code("rule", id);
export const valueWords = ({ value, unit, overSeconds }) => (value === undefined || value === null ? "" : `${number(value, 1, 0)} ${unit ?? ""}${overSeconds ? `, ${t("alerts.mean", { time: over(overSeconds) })}` : ""}`);

const seen = () => { try { return Number(localStorage.getItem(KEY)) || 0; } catch { return 0; } };
function see(number) { try { localStorage.setItem(KEY, String(number)); } catch { /* Then it comes again. */ } }

/** Shows measured alerts that are new to this browser; what the station lacks is on its own page. */
export async function showNew(me) {
  if (isAsking || open || me.isRecord) return;
  isAsking = true;
  const answer = await api.maybe("/alerts").catch(() => null);
  isAsking = false;
  const fresh = (answer?.alerts ?? []).filter((one) => one.n > seen() && one.level > 0 && !one.isAcknowledged && one.unit && one.severity !== "notice" && !one.silencedSeconds);
  if (!fresh.length || open) return;
  const at = Date.now() / 1000;
  open = dialog(t(fresh.some((one) => AIR.includes(ruleOf(one))) ? "alerts.dialog.air" : "alerts.dialog"), t("alerts.ok"), fresh.slice(0, 4).map((one) => el("p", {}, one.value === undefined
    ? `${ruleName(ruleOf(one))}: ${subjectWords(one)}`
    : t("alerts.dialog.value", { time: stamp(at - one.sinceSeconds), name: subjectWords(one), value: valueWords(one) }))));
  open.setAttribute("role", "alertdialog");
  open.addEventListener("close", () => {
    open = null;
    see(Math.max(...fresh.map((one) => one.n)));
    // Who may act answers for all.
    if (may(me, "member")) Promise.all(fresh.map((one) => api.send("POST", `/alerts/${one.n}/ack`).catch(() => {}))).then(() => live.refresh().catch(() => {}));
  });
}
