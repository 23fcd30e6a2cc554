// What happened, newest first: a sentence for each thing, its details and its repeats behind it.
import { asIs, button, card, el, facts, icon, labelled, lateFold, mark, show, svg } from "../dom.js";
import { grouping, isSmall, MANY, moment, partSentence, smallName, TOPICS, topicOf } from "../eventgroups.js";
import { eventAside, eventDetails, eventSentence, loadFacts } from "../facts.js";
import { clock, day, duration, rfc3339, stamp, zoneWords } from "../format.js";
import { code, names, plural, t } from "../i18n.js";
import { action, deviceTitle, orWhy } from "../words.js";

const PAGE = 200, MANY_PAGE = 500, STEPS = 50, TRIES = 4;
/** Kinds that one question may name; of a topic with more, the page looks for itself. */
const KINDS_MAX = 30;
/** Milliseconds that drawing may hold the page at once, also on a slow phone. */
const PIECE = 6;
const pause = () => new Promise((next) => setTimeout(next));

/** The kinds that a topic may have; what an alert or a fault is about is seen when it has come. */
const kindsOf = (about) => names("event").filter((kind) => topicOf({ kind }) === about || (about !== "door" && /^(alert|fault)/.test(kind)));

export async function load(api, query) {
  const asked = { about: TOPICS.includes(query.get("about")) ? query.get("about") : "", text: query.get("text") ?? "", kind: query.getAll("kind") };
  for (const name of ["source", "severity", "from", "to"]) asked[name] = query.get(name);
  await loadFacts();
  const range = { source: asked.source, severity: asked.severity ?? "info", from: asked.from, to: asked.to };
  const isAll = !asked.about && !asked.kind.length, kind = asked.kind.length ? asked.kind : asked.about ? kindsOf(asked.about) : [];
  // The door has its own pages, so that it does not bury the others.
  const main = { ...range, ...(kind.length && kind.length <= KINDS_MAX ? { kind } : { without: MANY }), limit: asked.about === "door" ? MANY_PAGE : PAGE };
  const feeds = [feed(api, main), ...(isAll ? [feed(api, { ...range, kind: MANY, limit: MANY_PAGE })] : [])];
  await Promise.all(feeds.map((one) => one.more()));
  return { asked, feeds };
}

function feed(api, query) {
  const known = new Set();
  return {
    items: [], next: undefined,
    get isWhole() { return this.next === null; },
    async more() {
      if (this.isWhole) return;
      const page = await api.get("/events", { ...query, cursor: this.next });
      this.items.push(...(page.items ?? []).filter((event) => !known.has(event.id) && known.add(event.id)));
      this.next = page.next ?? null;
    },
  };
}

const timeOf = (event) => (event && moment(event)) ?? -Infinity;

/** The events of both feeds, newest first, as far back as the first reaches. */
function merged([main, many]) {
  if (!many) return main.items;
  const end = main.isWhole ? -Infinity : timeOf(main.items.at(-1)), all = [];
  let at = 0;
  for (const event of main.items) {
    while (at < many.items.length && isLater(many.items[at], event)) all.push(many.items[at++]);
    all.push(event);
  }
  for (; at < many.items.length && (main.isWhole || timeOf(many.items[at]) >= end); at += 1) all.push(many.items[at]);
  return all;
}

const isLater = (one, other) => (one.bootID === other.bootID ? one.instantSeconds > other.instantSeconds : timeOf(one) > timeOf(other));

