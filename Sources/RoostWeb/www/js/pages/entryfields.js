// The fields of a target or receiver: the control of each, and the value of courier.json that it stands for.
import { asIs, button, el, quoted } from "../dom.js";
import { field } from "../form.js";
import { has, LANGUAGES, noticeLanguage, t } from "../i18n.js";
import { live } from "../live.js";

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

/** What makes the input of an option, with its value. */
function control(one, given, type, isNew) {
  const plain = { autocomplete: "off", autocapitalize: "none", spellcheck: "false" };
  const usual = one.usual === undefined ? null : one.kind === "flag" ? t(one.usual === "true" ? "do.yes" : "do.no") : one.usual;
  const select = (all) => ({ control: el("select", {}, el("option", { value: "" }, usual === null ? t("entry.usual") : t("entry.usual.is", { name: usual })), all.map(([value, words]) => asIs(words ?? value, "option", { value, selected: String(given) === value, translate: words ? null : "no" }))) });
  if (one.kind === "flag") return select([["true", t("do.yes")], ["false", t("do.no")]]);
  if (one.kind === "text" && one.choices) return select(one.choices.map((name) => [name, one.key === "language" ? LANGUAGES.find(([known]) => known === name)?.[1] : null]));
  if (one.kind === "map") return { control: el("textarea", { ...plain, rows: "4", placeholder: lines(JSON.parse(one.example)), value: given ? lines(given) : isNew && one.isRequired ? prepared() : "" }) };
  // What is typed is seen; what is kept never comes back to the page.
  if (one.kind === "secretURL" && typeof given !== "string") return { ...plain, inputmode: "url", placeholder: "https://" };
  // The text of a file has lines.
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

/** The address of this page with the form of an entry, or without one. */
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
    const fold = one.closest("details");
    if (local.closest("details") !== fold) one.after(local);
    fold?.setAttribute("open", "");
    return [one.name, [t("entry.here", { name: t("entry.local") }), " ", allow]];
  }));
}

/** An address that is a secret is quoted by no answer: what it lacks is said here. */
export const beginProblems = (options, values) => Object.fromEntries(options.filter((one) => isSecretKind(one.option) && one.option.key === "url" && values[one.name].trim() && !values[one.name].includes("://"))
  .map((one) => [one.name, t("entry.url.begin")]));

/** A topic that no person guesses. */
export const newTopic = () => `roost-${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => (byte % 32).toString(32)).join("")}`;

/** Where a topic is read: in a browser, and in the app ntfy, which takes a server without encryption only when it is said so. */
export function topicAddresses(server, name) {
  const address = `${server.replace(/\/+$/, "")}/${encodeURIComponent(name)}`;
  return { address, app: address.replace(/^https?:/, "ntfy:") + (address.startsWith("http:") ? "?secure=false" : "") };
}

/** The topic of a new receiver, and where it is read. */
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
