// Values over time, with every gap and its cause.
import { address } from "../api.js";
import { Chart, DASHES, stepAt, stretchAt } from "../chart.js";
import { asIs, button, dialog, el, fold, lateFold, nextFrame, quoted, segments, show, svg, table } from "../dom.js";
import { eventSentence, loadFacts } from "../facts.js";
import { field, form } from "../form.js";
import { clock, clockSeconds, date, dated, day, duration, fromInput, month, neighbour, number, percent, RANGES, rfc3339, span, stamp, toInput, value, width, windowOfQuery, zoneName, zoneWords } from "../format.js";
import { has, loadMore, plural, t } from "../i18n.js";
import { live } from "../live.js";
import { bandsOf, byGroup, channelName, copyAction, curveWords, flagWords, isPresent, plainQuantity, problemWords, quantityName, quantityOf, reason, recorded } from "../words.js";

const MOST_CHANNELS = 4;
const MOST_GAPS = 12;
/** What the station keeps of a note. */
export const NOTE = { maxlength: "120", "data-bytes": "120", required: true };
const PLAIN = ["notScheduled", "notDue"];
/** Milliseconds that curves wait for their gaps, which follow otherwise. */
const LEDGER_PATIENCE = 300;

export async function load(api, query) {
  const [channels] = await Promise.all([api.get("/channels"), live.station ? null : live.refresh()]);
  const items = (channels.items ?? []).sort(byGroup);
  const asked = query.getAll("channel").filter((id) => items.some((one) => one.id === id)).slice(0, MOST_CHANNELS);
  const first = items.find((one) => one.limits?.length && isPresent(one)) ?? items.find(isPresent) ?? items[0];
  const chosen = asked.length ? asked : first ? [first.id] : [];
  const now = live.state === "saved" ? live.answeredAt : live.now;
  // A store without a station: the end of its record is its present.
  const newest = Math.max(...items.map((one) => Date.parse(one.newest ?? "") / 1000 || 0));
  const present = live.state === "still" && newest > 0 ? newest - 1 : now;
  const window = windowOfQuery(query, present);
  if (!chosen.length) return { items, chosen, window, now };
  const range = { from: rfc3339(window.from), to: rfc3339(window.to) };
  const points = Math.min(1200, Math.max(300, Math.round(innerWidth)));
  const shift = query.get("compare") === "before" && chosen.length === 1 ? window.to - window.from : 0;
  const ledgersAsked = Promise.all(chosen.map((channel) => api.ledger({ channel, ...range })));
  const [series, earlier, events, notes] = await Promise.all([
    api.get("/series", { channel: chosen, ...range, points }),
    shift ? api.maybe("/series", { channel: chosen, from: rfc3339(window.from - shift), to: rfc3339(window.to - shift), points }) : null,
    api.maybe("/events", { ...range, severity: "warning", limit: 100 }),
    api.maybe("/notes", range),
    loadFacts(),
  ]);
  const ledgers = await Promise.race([ledgersAsked, new Promise((next) => setTimeout(next, LEDGER_PATIENCE))]);
  if (earlier?.series[0]?.t.length) series.series.push({ ...earlier.series[0], t: earlier.series[0].t.map((time) => time + shift), shift, isEarlier: true });
  return { items, chosen, window, now, series, shift, events: events?.items ?? [], notes: notes?.items ?? [], ledgers: ledgers ?? [], late: ledgers ? null : ledgersAsked, range };
}

