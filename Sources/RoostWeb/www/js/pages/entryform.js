// The form of an upload target or a receiver, made of what the courier says its type takes: its fields, its trial, and the way back.
import { KEEPING } from "../api.js";
import { asIs, button, card, el, fold, mark, menuRow, quoted } from "../dom.js";
import { field, form, nameProblem } from "../form.js";
import { number } from "../format.js";
import { code, has, LANGUAGES, loadMore, noticeLanguage, t } from "../i18n.js";
import { live, refresh } from "../live.js";
import { action } from "../words.js";

const USUAL = { targets: ["mqtt", "influx2", "sensor-community", "opensensemap", "webhook"], receivers: ["ntfy", "telegram", "smtp", "webhook"] };
/** Each step of a trial has its own limit at the courier. */
export const PATIENCE = 105000, SEARCH_PATIENCE = 20000;
const STEPS = { done: "good", failed: "poor", skipped: "unknown" };

/** The card for `add`, a type or `any`, with the `url` of an offer, or for `change`, an id. */
export async function entryCard(section, { add, change, url }, context) {
  const { api } = context;
  const [kinds, outbox, present] = await Promise.all([api.get("/outbox/kinds"), api.get("/outbox"), change ? api.get(`/outbox/${encodeURIComponent(change)}/entry`) : null,
    loadMore("entries"), live.station ?? refresh().catch(() => null)]);
  const all = kinds[section], type = present ? present.entry.type : add, kind = all.find((one) => one.type === type);
  if (!kind) return choice(section, all, context);
  const ids = [outbox.targets, outbox.receivers, outbox.feeds, outbox.leftOut].flat().map((one) => one.id);
  return formCard({ section, kind, ids, present, url }, context);
}

function choice(section, all, context) {
  const usual = USUAL[section].map((type) => all.find((one) => one.type === type)).filter(Boolean);
  const menu = (kinds) => el("ul", { class: "menu" }, kinds.map((kind) => menuRow(entryAddress({ add: kind.type }), kindName(kind), about(kind))));
  // A step that begins with the choice has its own heading and its own way on.
  const isAsked = new URLSearchParams(location.search).has("add");
  return card(isAsked ? t(`entry.choose.${section}`) : null, section === "targets" ? nearbyPart(context) : null, menu(usual), fold(t("entry.others"), menu(all.filter((one) => !usual.includes(one)))),
    isAsked ? el("div", { class: "row" }, el("a", { class: "button", href: entryAddress() }, t("do.cancel"))) : null);
}

const about = ({ type, about: words }) => (has(`kind.${type}.about`) ? t(`kind.${type}.about`) : quoted(words));

/** What few people set for a broker. */
const SELDOM = ["topic", "discovery", "prove", "clientID"];
const kindName = ({ type, name }) => (has(`kind.${type}`) ? t(`kind.${type}`) : asIs(name ?? type));

function formCard({ section, kind, ids, present, url }, context) {
  const { api, go } = context, { type } = kind, before = present?.entry ?? { type, ...offered(url) };
  const id = present ? null : field("id", t("entry.id"), { value: freeID(type, ids), required: true, maxlength: "32", autocomplete: "off", autocapitalize: "none", spellcheck: "false", hint: t("entry.id.hint") });
  const options = kind.fields.filter((one) => one.kind !== "object").map((one) => option(one, kind, before, !present));
  const isSeldom = ({ option: { isCommon, key } }) => isCommon || (type === "mqtt" && SELDOM.includes(key));
  const own = options.filter((one) => !isSeldom(one)), common = options.filter(isSeldom);
  const more = Object.assign(fold(t("entry.more"), el("div", { class: "form" }, common)), { fields: common });
  const idOf = (values) => present?.id ?? values.id.trim(), pathOf = (values) => `/outbox/${encodeURIComponent(idOf(values))}`;
  const bodyOf = (values) => ({ section, ...collected(options, values, before) });

  async function save(values) {
    await api.send("PUT", pathOf(values), bodyOf(values), { patience: KEEPING });
    await go(entryAddress(), { replaces: true });
    offerUndo(idOf(values), context);
    return "";
  }

  async function attempt(values) {
    const body = { ...bodyOf(values), ...(section === "receivers" ? { sends: true } : {}) };
    return outcome(await api.send("POST", `${pathOf(values)}/try`, body, { patience: PATIENCE }));
  }

  const check = (values) => ({ ...beginProblems(options, values), ...hereProblems(options, values),
    id: ids.includes(values.id?.trim()) ? t("entry.id.used") : nameProblem(values.id?.trim()) });
  const node = triedForm([id, ...own, type === "ntfy" ? topic(own) : null, more].filter(Boolean), t(section === "receivers" ? "entry.test" : "entry.try"),
    { save, attempt, check, placed: (pointer) => placed(pointer, options) });
  node.lastChild.append(el("a", { class: "button", href: entryAddress() }, t("do.cancel")));
  const words = has(`kind.${type}.steps`) ? t(`kind.${type}.steps`) : about(kind);
  return card(present ? [asIs(present.id), ` · `, kindName(kind)] : kindName(kind), el("p", { class: "quiet" }, words), node);
}

