// A chart of one unit: a band from least to most, a line of means, gaps as gaps. Canvas, no library.
import { dated, zone } from "./format.js";
import { drawStrip, STRIP, stretchAt } from "./strip.js";
import { tickOptions, timeTicks, valueTicks } from "./ticks.js";

export const DASHES = [[], [9, 4], [2, 3], [9, 3, 2, 3]];
const NAMES = ["card", "text", "muted", "hair", "hatch", "unknown", "accent", "moderate", "poor", "good", "s1", "s2", "s3", "s4"];
const MARKS = 14;

function colours() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

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

export class Chart {
  #box; #canvas; #data = null; #cursor = null; #on; #colours; #pointers = new Map(); #drag = null; #observer; #theme;

  /** `on.read(time)`, `on.zoom(from, to)`, `on.gap(series, stretch)`, `on.step(by)`, `on.reset()`. */
  constructor(box, on) {
    this.#box = box;
    this.#on = on;
    this.#canvas = box.appendChild(document.createElement("canvas"));
    this.#canvas.setAttribute("aria-hidden", "true");
    this.#observer = new ResizeObserver(() => this.draw());
    this.#observer.observe(box);
    this.#theme = () => { this.#colours = null; this.draw(); };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", this.#theme);
    box.addEventListener("pointerdown", (event) => this.#down(event));
    box.addEventListener("pointermove", (event) => this.#moved(event));
    box.addEventListener("pointerup", (event) => this.#up(event));
    box.addEventListener("pointercancel", (event) => this.#pointers.delete(event.pointerId));
    box.addEventListener("keydown", (event) => this.#key(event));
  }

  close() {
    this.#observer.disconnect();
    matchMedia("(prefers-color-scheme: dark)").removeEventListener("change", this.#theme);
  }

  set data(data) { this.#data = data; this.draw(); }
  get data() { return this.#data; }
  set cursor(time) { this.#cursor = time; this.draw(); }

  // MARK: Places

  #layout() {
    const { series, from, to, marks } = this.#data;
    const width = this.#box.clientWidth, height = this.#box.clientHeight;
    const left = 44, right = width - 10, top = 10;
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
    this.#read(place.now);
  }

  #moved(event) {
    if (!this.#data) return;
    const place = this.#place(event);
    if (this.#pointers.has(event.pointerId)) this.#pointers.set(event.pointerId, place.now);
    if (event.pointerType === "mouse" || this.#pointers.size === 1) this.#read(place.now);
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
    } else {
      this.#tap(place);
    }
    this.#drag = null;
  }

  #tap(place) {
    const slack = (6 * (this.#data.to - this.#data.from)) / (place.right - place.left);
    const row = Math.floor((place.y - place.bottom - 4) / (STRIP + 3));
    this.#data.series.forEach((series, index) => {
      if (place.y > place.bottom && row !== index) return;
      const isEmpty = series.mean[stepAt(series, place.now)] == null;
      const stretch = stretchAt(series.stretches ?? [], place.now, place.y > place.bottom ? slack : 0);
      if (stretch && (place.y > place.bottom || isEmpty)) this.#on.gap?.(series, stretch, place.now);
    });
  }

  #key(event) {
    if (!this.#data || event.ctrlKey || event.altKey || event.metaKey) return;
    const { from, to, series } = this.#data, reach = to - from;
    const step = series[0]?.width || reach / 300;
    const now = this.#cursor ?? (series[0]?.t.at(-1) ?? to);
    const by = { ArrowLeft: -step, ArrowRight: step, PageUp: -20 * step, PageDown: 20 * step }[event.key];
    if (by) this.#read(Math.min(to - 0.001, Math.max(from, now + by)));
    else if (event.key === "Home") this.#read(from);
    else if (event.key === "End") this.#read(series[0]?.t.at(-1) ?? to);
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

  #read(time) { this.#on.read?.(time); }

  // MARK: Drawing

  draw() {
    const data = this.#data, ratio = devicePixelRatio || 1;
    if (!data || !this.#box.clientWidth) return;
    const c = (this.#colours ??= colours());
    const layout = this.#layout();
    // Where the first strip begins, for what lies over the chart.
    this.#box.dataset.strip = layout.bottom + 4;
    this.#canvas.width = Math.round(layout.width * ratio);
    this.#canvas.height = Math.round(layout.height * ratio);
    const g = this.#canvas.getContext("2d");
    g.scale(ratio, ratio);
    g.font = "12px system-ui, sans-serif";
    const y = this.#valueAxis(g, c, layout);
    this.#timeAxis(g, c, layout);
    this.#unsure(g, c, layout);
    this.#bands(g, c, layout, y);
    data.series.forEach((series, index) => this.#line(g, c, layout, y, series, index));
    data.series.forEach((series, index) => drawStrip(g, {
      from: data.from, to: data.to, left: layout.left, right: layout.right, x: layout.x, since: series.since, until: series.until ?? data.now,
      top: layout.bottom + 4 + index * (STRIP + 3), stretches: series.stretches ?? [],
    }, c));
    this.#marks(g, c, layout);
    this.#cursorLine(g, c, layout);
  }

  #valueAxis(g, c, { left, right, top, bottom }) {
    let most = 0, least = 0;
    for (const series of this.#data.series) {
      for (const value of series.most) if (value !== null && value > most) most = value;
      for (const value of series.least) if (value !== null && value < least) least = value;
    }
    if (this.#data.floor !== undefined) {
      least = Infinity;
      for (const series of this.#data.series) for (const value of series.least) if (value !== null && value < least) least = value;
      if (!Number.isFinite(least)) least = 0;
    }
    // The level above what was measured is seen, unless it is far.
    const next = this.#data.bands?.find(({ from }) => from > most)?.from;
    if (next && next < 3 * most) most = next * 1.1;
    const ticks = valueTicks(least, Math.max(most, least) || 1, Math.max(3, Math.min(6, (bottom - top) / 45)));
    const [low, high] = [ticks[0], ticks.at(-1)];
    const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
    g.strokeStyle = c.hair;
    g.fillStyle = c.muted;
    g.lineWidth = 1;
    g.textAlign = "right";
    g.textBaseline = "middle";
    for (const tick of ticks) {
      const at = Math.round(y(tick)) + 0.5;
      g.beginPath();
      g.moveTo(left, at);
      g.lineTo(right, at);
      g.stroke();
      g.fillText(String(tick), left - 8, at);
    }
    return Object.assign(y, { low, high });
  }

  #timeAxis(g, c, { left, right, top, bottom, height, x }) {
    const { from, to } = this.#data;
    const ticks = timeTicks(from, to, Math.max(2, (right - left) / (to - from > 200000 ? 60 : 72)), zone());
    const options = tickOptions(to - from);
    g.textBaseline = "bottom";
    g.textAlign = "center";
    for (const tick of ticks) {
      const at = Math.round(x(tick)) + 0.5, words = dated(tick, options);
      g.beginPath();
      g.moveTo(at, top);
      g.lineTo(at, bottom);
      g.stroke();
      const half = g.measureText(words).width / 2;
      g.fillText(words, Math.min(Math.max(at, left + half - 20), right - half + 8), height - 2);
    }
  }

  #unsure(g, c, { top, bottom, x }) {
    g.fillStyle = c.hatch;
    g.globalAlpha = 0.35;
    for (const { t, width, unsure } of this.#data.series) {
      for (const index of unsure ?? []) g.fillRect(x(t[index]), top, Math.max(1, x(t[index] + width) - x(t[index])), bottom - top);
    }
    g.globalAlpha = 1;
  }

  /** Levels as grounds with their words, the lowest first; `lowest` names what is below the first limit. */
  #bands(g, c, { left, right, top, bottom }, y) {
    const { bands, lowest } = this.#data;
    if (!bands?.length) return;
    const edges = [{ from: -Infinity, level: "good", label: lowest }, ...bands];
    g.textAlign = "left";
    g.textBaseline = "top";
    edges.forEach(({ from, level, label }, index) => {
      const low = Math.min(bottom, y(Math.max(from, y.low))), high = Math.max(top, y(Math.min(edges[index + 1]?.from ?? Infinity, y.high)));
      if (low - high < 1) return;
      g.fillStyle = c[level] ?? c.hatch;
      g.globalAlpha = 0.13;
      g.fillRect(left, high, right - left, low - high);
      g.globalAlpha = 1;
      g.fillStyle = c.muted;
      if (low - high > 16) g.fillText(label, left + 4, high + 2);
    });
  }

  /** Steps with values next to each other; one step without a value ends a run. */
  #runs({ t, mean, width }) {
    const runs = [];
    for (let index = 0; index < t.length; index += 1) {
      if (mean[index] === null || mean[index] === undefined) continue;
      const last = runs.at(-1);
      if (last && last[1] === index - 1 && t[index] - t[index - 1] <= width * 1.01 + 1) last[1] = index;
      else runs.push([index, index]);
    }
    return runs;
  }

  #line(g, c, { x }, y, series, place) {
    const { t, width, least, mean, most } = series;
    const middle = (index) => x(t[index] + width / 2), runs = this.#runs(series);
    g.fillStyle = g.strokeStyle = c[`s${place + 1}`];
    g.globalAlpha = 0.22;
    for (const [first, last] of runs) {
      g.beginPath();
      if (first === last) {
        g.rect(x(t[first]), y(most[first]), Math.max(1, x(t[first] + width) - x(t[first])), Math.max(1, y(least[first]) - y(most[first])));
      } else {
        for (let index = first; index <= last; index += 1) g.lineTo(middle(index), y(most[index]));
        for (let index = last; index >= first; index -= 1) g.lineTo(middle(index), y(least[index]));
      }
      g.fill();
    }
    g.globalAlpha = 1;
    g.lineWidth = 1.75;
    g.lineJoin = "round";
    for (const [first, last] of runs) {
      g.beginPath();
      g.setLineDash(first === last ? [] : DASHES[place]);
      if (first === last) g.arc(middle(first), y(mean[first]), 1.75, 0, 7);
      for (let index = first; index <= last; index += 1) g.lineTo(middle(index), y(mean[index]));
      if (first === last) g.fill(); else g.stroke();
    }
    g.setLineDash([]);
    g.lineWidth = 1;
  }

  /** Notes are filled, events hollow: shape, not colour. */
  #marks(g, c, { height, x, left, right }) {
    const at = height - 20 - MARKS / 2;
    for (const mark of this.#data.marks ?? []) {
      const middle = x(mark.at);
      if (middle < left || middle > right) continue;
      g.beginPath();
      if (mark.kind === "note") {
        g.fillStyle = c.text;
        g.moveTo(middle, at - 5); g.lineTo(middle + 5, at); g.lineTo(middle, at + 5); g.lineTo(middle - 5, at);
        g.fill();
      } else {
        g.strokeStyle = c.muted;
        g.arc(middle, at, 3, 0, 7);
        g.stroke();
      }
    }
  }

  #cursorLine(g, c, { top, bottom, x, left, right }) {
    if (this.#cursor === null) return;
    const at = Math.round(x(this.#cursor)) + 0.5;
    if (at < left || at > right) return;
    g.strokeStyle = c.text;
    g.beginPath();
    g.moveTo(at, top);
    g.lineTo(at, bottom + this.#data.series.length * (STRIP + 3) + 2);
    g.stroke();
  }
}