export function make(root, context) {
  const heading = el("h2"), tools = el("div", { class: "tools" }), charts = el("div", { class: "charts" });
  const readout = el("p", { class: "readout", role: "status" }), keys = el("ul", { class: "legend" }), apart = el("p");
  const own = ownRange(context);
  const main = el("section", { class: "card", "aria-label": t("history.chart") },
    el("div", { class: "split" }, heading, asIs("", "span", { class: "quiet", id: "history-zone" })), tools, own, charts, readout, keys, apart);
  const chooser = el("section", { class: "card" }), gaps = el("section", { class: "card" }), more = el("section", { class: "card" });
  root.append(el("div", { class: "page" }, main, gaps), el("div", { class: "page" }, chooser, more));
  let drawn = [], latest, at = null;

  function point(data, time) {
    at = time;
    readout.classList.toggle("reads", time !== null);
    for (const chart of drawn) chart.cursor = time;
    readout.textContent = [readoutWords(data, time), data.series ? markAt(data, time) : ""].filter(Boolean).join("\n");
  }

  return {
    async update(data) {
      const { window, chosen, items, series, late } = latest = data;
      heading.textContent = windowWords(window);
      main.querySelector("#history-zone").textContent = zonesOf(window);
      fillTools(tools, data, context, own);
      await nextFrame();
      if (latest !== data) return;
      for (const chart of drawn) chart.close();
      charts.replaceChildren();
      drawn = series ? drawCharts(charts, data, context, (time) => point(data, time)) : [];
      if (!chosen.length) charts.replaceChildren(el("p", {}, t("history.none")));
      point(data, null);
      keys.replaceChildren(...(series ? legend(data) : []));
      apart.textContent = series ? differenceWords(data) : "";
      await nextFrame();
      if (latest !== data) return;
      show(chooser, items.length > 0);
      fillChooser(chooser, items, chosen, context);
      show(gaps, Boolean(series));
      gaps.replaceChildren(el("h2", {}, t("history.gaps")), ...(late ? [el("p", { class: "quiet" }, t("page.loading"))] : series ? gapList(data, context) : []));
      show(more, Boolean(series));
      if (series) fillMore(more, data);
      if (!late) return;
      data.ledgers = await late;
      if (latest !== data) return;
      for (const one of series.series) Object.assign(one, recorded(data.ledgers[one.index]));
      for (const chart of drawn) { chart.draw(); chart.label(); }
      point(data, at);
      keys.replaceChildren(...legend(data));
      gaps.replaceChildren(el("h2", {}, t("history.gaps")), ...gapList(data, context));
    },
    keeps: () => root.querySelector(".card:last-child details[open], .chart:focus"),
    leave() { latest = null; for (const chart of drawn) chart.close(); },
  };
}

/** The zone, with what its clock is called at both ends where that differs. */
function zonesOf({ from, to }) {
  const names = [...new Set([zoneName(from), zoneName(to)])].join(", ");
  return zoneWords() === names ? names : `${zoneWords()} (${names})`;
}

function windowWords({ range, from, to }) {
  if (range === "day") return day(from);
  if (range === "month") return month(from);
  if (range === "year") return dated(from, { year: "numeric" });
  if (range === "week") return t("history.week", { from: dated(from, { day: "numeric", month: "short" }), to: date(to - 1) });
  return span(from, to);
}

const goTo = (context, { range, from, to }) => context.setQuery({ range, from: rfc3339(from), to: range ? null : rfc3339(to) });

function fillTools(node, data, context, own) {
  const { window } = data, isComparing = node.contains(document.activeElement) && document.activeElement.matches("select");
  const presets = segments(t("history.range"), RANGES.map((range) => [range, t(`history.preset.${range}`)]), window.range, (range) => context.setQuery({ range, from: null, to: null }));
  node.replaceChildren(presets, steps(window, (by) => goTo(context, neighbour(window, by))),
    button(t("history.own"), () => { show(own, own.hidden); own.set(window); }, { "aria-expanded": String(!own.hidden) }),
    comparison(data, context));
  if (isComparing) node.querySelector("select")?.focus();
}

/** Buttons for the time before and after, which is not there yet for the present. */
export const steps = (window, move) => el("div", { class: "segments" }, button("‹", () => move(-1), { "aria-label": t("history.before") }),
  button("›", () => move(1), { "aria-label": t("history.after"), disabled: window.to > live.now }));

/** The time before beside a channel, or another of the same quantity: a sensor, or what others measure. */
function comparison({ items, chosen, shift }, context) {
  const [first, second] = chosen.map((id) => items.find((one) => one.id === id));
  const isLike = (one) => one !== first && one.unit === first.unit && plainQuantity(one.quantity) === plainQuantity(first.quantity);
  if (!first || chosen.length > 2 || (second && !isLike(second))) return "";
  const option = (value, words) => el("option", { value, selected: value === (shift ? "before" : second?.id ?? "") }, words);
  return el("label", { class: "row" }, t("history.compare"), el("select", { onchange({ target: { value } }) {
    context.setQuery(value === "before" ? { channel: first.id, compare: value } : { channel: [first.id, value], compare: null });
  } }, option("", t("history.compare.none")), option("before", t("history.earlier")), items.filter(isLike).map((one) => option(one.id, channelName(one)))));
}

