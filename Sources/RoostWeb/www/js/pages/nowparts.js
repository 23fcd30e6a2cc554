// Beside the values of the first page: is all well, what happened in a day, and the last picture.
import { alertWords } from "../alerts.js";
import { address } from "../api.js";
import { card, el, keyed, mark, quoted, renew, setMark, setText, show } from "../dom.js";
import { deliveryReason, faultSentence } from "../facts.js";
import { clock, countdown, duration, number, percent, stamp } from "../format.js";
import { code, plural, t } from "../i18n.js";
import { live } from "../live.js";
import { deviceOf, deviceTitle, isNeverMeasured, reason } from "../words.js";

/** Deliveries that need somebody, or wait longer than a round. */
export const FAILING = ["later", "held", "broken"];
const STORE = /^(store|history|data|samples|journal)-/;

/** A line each with its mark, its reason and its page; the lamp has one where there is one. */
export function wellCard() {
  const list = el("ul", { class: "list well" }), node = card(t("well.title"), list);
  return {
    node, tick() { list.firstElementChild?.renew(measuring(live.station)); },
    update(station, rest) {
      const isUp = station.daemon?.state === "up";
      show(node, isUp);
      if (!isUp) return;
      const [outbox, alerts] = rest ?? [];
      // A line that is asked for has its place already; one without an answer is left out.
      const waits = (page) => (rest ? null : { page, level: "unknown", text: "…", because: "…" });
      const lines = [measuring(station), lamp(station), record(station), outbox ? sending(outbox) : waits("/outbox"), alerts ? alerting(alerts, outbox) : waits("/alerts")].filter(Boolean);
      keyed(list, lines, (one) => one.page, makeWell, (row, one) => row.renew(one));
    },
  };
}

function makeWell() {
  const sign = el("span"), words = el("strong"), why = el("span", { class: "quiet" });
  const link = el("a", {}, sign, el("span", {}, words, why)), node = el("li", {}, link);
  node.renew = ({ page, level, text, because }) => {
    link.href = page;
    setMark(sign, level);
    setText(words, text);
    renew(why, [because].flat().filter(Boolean).map((one) => (typeof one === "string" ? el("span", {}, one) : one)));
  };
  return node;
}

function measuring(station) {
  const page = "/devices", channels = (station.channels ?? []).filter((one) => !isNeverMeasured(one));
  const devices = [...new Set(channels.map((one) => deviceOf(one.id)))];
  if (!devices.length) return { page, level: "unknown", text: t("well.none") };
  const isSilent = (name) => channels.every((one) => deviceOf(one.id) !== name || one.isStale || (one.value ?? null) === null);
  const silent = devices.filter(isSilent), power = station.power?.isOnBattery ? t("well.battery", { share: percent((station.power.percent ?? 0) / 100, 0) }) : null;
  if (silent.length) {
    const fault = (station.faults ?? []).find((one) => one.isStopping), cause = channels.find((one) => deviceOf(one.id) === silent[0])?.noData;
    const because = fault ? faultSentence(fault.id, fault.sentence) : `${silent.slice(0, 3).map(deviceTitle).join(", ")}${cause ? `: ${reason(cause)}` : ""}`;
    const isFirst = silent.every((name) => channels.some((one) => deviceOf(one.id) === name && /^(warming|starting)/.test(one.phase ?? "")));
    return { page, level: isFirst ? "unknown" : silent.length < devices.length ? "moderate" : "fault", text: isFirst ? t("well.warming") : plural("well.silent", silent.length, { all: devices.length }), because: [because, power].filter(Boolean).join("; ") };
  }
  const next = Math.min(...channels.filter((one) => one.intervalSeconds >= 10 && one.nextInSeconds > 0).map((one) => one.nextInSeconds - live.elapsed).filter((left) => left > 0));
  return { page, level: "good", text: t("well.measures"), because: [plural("well.sensors", devices.length), Number.isFinite(next) ? t("age.next", { time: countdown(next) }) : null, power].filter(Boolean).join("; ") };
}

/** What the traffic light shows; the page Numbers says what each colour means. */
function lamp({ lamp: level, lampCause }) {
  const because = lampCause?.device ? t("well.lamp.follows", { name: deviceTitle(lampCause.device) }) : "";
  return level ? { page: "/numbers", level, text: code("well.lamp", level), because } : null;
}

function record({ store, complete, faults }) {
  const page = "/proof", fault = (faults ?? []).find((one) => STORE.test(one.id));
  if (fault || !store || !["ok", "opening"].includes(store.state)) return { page, level: "fault", text: t("well.record.not"), because: fault ? faultSentence(fault.id, fault.sentence) : "" };
  if (store.unreadable && store.state === "ok") return { page, level: "unknown", text: t("well.record.unread"), because: quoted(store.unreadable) };
  if (!complete) return { page, level: "good", text: t("well.record.young") };
  const { coveredShare: covered, accountedShare: accounted } = complete, isWhole = accounted > 0.999999;
  const figures = t("well.record.shares", { covered: percent(covered), explained: percent(Math.max(0, accounted - covered)) });
  return { page, level: isWhole ? "good" : "moderate", text: t(isWhole ? "well.record" : "well.record.unknown", { share: percent(Math.ceil((1 - accounted) * 1e4) / 1e4) }),
    because: [figures, store.keepsDays ? t("well.record.keeps", { time: duration(store.keepsDays * 86400) }) : null].filter(Boolean).join("; ") };
}

