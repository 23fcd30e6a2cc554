// Numbers, ages and dates. One zone per page: the station's, or the browser's when chosen.
import { language, once, t } from "./i18n.js";

let browserZone, stationZone = null, isOwn = false;
/** Asked late: the first use of `Intl` costs a slow phone more than all other things of the start. */
const ownZone = () => (browserZone ??= Intl.DateTimeFormat().resolvedOptions().timeZone);

function known(zone) {
  try { new Intl.DateTimeFormat("en", { timeZone: zone }); return true; } catch { return false; }
}

export const zone = () => (isOwn || !stationZone ? ownZone() : stationZone);
/** For people: `America/New York`; of Greenwich the abbreviation is enough. */
export const zoneWords = () => (/^Etc\//.test(zone()) ? zoneName() : zone().replaceAll("_", " "));
export const isOwnZone = () => isOwn && zone() === ownZone();
export const zonesDiffer = () => stationZone !== null && offset(Date.now() / 1000, stationZone) !== offset(Date.now() / 1000, ownZone());

export function setStationZone(name) {
  if (name && name !== stationZone && known(name)) stationZone = name;
}

export function useOwnZone(flag) { isOwn = flag; }

/** English dates with the day first, as on the pages' drawings. */
const region = () => (language() === "en" ? "en-GB" : language());

const formatter = (options) => once(zone() + JSON.stringify(options), () =>
  new Intl.DateTimeFormat(region(), { timeZone: zone(), ...(options.hour ? { hourCycle: "h23" } : {}), ...options }));

/** Milliseconds of what the server sends: text, or seconds since 1970. */
export const moment = (time) => (typeof time === "number" ? time * 1000 : Date.parse(time));

export const dated = (time, options) => formatter(options).format(moment(time));
export const clock = (time) => dated(time, { hour: "2-digit", minute: "2-digit" });
export const clockSeconds = (time) => dated(time, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
export const day = (time) => dated(time, { weekday: "short", day: "numeric", month: "short", year: "numeric" });
export const date = (time) => dated(time, { day: "numeric", month: "short", year: "numeric" });
export const month = (time) => dated(time, { month: "long", year: "numeric" });
export const stamp = (time) => dated(time, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });

/** `CET`, `GMT+5:30`: what the clock is called at that moment. */
export function zoneName(time = Date.now() / 1000) {
  const parts = formatter({ timeZoneName: "short" }).formatToParts(moment(time));
  return parts.find((part) => part.type === "timeZoneName")?.value ?? zone();
}

/** From one moment to another, with the day only once when it is the same. */
export function span(from, to) {
  const sameDay = day(from) === day(to), time = to - from < 600 ? clockSeconds : clock;
  return `${day(from)}, ${time(from)} – ${sameDay ? "" : `${day(to)}, `}${time(to)} ${zoneName(to)}`;
}

export const number = (value, decimals = 0, least = decimals) => once(`${decimals} ${least}`, () =>
  new Intl.NumberFormat(language(), { minimumFractionDigits: least, maximumFractionDigits: decimals })).format(value);

export const isKnown = (given) => given !== null && given !== undefined;
export const value = (given, decimals) => (given === null || given === undefined ? "–" : number(given, decimals ?? 1));

/** A share as per cent; never 100 while something is missing. */
export function percent(share, decimals = 2) {
  const factor = 10 ** decimals;
  const rounded = share < 1 ? Math.floor(share * 100 * factor) / factor : share * 100;
  return `${number(rounded, decimals, 0)} %`;
}

/** Two units at most: `3 h 12 min`. */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return t("unit.second", { n: whole });
  const units = [["unit.day", 86400], ["unit.hour", 3600], ["unit.minute", 60], ["unit.second", 1]];
  const first = units.findIndex(([, size]) => whole >= size);
  const major = Math.floor(whole / units[first][1]);
  const minor = units[first + 1] ? Math.floor((whole % units[first][1]) / units[first + 1][1]) : 0;
  const text = t(units[first][0], { n: number(major) });
  const showsMinor = minor > 0 && !(units[first][0] === "unit.minute" && major >= 10) && !(units[first][0] === "unit.day" && major >= 30);
  return showsMinor ? `${text} ${t(units[first + 1][0], { n: minor })}` : text;
}

/** The time that a mean is over: a day as hours, which everybody says. */
export const over = (seconds) => (seconds === 86400 ? t("unit.hour", { n: 24 }) : duration(seconds));

/** The same for the width of a step, which may be less than a second. */
export const width = (seconds) => (seconds < 10 && seconds % 1 ? t("unit.second", { n: number(seconds, 1) }) : duration(seconds));

export const ago = (seconds) => t("age.ago", { duration: duration(seconds) });

/** `4:57`, for what is counted down. */
export function countdown(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole >= 3600) return duration(whole);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let size = count, index = 0;
  while (size >= 1000 && index < units.length - 1) { size /= 1000; index += 1; }
  return `${number(size, index === 0 || size >= 100 ? 0 : 1)} ${units[index]}`;
}

const PARTS = { hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" };
/** Seconds east of Greenwich in the page's zone at that moment. */
export function offset(seconds, name = zone()) {
  const format = once(`offset ${name}`, () => new Intl.DateTimeFormat("en-CA", { timeZone: name, ...PARTS }));
  const p = Object.fromEntries(format.formatToParts(seconds * 1000).map((one) => [one.type, one.value]));
  return Date.UTC(p.year, p.month - 1, p.day, p.hour, p.minute, p.second) / 1000 - Math.floor(seconds);
}

/** The moment of a wall time, given as if it were UTC. */
export const fromWall = (wall, name = zone()) => wall - offset(wall - offset(wall, name), name);

export function dayStart(seconds, name = zone()) {
  const wall = Math.floor(seconds) + offset(seconds, name);
  return fromWall(wall - (((wall % 86400) + 86400) % 86400), name);
}

export const rfc3339 = (seconds) => new Date(Math.round(seconds) * 1000).toISOString().replace(".000Z", "Z");

// MARK: Calendar windows in the page's zone

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
