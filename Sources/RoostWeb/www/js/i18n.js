// Catalogues: flat keys, `{name}` placeholders, plurals as `key.one` and `key.other`.
import { api } from "./api.js";

export const LANGUAGES = [["en", "English"], ["de", "Deutsch"], ["it", "Italiano"], ["es", "Español"], ["fr", "Français"]];
/** The languages that the courier writes notices in. */
const NOTICE_LANGUAGES = ["en", "de", "it"];
let messages = {}, rules, chosen = "en";

export const language = () => chosen;
/** The page's language if the courier has it, or English. */
export const noticeLanguage = () => (NOTICE_LANGUAGES.includes(chosen) ? chosen : "en");

function stored() {
  try { return localStorage.getItem("roost.language"); } catch { return null; }
}

export async function loadLanguage() {
  const wanted = [stored(), ...navigator.languages.map((name) => name.slice(0, 2))];
  chosen = wanted.find((name) => LANGUAGES.some(([known]) => known === name)) ?? "en";
  messages = await api.asset(`../strings/${chosen}.json`);
  rules = new Intl.PluralRules(chosen);
  document.documentElement.lang = chosen;
}

/** Adds texts that one page alone needs. */
export async function loadMore(name) {
  Object.assign(messages, await api.asset(`../strings/${name}-${chosen}.json`));
}

/** Remembers a language for this browser; the caller loads the page again. */
export function chooseLanguage(name) {
  try { localStorage.setItem("roost.language", name); } catch {
    // A browser without storage keeps its own.
  }
}

/** Whether the catalogue has it; codes of a newer station may not be there. */
export const has = (key) => key in messages;

export function t(key, params) {
  const text = messages[key] ?? key;
  return params ? text.replace(/\{(\w+)\}/g, (whole, name) => params[name] ?? whole) : text;
}

export function plural(key, count, params) {
  const exact = `${key}.${rules.select(count)}`;
  return t(has(exact) ? exact : `${key}.other`, { n: new Intl.NumberFormat(chosen).format(count), ...params });
}

/** The words of a code, or the server's English, or the code itself. */
export const code = (group, name, words) => (has(`${group}.${name}`) ? t(`${group}.${name}`) : words ?? String(name));
