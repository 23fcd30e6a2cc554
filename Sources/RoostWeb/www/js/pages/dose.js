// Counts of a radiation counter in a time, their uncertainty, and the dose.
import { ruleName } from "../alerts.js";
import { Chart } from "../chart.js";
import { button, card, choice, el, facts, segments, setText } from "../dom.js";
import { number, rfc3339, stamp, zoneWords } from "../format.js";
import { loadMore, plural, t } from "../i18n.js";
import { live } from "../live.js";
import { channelName, confirmed, curveWords, isPresent, recorded } from "../words.js";
import { readoutWords } from "./history.js";
import { ruleSentences } from "./alerts.js";

/** So long a mark may take to the history. */
const MARK_SECONDS = 12;
/** Seconds of each choice; the mark has its own. */
const WINDOWS = { hour: 3600, day: 86400, week: 604800, month: 2592000 };

export async function load(api, query) {
  await Promise.all([loadMore("alerts"), loadMore("history")]);
  const [channels, rules] = await Promise.all([api.get("/channels"), api.maybe("/rules"), live.station ? null : live.refresh().catch(() => {})]);
  const counters = (channels.items ?? []).filter((one) => one.unit === "cpm");
  const counter = counters.find((one) => one.id === query.get("channel")) ?? counters.find(isPresent) ?? counters[0];
  if (!counter) return { counters };
  const { now } = live;
  const asked = WINDOWS[query.get("window")] ? query.get("window") : "mark";
  const range = asked === "mark" ? {} : { from: rfc3339(now - WINDOWS[asked]), to: rfc3339(now) };
  const dose = await api.get("/dose", { channel: counter.id, ...range });
  // Without a mark it is the last day.
  const window = asked === "mark" && !dose.isSinceMark ? "day" : asked;
  const from = Date.parse(dose.from ?? "") / 1000 || now - WINDOWS.day, to = Math.max(now, from + 60);
  const ask = { channel: counter.id, from: rfc3339(from), to: rfc3339(to) };
  const [series, ledger] = await Promise.all([api.maybe("/series", { ...ask, points: 400 }), api.ledger(ask)]);
  return { counters, counter, window, dose, from, to, now, series: series?.series?.[0], ledger, rules: rules?.alerts ?? [] };
}

export function make(root, context) {
  let chart = null;
  return {
    update(data) {
      chart?.close();
      chart = null;
      if (!data.counter) return root.replaceChildren(card(null, el("p", { class: "big" }, t("dose.none")), el("p", { class: "quiet" }, t("dose.none.words"))));
      const box = el("div", { class: "chart", tabindex: "0", role: "group" }), readout = el("p", { class: "readout", role: "status" });
      root.replaceChildren(figures(data, context), data.series ? card(t("quantity.cpm"), box, el("p", { class: "quiet" }, zoneWords()), readout) : "", alarm(data));
      if (data.series) chart = draw(box, readout, data);
    },
    leave() { chart?.close(); },
  };
}

const withError = (rate, decimals, unit) => `${number(rate.mean, decimals)} ± ${number(rate.error, decimals)} ${unit}`;

function figures({ counters, counter, window, dose, from }, context) {
  const which = counters.length < 2 ? null : choice(counters.map((one) => [one.id, channelName(one)]), counter.id, { "aria-label": t("dose.counter"), onchange: (event) => context.setQuery({ channel: event.target.value }) });
  const windows = segments(t("history.range"), ["mark", ...Object.keys(WINDOWS)].map((name) => [name, t(`dose.window.${name}`)]), window, (name) => context.setQuery({ window: name === "mark" ? null : name }));
  const share = dose.elapsedSeconds > 0 ? Math.min(1, dose.coveredSeconds / dose.elapsedSeconds) : 1;
  const since = t(dose.isSinceMark ? "dose.since.mark" : "dose.since", { time: dose.from ? stamp(from) : t("dose.beginning") });
  const { countRate, doseRate } = dose;
  const mark = context.may("member") && live.state !== "still" ? button(t("dose.mark"), confirmed(t("dose.mark.sure"), t("dose.mark"), async () => {
    await context.api.send("POST", "/dose/mark", { channel: counter.id });
    for (let turn = 0; turn < MARK_SECONDS; turn += 1) {
      const now = await context.api.get("/dose", { channel: counter.id });
      if (now.isSinceMark && (now.from !== dose.from || !dose.isSinceMark)) break;
      await new Promise((done) => setTimeout(done, 1000));
    }
    await context.setQuery({ window: null });
  })) : null;
  return card(null, el("div", { class: "tools" }, which, windows), el("p", { class: "quiet" }, since),
    countRate ? [
      el("p", { class: "big number" }, withError(countRate, 2, "cpm")),
      doseRate ? el("p", { class: "big number" }, withError(doseRate, 4, "µSv/h")) : el("p", { class: "quiet" }, t("dose.noFactor")),
      facts([
        [t("dose.measured"), doseRate && `${number(dose.measuredDose, 4)} µSv`],
        [t("dose.estimated"), doseRate && `${number(dose.estimatedDose, 4)} µSv`],
        [t("dose.counts"), `${number(dose.counts)} (${plural("history.samples", dose.sampleCount)})`],
        [t("dose.deviation"), Number.isFinite(dose.deviation) ? `${number(dose.deviation, 2)} cpm` : "–"],
        [t("dose.span"), t("dose.fromTo", { from: number(dose.least), to: number(dose.most) })],
        [t("dose.covered"), `${number(share * 100, 1)} %`],
      ]),
      el("p", { class: "quiet" }, t("dose.words")),
    ] : el("p", { class: "big" }, t("dose.noCounts")),
    mark ? el("div", { class: "row" }, mark) : null);
}

function draw(box, readout, { counter, series, ledger, from, to, now }) {
  const unsure = (series.unsure ?? []).flatMap((flag, step) => (flag ? [step] : []));
  const shown = [{ ...series, item: counter, width: series.widthSeconds, index: 0, ...recorded(ledger), unsure }], data = { from, to, now, series: shown, marks: [], floor: 0 };
  const chart = new Chart(box, { read(time) {
    chart.cursor = time;
    setText(readout, readoutWords({ series: data }, time));
  } });
  chart.data = data;
  box.setAttribute("aria-label", `${t("dose.chart", { name: channelName(counter) })}: ${curveWords(series, shown[0].stretches.length)}`);
  setText(readout, readoutWords({ series: data }, null));
  return chart;
}

function alarm({ counter, rules }) {
  const [device] = counter.id.split("/");
  const mine = rules.filter((rule) => rule.parts.some((part) => part.limits.length && fits(counter.id, part.channels)));
  const state = (rule) => rule.present.find((one) => one.key.startsWith(`${rule.id}:${device}/`))?.state ?? "quiet";
  return card(t("dose.alarm"), mine.length ? el("ul", { class: "list" }, mine.map((rule) => el("li", {}, el("strong", {}, ruleName(rule.id)), ` ${ruleSentences(rule).join(" ")}`,
    el("span", { class: "quiet" }, ` ${t(`dose.alarm.${state(rule) === "quiet" ? "quiet" : "raised"}`)}`)))) : el("p", { class: "quiet" }, t("dose.alarm.none", { id: channelName(counter) })),
    el("p", {}, el("a", { href: "/alerts" }, t("alerts.title"))));
}

const fits = (name, pattern) => new RegExp(`^${pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join(".*")}$`).test(name);
