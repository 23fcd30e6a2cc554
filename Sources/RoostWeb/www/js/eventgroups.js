// Events as a person counts them: a beginning with its end, and the same thing many times, are one entry each. Pure.
import { eventSentence, isTest } from "./facts.js";
import { dayStart } from "./format.js";

/** Kinds of which a day may have thousands. */
export const MANY = ["motion", "motion ended", "pressed", "released", "long press", "double press"];
export const TOPICS = ["air", "sensors", "station", "sending", "door"];

/** What ends a kind; beginnings with the same end are one when they follow each other. */
const ENDS = {
  "motion": "motion ended", "pressed": "released", "stuck high": "recovered", "stuck pressed": "recovered", "line muted": "recovered",
  "sensor not answering": "sensor answering again", "sensor does not acknowledge": "sensor acknowledges again", "readings doubtful": "readings good again",
  "sensors disagree": "sensors agree again", "HTTP device not answering": "HTTP device answers again", "adapter gone": "adapter found",
  "device away": "device back", "device unusable": "device back", "on battery": "on mains again", "fault began": "fault over",
  "survey begun": "survey ended", "muted": "unmuted", "claim window opened": "claim window closed", "card does not write": "card writes again",
  "history not writable": "history writable again", "history has no place": "history has places again", "copy of tables fails": "copy of tables is written again",
  "outbox held": "outbox resumed", "outbox late": "outbox in time", "camera fails": "camera works again", "child late": "child on time again", "alert raised": "alert resolved",
};
const CLOSERS = new Set(Object.values(ENDS));
/** What happens between a beginning and its end. */
const BETWEEN = { "alert level": "alert resolved", "alert acknowledged": "alert resolved", "remedy tried": "sensor answering again" };
/** Details that tell two things of one kind apart. */
const IDENTITY = ["key", "target", "channel", "doubt", "of", "with", "name", "child", "usb", "setting", "device", "wanted"];
/** What each person writes is an entry of its own. */
const ALONE = ["note", "dose marked"];
const SMALL = ["lamp changed", "clock trusted", "child restarting", "device back", "remedy tried"];
/** Seconds after which someone at the door is another one. */
const VISIT = 1800;
/** Events that are looked at in one piece. */
const PIECE = 100;

const SOURCES = [["door", /^(motion|pressed|released|long press|double press|camera)/], ["sending", /^(outbox|courier|delivery|notice)/], ["air", /^(alert|readings|sensors|dose|lamp|note|survey)/],
  ["sensors", /^(sensor|another|remedy|fan|samples|intervals|events|laser|too many|HTTP|device|adapter|identity|name|no hotplug|pins|line|stuck|recovered|muted|unmuted)/]];
