// Faults with their next steps; then the tree, the starts and the station's costs.
import { button, card, el, facts, mark, asIs, quoted } from "../dom.js";
import { faultDetail, faultNext, faultSentence, loadFacts } from "../facts.js";
import { bytes, duration, number, stamp } from "../format.js";
import { code, has, plural, t } from "../i18n.js";
import { live } from "../live.js";
import { may } from "../roles.js";
import { action, isNeverMeasured } from "../words.js";

export const title = "health.title";
const ORDER = ["failure", "warning", "note"];

export async function load(api) {
  const [health, tree] = await Promise.all([api.get("/health"), api.maybe("/tree"), loadFacts(), live.station ? null : live.refresh().catch(() => null)]);
  return { health, tree, station: live.station };
}

export function make(root, context) {
  return { update({ health, tree, station }) {
    const findings = health.findings ?? [];
    // Skipped checks are not shown.
    const asked = findings.filter((one) => one.verdict !== "skipped");
    const wells = asked.filter((one) => one.verdict === "ok");
    const others = asked.filter((one) => one.verdict !== "ok").sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
    const faults = (station?.faults ?? []).filter((fault) => !findings.some((one) => one.name === fault.id));
    root.replaceChildren(...[
      el("section", { class: "card wide" }, el("p", { class: "big" }, others.length || wells.length ? t("health.sum", { ok: wells.length, all: asked.length }) : t("health.sum.none")),
        el("p", { class: "quiet" }, health.at ? t("health.at", { time: stamp(Date.parse(health.at) / 1000 - (health.ageSeconds ?? 0)) }) : ""),
        may(context.me, "owner") ? action(t("health.again"), async () => { await context.api.send("POST", "/actions/doctor"); context.reload(); })
          : button(t("health.again"), () => context.reload())),
      faults.length ? el("section", { class: "card wide" }, el("h2", {}, t("health.faults")), el("ul", { class: "list" }, faults.map(faultRow))) : null,
      others.length ? el("section", { class: "card wide" }, el("h2", {}, t("health.findings")), el("ul", { class: "list" }, others.map(findingRow))) : null,
      wells.length || health.hidden?.length ? el("section", { class: "card wide" }, wells.length ? el("details", {}, el("summary", {}, plural("health.well", wells.length)), el("ul", { class: "list" }, wells.map(findingRow))) : null,
        health.hidden?.length ? el("p", { class: "quiet" }, t("health.hidden", { names: health.hidden.map((name) => code("check", name, name)).join(", ") })) : null) : null,
      costCard(station), bootsCard(health.boots), treeCard(tree), may(context.me, "owner") ? bundleCard(context) : null,
    ].filter(Boolean));
  } };
}

function faultRow(fault) {
  const next = faultNext(fault.id, fault.nextStep);
  return el("li", { class: "finding" }, mark("fault", "mark small"), el("div", {}, el("strong", {}, `${faultSentence(fault.id, fault.sentence)}.`),
    fault.ageSeconds ? el("span", { class: "quiet" }, ` ${t("health.since", { time: duration(fault.ageSeconds) })}`) : null,
    el("p", { class: "quiet" }, faultDetail(fault.id, fault.sentence)), next ? el("p", {}, `› ${next}`) : null));
}

function findingRow(finding) {
  const level = { ok: "good", warning: "moderate", failure: "fault" }[finding.verdict];
  const sign = mark(level ?? "unknown", "mark small");
  sign.setAttribute("role", "img");
  sign.removeAttribute("aria-hidden");
  sign.setAttribute("aria-label", code("finding", finding.verdict));
  // A fault of the station, or a check by its name; what the check found stands as `roost doctor` prints it.
  if (has(`fault.${finding.name.split(":")[0]}`)) {
    return el("li", { class: "finding" }, sign, el("div", {}, el("span", {}, `${faultSentence(finding.name, finding.sentence)}.`), el("p", { class: "quiet" }, faultDetail(finding.name, finding.sentence)),
      el("p", {}, `› ${faultNext(finding.name, finding.nextStep)}`)));
  }
  const name = code("check", finding.name, finding.name), channels = live.station?.channels?.filter((one) => !isNeverMeasured(one)) ?? [];
  const line = finding.name === "channels" ? t("health.channels", { n: number(channels.filter((one) => !one.isStale).length), of: number(channels.length) })
    : finding.name === "storing" ? t("health.storing") : null;
  if (line) return el("li", { class: "finding" }, sign, el("div", {}, line));
  return el("li", { class: "finding" }, sign, el("div", {}, el("span", {}, `${name} `), asIs(finding.name, "span", { class: "quiet" }),
    [finding.sentence, ...finding.details ?? []].map((line) => el("p", { class: "quiet" }, quoted(line))), finding.nextStep ? el("p", {}, "› ", quoted(finding.nextStep)) : null));
}

function costCard(station) {
  const { hour, day, residentKiB, threadCount } = station?.budget ?? {};
  if (!hour && !day && !residentKiB) return null;
  const cost = (report) => t("health.cost", { wake: number(report.wakeUps), cpu: duration(report.cpuMilliseconds / 1000), bytes: report.cardBytes === undefined || report.cardBytes === null ? "–" : bytes(report.cardBytes), syncs: number(report.cardSyncs) });
  return card(t("health.costs"), facts([
    hour ? [t("health.hour"), cost(hour)] : null, day ? [t("health.day"), cost(day)] : null,
    residentKiB ? [t("health.memory"), bytes(residentKiB * 1024)] : null,
    threadCount ? [t("health.threads"), number(threadCount)] : null,
    station.watchdog ? [t("health.watchdog"), duration(station.watchdog.timeoutSeconds)] : null,
  ]));
}

function bootsCard(boots) {
  if (!boots?.length) return null;
  return card(t("health.boots"), el("ul", { class: "list" }, boots.slice(0, 10).map((boot) =>
    el("li", { class: "split" }, el("span", { class: "number" }, boot.at ? stamp(boot.at) : t("events.undated")), el("span", { class: "quiet" }, code("boot", boot.reason, boot.reason ?? ""))))));
}

function treeCard(tree) {
  if (!tree) return null;
  const branch = (node) => el("li", {}, asIs(`${node.id} `), el("span", { class: "chip" }, code("child", node.state, node.state)),
    el("span", { class: "quiet" }, [node.upSeconds ? ` ${duration(node.upSeconds)}` : "", node.restartCount ? plural("health.restarts", node.restartCount) : ""].filter(Boolean).join(" · "),
      node.lastExit ? [" · ", has(`eventCause.${node.lastExit}`) ? t(`eventCause.${node.lastExit}`) : quoted(node.lastExit)] : ""),
    node.children?.length ? el("ul", {}, node.children.map(branch)) : null);
  return card(t("health.tree"), el("div", { class: "tree" }, el("ul", {}, branch(tree))));
}

/** Shown before it is saved: what leaves this page is read first. */
function bundleCard({ api }) {
  const place = el("div");
  return card(t("health.bundle"), el("p", { class: "quiet" }, t("health.bundle.words")), action(t("health.bundle.show"), async () => {
    const text = JSON.stringify(await api.get("/diagnostics"), null, 1);
    const link = el("a", { class: "button", download: "roost-diagnostics.json", href: URL.createObjectURL(new Blob([text], { type: "application/json" })) }, t("do.save"));
    place.replaceChildren(asIs(text.slice(0, 20000), "pre", { tabindex: "0" }), link);
  }), place);
}
