// A chart of one unit: a band from least to most, a line of means, gaps as gaps. One drawing in the colours of the page.
import { svg } from "./dom.js";
import { dated, fromWall, isKnown, number, offset, zone } from "./format.js";
import { curveWords } from "./words.js";

/** The lines of one unit differ by their dashes, too. */
export const DASHES = [null, "9 4", "2 3", "9 3 2 3"];
/** Heights of a ledger strip (quiet where values speak, hatched where they do not), and of the row of notes and events. */
const STRIP = 10, MARKS = 14;
const SMALL = { width: 240, height: 28 };

const rect = (name, x, y, width, height) => svg("rect", { class: name, x, y, width, height });

/** The step of a series at a time; −1 when there is none. */
export function stepAt(series, time) {
  const { t, width } = series;
  let low = 0, high = t.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (t[middle] + width <= time) low = middle + 1; else high = middle;
  }
  return low < t.length && t[low] <= time ? low : -1;
}

/** The gap at a time, or the nearest within `slack` seconds. */
export function stretchAt(stretches, time, slack = 0) {
  let best = null, distance = Infinity;
  for (const stretch of stretches) {
    const away = Math.max(0, stretch[0] - time, time - stretch[1]);
    if (away <= slack && away < distance) [best, distance] = [stretch, away];
  }
  return best;
}

/** Steps with values next to each other, as their numbers; one step without a value ends a run, and so does a longer pause. */
export function runsOf({ t, mean }, pause) {
  const runs = [];
  t.forEach((time, index) => {
    if (!isKnown(mean[index])) return;
    const last = runs.at(-1);
    if (last?.at(-1) === index - 1 && time - t[index - 1] <= pause) last.push(index); else runs.push([index]);
  });
  return runs;
}

/** A day as a small line: no axis, gaps as gaps; null without two values. `series` as `/series` has it. */
export function curve(series, from, to) {
  const { t, mean, widthSeconds: width } = series, known = mean.filter(isKnown);
  if (known.length < 2) return null;
  const start = Math.min(Math.max(from, t[0]), to - 3600), least = Math.min(...known), reach = Math.max(...known) - least || 1;
  const x = (index) => ((t[index] + width / 2 - start) / (to - start)) * SMALL.width;
  const y = (index) => SMALL.height - 2 - ((mean[index] - least) / reach) * (SMALL.height - 4);
  const point = (index) => `${x(index).toFixed(1)} ${y(index).toFixed(1)}`;
  const runs = runsOf(series, width * 1.5 + 1).map((run) => run.map(point).join("L")), words = curveWords(series, runs.length - 1);
  return svg("svg", { viewBox: `0 0 ${SMALL.width} ${SMALL.height}`, preserveAspectRatio: "none", role: "img", "aria-label": words },
    svg("path", { d: `M${runs.join("M")}` }));
}

const STEPS = [1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800];

/** Round local times of `zone`; months and years are counted in the calendar. */
function timeTicks(from, to, wanted, zone) {
  const rough = (to - from) / wanted, ticks = [];
  if (rough > 604800) return monthTicks(from, to, rough, zone);
  const step = STEPS.find((size) => size >= rough) ?? 604800;
  // Whole weeks begin on Mondays; 1970 began on a Thursday.
  const shift = step === 604800 ? 345600 : 0;
  for (let wall = Math.ceil((from + offset(from, zone) - shift) / step) * step + shift; ; wall += step) {
    const at = fromWall(wall, zone);
    if (at > to) return ticks;
    if (at >= from && at !== ticks.at(-1)) ticks.push(at);
  }
}

function monthTicks(from, to, rough, zone) {
  const months = [1, 2, 3, 6, 12, 24, 60].find((count) => count * 2629746 >= rough) ?? 120;
  const start = new Date((from + offset(from, zone)) * 1000);
  const ticks = [];
  for (let month = start.getUTCFullYear() * 12 + Math.floor(start.getUTCMonth() / months) * months; ; month += months) {
    const at = fromWall(Date.UTC(Math.floor(month / 12), month % 12, 1) / 1000, zone);
    if (at > to) return ticks;
    if (at >= from) ticks.push(at);
  }
}

