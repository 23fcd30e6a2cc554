// Brokers and Home Assistants that announce themselves on the local network: each fills in the form of a target.
import { asIs, el, menuRow, quoted } from "../dom.js";
import { t } from "../i18n.js";
import { entryAddress } from "./entryfields.js";

/** Time for the search. */
const PATIENCE = 20000;

/** A part that looks for them by itself, and says how that went. */
export function nearbyPart({ api }) {
  const said = el("p", { class: "quiet", role: "status" }, t("nearby.looks")), list = el("ul", { class: "menu" });
  api.get("/outbox/nearby", null, { patience: PATIENCE }).then(({ search, why, items, omittedCount }) => {
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
