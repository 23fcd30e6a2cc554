// What the station says of itself, as sentences of the catalogue: events, faults, checks. The words of other programs are quoted.
import { ruleName, ruleOf } from "./alerts.js";
import { asIs, quoted } from "./dom.js";
import { ago, duration, number, over, stamp } from "./format.js";
import { code, has, loadMore, t } from "./i18n.js";
import { deviceOf, deviceTitle, quantityName, quantityOf, reason } from "./words.js";

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
  // A sentence of the station's own needs no other words.
  if (has(`delivery.own.${name}`)) return [t(`delivery.own.${name}`)];
  const status = /^(status|smtp|apns)-(\d+)$/.exec(name ?? "");
  const said = status ? t("delivery.status", { status: status[2] }) : has(`delivery.${name}`) ? t(`delivery.${name}`) : null;
  return [said, said && words ? " " : null, quoted(words)];
}

/** Details that are texts of people, servers or the system, unless they are codes. */
const TEXTS = ["sentence", "reason", "why", "last", "history", "action", "text", "nextStep"];
/** Details that say nothing to a person, or what every sentence of the kind says. */
const SILENT = ["n", "raise", "key", "kind", "severity", "userID", "processID", "fromSeconds", "toSeconds", "stream", "fromBoot", "toBoot", "part", "partCount", "unit", "overSeconds", "isForUpload", "isLong"];
const GROUPS = { mode: "modeName", lamp: "level", doubt: "flag", remedy: "remedy", trust: "timeSource" };
/** Facts of a driver that are texts of it; other texts are names and numbers of a part. */
const TROUBLES = ["trouble", "lastTrouble", "lastRejected"];
const LONG = 60;
const short = (text) => (text.length > LONG ? `${text.slice(0, LONG)}…` : text);

/** `PM2.5 of “Window”`, or the device alone. */
function nameOf(id, source) {
  const [device, quantity] = id.includes("/") ? [deviceOf(id), quantityOf(id)] : source ? [source, id] : [id];
  return say(quantity ? "event.channel" : "event.device", { quantity: quantity && quantityName(quantity), name: deviceTitle(device) });
}

function detail(name, given, { kind, source }) {
  if (typeof given === "boolean") return t(given ? "do.yes" : "do.no");
  if (typeof given === "number") return /seconds$/i.test(name) ? duration(given) : number(given, 3, 0);
  const text = String(given);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return stamp(text);
  if (["before", "now"].includes(name)) return text === "default" ? t("detail.default") : short(text.replace(/^"(.*)"$/, "$1"));
  if (name === "with") return nameOf(text);
  if (["channel", "of"].includes(name)) return nameOf(text, source);
  // A part of the program may stand with the part that holds it: `devices/dust`.
  if (name === "device" || name === "child") return deviceTitle(text.split("/").at(-1));
  if (name === "fault") return has(`lineFault.${text}`) ? t(`lineFault.${text}`) : faultSentence(text);
  if (name === "cause" && kind === "clock trusted") return code("timeSource", text.split(/[:;]/)[0], text);
  if (name === "cause") return has(`cause.${text}`) ? reason(text) : code("eventCause", text, text);
  const group = name === "was" ? { "lamp changed": "level", "mode changed": "modeName" }[kind] : GROUPS[name];
  return group ? code(group, group === "modeName" && text === "normal" ? "months" : text, text) : text;
}

/** `32 µg/m³, mean of 24 h` */
const figure = ({ value, unit, overSeconds }) => `${number(value, 1, 0)} ${unit ?? ""}`.trim() + (overSeconds ? `, ${t("alerts.mean", { time: over(overSeconds) })}` : "");

/** What a sentence may name: the details, its subject, and of an alert its rule and value. */
function values(event) {
  const { source, details = {} } = event, { key, channel, of, value, worst, unit } = details;
  const found = { source: deviceTitle(source) };
  for (const [name, given] of Object.entries(details)) if (!TEXTS.includes(name)) found[name.replace(/Seconds$/, "")] = detail(name, given, event);
  const subject = key ? key.slice(ruleOf(details).length + 1) : of;
  found.subject = subject ? nameOf(subject) : channel ? found.channel : event.kind === "note" ? undefined : nameOf(source);
  if (key) {
    found.rule = ruleName(ruleOf(details));
    if (value !== undefined) found.value = figure(details);
    if (worst !== undefined) found.worst = figure({ value: worst, unit });
  }
  return found;
}