/** A form to save, with another button that tries what is typed; `attempt(values)` gives what came of it, as nodes. */
export function triedForm(fields, words, { save, attempt, check, placed }) {
  const steps = el("div", { role: "status" }), trial = el("button", { type: "submit" }, words);
  const node = form([...fields, steps], t("do.save"), async (values, submitter) => {
    steps.replaceChildren();
    if (submitter !== trial) return save(values);
    trial.disabled = true;
    steps.replaceChildren(el("p", { class: "quiet" }, t("do.running")));
    const found = await attempt(values).finally(() => { steps.replaceChildren(); trial.disabled = false; });
    steps.replaceChildren(...found);
    steps.scrollIntoView({ block: "center" });
    return "";
  }, check, placed);
  node.lastChild.append(trial);
  return node;
}

/** The steps of a trial, each with its mark: its name, how it went, and what was said. */
export const stepList = (steps, wordsOf) => el("ul", { class: "steps" }, steps.map((one) => el("li", {}, mark(STEPS[one.state], "mark small"),
  el("span", {}, wordsOf(one)))));

/** The options of a server that was found; one of this computer is allowed by its owner only. */
const offered = (url) => (url ? { url, ...(url.includes("//127.") ? { local: true } : {}) } : {});

/** A name that no entry has: the type, or the type and a number. */
export function freeID(type, ids) {
  let name = type;
  for (let n = 2; ids.includes(name); n += 1) name = `${type}-${n}`;
  return name;
}