const FAULTS = [["sending", /^outbox/], ["sensors", /^(sensor|device|adapter|line|hotplug|laser|profile)/]];
const RULES = [["air", /\//], ["sending", /^outbox:/], ["sensors", /^(silent|stuck|laser):/], ["door", /^motion:/]];
const first = (table, text) => table.find(([, form]) => form.test(text))?.[0] ?? "station";

export function topicOf({ kind, details }) {
  if (details?.key && kind.startsWith("alert")) return /^(silent|stuck|laser):/.test(details.key) ? "sensors" : first(RULES, details.key);
  if (details?.fault && kind.startsWith("fault")) return first(FAULTS, details.fault);
  return first(SOURCES, kind);
}

/** What a small entry is called in the line that folds it. */
export const smallName = ({ kind }) => SMALLS.find(([, form]) => form.test(kind))?.[0] ?? "other";
const SMALLS = [["motion", /^motion/], ["button", /(press|pressed|released)$/], ["lamp", /^lamp/], ["clock", /^clock/], ["program", /^(child|courier|camera|store|alerts)/],
  ["adapter", /^(adapter|device)/], ["sensor", /^(sensor|remedy)/]];

/** Milliseconds of an event, read once; null while nothing dates it. */
export const moment = (event) => (event.at === undefined ? (event.at = event.time ? Date.parse(event.time) : null) : event.at);

function identity({ kind, source, details }, name) {
  let text = `${name}|${source}`;
  for (const one of IDENTITY) if (details?.[one] !== undefined) text += `|${details[one]}`;
  return kind.startsWith("fault") ? `${text}|${details?.fault}` : text;
}

/** Seconds from a beginning to its end: what the end says, else the difference. */
function lasted({ opening, events }) {
  const [end] = events, { lastedSeconds, afterSeconds, seconds } = end.details ?? {};
  const said = lastedSeconds ?? afterSeconds ?? seconds;
  if (said !== undefined) return said;
  if (opening.bootID === end.bootID) return Math.max(0, end.instantSeconds - opening.instantSeconds);
  return opening.time && end.time ? Math.max(0, (moment(end) - moment(opening)) / 1000) : 0;
}

/** Beginnings with what followed them, newest first. `events` are newest first too. */
function* pairs(events) {
  const open = new Map(), found = [];
  for (let index = events.length - 1; index >= 0; index -= 1) {
    if (index % PIECE === 0) yield;
    const event = events[index], { kind } = event, closer = ENDS[kind] ?? BETWEEN[kind] ?? kind;
    const isOpening = kind in ENDS && !isTest(event), hasEnd = isOpening || CLOSERS.has(kind) || kind in BETWEEN;
    const key = hasEnd ? identity(event, closer) : "", entry = hasEnd ? open.get(key) : null;
    if (entry && !(isOpening && entry.opening.kind === kind)) {
      entry.events.unshift(event);
      entry.index = index;
      if (CLOSERS.has(kind)) entry.isOver = open.delete(key);
    } else {
      const fresh = { opening: isOpening ? event : null, events: [event], index, isOver: false };
      if (isOpening) open.set(key, fresh);
      found.push(fresh);
    }
  }
  // An entry stands where its newest event does, so that earlier pages do not move it.
  return found.sort((one, other) => one.index - other.index);
}

/** `began`, `worse`, `better` or `over` for an entry that has such a state. */
function phaseOf({ opening, events, isOver }) {
  const [newest] = events;
  if (isOver || (!opening && CLOSERS.has(newest.kind))) return "over";
  const level = events.find((one) => one.kind === "alert level");
  if (level) return Number(level.details?.level) < Number(level.details?.was) ? "better" : "worse";
  return opening ? "began" : null;
}

export const isSmall = ({ severity, kind }) => severity === "info" || severity === "debug" || SMALL.includes(kind);

/** The local day of a moment as its start; equal neighbours cost nothing. */
function days() {
  let start = 0, end = -1;
  return (at) => {
    if (at < start || at >= end) {
      start = dayStart(at / 1000) * 1000;
      end = dayStart(start / 1000 + 93600) * 1000;
    }
    return start;
  };
}

/**
 * Yields while it works, and returns the entries of events that are newest first, newest first. Each has `parts`: the times that the
 * same thing happened on a day. Of the newest part it has `events` (newest first), `opening`, `phase`, and over all parts `lasted`,
 * `from` and `to` (events).
 */
export const grouping = function* (events) {
  const found = [], runs = new Map(), dayOf = days();
  let count = 0;
  for (const part of yield* pairs(events)) {
    if ((count += 1) % PIECE === 0) yield;
    const [event] = part.events, lead = part.opening ?? event, at = moment(event), day = at === null ? null : dayOf(at);
    const key = ALONE.includes(lead.kind) ? event.id ?? found.length : `${day}|${identity(lead, lead.kind)}|${part.opening ? "" : "end"}`;
    const run = runs.get(key), last = run && run.from;
    part.phase = phaseOf(part);
    part.lasted = part.isOver ? lasted(part) : null;
    part.from = part.events.at(-1);
    if (run && !(MANY.includes(lead.kind) && (moment(last) - at) / 1000 > VISIT)) {
      run.parts.push(part);
      run.from = part.from;
      run.isSmall &&= part.events.every(isSmall);
      if (part.lasted !== null) run.lasted += part.lasted;
      continue;
    }
    const entry = { id: event.id, day, parts: [part], events: part.events, opening: part.opening, phase: part.phase, lasted: part.lasted, from: part.from, to: event,
      topic: topicOf(lead), isSmall: part.events.every(isSmall) };
    runs.set(key, entry);
    found.push(entry);
  }
  return found;
};

/** The newest entries in which something was a warning or an error, of a few events. */
export function graveOf(events) {
  const work = grouping(events);
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value.filter(({ parts }) => parts.some((part) => part.events.some(({ severity }) => ["warning", "error"].includes(severity)))).slice(0, 5);
}

/** The sentence of an entry or of a part: of a beginning and its end with its duration, else of its newest event. */
export function partSentence({ events, opening, phase, lasted: time }) {
  const [event] = events;
  if (opening && phase === "over" && time !== null) return eventSentence({ ...opening, details: { ...opening.details, ...worst(event) } }, time);
  return eventSentence(opening && event.details?.key ? { ...event, details: { unit: opening.details?.unit, overSeconds: opening.details?.overSeconds, ...event.details } } : event);
}

const worst = ({ details }) => (details?.worst === undefined ? {} : { worst: details.worst });
