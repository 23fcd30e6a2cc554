// What the station says of itself, as sentences of the catalogue: events, faults, checks. The words of other programs are quoted.
import { ruleName, ruleOf, subjectWords } from "./alerts.js";
import { asIs, quoted } from "./dom.js";
import { ago, duration, number, stamp } from "./format.js";
import { code, has, loadMore, t } from "./i18n.js";
import { channelName, deviceTitle, reason } from "./words.js";

/** Asks for the sentences; a page without them has the server's. */
export const loadFacts = () => loadMore("facts").catch(() => {});

/** Kinds of faults whose own words say more than the catalogue: a file, an error, an answer. */
const TELLING = ["device-unusable", "sensor-other", "adapter-faulty", "store-not-writing", "history-not-writable", "history-full", "configuration-rejected",
  "restart-needed", "settings-left-out", "profile-left-out", "boot-files", "data-in-memory", "outbox-fails", "watchdog-unusable", "battery-unusable"];

const faultKey = (id) => `fault.${id.split(":")[0]}`;
/** A fault's device by its title; a target of the outbox is none. */
function subjectOf(id) {
  const kind = id.split(":")[0], name = id.slice(kind.length + 1);
  return kind.startsWith("outbox") ? name : deviceTitle(name);
}

/** `sensor-silent:dust` as a sentence without its full stop; an unknown kind has the server's. */
export const faultSentence = (id, words) => (has(faultKey(id)) ? t(faultKey(id), { subject: subjectOf(id) }) : words ?? id);
export const faultNext = (id, next) => (has(`${faultKey(id)}.next`) ? t(`${faultKey(id)}.next`, { subject: subjectOf(id) }) : next);

/** The words of a fault where they say more than its kind. */
export const faultDetail = (id, words) => (has(faultKey(id)) && TELLING.includes(id.split(":")[0]) ? quoted(words) : null);

/** Why a delivery waits: a sentence for the code, and what the server or the system said. */
export function deliveryReason(name, words) {
  const status = /^(status|smtp|apns)-(\d+)$/.exec(name ?? "");
  const said = status ? t("delivery.status", { status: status[2] }) : has(`delivery.${name}`) ? t(`delivery.${name}`) : null;
  return [said, said && words ? " " : null, quoted(words)];
}

/** Details that are texts of people, servers or the system, unless they are codes. */
const TEXTS = ["sentence", "reason", "why", "last", "history", "action", "text", "nextStep"];
/** Details that say nothing to a person, or what the sentence says. */
const SILENT = ["n", "raise", "key", "kind", "userID", "processID", "fromSeconds", "toSeconds", "stream", "fromBoot", "toBoot", "part", "partCount"];
const GROUPS = { mode: "modeName", severity: "severity", lamp: "level", doubt: "flag", remedy: "remedy", trust: "timeSource" };
/** Facts of a driver that are texts of it; other texts are names and numbers of a part. */
const TROUBLES = ["trouble", "lastTrouble", "lastRejected"];
const NOWCAST = { 1: "aqi.sensitive", 2: "aqi.unhealthy" };

const places = (key) => [...t(key).matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
const named = (id) => (id.includes("/") ? channelName({ id }) : id);

/** One detail in words; `own` where it is a name or a text of somebody. */
function detail(name, given, kind) {
  if (typeof given === "boolean") return t(given ? "do.yes" : "do.no");
  if (typeof given === "number") return /seconds$/i.test(name) ? duration(given) : number(given, 3, 0);
  const text = String(given);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return stamp(text);
  if (["before", "now"].includes(name) && text === "default") return t("detail.default");
  if (["channel", "of", "with"].includes(name)) return named(text);
  if (name === "fault") return has(`lineFault.${text}`) ? t(`lineFault.${text}`) : faultSentence(text);
  if (name === "cause" && kind === "clock trusted") return code("timeSource", text.split(/[:;]/)[0], text);
  if (name === "cause") return has(`cause.${text}`) ? reason(text) : code("eventCause", text, text);
  const group = name === "was" ? { "lamp changed": "level", "mode changed": "modeName" }[kind] : GROUPS[name];
  return group ? code(group, text, text) : text;
}

/** What the sentence of a kind may name: the details, and of an alert its rule, subject and level. */
function values(event) {
  const { kind, source, details = {} } = event;
  const found = { source };
  for (const [name, given] of Object.entries(details)) if (!TEXTS.includes(name)) found[name.replace(/Seconds$/, "")] = detail(name, given, kind);
  if (details.key) {
    Object.assign(found, { rule: ruleName(ruleOf(details)), subject: subjectWords(details) });
    if (details.value !== undefined) found.value = [number(details.value, 1, 0), details.unit].filter(Boolean).join(" ");
    if (ruleOf(details) === "us-nowcast" && NOWCAST[details.level]) found.level = t(NOWCAST[details.level]);
  }
  return found;
}

/** Nodes and texts of an event's line: its sentence, what it leaves out, and the words of others. */
export function eventWords(event) {
  const { kind, details = {} } = event, found = values(event);
  const key = [`event.${kind}.says.${details.kind ?? ""}`, `event.${kind}.says`, `event.${kind}.short`].find((one) => has(one) && places(one).every((name) => found[name] !== undefined));
  const rest = [];
  for (const [name, given] of Object.entries(details)) {
    if (TEXTS.includes(name)) {
      if (name === "sentence" && details.fault) rest.push(faultDetail(details.fault, given));
      else rest.push(has(`cause.${given}`) ? reason(given) : has(`eventCause.${given}`) ? t(`eventCause.${given}`) : quoted(given));
    } else if (!key && !SILENT.includes(name) && !/^(silence)?\d+$/.test(name)) {
      // A code is in the catalogue or is shown as a name, and so is every text.
      const label = `detail.${name.replace(/Seconds$/, "")}`, text = detail(name, given, kind);
      rest.push([has(label) ? `${t(label)} ` : "", text === given ? asIs(text) : text]);
    }
  }
  return [key ? t(key, found) : has(`event.${kind}`) ? t(`event.${kind}`) : asIs(kind), ...rest.filter(Boolean).map((one) => [" · ", one])];
}

/** A fact of a driver by its name: a length of time, an age, a number, a truth, or a text of the part. */
export function factWords(name, given) {
  if (typeof given === "number") return /AgeSeconds$/.test(name) ? ago(given) : /Seconds$/.test(name) ? duration(given) : number(given, 2, 0);
  if (typeof given === "boolean") return t(given ? "do.yes" : "do.no");
  if (Array.isArray(given)) return given.map((one) => code("flag", one, one)).join(", ");
  const key = `${GROUPS[name]}.${given}`;
  return has(key) ? t(key) : TROUBLES.includes(name) ? quoted(given) : asIs(given);
}