export function sending({ targets = [], feeds = [], isRunning, isMetered, leftOut = [] }) {
  const page = "/outbox", failing = targets.filter((one) => FAILING.includes(one.state) && (one.code || one.why)), paused = targets.filter((one) => one.state === "paused");
  if (!isRunning) return { page, level: "unknown", text: t("well.sending.off") };
  // One that brought a value in two hours is not silent, whatever one of its sensors lacks.
  const silent = feeds.find((one) => FAILING.includes(one.state) && !(one.lastDeliverySeconds < 7200));
  if (silent && !failing.length && !leftOut.length) return { page, level: "moderate", text: t("well.feeds.fails", { name: silent.id }), because: deliveryReason(silent.code, null) };
  if (!targets.length && !leftOut.length) return { page, level: "unknown", text: t("well.sending.none"), because: t("well.sending.add") };
  if (failing.length || leftOut.length) {
    const [one] = failing, waiting = failing.reduce((sum, { samples }) => sum + (samples?.waiting ?? 0), 0);
    const isOnly = targets.length === 1 && one;
    return { page, level: "moderate", text: isOnly ? t("well.sending.fails.only", { name: one.id }) : plural("well.sending.fails", failing.length + leftOut.length, { all: targets.length + leftOut.length }),
      because: [one && !isOnly ? `${one.id}: ` : "", ...(one ? deliveryReason(one.code, null) : []), waiting ? `; ${plural("well.sending.waiting", waiting)}` : "", silent ? `; ${t("well.feeds.fails", { name: silent.id })}` : ""] };
  }
  if (targets.some((one) => one.isWaitingForClock && one.samples?.waiting)) return { page, level: "moderate", text: t("well.sending.clock") };
  const because = paused.length ? plural("well.sending.paused", paused.length) : isMetered ? t("outbox.metered") : plural("well.sending.targets", targets.length);
  return { page, level: paused.length ? "moderate" : "good", text: t("well.sending"), because };
}

export function alerting({ alerts, leftOutCount }, outbox) {
  const page = "/alerts", raised = alerts.filter((one) => one.state !== "pending" && one.level !== 0), one = raised.find(({ blind }) => !blind) ?? raised[0];
  if (leftOutCount) return { page, level: "fault", text: t("alerts.leftOut", { n: number(leftOutCount) }) };
  const unsent = outbox?.receivers?.find((receiver) => FAILING.includes(receiver.state));
  if (unsent && !one) return { page, level: "moderate", text: t("well.alerts.unsent", { name: unsent.id }), because: deliveryReason(unsent.code, null) };
  if (!one) return { page, level: "good", text: t("well.alerts.none") };
  const worst = one.blind ? "unknown" : raised.some((alert) => alert.severity === "critical") ? "poor" : "moderate";
  return { page, level: worst, text: plural("well.alerts", raised.length), because: [alertWords(one), unsent ? `; ${t("well.alerts.unsent", { name: unsent.id })}` : ""] };
}

/** What went wrong in the last day, a beginning with its end; nothing is said by a sentence, too. What makes entries of events comes with the first one. */
export function happened() {
  const list = el("ul", { class: "list happened" }), none = el("p", { class: "quiet" }, t("now.today.none"));
  const node = el("section", { class: "card", hidden: true }, el("div", { class: "split" }, el("h2", {}, t("now.today")), el("a", { href: "/events" }, t("now.today.all"))), list, none);
  return {
    node,
    async update(items) {
      const { graveOf, partSentence } = items.length ? await import("../eventgroups.js") : {}, entries = graveOf?.(items) ?? [];
      list.replaceChildren(...entries.map((entry) => el("li", {}, el("time", { datetime: entry.to.time ?? "" }, entry.to.time ? clock(entry.to.time) : "–"),
        mark(entry.phase === "over" ? "good" : entry.to.severity === "error" ? "fault" : "moderate", "mark small"), el("span", {}, partSentence(entry), entry.parts.length > 1 ? el("span", { class: "quiet" }, ` · ${plural("events.times", entry.parts.length)}`) : null))));
      show(none, entries.length === 0);
      show(node, true);
    },
  };
}

/** The newest record, where it has a picture that this visitor may see. */
export function lastPicture(records) {
  const [one] = records?.items ?? [];
  if (!one?.number) return null;
  return el("section", { class: "card" }, el("div", { class: "split" }, el("h2", {}, t("now.picture")), el("a", { href: "/records" }, t("records.title"))),
    el("div", { class: "frame" }, el("img", { src: address(`/records/${one.number}/picture`), alt: one.time ? stamp(one.time) : "" })), el("p", { class: "quiet" }, one.time ? `${deviceTitle(one.source)}, ${stamp(one.time)}` : deviceTitle(one.source)));
}
