// Catalogues: flat keys, `{name}` placeholders, plurals as `key.one` and `key.other`.
import { api } from "./api.js";
import { kept } from "./kept.js";

export const LANGUAGES = [["en", "English"], ["de", "Deutsch"], ["it", "Italiano"], ["es", "Español"], ["fr", "Français"]];
/** The languages that the courier writes notices in. */
const NOTICE_LANGUAGES = ["en", "de", "it"];
let messages = {}, rules, chosen = "en";

export const language = () => chosen;

const made = new Map();
/** What was made for a key before, or is made now: a browser needs milliseconds for each format. */
export const once = (key, make) => made.get(key) ?? made.set(key, make()).get(key);
/** The page's language if the courier has it, or English. */
export const noticeLanguage = () => (NOTICE_LANGUAGES.includes(chosen) ? chosen : "en");

export async function loadLanguage() {
  const wanted = [kept("language"), ...navigator.languages.map((name) => name.slice(0, 2))];
  chosen = wanted.find((name) => LANGUAGES.some(([known]) => known === name)) ?? "en";
  try { messages = await api.asset(`../strings/${chosen}.json`); } catch {
    messages = await api.asset(`../strings/${chosen = "en"}.json`);
  }
  rules = new Intl.PluralRules(chosen);
  document.documentElement.lang = chosen;
}

/** Asks for the catalogue again, so that a new worker keeps it; it has English anyway. */
export const keepLanguage = () => (chosen === "en" ? null : api.asset(`../strings/${chosen}.json`));

/** Adds texts that some pages alone need; they are asked for once. */
export const loadMore = (name) => once(`texts ${name}`, () => api.asset(`../strings/${name}-${chosen}.json`)
  .then((texts) => Object.assign(messages, texts), (problem) => { made.delete(`texts ${name}`); throw problem; }));

api.explain = () => loadMore("refusals");

/** Whether the catalogue has it; codes of a newer station may not be there. */
export const has = (key) => key in messages;

/** The names of a group that have a text: `motion` of `event.motion`. */
export const names = (group) => Object.keys(messages).filter((key) => key.startsWith(`${group}.`)).map((key) => key.slice(group.length + 1)).filter((name) => !name.includes("."));

export function t(key, params) {
  const text = messages[key] ?? key;
  return params ? text.replace(/\{(\w+)\}/g, (whole, name) => params[name] ?? whole) : text;
}

export function plural(key, count, params) {
  const exact = `${key}.${rules.select(count)}`;
  return t(has(exact) ? exact : `${key}.other`, { n: once("n", () => new Intl.NumberFormat(chosen)).format(count), ...params });
}

/** The words of a code, or the server's English, or the code itself. */
export const code = (group, name, words) => (has(`${group}.${name}`) ? t(`${group}.${name}`) : words ?? String(name));
