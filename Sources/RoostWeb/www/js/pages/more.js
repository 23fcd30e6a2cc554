// The way to every page that is not in the bar.
import { asIs, el, icon } from "../dom.js";
import { LANGUAGES, chooseLanguage, language, t } from "../i18n.js";
import { live } from "../live.js";
import { may } from "../roles.js";

export const title = "more.title";

export async function load() { return {}; }

export function make(root, { me, pages: all }) {
  const pages = all.filter((page) => page.place === "more");
  const choice = el("select", {}, LANGUAGES.map(([name, words]) => asIs(words, "option", { value: name, selected: name === language(), lang: name })));
  choice.addEventListener("change", () => { chooseLanguage(choice.value); location.reload(); });
  const version = el("p", { class: "quiet" });
  root.append(
    el("section", { class: "card" }, el("ul", { class: "menu" }, pages.map((page) => el("li", {}, el("a", { href: page.path },
      el("span", {}, el("strong", {}, t(`${page.name}.title`)), el("span", { class: "quiet" }, t(`${page.name}.purpose`), page.needs && !may(me, page.needs) ? ` ${t("more.ownerOnly")}` : "")),
      icon("icon-next")))))),
    el("section", { class: "card" }, el("div", { class: "form" }, el("label", {}, t("more.language"), choice)), version));
  return { update() {
    const station = live.station?.station;
    version.textContent = station ? t("more.version", { version: station.version ?? "?", name: station.name ?? "" }) : "";
  } };
}