/** Whether an alert was raised to try the way of its notices: it has no end. */
export const isTest = ({ kind, details }) => kind === "alert raised" && /\btest\b/.test(details?.flags ?? "");

/** Which of a kind's sentences fits: an alert says what is too high, and some events are two. */
function variant(event) {
  const { kind, details = {} } = event;
  const { key, kind: rule, value, limit, level, was, forSeconds } = details;
  if (kind === "alert level" && Number(level) < Number(was)) return ".better";
  if (kind === "alert silenced" && forSeconds === 0) return ".end";
  if (isTest(event)) return ".test";
  if (!key || !["alert raised", "alert resolved", "notice sent"].includes(kind)) return "";
  if (key.endsWith(":station")) return ".station";
  if (["silent", "stuck"].includes(rule)) return `.${rule}`;
  return key.includes("/") && value !== undefined && limit !== undefined ? (Number(value) >= Number(limit) ? ".high" : ".low") : "";
}

/** A name that is written from right to left leaves the order of the sentence as it is. */
const apart = (text) => (/[\u0590-\u08ff]/.test(text) ? `\u2068${text}\u2069` : text);

/** A text whose parts in brackets stand only with all that they name. */
function say(key, found) {
  const text = t(key).replace(/\[([^\]]*)\]/g, (_, part) => ([...part.matchAll(/\{(\w+)\}/g)].every(([, name]) => found[name] !== undefined) ? part : ""));
  return text.replace(/\{(\w+)\}/g, (_, name) => apart(found[name] ?? "–"));
}

/** Its key in the catalogue; `isOver` where its end is known too. */
function keyOf(event, isOver) {
  const kind = `event.${event.kind}`, end = isOver ? ".over" : "";
  return [`${kind}${variant(event)}${end}`, `${kind}${end}`, kind].find(has);
}

/** An event as a sentence without its full stop; of a beginning with its end, which lasted so many seconds. */
export function eventSentence(event, lasted = null) {
  const key = keyOf(event, lasted !== null);
  return key ? say(key, { ...values(event), ...(lasted === null ? {} : { lasted: duration(lasted) }) }) : event.kind;
}

/** What a person wrote, and a reason that the catalogue knows, beside the sentence. */
export function eventAside({ kind, details = {} }) {
  if (kind === "note") return quoted(details.text);
  const known = TEXTS.map((name) => details[name]).find((given) => given && given !== "over" && (has(`cause.${given}`) || has(`eventCause.${given}`)));
  return known ? detail("cause", known, {}) : null;
}

/** Names and values of what its sentence, and that of its end, leave out; texts of others are quoted. */
export function eventDetails(event, opening) {
  const { kind, details = {} } = event, rows = [];
  const said = [keyOf(event, false), opening && keyOf(opening, true)].filter(Boolean).map((key) => t(key)).join(" ");
  for (const [name, given] of Object.entries(details)) {
    const plain = name.replace(/Seconds$/, ""), isKnown = has(`cause.${given}`) || has(`eventCause.${given}`);
    if (SILENT.includes(name) || said.includes(`{${plain}}`) || /^(silence)?\d+$/.test(name)) continue;
    if (details.key && (["level", "was"].includes(name) || !given)) continue;
    if (TEXTS.includes(name)) {
      const isShown = kind === "note" || (name === "sentence" && details.fault && !faultDetail(details.fault, given));
      if (!isShown && !isKnown) rows.push([t("detail.said"), quoted(String(given))]);
      continue;
    }
    if (["channel", "of", "with"].includes(name) && said.includes("{subject}")) continue;
    const text = detail(name, given, event);
    rows.push([code("detail", plain, t("detail.other")), text === given ? asIs(text) : text]);
  }
  return rows;
}

/** A fact of a driver by its name: a length of time, an age, a number, a truth, or a text of the part. */
export function factWords(name, given) {
  if (typeof given === "number") return /AgeSeconds$/.test(name) ? ago(given) : /Seconds$/.test(name) ? duration(given) : number(given, 2, 0);
  if (typeof given === "boolean") return t(given ? "do.yes" : "do.no");
  if (/From/.test(name)) return asIs([given].flat().map(deviceTitle).join(", "));
  if (Array.isArray(given)) return given.map((one) => code("flag", one, one)).join(", ");
  const key = `${GROUPS[name]}.${given}`;
  return has(key) ? t(key) : TROUBLES.includes(name) ? quoted(given) : asIs(given);
}
