// Means of hours, days, weeks, months and years, and the raw record as files.
import { address } from "../api.js";
import { asIs, card, choice, el, segments, table } from "../dom.js";
import { clock, date, dated, day, isKnown, month, neighbour, number, over, percent, rfc3339, stamp, value, windowOf, windowOfQuery, zone, zoneWords } from "../format.js";
import { t } from "../i18n.js";
import { live, refresh } from "../live.js";
import { action, channelName } from "../words.js";
import { copyStore } from "./backup.js";
import { steps } from "./history.js";

const PERIODS = { hour: "day", day: "month", week: "year", month: "year", year: null };
const FILES = { hour: "hourly", day: "daily", week: "weekly", month: "monthly", year: "monthly" };

export async function load(api, query) {
  const [channels] = await Promise.all([api.get("/channels"), live.station ? null : refresh()]);
  const items = channels.items ?? [], by = PERIODS[query.get("by")] === undefined ? "hour" : query.get("by");
  const channel = items.find((one) => one.id === query.get("channel")) ?? items.find((one) => one.limits?.length) ?? items[0];
  if (!channel) return { items, by };
  const newest = live.state === "still" && channel.newest ? Date.parse(channel.newest) / 1000 : live.now;
  let window;
  if (by === "year") window = { range: null, from: windowOf("year", Date.parse(channel.oldest ?? "") / 1000 || newest)[0], to: windowOf("year", newest)[1] };
  else window = windowOfQuery(new URLSearchParams({ range: PERIODS[by], ...(query.get("from") ? { from: query.get("from") } : {}) }), newest);
  const range = { from: rfc3339(window.from), to: rfc3339(window.to) };
  const [means, list] = await Promise.all([api.get("/means", { channel: channel.id, by, ...range, zone: zone() }), api.maybe(`/files/${FILES[by]}`, range)]);
  return { items, by, channel, window, range, means, list };
}

export function draw({ items, by, channel, window, range, means, list }, context) {
  if (!channel) return [card(null, el("p", {}, t("history.none")))];
  const which = choice(items.map((one) => [one.id, channelName(one)]), channel.id, { onchange: () => context.setQuery({ channel: which.value }) });
  const tabs = segments(t("measurements.by"), Object.keys(PERIODS).map((name) => [name, t(`measurements.${name}`)]), by, (name) => context.setQuery({ by: name, from: null }));
  const move = (step) => context.setQuery({ from: rfc3339(neighbour(window, step).from) });
  const rows = (means.items ?? []).map((one) => [label(one, by), value(one.mean, means.decimals ?? channel.decimals), value(one.least, channel.decimals), value(one.most, channel.decimals), number(one.n ?? 0),
    isKnown(one.coverage) ? `${percent(one.coverage, 0)}${one.enough === false ? ` ${t("measurements.few")}` : ""}` : "–"]);
  return [el("section", { class: "card" }, el("div", { class: "form" }, el("label", {}, t("measurements.choice"), which)),
    el("div", { class: "tools row" }, tabs, by === "year" ? null : steps(window, move)),
    el("h2", {}, by === "year" ? t("measurements.all") : by === "hour" ? day(window.from) : by === "day" ? month(window.from) : dated(window.from, { year: "numeric" })),
    rows.length ? el("div", { class: "means" }, table(`${channelName(channel)}, ${channel.unit ?? ""}, ${zoneWords()}`, [t("measurements.period"), t("history.mean"), t("history.least"), t("history.most"), t("history.count"), t("measurements.coverage")], rows))
      : el("p", {}, t("measurements.none")), rolling(means, channel)), files(channel, range, context), list && windows(list)];
}

function label({ from, to }, by) {
  if (by === "hour") return clock(from);
  if (by === "day") return dated(from, { weekday: "short", day: "numeric" });
  if (by === "week") return [from, Date.parse(to) / 1000 - 1].map((time) => dated(time, { day: "numeric", month: "short" })).join(" – ");
  return by === "month" ? dated(from, { month: "long" }) : dated(from, { year: "numeric" });
}

function rolling({ rolling: means }, channel) {
  if (!means?.length) return null;
  return el("ul", { class: "list" }, means.map((one) => el("li", {}, t("measurements.rolling", { over: over(one.averagingSeconds), mean: `${value(one.mean, channel.decimals)} ${channel.unit ?? ""}` }),
    one.enough === false ? el("span", { class: "quiet" }, ` ${t("numbers.little", { share: percent(one.coverage ?? 0, 0) })}`) : one.limit ? el("span", { class: "quiet" }, ` ${t("measurements.guideline", { limit: number(one.limit, 1, 0) })}`) : null)));
}

/** Files of whole minutes from the first sample on, in the time that the page shows. */
function windows({ type, minutes, items }) {
  return card(t("measurements.windows", { n: number(minutes) }), items.length ? el("ul", { class: "list" }, items.map((one) => el("li", { class: "split" }, el("span", {}, stamp(one.from), one.isComplete ? null : el("span", { class: "quiet" }, ` ${t("measurements.grows")}`)),
    asIs("CSV", "a", { class: "button", download: one.name, href: address(`/files/${type}/${encodeURIComponent(one.name)}`), "aria-label": one.name })))) : el("p", {}, t("measurements.none")));
}

function files(channel, range, { api, me, may }) {
  const row = (words, query) => el("li", { class: "split" }, el("span", {}, words), el("span", { class: "row" }, ["csv", "ndjson", "json"].map((format) =>
    el("a", { class: "button", download: "", href: address("/export", { format, ...query }), "aria-label": `${format} ${words}` }, format.toUpperCase()))));
  const perDay = channel.intervalSeconds ? (86400 / channel.intervalSeconds) * 60 : null;
  const all = channel.oldest ? (live.now - Date.parse(channel.oldest) / 1000) / 86400 : null;
  return card(t("measurements.files"), el("p", { class: "quiet" }, t("measurements.files.words")), el("ul", { class: "list" },
    row(t("measurements.shown"), { channel: channel.id, ...range }),
    row(t("measurements.channel", { name: channelName(channel), since: channel.oldest ? date(channel.oldest) : "–" }), { channel: channel.id }),
    row(t("measurements.everything"), {}),
    may("owner") && !me.isOpen ? el("li", { class: "split" }, el("span", {}, t("measurements.copy")), action(t("measurements.copy.make"), async () => {
      const { href, size } = await copyStore(api);
      location.assign(href);
      return t("measurements.copy.done", { size });
    })) : null),
  perDay && all ? el("p", { class: "quiet" }, t("measurements.size", { size: `${number((perDay * Math.max(1, all)) / 1e6, 1)} MB` })) : null);
}