/** The place of the field that a refusal is about. */
export function placed(pointer, options) {
  const key = pointer.replace(/^\/(entry|secrets)\//, "");
  const found = options.filter((one) => key === one.name || key.startsWith(`${one.name}/`)).at(-1);
  return found ? `/${found.name}` : pointer;
}

export function outcome({ isReached, server, steps, milliseconds }) {
  const failed = steps.find((one) => one.state === "failed")?.name, key = `try.notReached.${failed}`;
  return [el("p", {}, el("strong", {}, t(isReached ? "try.reached" : has(key) ? key : "try.notReached", { ms: number(milliseconds) })), " ", server ? asIs(server) : ""),
    stepList(steps, (one) => [el("strong", {}, code("try", one.name)), `: ${t(`try.${one.state}`)} `, quoted(one.sentence)])];
}

/** Brokers and Home Assistants that announce themselves on the local network: each fills in the form of a target. */
function nearbyPart({ api }) {
  const said = el("p", { class: "quiet", role: "status" }, t("nearby.looks")), list = el("ul", { class: "menu" });
  api.get("/outbox/nearby", null, { patience: SEARCH_PATIENCE }).then(({ search, why, items, omittedCount }) => {
    list.replaceChildren(...items.map(row));
    const words = search !== "done" ? t(`nearby.${search}`) : t(items.length ? "nearby.found" : "nearby.none");
    said.replaceChildren(words, why ? " " : "", quoted(why) ?? "", omittedCount ? t("nearby.omitted", { n: omittedCount }) : "");
  }, (problem) => {
    if (problem.status === undefined) console.error(problem);
    said.replaceChildren(t("nearby.failed"));
  });
  return el("div", { class: "nearby" }, said, list);
}

function row({ kind, name, url, isLocal }) {
  const where = isLocal ? t("nearby.here") : new URL(url.replace(/^mqtts?:/, "http:")).hostname;
  return menuRow(entryAddress({ add: "mqtt", url }), asIs(name), t(`nearby.${kind}`, { address: where }));
}

/** The text of a key, of this type before that of all; undefined without one. */
const textOf = (type, key, end = "") => [`entry.${type}.${key}${end}`, `entry.${key}${end}`].filter(has).map((name) => t(name))[0];
/** Secrets that were given on the page have these names; the others are files of the administrator. */
const isOwnSecret = (value) => value?.secret?.startsWith("page.");
const isSecretKind = ({ kind }) => kind === "secret" || kind === "secretURL";
const valueAt = (entry, key) => key.split(".").reduce((value, name) => value?.[name], entry);
const names = (list) => list?.join(", ") ?? "";
const FILES = ["account", "key"];
let count = 0;

/** The field of one option; its name is its place in a refusal: `place/latitude`. */
export function option(one, { type }, entry, isNew) {
  // Who adds a receiver reads the page's language.
  const given = valueAt(entry, one.key) ?? (isNew && one.key === "language" ? noticeLanguage() : undefined), label = textOf(type, one.key) ?? one.key, isKept = isSecretKind(one) && isOwnSecret(given);
  // A key of an object that may be left out is needed beside the others only: the courier says so.
  const isNeeded = one.isRequired && !(one.key.includes(".") && one.isCommon), required = isNeeded && !given?.secret;
  const { control: chosen, after, ...props } = control(one, given, type, isNew);
  const words = [textOf(type, one.key, ".hint") ?? (has(`kind.${type}`) ? null : quoted(one.about)), choices(one),
    isKept ? t("entry.kept") : given?.secret ? t("entry.named", { name: given.secret }) : null].filter(Boolean).flatMap((part) => [part, " "]);
  const node = field(one.key.replaceAll(".", "/"), isNeeded || one.isCommon || one.kind === "flag" ? label : t("entry.optional", { name: label }), { hint: words.length ? words : null, control: chosen, required, ...props });
  if (chosen) chosen.required = required;
  if (after) node.append(after);
  if (isKept && !one.isRequired) node.append(el("label", { class: "check" }, node.drop = el("input", { type: "checkbox" }), t("entry.drop")));
  return Object.assign(node, { option: one });
}

/** What is allowed, where the control does not show it. */
function choices({ kind, choices: all, low, high }) {
  if (kind === "list" && all) return t("entry.some", { names: names(all) });
  if (kind === "list") return t("entry.commas");
  if (kind === "number" && all) return t("entry.orNumber", { names: names(all) });
  return kind === "number" && high < 1e9 ? t("settings.range", { least: low, most: high }) : null;
}

function control(one, given, type, isNew) {
  const plain = { autocomplete: "off", autocapitalize: "none", spellcheck: "false" };
  const usual = one.usual === undefined ? null : one.kind === "flag" ? t(one.usual === "true" ? "do.yes" : "do.no") : one.usual;
  const select = (all) => ({ control: el("select", {}, el("option", { value: "" }, usual === null ? t("entry.usual") : t("entry.usual.is", { name: usual })), all.map(([value, words]) => asIs(words ?? value, "option", { value, selected: String(given) === value, translate: words ? null : "no" }))) });
  if (one.kind === "flag") return select([["true", t("do.yes")], ["false", t("do.no")]]);
  if (one.kind === "text" && one.choices) return select(one.choices.map((name) => [name, one.key === "language" ? LANGUAGES.find(([known]) => known === name)?.[1] : null]));
  if (one.kind === "map") return { control: el("textarea", { ...plain, rows: "4", placeholder: lines(JSON.parse(one.example)), value: given ? lines(given) : isNew && one.isRequired ? prepared() : "" }) };
  // What is typed is seen; what is kept never comes back to the page.
  if (one.kind === "secretURL" && typeof given !== "string") return { ...plain, inputmode: "url", placeholder: "https://" };
  if (one.kind === "secret" && FILES.includes(one.key)) return { control: el("textarea", { ...plain, rows: "4" }) };
  if (one.kind === "secret") return { ...plain, type: type === "ntfy" && one.key === "topic" && isNew ? "text" : "password", autocomplete: "new-password" };
  if (one.kind === "url" || one.kind === "secretURL") return { ...plain, inputmode: "url", placeholder: one.example ?? `${one.choices?.[0] ?? "http"}://`, value: given ?? "" };
  if (one.kind === "number" && !one.choices) return { type: "number", min: one.low, max: one.high, step: one.isWhole ? 1 : "any", placeholder: usual, value: given ?? "" };
  const value = one.kind === "list" ? names(given) : given?.secret ? "" : given ?? "";
  const placeholder = usual ?? one.example;
  if (!one.choices) return { ...plain, placeholder, value };
  const list = el("datalist", { id: `choices${(count += 1)}` }, one.choices.map((name) => el("option", { value: name })));
  return { ...plain, placeholder, value, list: list.id, after: list };
}

/** A line for each channel of the station, to be completed. */
const prepared = () => (live.station?.channels ?? []).filter((one) => !one.id.includes("@")).map((one) => `${one.id} = `).join("\n");

/** `{ "dust": { "pin": 1 } }` as `dust = 1`, a line for each member. */
const lines = (map) => Object.entries(map).map(([name, value]) => `${name} = ${typeof value === "object" ? Object.values(value)[0] : value}`).join("\n");

/** The other way; lines without a value are left out. */
function mapOf(text, example) {
  const [shape] = Object.values(example), pairs = text.split("\n").map((line) => line.split("=").map((part) => part.trim())).filter(([name, value]) => name && value);
  return Object.fromEntries(pairs.map(([name, value]) => [name, typeof shape === "object" ? { [Object.keys(shape)[0]]: numeral(value) } : value]));
}

const numeral = (text) => (Number.isNaN(Number(text)) ? text : Number(text));

function typed({ kind, example }, text) {
  if (kind === "flag") return text === "true";
  if (kind === "number") return numeral(text);
  if (kind === "list") return text.split(",").map((part) => part.trim()).filter(Boolean);
  return kind === "map" ? mapOf(text, JSON.parse(example)) : text;
}

export function entryAddress(pairs = {}) {
  const step = new URLSearchParams(location.search).get("step");
  const query = new URLSearchParams({ ...(step ? { step } : {}), ...pairs });
  return location.pathname + (query.size ? `?${query}` : "");
}

/** The entry and the secrets of a form; keys that it does not know stay. */
export function collected(fields, values, before) {
  const entry = structuredClone(before), secrets = {};
  for (const { name, option: one, drop } of fields) {
    const text = values[name].trim(), path = one.key.split("."), last = path.pop(), given = valueAt(entry, one.key);
    if (isSecretKind(one) && typeof given !== "string") {
      if (text) secrets[one.key] = text;
      // Empty it keeps its value; null takes it back.
      if (drop?.checked && !text) entry[last] = null;
      else if (text || isOwnSecret(given)) delete entry[last];
      continue;
    }
    // A text of which the entry has the secret's name stays so until another is given.
    if (!text && given?.secret) continue;
    const parent = path.reduce((object, key) => (object[key] ??= {}), entry);
    if (text) parent[last] = typed(one, text); else delete parent[last];
    if (path.length && !Object.keys(parent).length) delete entry[path[0]];
  }
  return { entry, secrets };
}

/** An address of this computer as a person types it. */
const isHere = (text) => /^(\w+:\/\/)?(localhost|127(\.\d+){1,3}|\[::1\])([:/?]|$)/i.test(text.trim());

/** Why a form cannot have an address of this computer before its owner says so, with the button that does, by the field. */
export function hereProblems(options, values) {
  const local = options.find((one) => one.option.key === "local"), isAddress = ({ option: { kind } }) => kind === "url" || kind === "secretURL";
  if (!local || local.input.value === "true") return {};
  return Object.fromEntries(options.filter((one) => isAddress(one) && isHere(values[one.name])).map((one) => {
    const allow = button(t("entry.here.allow"), () => {
      local.input.value = "true";
      one.fail();
      local.input.focus();
    }, { class: "small" });
    // The field is seen when the button names it; what else is folded stays so.
    if (local.closest("details") !== one.closest("details")) one.after(local);
    return [one.name, [t("entry.here", { name: t("entry.local") }), " ", allow]];
  }));
}

/** An address that is a secret is quoted by no answer: what it lacks is said here. */
export const beginProblems = (options, values) => Object.fromEntries(options.filter((one) => isSecretKind(one.option) && one.option.key === "url" && values[one.name].trim() && !values[one.name].includes("://"))
  .map((one) => [one.name, t("entry.url.begin")]));

export const newTopic = () => `roost-${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => (byte % 32).toString(32)).join("")}`;

/** Where a topic is read: in a browser, and in the app ntfy, which takes a server without encryption only when it is said so. */
export function topicAddresses(server, name) {
  const address = `${server.replace(/\/+$/, "")}/${encodeURIComponent(name)}`;
  return { address, app: address.replace(/^https?:/, "ntfy:") + (address.startsWith("http:") ? "?secure=false" : "") };
}

export function topic(own) {
  const [url, name] = ["url", "topic"].map((key) => own.find((one) => one.option.key === key));
  const place = el("p", {}), app = asIs("", "code");
  if (name.input.type === "text") name.input.value = newTopic();
  const show = () => {
    const text = name.input.value.trim(), { address, app: link } = topicAddresses(url.input.value.trim() || url.option.example, text);
    place.replaceChildren(...(text ? [t("entry.topic.open"), " ", asIs(address, "a", { href: address, target: "_blank", rel: "noopener noreferrer" })] : []));
    app.textContent = text ? link : "";
  };
  for (const one of [url, name]) one.input.addEventListener("input", show);
  show();
  return el("div", {}, place, el("p", {}, app));
}

/** What was changed last on a page, with the way back. */
export const said = el("p", { class: "row wide", role: "status" });

/** Offers to take the last change of an entry back; `words` is the key of what was done. */
export const offerUndo = (id, { api, reload }, words = "do.saved") => offerBack(id, words, async () => {
  await api.send("POST", `/outbox/${encodeURIComponent(id)}/undo`, {}, { patience: KEEPING });
  return reload;
});

/** Says what was done with something, and offers the way `back`, which may give what is to follow. */
export function offerBack(name, words, back) {
  said.replaceChildren(el("span", {}, asIs(name), `: ${t(words)}`), action(t("do.undo"), async () => {
    const next = await back();
    said.replaceChildren();
    await next?.();
  }, { class: "small" }));
  said.scrollIntoView({ block: "center" });
}
