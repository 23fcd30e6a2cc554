// The state of the station as this page knows it: one stream a browser, open in a visible tab, which gives it to the others.
import { api } from "./api.js";
import { setStationZone } from "./format.js";

const SILENCE = 20000, LOST = 35000, EASE = 5000, AWAY = 60000;
const KINDS = ["hello", "reading", "event", "station", "alert", "omitted", "reset", "beat"];

const listeners = new Set(), own = Math.random(), tabs = new BroadcastChannel("roost");
let stream = null, station = null, receivedAt = 0, heardAt = 0, lostAt = null, savedAt = null;
let asked = null, askedAt = -Infinity, fedAt = -Infinity, hiddenAt = document.hidden ? Date.now() : Infinity, returnedAt = -Infinity, clocks = null, isRunning = false;

export const live = {
  get station() { return station; },
  /** Seconds to add to every age that the station's answer has. */
  get elapsed() { return (performance.now() - receivedAt) / 1000; },
  /** Seconds since 1970 of that answer by the station's clock, or by the browser's where the station has none. */
  get answeredAt() { return (Date.parse(station?.time?.now) || performance.timeOrigin + receivedAt) / 1000; },
  get now() { return live.answeredAt + live.elapsed; },
  get lostAt() { return lostAt; },
  get savedAt() { return savedAt; },
  /** `connecting`, `live`, `lost`, `saved`, `still` (nothing runs here). */
  get state() {
    if (lostAt) return "lost";
    if (savedAt) return "saved";
    if (!station) return "connecting";
    return station.daemon?.state === "none" ? "still" : "live";
  },
  on(listener) { listeners.add(listener); return () => listeners.delete(listener); },
  start, stop, refresh: () => refresh(),
};

function tell(kind, data) { for (const listener of [...listeners]) listener(kind, data); }

function heard() {
  heardAt = performance.now();
  if (lostAt) { lostAt = null; tell("connection"); refresh(); back(); }
}

/** After a loss, a sleep or a minute in the background: what happened meanwhile is in no message. A station that is only slow is not asked for all again and again. */
function back() {
  const isSoon = performance.now() - returnedAt < AWAY;
  if (!isSoon) returnedAt = performance.now();
  tell(isSoon ? "alert" : "return");
}

function lose() {
  if (!lostAt) { lostAt = live.now; tell("connection"); }
}

/** Reads the station again; requests that overlap share one answer. */
export const refresh = () => (asked ??= ask().finally(() => { asked = null; }));

async function ask() {
  try {
    const answer = await api.getTagged("/station");
    // A page that was live has seen more than what the worker kept.
    if (answer.savedAt && station && !savedAt) { askedAt = performance.now(); return lose(); }
    const wasSaved = savedAt;
    station = answer.data;
    savedAt = answer.savedAt;
    askedAt = performance.now();
    // Of what the worker kept both times are this browser's, however wrong its clock is.
    receivedAt = askedAt - (savedAt ? Math.max(0, Date.now() - Date.parse(savedAt)) : 0);
    setStationZone(station.station?.zone);
    if (!savedAt) heard(); else lostAt = null;
    if (wasSaved && !savedAt) { tell("connection"); back(); }
    tell("station", station);
  } catch (problem) {
    if (problem.status === 0) lose(); else heardAt = performance.now();
    throw problem;
  }
}

/** The same for a page that opens: an answer of the last second is new enough. */
export const recent = () => (station && performance.now() - askedAt < 1000 ? Promise.resolve() : refresh());

const calmly = () => { if (performance.now() - askedAt > EASE) refresh().catch(() => {}); };

function open() {
  // A card without a station has nothing to say.
  if (stream || document.hidden || !isRunning || performance.now() - fedAt < SILENCE || station?.daemon?.state === "none") return;
  stream = new EventSource("/api/v1/live");
  tabs.postMessage([own]);
  for (const kind of KINDS) {
    stream.addEventListener(kind, (item) => {
      const data = JSON.parse(item.data);
      take(kind, data);
      tabs.postMessage([kind, data]);
    });
  }
  stream.addEventListener("error", () => {
    // It tries again by itself; whether the connection is lost, a question tells at once.
    if (stream?.readyState !== EventSource.CLOSED) return void refresh().catch(() => {});
    // A refused stream (404, 429, 503) is closed for good; the page asks meanwhile, and tries again.
    stream = null;
    fedAt = performance.now();
  });
}

function take(kind, data) {
  heard();
  if (kind === "reading" && station) {
    let isFirst = false;
    const channel = station.channels?.find((one) => one.id === data.channel);
    if (channel) {
      isFirst = (channel.value ?? null) === null || channel.isStale;
      const { value = null, noData = null, level = null, levelMean, quality, time } = data;
      Object.assign(channel, { value, noData, level, levelMean, quality });
      // The age is that of the last value; the ages of the whole answer count from its own moment.
      if (value !== null) Object.assign(channel, { time, ageSeconds: data.ageSeconds - live.elapsed, isStale: false });
    }
    tell("reading", data);
    if (isFirst && performance.now() - askedAt > 1000) refresh().catch(() => {}); else calmly();
  } else if (kind === "station" || kind === "reset") refresh().catch(() => {});
  else if (kind === "hello") renew(data.clientVersion);
  else {
    if (kind === "event" || kind === "alert") tell(kind, data);
    calmly();
  }
}

/** After an update a page of the version before loads itself anew: once, and not while somebody writes in it. */
function renew(version) {
  if (!version || import.meta.url.includes(`/a/${version}/`) || sessionStorage.getItem("renewed") === version) return calmly();
  if (document.activeElement?.matches("input, select, textarea")) return void setTimeout(renew, SILENCE, version);
  sessionStorage.setItem("renewed", version);
  location.reload();
}

/** Message of another tab: an item of the station, the tab's number while it has a stream, else null. */
tabs.onmessage = ({ data: [kind, data] }) => {
  if (!isRunning) return;
  // If two tabs opened a stream, the higher number keeps it.
  if (stream && !(kind > own)) return kind < own ? tabs.postMessage([own]) : null;
  fedAt = kind === null ? -Infinity : performance.now();
  drop();
  if (document.hidden) return;
  if (kind === null) { open(); kind = "reset"; }
  take(kind, data);
};

function drop() { stream?.close(); stream = null; }

function close() {
  if (stream) tabs.postMessage([null]);
  drop();
}

function start() {
  if (isRunning) return;
  isRunning = true;
  heardAt = performance.now();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { hiddenAt = Date.now(); return close(); }
    heardAt = performance.now();
    open();
    refresh().catch(() => {});
    if (Date.now() - hiddenAt > AWAY) back(); else tell("alert");
  });
  addEventListener("pagehide", close);
  open();
  setInterval(beat, 1000);
}

function stop() { isRunning = false; close(); }

/** Once a second: ages, silence, and a clock that stood still while a laptop slept. */
function beat() {
  if (!isRunning || document.hidden) { clocks = null; return; }
  const now = { wall: Date.now(), page: performance.now() };
  if (clocks && now.wall - clocks.wall - (now.page - clocks.page) > 5000) refresh().then(back, lose);
  clocks = now;
  open();
  const isStill = station?.daemon?.state === "none";
  const silence = now.page - heardAt;
  if (!isStill && !savedAt && silence > LOST) lose();
  if (!isStill && silence > SILENCE && now.page - askedAt > 5000) { askedAt = now.page; refresh().catch(() => {}); }
  tell("tick");
}
