// The owner's other stations, each with what it says of itself. All of it is another's: text, never markup.
import { asIs, el, mark, quoted } from "./dom.js";
import { code, has, t } from "./i18n.js";
import { quantityName, verdictWords } from "./words.js";

/** Where a station is, for a person: its name on the network, or what stands in the configuration. */
const place = (one) => one.host ?? one.url.replace(/^https?:\/\//, "");

/** The station's role: its quantities, lamp and visitors. */
function role(facts) {
  return [...facts.quantities.map((name) => quantityName(name)), facts.hasLamp ? t("stations.lamp") : "", visitWords(facts.visited)].filter(Boolean).join(" · ");
}

/** Whether a motion sensor sees motion; empty without such a sensor. */
const visitWords = (visited) => (visited === true ? t("visited.yes") : visited === false ? t("visited.no") : "");

/** The first sentence of another station. */
const sentence = (verdict) => verdictWords({ verdict });

function row(one) {
  const { facts } = one, words = facts ? sentence(facts) : t(`stations.state.${one.state}`), more = facts ? role(facts) : quoted(one.why);
  return el("li", { class: "station" }, mark(facts?.level ?? (one.state === "silent" ? "fault" : "unknown")),
    el("div", {}, asIs(one.name, "strong"), " ", asIs(place(one), "a", { class: "quiet", href: one.url, rel: "noreferrer" }),
      el("p", {}, words, facts?.isSimulated ? ` (${t("stations.simulated")})` : ""), more ? el("p", { class: "quiet" }, more) : null));
}

/** `report`: `/stations`; undefined while it is asked for, null when it cannot be had. */
export function stationList(report) {
  const search = report === undefined ? "searching" : (report?.search ?? "failed");
  const words = search === "done" ? (report.items.length ? "" : t("stations.search.none")) : has(`stations.search.${search}`) ? t(`stations.search.${search}`) : code("stations.search", search);
  return [el("h2", {}, t("stations.title")), report?.items?.length ? el("ul", { class: "list" }, report.items.map(row)) : null,
    el("p", { class: "quiet", role: "status" }, words, report?.why ? [" ", quoted(report.why)] : "")].filter(Boolean);
}

/** Those whose place is known, as points of the drawing. */
export const stationPoints = (report) => (report?.items ?? []).filter((one) => one.facts?.position)
  .map(({ name, url, facts }) => ({ ...facts.position, kind: "peer", name, words: `${name}: ${sentence(facts)}`, url }));