export function make(root, context) {
  const filters = makeFilters(context, () => orWhy(list, () => draw()));
  const list = el("section", { class: "card events", "aria-label": t("events.title") });
  const more = action(t("events.more"), async () => {
    await earlier();
    await draw();
    return "";
  });
  const newer = button("", () => context.reload(), { class: "first newer", hidden: true });
  root.append(filters.node, el("div", { class: "eventlist" }, newer, list, show(more, false)));
  let shown = null, waiting = 0, turn = 0;
  const open = new Set();

  async function earlier() {
    const { feeds: [main, many], asked } = shown;
    await main.more();
    if (many && (asked.source || timeOf(many.items.at(-1)) > timeOf(main.items.at(-1)))) await many.more();
  }

  /** Draws in pieces: the first ones into the page, and what is drawn anew in one step. */
  async function draw(tries = 0) {
    const mine = ++turn, { asked, feeds } = shown, needle = filters.text.trim().toLowerCase();
    const place = list.firstChild ? el("div") : list, byDay = new Map();
    let began = performance.now(), count = 0;
    const rest = async () => {
      if (performance.now() - began < PIECE) return true;
      await pause();
      began = performance.now();
      return mine === turn;
    };
    const work = grouping(merged(feeds));
    let step = work.next();
    for (; !step.done; step = work.next()) if (!(await rest())) return;
    for (const entry of step.value) {
      if (asked.about && entry.topic !== asked.about) continue;
      const { day: key } = entry;
      if (!byDay.has(key)) byDay.set(key, { rows: [], small: [] });
      byDay.get(key)[entry.isSmall && asked.about !== "door" && !needle && !asked.source && !asked.kind.length ? "small" : "rows"].push(entry);
    }
    for (const [key, { rows, small }] of byDay) {
      const box = el("ul", { class: "list" });
      for (const entry of rows) {
        if (!(await rest())) return;
        if (needle && !hasText(entry, needle)) continue;
        if (!box.parentNode) place.append(heading(key, count === 0), box);
        count += 1;
        box.append(row(entry, open));
      }
      if (!small.length) continue;
      if (!box.parentNode) place.append(heading(key, count === 0), box);
      count += small.length;
      box.append(fold(key, small, feeds[1], open));
    }
    const hasMore = !feeds[0].isWhole || Boolean(asked.source && feeds[1] && !feeds[1].isWhole);
    const last = Math.max(...feeds.filter((one) => !one.isWhole).map(({ items }) => (items.length ? timeOf(items.at(-1)) : -Infinity)));
    if (place !== list || !count) list.replaceChildren(...(count ? place.childNodes : [el("p", {}, hasMore && Number.isFinite(last) ? t("events.none.since", { time: stamp(last / 1000) }) : t("events.none"))]));
    show(more, hasMore);
    // A page of others may have none of these.
    if (!count && hasMore && tries < TRIES) {
      await earlier();
      if (mine === turn) await draw(tries + 1);
    }
  }

  return {
    update(data) {
      shown = data;
      waiting = 0;
      show(newer, false);
      filters.fill(data.asked);
      return draw();
    },
    live(kind, event) {
      if (kind !== "event" || !shown || shown.asked.to) return;
      const { about, source, kind: kinds } = shown.asked;
      if ((about ? topicOf(event) !== about : isSmall(event) && !source) || (source && source !== event.source) || (kinds.length && !kinds.includes(event.kind))) return;
      newer.textContent = plural("events.newer", (waiting += 1));
      show(newer, true);
    },
    keeps: () => open.size > 0 || shown?.feeds[0].items.length > PAGE,
    leave() { turn += 1; },
  };
}

function makeFilters(context, changed) {
  const choices = ["", ...TOPICS].map((name) => button(t(`events.about.${name || "all"}`), () => context.setQuery({ about: name, kind: null, source: null })));
  const search = el("input", { type: "search", placeholder: t("events.search"), "aria-label": t("events.search"), maxlength: "80" }), only = el("div");
  let timer = 0;
  search.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(changed, 150); });
  search.addEventListener("change", () => context.setQuery({ text: search.value.trim() }));
  return {
    node: card(null, el("div", { class: "topics", role: "group", "aria-label": t("events.about") }, choices), search, only),
    get text() { return search.value; },
    fill({ about, text, source, kind, from, to }) {
      choices.forEach((one, index) => one.setAttribute("aria-pressed", String(["", ...TOPICS][index] === about && !kind.length)));
      if (document.activeElement !== search) search.value = text;
      const drop = (words, without) => el("p", { class: "row" }, el("span", {}, words), button(t("events.allTimes"), () => context.setQuery(without), { class: "plain" }));
      only.replaceChildren(...[
        source ? drop(asIs(deviceTitle(source)), { source: null }) : "",
        kind.length ? drop(kind.map((one) => eventSentence({ kind: one, source: "…" })).join(" · "), { kind: null }) : "",
        from || to ? drop([from, to].filter(Boolean).map(stamp).join(" – "), { from: null, to: null }) : ""].filter(Boolean));
      show(only, only.childElementCount > 0);
    },
  };
}

const hasText = (entry, needle) => entry.parts.some((part) => partSentence(part).toLowerCase().includes(needle)
  || part.events.some((event) => `${event.source} ${Object.values(event.details ?? {}).join(" ")}`.toLowerCase().includes(needle)));

const heading = (at, isFirst) => el("div", { class: "split" }, el("h2", {}, at === null ? t("events.undated") : day(at / 1000)), isFirst ? el("span", { class: "quiet" }, zoneWords()) : null);

/** A summary whose content is made when it is opened first; what was open stays so. */
function opened(id, open, summary, fill) {
  const node = lateFold(summary, fill, { open: open.has(id) });
  node.addEventListener("toggle", () => { if (node.open) open.add(id); else open.delete(id); });
  return node;
}

