// The way to every page that is not in the bar, in four groups.
import { asIs, card, el, menuRow } from "../dom.js";
import { LANGUAGES, language, t } from "../i18n.js";
import { keep } from "../kept.js";
import { live } from "../live.js";

/** By what is looked for; a page that is in none is of the station. */
const GROUPS = {
  record: ["measurements", "records", "livepicture", "sites", "surveys", "dose", "proof", "numbers"],
  warned: ["alerts", "health"],
  sending: ["outbox"],
  station: ["start", "settings", "account", "camera", "network", "backup", "update", "trust"],
};

export async function load() { return {}; }

export function make(root, { may, pages: all }) {
  const pages = all.filter((page) => page.place === "more"), known = Object.values(GROUPS).flat();
  const ofGroup = (name) => [...GROUPS[name].map((one) => pages.find((page) => page.name === one)), ...(name === "station" ? pages.filter((page) => !known.includes(page.name)) : [])].filter(Boolean);
  const row = ({ path, name, needs }) => menuRow(path, t(`${name}.title`), [t(`${name}.purpose`), needs && !may(needs) ? ` ${t("more.ownerOnly")}` : ""]);
  const choice = el("select", {}, LANGUAGES.map(([name, words]) => asIs(words, "option", { value: name, selected: name === language(), lang: name })));
  choice.addEventListener("change", () => { keep("language", choice.value); location.reload(); });
  const version = el("p", { class: "quiet" });
  root.append(
    ...Object.keys(GROUPS).filter((name) => ofGroup(name).length).map((name) => card(t(`more.${name}`), el("ul", { class: "menu" }, ofGroup(name).map(row)))),
    el("section", { class: "card" }, el("div", { class: "form" }, el("label", {}, t("more.language"), choice)), version));
  return { update() {
    const station = live.station?.station;
    version.textContent = station ? t("more.version", { version: station.version ?? "?", name: station.name ?? "" }) : "";
  } };
}
