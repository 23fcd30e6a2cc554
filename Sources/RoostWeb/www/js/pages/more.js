// The way to every page that is not in the bar, in four groups; what needs a person comes first.
import { askAlerts, needs } from "../alerts.js";
import { asIs, card, el, mark, menuRow, renew } from "../dom.js";
import { LANGUAGES, language, plural, t } from "../i18n.js";
import { keep } from "../kept.js";
import { live } from "../live.js";

/** By what is looked for; a page that is in none is of the station. */
const GROUPS = {
  warned: ["alerts", "health"],
  record: ["measurements", "records", "livepicture", "sites", "surveys", "dose", "proof", "numbers"],
  sending: ["outbox"],
  station: ["start", "settings", "account", "camera", "network", "backup", "update", "trust"],
};

export const load = (api, query, { me }) => (me?.isRecord ? null : askAlerts());

/** The languages by their own names: who cannot read the page finds them. */
export function languageLine() {
  const choice = el("select", {}, LANGUAGES.map(([name, words]) => asIs(words, "option", { value: name, selected: name === language(), lang: name })));
  choice.addEventListener("change", () => { keep("language", choice.value); location.reload(); });
  return el("div", { class: "form" }, el("label", {}, t("more.language"), choice));
}

export function make(root, { may, pages: all, reload }) {
  const pages = all.filter((page) => page.place === "more"), known = Object.values(GROUPS).flat();
  const ofGroup = (name) => [...GROUPS[name].map((one) => pages.find((page) => page.name === one)), ...(name === "station" ? pages.filter((page) => !known.includes(page.name)) : [])].filter(Boolean);
  const version = el("p", { class: "quiet" });
  const own = card(null, languageLine(), version);
  /** A page with what it is for, or with how much on it needs a person. */
  const row = ({ path, name, needs: least }) => {
    const count = { alerts: needs.alerts, health: needs.faults }[name];
    if (count) return menuRow(path, t(`${name}.title`), plural(name === "alerts" ? "well.alerts" : "now.faults", count), mark("moderate", "mark small"));
    return menuRow(path, t(`${name}.title`), [t(`${name}.purpose`), least && !may(least) ? ` ${t("more.ownerOnly")}` : ""]);
  };
  return {
    update() {
      const groups = Object.keys(GROUPS).filter((name) => ofGroup(name).length);
      renew(root, groups.map((name) => card(t(`more.${name}`), el("ul", { class: "menu" }, ofGroup(name).map(row)))), own);
      const station = live.station?.station;
      version.textContent = station ? t("more.version", { version: station.version ?? "?", name: station.name ?? "" }) : "";
    },
    live(kind) {
      if (kind === "alert") reload();
      if (kind === "station") this.update();
    },
  };
}
