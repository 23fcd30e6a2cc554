// Alerts as sentences, and the dialog that says a new one, once a browser.
import { api } from "./api.js";
import { el, dialog } from "./dom.js";
import { number, over, stamp } from "./format.js";
import { code, t } from "./i18n.js";
import { may } from "./roles.js";
import { action, deviceTitle, quantityName, quantityOf } from "./words.js";

const KEY = "roost.alert";
let open = null;

export const ruleOf = (alert) => alert.key.split(":")[0];
const subject = (alert) => alert.key.slice(ruleOf(alert).length + 1);

/** `PM2.5 · Class 3b`; a target of the outbox is no device. */
export function subjectWords(alert) {
  const [device, quantity] = [subject(alert).split("/")[0], quantityOf(subject(alert))];
  return quantity ? `${quantityName(quantity)} · ${deviceTitle(device)}` : ruleOf(alert) === "outbox" ? device : deviceTitle(device);
}

export const ruleName = (id) => code("rule", id);
export const valueWords = ({ value, unit, overSeconds }) => (value === undefined || value === null ? "" : `${number(value, 1, 0)} ${unit ?? ""}${overSeconds ? `, ${t("alerts.mean", { time: over(overSeconds) })}` : ""}`);

const seen = () => { try { return Number(localStorage.getItem(KEY)) || 0; } catch { return 0; } };
function see(number) { try { localStorage.setItem(KEY, String(number)); } catch {
  // Then it comes again.
} }

/** Shows measured alerts that are new to this browser; what the station lacks is on its own page. */
export async function showNew(me) {
  if (me.isRecord) return;
  const answer = await api.maybe("/alerts").catch(() => null);
  const fresh = (answer?.alerts ?? []).filter((one) => one.n > seen() && one.level > 0 && !one.isAcknowledged && one.unit && one.severity !== "notice" && !one.silencedSeconds && !one.blind);
  // Another person knows it, or another tab closed it.
  if (open?.numbers.every((n) => n <= seen() || answer?.alerts.some((one) => one.n === n && one.isAcknowledged))) open.close();
  if (!fresh.length || open) return;
  const at = Date.now() / 1000;
  const rules = [...new Set(fresh.map(ruleOf))], numbers = fresh.map((one) => one.n);
  open = dialog(`${rules}` === "who-24h" ? t("alerts.dialog.air") : `${t("alerts.dialog")}: ${rules.map(ruleName).join(", ")}`, may(me, "member") ? null : t("do.close"), fresh.slice(0, 4).map((one) => el("p", {}, one.value === undefined
    ? `${ruleName(ruleOf(one))}: ${subjectWords(one)}`
    : t("alerts.dialog.value", { time: stamp(at - one.sinceSeconds), name: subjectWords(one), value: valueWords(one) }))));
  open.setAttribute("role", "alertdialog");
  open.addEventListener("close", () => {
    open = null;
    see(Math.max(...numbers));
    // Shows newer alerts.
    showNew(me);
  });
  // For all people; Escape or a tap beside it closes it in this browser alone.
  if (may(me, "member")) open.lastChild.append(action(t("alerts.ack"), async () => {
    for (const n of numbers) await api.send("POST", `/alerts/${n}/ack`);
    open?.close();
  }));
  open.numbers = numbers;
}