/** 1-2-5 steps that reach from `least` to `most`. */
function valueTicks(least, most, wanted) {
  const reach = most - least || 1;
  const power = 10 ** Math.floor(Math.log10(reach / wanted));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= reach / wanted);
  const first = Math.floor(least / step), last = Math.ceil((least + reach) / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(9)));
}

function tickOptions(reach) {
  if (reach > 4e7) return { month: "short", year: "2-digit" };
  if (reach > 6e6) return { month: "short" };
  if (reach > 200000) return { day: "numeric", month: "short" };
  if (reach > 600) return { hour: "2-digit", minute: "2-digit" };
  return { hour: "2-digit", minute: "2-digit", second: "2-digit" };
}

const scaleWords = (tick) => number(tick, 9, 0);

export class Chart {
  #box; #drawing; #data = null; #cursor = null; #line = null; #on; #pointers = new Map(); #drag = null; #size = [0, 0]; #left = 44; #peers; #closing = new AbortController(); #observer;

  /** `on.read(time)`, `on.zoom(from, to)`, `on.gap(series, stretch)`, `on.step(by)`, `on.reset()`; charts with the same list `on.peers` have one time axis. */
  constructor(box, on) {
    this.#box = box;
    this.#on = on;
    this.#peers = on.peers ?? [];
    this.#peers.push(this);
    this.#drawing = box.appendChild(svg("svg", { "aria-hidden": "true" }));
    // It says the size before the first frame, too: nothing is laid out for the question.
    this.#observer = new ResizeObserver(() => { this.#size = [box.clientWidth, box.clientHeight]; this.draw(); });
    this.#observer.observe(box);
    const { signal } = this.#closing;
    box.addEventListener("pointerdown", (event) => this.#down(event), { signal });
    box.addEventListener("pointermove", (event) => this.#moved(event), { signal });
    box.addEventListener("pointerup", (event) => this.#up(event), { signal });
    box.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && this.#on.read?.(null), { signal });
    box.addEventListener("pointercancel", (event) => this.#pointers.delete(event.pointerId), { signal });
    box.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  close() {
    this.#observer.disconnect();
    this.#closing.abort();
  }

  set data(data) {
    this.#data = data;
    // As wide as its longest number: counts have six digits.
    this.#left = Math.max(44, 14 + 7 * Math.max(...this.#scale({ top: 0, bottom: 270 }).ticks.map((tick) => scaleWords(tick).length)));
    this.draw();
  }
  get data() { return this.#data; }
  set cursor(time) { this.#cursor = time; this.#point(); }

  // MARK: Places

  #layout() {
    const { series, from, to, marks } = this.#data;
    const [width, height] = this.#size;
    const left = Math.max(...this.#peers.map((one) => one.#left)), right = width - 10, top = 10;
    const strips = series.length * (STRIP + 3) + (marks?.length ? MARKS : 0);
    const bottom = height - 20 - strips - 4;
    const x = (time) => left + ((time - from) / (to - from)) * (right - left);
    return { width, height, left, right, top, bottom, x, time: (at) => from + ((at - left) / (right - left)) * (to - from) };
  }

  #place(event) {
    const box = this.#box.getBoundingClientRect();
    const layout = this.#layout();
    const x = Math.min(layout.right, Math.max(layout.left, event.clientX - box.left));
    return { ...layout, at: x, y: event.clientY - box.top, now: layout.time(x) };
  }

  // MARK: Hand and keys

  #down(event) {
    if (!this.#data) return;
    const place = this.#place(event);
    this.#pointers.set(event.pointerId, place.now);
    if (this.#pointers.size === 1) this.#drag = { from: place.now, at: place.at, type: event.pointerType };
    this.#on.read?.(place.now);
  }

  #moved(event) {
    if (!this.#data) return;
    const place = this.#place(event);
    if (this.#pointers.has(event.pointerId)) this.#pointers.set(event.pointerId, place.now);
    if (event.pointerType === "mouse" || this.#pointers.size === 1) this.#on.read?.(place.now);
  }

  #up(event) {
    if (!this.#data || !this.#pointers.has(event.pointerId)) return;
    const place = this.#place(event), drag = this.#drag;
    const held = [...this.#pointers.values()];
    this.#pointers.delete(event.pointerId);
    if (held.length > 1) {
      this.#pointers.clear();
      const [from, to] = [Math.min(...held), Math.max(...held)];
      if (to - from > 0) this.#on.zoom?.(from, to);
    } else if (drag && drag.type !== "touch" && Math.abs(place.at - drag.at) > 12) {
      this.#on.zoom?.(Math.min(drag.from, place.now), Math.max(drag.from, place.now));
    } else this.#tap(place);
    this.#drag = null;
  }

  #tap(place) {
    const slack = (6 * (this.#data.to - this.#data.from)) / (place.right - place.left);
    const row = Math.floor((place.y - place.bottom - 4) / (STRIP + 3));
    for (const [index, series] of this.#data.series.entries()) {
      if (place.y > place.bottom && row !== index) continue;
      const isEmpty = series.mean[stepAt(series, place.now)] == null;
      const stretch = stretchAt(series.stretches ?? [], place.now, place.y > place.bottom ? slack : 0);
      if (stretch && (place.y > place.bottom || isEmpty)) return void this.#on.gap?.(series, stretch, place.now);
    }
  }

  #key(event) {
    if (!this.#data || event.ctrlKey || event.altKey || event.metaKey) return;
    const { from, to, series } = this.#data, reach = to - from;
    const step = series[0]?.width || reach / 300;
    const now = this.#cursor ?? (series[0]?.t.at(-1) ?? to);
    const by = { ArrowLeft: -step, ArrowRight: step, PageUp: -20 * step, PageDown: 20 * step }[event.key];
    if (by) this.#on.read?.(Math.min(to - 0.001, Math.max(from, now + by)));
    else if (event.key === "Home") this.#on.read?.(from);
    else if (event.key === "End") this.#on.read?.(series[0]?.t.at(-1) ?? to);
    else if (event.key === "+") this.#on.zoom?.(Math.max(from, now - reach / 4), Math.min(to, now + reach / 4));
    else if (event.key === "-") this.#on.zoom?.(from - reach / 2, to + reach / 2);
    else if (event.key === "0") this.#on.reset?.();
    else if (event.key === "Enter") {
      for (const one of series) {
        const stretch = stretchAt(one.stretches ?? [], now, step);
        if (stretch) { this.#on.gap?.(one, stretch, now); break; }
      }
    } else return;
    event.preventDefault();
  }

  // MARK: Drawing

  draw() {
    if (!this.#data || !this.#size[0]) return;
    const { series } = this.#data, layout = this.#layout(), y = this.#scale(layout), first = layout.bottom + 4;
    // Where the first strip begins, for what lies over the chart.
    this.#box.dataset.strip = first;
    this.#drawing.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
    this.#line = svg("path", { class: "cursor" });
    this.#drawing.replaceChildren(...this.#axes(layout, y), ...this.#unsure(layout), ...this.#bands(layout, y),
      ...series.map((one, place) => this.#curve(layout, y, one, place)),
      ...series.flatMap((one, place) => this.#strip(layout, one, first + place * (STRIP + 3))),
      ...this.#marks(layout), this.#line);
    this.#point();
  }

  /** Where a value is drawn, with `low`, `high` and the `ticks` of its axis. */
  #scale({ top, bottom }) {
    const { series, bands, floor } = this.#data, known = (name) => series.flatMap((one) => one[name].filter(isKnown));
    const all = known("least"), least = floor === undefined ? Math.min(0, ...all) : all.length ? Math.min(...all) : 0;
    let most = Math.max(0, ...known("most"));
    const next = bands?.find(({ from }) => from > most)?.from;
    if (next && next < 3 * most) most = next * 1.1;
    const ticks = valueTicks(least, Math.max(most, least) || 1, Math.max(3, Math.min(6, (bottom - top) / 45)));
    const [low, high] = [ticks[0], ticks.at(-1)];
    return Object.assign((value) => bottom - ((value - low) / (high - low)) * (bottom - top), { low, high, ticks });
  }

  #axes({ left, right, top, bottom, height, x }, y) {
    const { from, to } = this.#data, options = tickOptions(to - from);
    const times = timeTicks(from, to, Math.max(2, (right - left) / (to - from > 200000 ? 60 : 72)), zone());
    const lines = y.ticks.map((tick) => `M${left} ${y(tick)}H${right}`);
    return [svg("path", { class: "grid", d: lines.concat(times.map((tick) => `M${x(tick)} ${top}V${bottom}`)).join("") }),
      ...y.ticks.map((tick) => svg("text", { class: "value", x: left - 8, y: y(tick) }, scaleWords(tick))),
      ...times.map((tick) => {
        const words = dated(tick, options), half = 3.1 * words.length, at = Math.min(Math.max(x(tick), left + half - 20), right - half + 8);
        return svg("text", { class: "time", x: at, y: height - 4 }, words);
      })];
  }

  #unsure({ top, bottom, x }) {
    return this.#data.series.flatMap(({ t, width, unsure }) => (unsure ?? []).map((index) =>
      rect("unsure", x(t[index]), top, Math.max(1, x(t[index] + width) - x(t[index])), bottom - top)));
  }

  /** Levels as grounds with their words, the lowest first; `lowest` names what is below the first limit. */
  #bands({ left, right, top, bottom }, y) {
    const { bands, lowest } = this.#data;
    const edges = bands?.length ? [{ from: -Infinity, level: "good", label: lowest }, ...bands] : [];
    return edges.flatMap(({ from, level, label }, index) => {
      const low = Math.min(bottom, y(Math.max(from, y.low))), high = Math.max(top, y(Math.min(edges[index + 1]?.from ?? Infinity, y.high)));
      if (low - high < 1) return [];
      const ground = rect(`ground ${level}`, left, high, right - left, low - high);
      return low - high > 16 ? [ground, svg("text", { x: left + 4, y: high + 13 }, label)] : [ground];
    });
  }

  #curve({ x }, y, { t, width, least, mean, most }, place) {
    const middle = (index) => x(t[index] + width / 2);
    const path = (run, values) => run.map((index) => `${middle(index).toFixed(1)} ${y(values[index]).toFixed(1)}`).join("L");
    return svg("g", { class: `s${place + 1}` }, runsOf({ t, mean }, width * 1.01 + 1).map((run) => {
      const [one] = run, left = x(t[one]), high = y(most[one]);
      if (run.length > 1) {
        return [svg("path", { class: "reach", d: `M${path(run, most)}L${path(run.toReversed(), least)}z` }),
          svg("path", { class: "mean", d: `M${path(run, mean)}`, "stroke-dasharray": DASHES[place] })];
      }
      return [rect("reach", left, high, Math.max(1, x(t[one] + width) - left), Math.max(1, y(least[one]) - high)),
        svg("circle", { cx: middle(one), cy: y(mean[one]), r: 1.75 })];
    }));
  }

  /** A gap is at least 2 px wide, however short. Nothing is claimed for the time before the record begins, nor for the future. */
  #strip({ left, right, x }, { since, until, stretches = [] }, top) {
    const { from, to, now } = this.#data;
    const begin = Math.max(left, x(Math.max(from, since ?? from))), end = Math.min(right, x(Math.min(to, until ?? now)));
    return [...(end > begin ? [rect("known", begin, top, Math.max(1, end - begin), STRIP)] : []),
      ...stretches.filter(([first, over]) => over >= from && first <= to).map(([first, over]) => {
        const start = x(Math.max(first, from));
        return rect("gap", start + 0.5, top + 0.5, Math.max(1, x(Math.min(over, to)) - start - 1), STRIP - 1);
      })];
  }

  /** Notes are filled, events hollow: shape, not colour. */
  #marks({ height, x, left, right }) {
    const y = height - 20 - MARKS / 2;
    return (this.#data.marks ?? []).filter(({ at }) => x(at) >= left && x(at) <= right).map(({ at, kind }) =>
      (kind === "note" ? svg("path", { class: "note", d: `M${x(at)} ${y - 5}l5 5l-5 5l-5 -5z` })
        : svg("circle", { class: "event", cx: x(at), cy: y, r: 3 })));
  }

  /** Puts the line where the cursor is, if it is in the chart. */
  #point() {
    if (!this.#line) return;
    const { left, right, top, bottom, x } = this.#layout(), at = this.#cursor === null ? -1 : x(this.#cursor);
    const end = bottom + this.#data.series.length * (STRIP + 3) + 2;
    this.#line.setAttribute("d", at < left || at > right ? "" : `M${at} ${top}V${end}`);
  }
}