function ownRange(context) {
  const from = el("input", { type: "datetime-local", required: true }), to = el("input", { type: "datetime-local", required: true });
  const wrong = el("p", { class: "wrong", role: "alert" });
  const form = el("form", { class: "range", hidden: true, onsubmit(event) {
    event.preventDefault();
    const [start, end] = [fromInput(from.value), fromInput(to.value)];
    wrong.textContent = start < end ? "" : t("history.order");
    if (start < end) goTo(context, { range: null, from: start, to: end });
  } }, el("label", {}, t("history.from"), from), el("label", {}, t("history.to"), to), el("button", { class: "first" }, t("history.show")), wrong);
  form.set = (window) => { from.value = toInput(window.from); to.value = toInput(window.to); };
  return form;
}

function fillChooser(node, items, chosen, context) {
  const list = el("ul", {}, items.map((one) => {
    const isChosen = chosen.includes(one.id), isFull = chosen.length >= MOST_CHANNELS;
    const box = el("input", { type: "checkbox", value: one.id, checked: isChosen, disabled: !isChosen && isFull });
    box.addEventListener("change", () => {
      const wanted = [...list.querySelectorAll("input:checked")].map((input) => input.value);
      if (wanted.length) context.setQuery({ channel: wanted }); else box.checked = true;
    });
    return el("li", {}, el("label", { class: "check" }, box, el("span", {}, channelName(one), !isPresent(one) ? el("span", { class: "quiet" }, ` ${t("history.past")}`) : null)));
  }));
  const isLong = items.length > 8;
  node.replaceChildren(el("fieldset", {}, el("legend", { class: "legend-title" }, el("h2", {}, t("history.channels"))),
    isLong ? el("details", { open: innerWidth >= 1024 }, el("summary", {}, items.filter((one) => chosen.includes(one.id)).map(channelName).join(", ")), list) : list),
    chosen.length >= MOST_CHANNELS ? el("p", { class: "quiet" }, t("history.channelsMost", { n: MOST_CHANNELS })) : "");
}

function markAt({ events, notes, window }, time) {
  const near = (window.to - window.from) * 14 / (document.querySelector(".chart").clientWidth - 54);
  const hits = (list, name) => (time === null ? [] : list.filter((one) => one[name] && Math.abs(Date.parse(one[name]) / 1000 - time) < near));
  const all = [...hits(notes, "at").map((note) => `◆ ${clock(note.at)} ${note.text}`), ...hits(events, "time").map((event) => `○ ${clock(event.time)} ${eventSentence(event)}`)];
  return [...all.slice(0, 4), ...(all.length > 4 ? [`+ ${all.length - 4}`] : [])].join(" · ");
}

/** Curves of one quantity share an axis, and its levels. */
const axisOf = ({ channel, unit }) => `${unit} ${plainQuantity(quantityOf(channel))}`;

function drawCharts(place, data, context, read) {
  const { chosen, items, series, ledgers, window, now, events, notes } = data;
  const all = series.series.map((one) => {
    const channel = items.find((item) => item.id === one.channel) ?? { id: one.channel };
    const index = chosen.indexOf(one.channel), item = one.isEarlier ? { ...channel, id: one.channel, name: t("history.earlier"), isEarlier: true } : channel;
    return { ...one, item, width: one.widthSeconds, index: one.isEarlier ? -1 : index, ...recorded(one.isEarlier ? null : ledgers[index]),
      unsure: one.unsure?.length === one.t.length ? one.unsure.flatMap((flag, step) => (flag ? [step] : [])) : one.unsure ?? [] };
  });
  data.series.series = all;
  const marks = [
    ...notes.map((note) => ({ kind: "note", at: Date.parse(note.at) / 1000 })),
    ...events.filter((event) => event.time).map((event) => ({ kind: "event", at: Date.parse(event.time) / 1000 })),
  ];
  const peers = [];
  return [...new Set(all.map(axisOf))].map((axis) => {
    const group = all.filter((one) => axisOf(one) === axis), [{ unit }] = group;
    const box = el("div", { class: "chart", tabindex: "0", role: "group", "aria-roledescription": t("history.chart") }), [{ item }] = group;
    place.append(el("div", {}, el("p", { class: "quiet" }, `${quantityName(quantityOf(item.id), item.isEarlier ? undefined : item.name)}, ${unit}`), box));
    const chart = new Chart(box, {
      peers, read, zoom: (from, to) => to - from >= 60 && goTo(context, { range: null, from, to }),
      reset: () => context.setQuery({ range: "day", from: null, to: null }),
      gap: (one, stretch) => openGap(context, one.item, stretch),
    });
    chart.label = () => box.setAttribute("aria-label", t("history.chart.label", { names: group.map((one) => `${channelName(one.item)}, ${curveWords(one, one.stretches.length)}`).join("; "), unit }));
    chart.label();
    chart.data = {
      from: window.from, to: window.to, now, series: group, marks,
      ...(group.some((one) => one.unit === "°C") ? { floor: 0 } : {}),
      ...bandsOf(item),
    };
    return chart;
  });
}

