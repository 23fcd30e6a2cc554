// The station's events, newest first.
import { button, el, icon, mark, asIs, show } from "../dom.js";
import { clock, day, duration, zoneWords } from "../format.js";
import { eventWords, loadFacts } from "../facts.js";
import { code, plural, t } from "../i18n.js";
import { live } from "../live.js";

export const title = "events.title";
const SEVERITIES = ["info", "notice", "warning", "error"];
const FILTERS = ["severity", "source", "kind", "from", "to"];

export async function load(api, query) {
  const asked = Object.fromEntries(FILTERS.map((name) => [name, query.get(name)]));
  if (!asked.severity) asked.severity = "notice";
  const [page] = await Promise.all([api.get("/events", { ...asked, limit: 100 }), loadFacts()]);
  return { asked, items: page.items ?? [], next: page.next };
}

export function make(root, context) {
  const filters = el("section", { class: "card" }), list = el("section", { class: "card events" });
  const more = button(t("events.more"), null), newer = button("", null, { class: "first", hidden: true });
  root.append(filters, newer, list, el("div", { class: "row" }, more));
  let shown = null, waiting = 0;
  newer.addEventListener("click", () => context.reload());
  more.addEventListener("click", async () => {
    more.disabled = true;
    try {
      const page = await context.api.get("/events", { ...shown.asked, limit: 100, cursor: shown.next });
      const known = new Set(shown.items.map((event) => event.id));
      shown.items.push(...(page.items ?? []).filter((event) => !known.has(event.id)));
      shown.next = page.next;
      draw();
    } finally { more.disabled = false; }
  });

  function draw() {
    list.replaceChildren(...(shown.items.length ? days(shown.items) : [el("p", {}, t("events.none"))]));
    show(more, Boolean(shown.next));
  }

  return {
    update(data) {
      shown = data;
      waiting = 0;
      show(newer, false);
      fillFilters(filters, data, context);
      draw();
    },
    live(kind, event) {
      if (kind !== "event" || !shown || SEVERITIES.indexOf(event.severity) < SEVERITIES.indexOf(shown.asked.severity)) return;
      newer.textContent = plural("events.newer", (waiting += 1));
      show(newer, true);
    },
  };
}

function fillFilters(node, { asked, items }, context) {
  const choose = (name, label, options) => {
    const select = el("select", {}, options.map(([value, words]) => el("option", { value, selected: value === (asked[name] ?? "") }, words)));
    select.addEventListener("change", () => context.setQuery({ [name]: select.value }));
    return el("label", {}, label, select);
  };
  const kept = (name, values) => [...new Set([asked[name], ...values].filter(Boolean))].sort();
  const devices = (live.station?.channels ?? []).map((channel) => channel.id.split("/")[0]);
  node.replaceChildren(el("div", { class: "filters" },
    choose("severity", t("events.severity"), SEVERITIES.map((name) => [name, t(`severity.least.${name}`)])),
    choose("source", t("events.source"), [["", t("events.all")], ...kept("source", [...devices, ...items.map((one) => one.source)]).map((name) => [name, name])]),
    choose("kind", t("events.kind"), [["", t("events.all")], ...kept("kind", items.map((one) => one.kind)).map((name) => [name, code("event", name, name)])])),
  asked.from || asked.to ? el("p", { class: "row" }, el("span", {}, [asked.from, asked.to].filter(Boolean).map((time) => `${day(time)} ${clock(time)}`).join(" – ")),
    button(t("events.allTimes"), () => context.setQuery({ from: null, to: null }), { class: "plain" })) : "");
}

function days(items) {
  const groups = Map.groupBy ? Map.groupBy(items, dayOf) : items.reduce((map, one) => map.set(dayOf(one), [...(map.get(dayOf(one)) ?? []), one]), new Map());
  return [...groups].flatMap(([name, events], index) => [
    el("div", { class: "split" }, el("h2", {}, name), index === 0 ? el("span", { class: "quiet" }, zoneWords()) : null),
    el("ul", { class: "list" }, folded(events).map(row)),
  ]);
}

const dayOf = (event) => (event.time ? day(event.time) : t("events.undated"));

/** Runs of equal events become one row with a count. */
function folded(events) {
  const runs = [];
  for (const event of events) {
    const last = runs.at(-1);
    if (last && last.event.kind === event.kind && last.event.source === event.source && last.event.severity === event.severity) {
      last.count += 1;
      last.oldest = event;
    } else runs.push({ event, count: 1, oldest: event });
  }
  return runs;
}

function row({ event, count, oldest }) {
  const time = event.time ? `${event.isSure === false ? "~" : ""}${clock(event.time)}` : t("events.uptime", { time: duration(event.instantSeconds ?? 0) });
  return el("li", {}, event.time ? el("time", { datetime: event.time }, time) : el("span", { class: "quiet" }, time),
    severity(event), asIs(el("strong", {}, event.source), "span", { class: "from" }),
    el("span", { class: "words" }, eventWords(event), count > 1 ? el("span", { class: "quiet" }, ` · ${plural("events.times", count)}${oldest.time ? ` ${t("events.since", { time: clock(oldest.time) })}` : ""}`) : null));
}

function severity(event) {
  if (event.kind === "lamp changed" && event.details?.lamp) return labelled(mark(event.details.lamp, "mark small"), t(`level.${["good", "moderate", "poor", "fault"].includes(event.details.lamp) ? event.details.lamp : "unknown"}`));
  const words = code("severity", event.severity);
  if (event.severity === "error") return labelled(mark("fault", "mark small"), words);
  if (event.severity === "warning") return labelled(mark("moderate", "mark small"), words);
  return labelled(icon("mark-dot", "dot"), words);
}

function labelled(node, words) {
  node.setAttribute("role", "img");
  node.removeAttribute("aria-hidden");
  node.setAttribute("aria-label", words);
  return node;
}
