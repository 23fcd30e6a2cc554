// The parts beside a chart: read-out, legend and the same steps as a table.
import { DASHES, stepAt, stretchAt } from "../chart.js";
import { el, svg, table } from "../dom.js";
import { clock, clockSeconds, day, duration, number, percent, stamp, value, width, zoneName } from "../format.js";
import { plural, t } from "../i18n.js";
import { live } from "../live.js";
import { channelName, flagWords, plainQuantity, reason } from "../words.js";

/** One sentence a channel: what the step at the cursor holds, or why it holds nothing. */
export function readoutWords(data, time) {
  const all = data.series?.series ?? [];
  if (time === null) return all.length ? t("history.hint") : "";
  const lines = all.map((series) => stepWords(series, time, all.length > 1));
  return lines.join("\n");
}

function stepWords(series, time, isNamed) {
  const index = stepAt(series, time), name = isNamed ? `${channelName(series.item)}: ` : "";
  if (index < 0 || series.mean[index] === null || series.mean[index] === undefined) {
    const stretch = stretchAt(series.stretches, time, series.width);
    return `${name}${stamp(time - (series.shift ?? 0))} ${zoneName(time)}: ${t("history.noValue", { cause: stretch ? reason(stretch[2]) : t("cause.none") })}`;
  }
  const from = series.t[index] - (series.shift ?? 0), to = from + series.width, decimals = series.decimals;
  const flags = flagWords(series.flags?.[index]);
  const words = t("history.step", {
    when: `${series.unsure.includes(index) ? "~" : ""}${day(from)} ${series.width < 60 ? clockSeconds(from) : `${clock(from)}–${clock(to)}`} ${zoneName(from)}`,
    mean: value(series.mean[index], decimals), least: value(series.least[index], decimals), most: value(series.most[index], decimals), unit: series.unit,
  });
  return `${name}${words} ${plural("history.samples", series.count?.[index] ?? 0)}${flags ? `, ${flags}` : ""}.`;
}

export function legend({ series, ledgers }) {
  return series.series.map((one) => {
    const place = series.series.filter((other) => other.unit === one.unit).indexOf(one);
    const line = svg("svg", { class: `s${place + 1}`, "aria-hidden": "true" }, svg("line", { x1: 0, x2: 32, y1: 6, y2: 6, "stroke-dasharray": DASHES[place] }));
    const ledger = ledgers[one.index];
    const covered = ledger?.elapsedSeconds ? t("history.covered", { share: percent(ledger.coveredSeconds / ledger.elapsedSeconds, 1) }) : "";
    return el("li", {}, line, el("span", {}, channelName(one.item), " ", el("span", { class: "quiet" },
      [covered, missingWords(one.stretches), one.width && one.t.length ? t("history.width", { width: width(one.width) }) : ""].filter(Boolean).join(" · "))));
  });
}

function missingWords(stretches) {
  const sums = new Map();
  for (const [from, to, cause] of stretches ?? []) sums.set(cause, (sums.get(cause) ?? 0) + to - from);
  const [most] = [...sums].sort((one, other) => other[1] - one[1]);
  return most ? t("history.missing", { time: duration(most[1]), cause: reason(most[0]) }) : "";
}

/** The means of a series by stretches of time that two series share. */
function means({ t, mean, width }, from, bin) {
  const found = new Map();
  t.forEach((time, index) => {
    if ((mean[index] ?? null) === null) return;
    const at = Math.floor((time + width / 2 - from) / bin), { sum, count } = found.get(at) ?? { sum: 0, count: 0 };
    found.set(at, { sum: sum + mean[index], count: count + 1 });
  });
  return found;
}

/** How far two curves of one quantity lie apart where both have values, and for how much of the time they have. */
export function differenceWords({ series: { series: all }, shift, window: { from, to }, now }) {
  if (shift && all.length === 1) return t("history.differ.never", { one: channelName(all[0].item), other: t("history.earlier") });
  if (all.length !== 2 || all[0].unit !== all[1].unit || plainQuantity(all[0].item.quantity) !== plainQuantity(all[1].item.quantity)) return "";
  const bin = Math.max(...all.map((one) => one.width)), [first, other] = all.map((one) => means(one, from, bin)), both = [...first.keys()].filter((at) => other.has(at));
  const names = { one: channelName(all[0].item), other: channelName(all[1].item) };
  if (!both.length) return t("history.differ.never", names);
  const decimals = all[0].decimals + 1, of = (one) => one.sum / one.count, mean = both.reduce((sum, at) => sum + of(first.get(at)) - of(other.get(at)), 0) / both.length, size = number(Math.abs(mean), decimals);
  const share = Math.min(1, (both.length * bin) / Math.max(bin, Math.min(to, now) - from));
  const key = size === number(0, decimals) ? "same" : mean > 0 ? "above" : "below";
  return `${t(`history.differ.${key}`, { ...names, size: `${size} ${all[0].unit}` })} ${t("history.differ.both", { share: share < 0.001 ? `< ${percent(0.001, 1)}` : percent(share, 1) })}`;
}

export function stepTable(series) {
  const rows = series.t.map((time, index) => [
    `${series.unsure.includes(index) ? "~" : ""}${stamp(time)}`, value(series.least[index], series.decimals), value(series.mean[index], series.decimals), value(series.most[index], series.decimals),
    number(series.count?.[index] ?? 0), flagWords(series.flags?.[index]),
  ]);
  return table(`${channelName(series.item)}, ${series.unit}, ${zoneName(series.t[0] ?? live.now)}`,
    [t("history.from"), t("history.least"), t("history.mean"), t("history.most"), t("history.count"), t("history.flags")], rows);
}