function fillMore(node, data) {
  const { chosen, range, series } = data;
  const query = { channel: chosen, ...range };
  const full = series.series.map((one) => one.covered?.reduce((sum, share) => sum + (share ?? 0), 0)).some((sum) => sum > 0);
  const details = lateFold(el("summary", {}, t("history.table")), () => series.series.filter((one) => !one.isEarlier).map(stepTable));
  const command = `curl -H 'Authorization: Bearer TOKEN' '${location.origin}${address("/series", { ...query, points: 600 })}'`;
  node.replaceChildren(el("h2", {}, t("history.take")),
    el("div", { class: "row" },
      full ? el("a", { class: "button", download: "", href: address("/export", { format: "csv", ...query }) }, t("history.csv")) : null,
      button(t("history.curl"), () => dialog(t("history.curl"), t("do.close"), el("p", {}, t("history.curl.words")),
        asIs(command, "pre", { tabindex: "0" }), copyAction(() => command)))), details);
}

/** One sentence a channel: what the step at the cursor holds, or why it holds nothing. */
export function readoutWords(data, time) {
  const all = data.series?.series ?? [];
  if (time === null) return all.length ? t("history.hint") : "";
  return all.map((series) => stepWords(series, time, all.length > 1)).join("\n");
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

function legend({ series, ledgers }) {
  return series.series.map((one) => {
    const place = series.series.filter((other) => axisOf(other) === axisOf(one)).indexOf(one);
    const line = svg("svg", { class: `s${place + 1}`, "aria-hidden": "true" }, svg("line", { x1: 0, x2: 32, y1: 6, y2: 6, "stroke-dasharray": DASHES[place] }));
    const ledger = ledgers[one.index];
    const covered = ledger?.elapsedSeconds ? t("history.covered", { share: percent(ledger.coveredSeconds / ledger.elapsedSeconds, 1) }) : "";
    return el("li", {}, line, el("span", {}, channelName(one.item), " ", el("span", { class: "quiet" },
      [covered, missingWords(one.stretches), one.width && one.t.length ? t("history.width", { width: width(one.width) }) : ""].filter(Boolean).join(" · "))));
  });
}

function missingWords(stretches) {
  const sums = new Map();
  for (const [from, to, cause] of (stretches ?? []).filter((one) => !PLAIN.includes(one[2]))) sums.set(cause, (sums.get(cause) ?? 0) + to - from);
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
function differenceWords({ series: { series: all }, shift, window: { from, to }, now }) {
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

function stepTable(series) {
  const rows = series.t.map((time, index) => [
    `${series.unsure.includes(index) ? "~" : ""}${stamp(time)}`, value(series.least[index], series.decimals), value(series.mean[index], series.decimals), value(series.most[index], series.decimals),
    number(series.count?.[index] ?? 0), flagWords(series.flags?.[index]),
  ]);
  return table(`${channelName(series.item)}, ${series.unit}, ${zoneName(series.t[0] ?? live.now)}`,
    [t("history.from"), t("history.least"), t("history.mean"), t("history.most"), t("history.count"), t("history.flags")], rows);
}

// MARK: Why is there no data here: cause, surroundings, how often, next act

export function gapList({ series, ledgers, chosen, items }, context) {
  const gaps = chosen.flatMap((id, index) => (ledgers[index]?.stretches ?? [])
    .filter(([, , cause]) => !PLAIN.includes(cause))
    .map((stretch) => ({ stretch, item: items.find((one) => one.id === id) ?? { id } })));
  const refused = ledgers.find((one) => one?.problem), why = refused ? el("p", { class: "wrong" }, problemWords(refused.problem)) : "";
  if (!gaps.length) return [why || el("p", {}, t("history.gaps.none"))];
  gaps.sort((a, b) => b.stretch[1] - b.stretch[0] - (a.stretch[1] - a.stretch[0]));
  const rows = gaps.slice(0, MOST_GAPS).map(({ stretch: [from, to, cause], item }) => el("li", {},
    el("span", { class: "what" }, el("strong", {}, reason(cause)), ` · ${duration(to - from)}`,
      el("span", { class: "quiet" }, el("br"), `${span(from, to)}${series.series.length > 1 ? `, ${channelName(item)}` : ""}`)),
    el("button", { type: "button", onclick: () => openGap(context, item, [from, to, cause]), "aria-label": t("gap.why.of", { cause: reason(cause), when: span(from, to) }) }, t("gap.why"))));
  return [why, el("ul", { class: "list gaps" }, rows), gaps.length > MOST_GAPS ? el("p", { class: "quiet" }, plural("history.gaps.more", gaps.length - MOST_GAPS)) : ""];
}

export async function openGap(context, item, [from, to, cause]) {
  const body = el("div", { class: "page" }, el("p", { class: "quiet" }, t("page.loading")));
  dialog(t("gap.title", { duration: duration(to - from) }), t("do.close"),
    el("p", { class: "quiet" }, `${channelName(item)} · ${span(from, to)}`), body);
  const middle = rfc3339(Math.min(to - 0.5, Math.max(from + 1, (from + to) / 2)));
  const [gap] = await Promise.all([context.api.maybe(`/gaps/${item.id}/${middle}`), loadFacts(), loadMore("history").catch(() => {})]);
  body.replaceChildren(...sheet(gap ?? { cause }, context, item, from));
}

function sheet(gap, context, item, from) {
  const key = `cause.${gap.cause}`, isKnown = has(key);
  const next = has(`${key}.next`) ? t(`${key}.next`) : isKnown ? null : quoted(gap.nextStep);
  const words = has(`${key}.words`) ? t(`${key}.words`) : isKnown ? null : quoted(gap.sentence);
  // The starts of the program's parts would bury what matters.
  const telling = (gap.events ?? []).filter((event) => event.severity !== "info");
  const events = telling.length ? telling : gap.events ?? [], range = `from=${rfc3339(from - 300)}&to=${rfc3339(from + 3600)}`;
  return [el("div", {}, el("p", { class: "big" }, reason(gap.cause)), words ? el("p", {}, words) : null),
    gap.isSure === false ? el("p", { class: "quiet" }, t("gap.unsure")) : null,
    events.length ? el("div", {}, el("h3", {}, t("gap.around")), eventList(events.slice(0, 12))) : null,
    gap.alike ? el("p", {}, alikeWords(gap.alike, gap.events ?? [])) : null,
    next ? el("p", {}, el("strong", {}, `${t("gap.next")} `), next) : null,
    el("p", {}, el("a", { href: `/events?${range}`, onclick: closeDialog }, t("gap.events"))),
    context.may("member") ? noteForm(context, item, from) : null].filter(Boolean);
}

export const eventList = (events) => el("ul", {}, events.map((event) =>
  el("li", {}, el("span", { class: "number" }, event.time ? clock(event.time) : "–"), " ", eventSentence(event))));

const closeDialog = (event) => event.target.closest("dialog")?.close();

function alikeWords({ days, count, hours, with: others }, near) {
  const words = [plural("gap.alike", count, { days })];
  if (hours?.length && hours.length <= 4) words.push(t("gap.hours", { hours: hours.map((hour) => `${hour}:00`).join(", ") }));
  for (const [name, times] of Object.entries(others ?? {})) {
    const event = near.find((one) => one.kind === name);
    if (event) words.push(t("gap.with", { name: eventSentence(event), n: times }));
  }
  return words.join(" ");
}

function noteForm({ api }, item, from) {
  const node = form([field("text", t("surveys.note"), NOTE)], t("do.save"), async ({ text }) => {
    await api.send("POST", "/notes", { at: rfc3339(from), text: text.trim(), channel: item.id });
    node.reset();
    return t("do.saved");
  });
  return fold(t("gap.note"), node);
}
