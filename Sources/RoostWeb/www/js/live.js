// The state of the station as this page knows it: one stream, open in the visible tab only.
import { api } from "./api.js";
import { setStationZone } from "./format.js";

const SILENCE = 20000, LOST = 35000, HIDDEN = 30000, EASE = 5000;
const KINDS = ["hello", "reading", "event", "station", "alert", "omitted", "reset", "beat"];

const listeners = new Set();
let stream = null, station = null, receivedAt = 0, heardAt = 0, lostAt = null, savedAt = null;
let asked = null, askedAt = -Infinity, hiddenTimer = null, clocks = null, isStreamMissing = false, isRunning = false;

export const live = {
  get station() { return station; },
  /** Seconds to add to every age that the station's answer has. */
  get elapsed() { return (performance.now() - receivedAt) / 1000; },
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
  start, stop, refresh,
};

function tell(kind, data) { for (const listener of [...listeners]) listener(kind, data); }

function heard() {
  heardAt = performance.now();
  if (lostAt) { lostAt = null; tell("connection"); refresh(); }
}

function lose() {
  if (!lostAt) { lostAt = Date.now(); tell("connection"); }
}

/** Reads the station again; requests that overlap share one answer. */
export function refresh() {
  asked ??= (async () => {
    try {
      const answer = await api.getTagged("/station");
      // A page that was live has seen more than what the worker kept.
      if (answer.savedAt && station && !savedAt) { askedAt = performance.now(); return lose(); }
      station = answer.data;
      savedAt = answer.savedAt;
      receivedAt = askedAt = performance.now();
      station.receivedAt = Date.now();
      setStationZone(station.station?.zone);
      if (!savedAt) heard(); else lostAt = null;
      tell("station", station);
    } catch (problem) {
      if (problem.status === 0) lose(); else heardAt = performance.now();
      throw problem;
    } finally {
      asked = null;
    }
  })();
  return asked;
}

/** The same for a page that opens: an answer of the last second is new enough. */
export const recent = () => (station && performance.now() - receivedAt < 1000 ? Promise.resolve() : refresh());

const calmly = () => { if (performance.now() - askedAt > EASE) refresh().catch(() => {}); };

function open() {
  // A card without a station has nothing to say.
  if (stream || isStreamMissing || document.hidden || !isRunning || station?.daemon?.state === "none") return;
  stream = new EventSource("/api/v1/live");
  for (const kind of KINDS) {
    stream.addEventListener(kind, (item) => {
      heard();
      let data = {};
      try { data = JSON.parse(item.data || "{}"); } catch { return; }
      take(kind, data);
    });
  }
  stream.addEventListener("open", heard);
  stream.addEventListener("error", () => {
    // It tries again by itself; whether the connection is lost, a question tells at once.
    if (stream?.readyState !== EventSource.CLOSED) return void refresh().catch(() => {});
    // A refused stream (404, 401) is closed for good; the page then asks now and again.
    stream = null;
    isStreamMissing = true;
  });
}

function take(kind, data) {
  if (kind === "reading" && station) {
    let isFirst = false;
    for (const channel of station.channels ?? []) {
      const [device, quantity] = channel.id.split("/");
      const given = device === data.device ? data.values?.[quantity] : undefined;
      if (!given) continue;
      // The ages of the whole answer count from its own moment.
      const age = (data.ageSeconds ?? 0) - live.elapsed;
      isFirst ||= channel.value === null || channel.value === undefined || channel.isStale;
      Object.assign(channel, { noData: null, quality: [] }, given, { ageSeconds: age, isStale: false });
      if (given.value === null || given.value === undefined) channel.value = null;
      if (data.nextInSeconds !== undefined) channel.nextInSeconds = data.nextInSeconds + live.elapsed;
    }
    tell("reading", data);
    // Level and decimals of a first value come with the whole answer.
    if (isFirst && performance.now() - askedAt > 1000) refresh().catch(() => {}); else calmly();
  } else if (kind === "station" || kind === "reset") refresh().catch(() => {});
  else if (kind === "event" || kind === "alert") { tell(kind, data); calmly(); }
  else if (kind === "omitted" || kind === "beat") calmly();
}

function close() { stream?.close(); stream = null; }

function start() {
  if (isRunning) return;
  isRunning = true;
  heardAt = performance.now();
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiddenTimer);
    if (document.hidden) hiddenTimer = setTimeout(close, HIDDEN);
    else { open(); refresh().catch(() => {}); }
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
  if (clocks && now.wall - clocks.wall - (now.page - clocks.page) > 5000) refresh().catch(lose);
  clocks = now;
  const isStill = station?.daemon?.state === "none";
  const silence = now.page - heardAt;
  if (!isStill && silence > LOST) lose();
  if (!isStill && silence > SILENCE && now.page - askedAt > 5000) { askedAt = now.page; refresh().catch(() => {}); }
  tell("tick");
}
