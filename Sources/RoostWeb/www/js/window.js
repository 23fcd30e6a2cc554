// Calendar windows in the page's zone. Pure: no page, no request.
import { dayStart, fromWall, offset } from "./format.js";

export const RANGES = ["day", "week", "month", "year"];

/** The local day, week (from Monday), month or year that holds a moment, as seconds since 1970. */
export function windowOf(range, at) {
  const start = dayStart(at), wall = new Date((start + offset(start)) * 1000);
  const [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()];
  const at0 = (y, m, d) => fromWall(Date.UTC(y, m, d) / 1000);
  const monday = day - ((wall.getUTCDay() + 6) % 7);
  return {
    day: () => [start, at0(year, month, day + 1)],
    week: () => [at0(year, month, monday), at0(year, month, monday + 7)],
    month: () => [at0(year, month, 1), at0(year, month + 1, 1)],
    year: () => [at0(year, 0, 1), at0(year + 1, 0, 1)],
  }[range]();
}

/** Reads the address: `range` with `from` in it, or only `from` and `to`. */
export function windowOfQuery(query, now) {
  const from = Date.parse(query.get("from")) / 1000, to = Date.parse(query.get("to")) / 1000;
  const range = RANGES.includes(query.get("range")) ? query.get("range") : null;
  if (!range && from < to) return { range: null, from, to };
  const [start, end] = windowOf(range ?? "day", Number.isFinite(from) ? from : now);
  return { range: range ?? "day", from: start, to: end };
}

export function neighbour({ range, from, to }, by) {
  if (!range) return { range, from: from + by * (to - from), to: to + by * (to - from) };
  const [start, end] = windowOf(range, by < 0 ? from - 1 : to + 1);
  return { range, from: start, to: end };
}

/** For an `<input type=datetime-local>`: wall time without a zone. */
export const toInput = (seconds) => new Date((Math.round(seconds) + offset(seconds)) * 1000).toISOString().slice(0, 16);
export const fromInput = (text) => fromWall(Date.parse(`${text}Z`) / 1000);