/** `14 small ones: lamp, clock, motions`. */
function fold(at, small, many, open) {
  const what = [...new Set(small.map((entry) => t(`events.few.${smallName(entry.to)}`)))].join(", "), count = small.reduce((sum, entry) => sum + entry.parts.length, 0);
  return el("li", {}, opened(`small ${at}`, open, el("summary", {}, plural("events.small", count, { what })), () => [
    el("ul", { class: "list" }, small.map((entry) => row(entry, open))),
    many && !many.isWhole && Number.isFinite(timeOf(many.items.at(-1))) ? el("p", {}, el("a", { href: `/events?about=door&to=${rfc3339(timeOf(many.items.at(-1)) / 1000)}` }, t("events.earlierDoor"))) : ""]));
}

function row(entry, open) {
  const phase = ["began", "over"].includes(entry.phase) && entry.to.kind.startsWith("alert") ? el("span", { class: "chip" }, t(`events.${entry.phase}`)) : null;
  const line = [timeWords(entry), entryMark(entry), el("span", { class: "words" }, partSentence(entry), " ", phase, " ", entry.parts.length > 1 ? el("span", { class: "chip" }, plural("events.times", entry.parts.length)) : null,
    aside(entry.to))];
  const hasMore = entry.parts.length > 1 || entry.events.length > 1 || eventDetails(entry.to, entry.opening).length;
  return el("li", {}, hasMore ? opened(entry.id, open, el("summary", { class: "line" }, line, icon("icon-next", "icon turn")), () => contents(entry)) : el("div", { class: "line" }, line));
}

const aside = (event) => { const words = eventAside(event); return words ? el("span", { class: "quiet" }, words) : null; };

function timeWords({ from, to, day: at }) {
  if (!to.time) return el("span", { class: "quiet" }, t("events.uptime", { time: duration(to.instantSeconds ?? 0) }));
  const end = clock(to.time), begin = from.time && Date.parse(from.time) >= at ? clock(from.time) : end;
  return el("time", { datetime: to.time }, to.isSure === false ? "~" : "", begin === end ? end : [`${begin}\u2060–`, el("wbr"), end]);
}

/** What is behind an entry: each of its times, each event of one time, and what the sentence leaves out of the newest. */
function contents(entry) {
  const isRun = entry.parts.length > 1, list = el("ul", { class: "steps" });
  const steps = isRun ? entry.parts.map((part) => [part.events[0], partSentence(part)]) : entry.events.length > 1 ? entry.events.map((event) => [event, partSentence({ events: [event], opening: entry.opening })]) : [];
  const again = button(t("events.more"), () => {
    for (const [event, words] of steps.splice(0, STEPS)) list.append(el("li", {}, el("span", { class: "number quiet" }, event.time ? stamp(event.time) : duration(event.instantSeconds ?? 0)), el("span", {}, words, aside(event))));
    show(again, steps.length > 0);
  }, { class: "plain" });
  if (steps.length) again.click();
  const rows = new Map([...entry.events].reverse().flatMap((event) => eventDetails(event, entry.phase === "over" ? entry.opening : null)).map(([name, value]) => [`${name}${value.textContent ?? value}`, [name, value]]));
  return [el("div", { class: "more" }, isRun || entry.events.length > 1 ? list : null, again.hidden || !list.childElementCount ? null : again, rows.size ? facts([...rows.values()]) : null)];
}

/** A mark whose shape says whether something began, got worse or better, or is over. */
function entryMark({ opening, to, phase }) {
  const lead = opening ?? to, { severity, kind, details } = lead;
  if (kind === "lamp changed" && details?.lamp) return labelled(mark(details.lamp, "mark small"), code("level", details.lamp, t("level.unknown")));
  const grave = to.severity === "error" ? "fault" : to.severity === "warning" ? "moderate" : null, level = kind.startsWith("alert") && grave === "fault" ? "poor" : grave;
  if (phase === "over" && severity !== "info") return labelled(mark("good", "mark small"), t("events.over"));
  if (phase === "worse" || phase === "better") {
    return labelled(svg("svg", { class: `mark small ${level ?? "moderate"}`, viewBox: "0 0 48 48" }, svg("path", { fill: "currentColor", d: phase === "worse" ? "M24 4 44 26H32V44H16V26H4z" : "M24 44 4 22H16V4H32V22H44z" })), t(`events.${phase}`));
  }
  return labelled(level ? mark(level, "mark small") : icon("mark-dot", "dot"), phase === "began" && level ? t("events.began") : code("severity", to.severity));
}
