// Alerts as sentences, and the dialog that says a new one, once a browser.
import { api } from "./api.js";
import { el, dialog } from "./dom.js";
import { number, over } from "./format.js";
import { code, t } from "./i18n.js";
import { keep, kept } from "./kept.js";
import { live } from "./live.js";
import { may } from "./roles.js";
import { action, atOf, blindReason, deviceTitle, quantityName, quantityOf } from "./words.js";

let open = null;

/** What needs a person, as last heard: alerts that no person has taken note of, and what Health has; an alert about what is a fault, too, is not counted twice. */
export const needs = { alerts: 0, twins: 0, get faults() { return live.station?.faults?.length ?? 0; }, get all() { return this.alerts + this.faults - Math.min(this.twins, this.faults); } };

export async function askAlerts() {
  const answer = await api.maybe("/alerts").catch(() => null);
  if (answer) {
    const open = (answer.alerts ?? []).filter((one) => one.state !== "pending" && one.level !== 0 && !one.isAcknowledged);
    Object.assign(needs, { alerts: open.length, twins: open.filter(({ n }) => answer.faultNumbers?.includes(n)).length });
  }
  return answer;
}

export const ruleOf = (alert) => alert.key.split(":")[0];
const subject = (alert) => alert.key.slice(ruleOf(alert).length + 1);

/** `PM2.5 · Class 3b`; the station by its name; a target of the outbox is no device. */
function subjectWords(alert) {
  const [device, quantity] = [subject(alert).split("/")[0], quantityOf(subject(alert))];
  if (device === "station" && !quantity) return live.station?.station?.name ?? device;
  return quantity ? `${quantityName(quantity)} · ${deviceTitle(device)}` : ruleOf(alert) === "outbox" ? device : deviceTitle(device);
}

export const ruleName = (id) => code("rule", id);

/** A moment by the station's clock, so many seconds ago. */
const since = (seconds) => atOf(live.now - seconds);

/** What, how much and since when; of what is not known any more, since when it is not. */
export function alertWords(one) {
  const { value, unit, overSeconds, limit, blind } = one, isMeasured = (value ?? null) !== null, name = subjectWords(one);
  if (blind) return t("alerts.says.unknown", { name, rule: ruleName(ruleOf(one)), time: since(one.blindSeconds ?? 0), why: blindReason(blind) });
  const words = isMeasured ? `${number(value, 1, 0)} ${unit ?? ""}`.trim() : ruleName(ruleOf(one)), params = { name, time: since(one.sinceSeconds), limit: number(limit ?? 0, 1, 0) };
  return t(isMeasured && (limit ?? null) !== null ? "alerts.says.limit" : "alerts.says", { ...params, value: isMeasured && overSeconds ? t("alerts.says.mean", { time: over(overSeconds), value: words }) : words });
}

/** The number of the newest alert that this browser has shown. */
const seen = () => Number(kept("alert")) || 0;

/** Shows measured alerts that are new to this browser; what the station lacks is on its own page. */
export async function showNew(me) {
  if (me.isRecord) return;
  const answer = await askAlerts();
  const all = (answer?.alerts ?? []).filter((one) => one.n > seen() && one.level > 0 && !one.isAcknowledged && one.unit && one.severity !== "notice" && !one.silencedSeconds && !one.blind);
  if (open?.numbers.every((n) => n <= seen() || answer?.alerts.some((one) => one.n === n && one.isAcknowledged))) open.close();
  if (!all.length || open) return;
  // Only what is shown is known afterwards; the rest comes when this one is closed.
  const fresh = all.sort((one, other) => one.n - other.n).slice(0, 4);
  const rules = [...new Set(fresh.map(ruleOf))], numbers = fresh.map((one) => one.n);
  open = dialog(`${rules}` === "who-24h" ? t("alerts.dialog.air") : `${t("alerts.dialog")}: ${rules.map(ruleName).join(", ")}`, may(me, "member") ? null : t("do.close"), fresh.map((one) => el("p", {}, alertWords(one))));
  open.setAttribute("role", "alertdialog");
  open.addEventListener("close", () => {
    open = null;
    keep("alert", Math.max(...numbers));
    showNew(me);
  });
  // For all people; Escape or a tap beside it closes it in this browser alone.
  if (may(me, "member")) open.lastChild.append(action(t("alerts.ack"), async () => {
    // One that has ended meanwhile needs no answer.
    for (const n of numbers) await api.send("POST", `/alerts/${n}/ack`).catch((problem) => { if (!problem.isMissing) throw problem; });
    open?.close();
  }));
  open.numbers = numbers;
}
