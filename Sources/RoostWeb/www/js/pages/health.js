// What is wrong with its next step, first; folded below it, what was checked, the costs, the starts and the program's parts.
import { asIs, button, el, facts, fold, labelled, mark, quoted } from "../dom.js";
import { faultDetail, faultNext, faultSentence, loadFacts } from "../facts.js";
import { bytes, duration, number, stamp } from "../format.js";
import { code, has, plural, t } from "../i18n.js";
import { live } from "../live.js";
import { action, asHeard, channelName, deviceTitle, isNeverMeasured } from "../words.js";

const ORDER = ["failure", "warning", "note"], LEVELS = { ok: "good", warning: "moderate", failure: "fault" };
/** Where the step of a fault is taken, by the beginning of its name. */
const PLACES = [[/^outbox/, "outbox"], [/^(adapter|device|hotplug|line|sensor)-/, "devices"], [/^settings/, "settings"], [/^(history|journal|samples|store|tables)-/, "proof"]];

export async function load(api) {
  const [health, tree] = await Promise.all([api.get("/health"), api.maybe("/tree"), loadFacts(), live.station ? null : live.refresh().catch(() => null)]);
  return { health, tree, station: live.station };
}

export function draw({ health, tree, station }, context) {
  const isOwner = context.may("owner"), findings = (health.findings ?? []).filter((one) => one.verdict !== "skipped"), of = (...verdicts) => findings.filter((one) => verdicts.includes(one.verdict));
  const wells = of("ok"), notes = of("note"), others = of("failure", "warning").sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
  const faults = (station?.faults ?? []).filter((fault) => !findings.some((one) => one.name === fault.id)), count = faults.length + others.length;
  const sentence = count ? plural("health.wrong", count) : t("health.sum.none"), level = !count ? "good" : faults.some((one) => one.isStopping) || others[0]?.verdict === "failure" ? "fault" : "moderate";
  context.setTitle(sentence);
  const costs = costRows(station), boots = health.boots ?? [];
  return [
    el("section", { class: "card wide" }, el("div", { class: "verdict" }, mark(level), el("div", { class: "say" }, el("strong", { role: "status", "data-says": sentence }, asHeard(sentence)),
      el("p", { class: "quiet" }, findings.length ? plural("health.sum", findings.length, { ok: number(wells.length) }) : "", health.at ? ` ${t("health.at", { time: stamp(Date.parse(health.at) / 1000 - (health.ageSeconds ?? 0)) })}.` : ""))),
      count ? el("ul", { class: "list" }, faults.map((one) => faultRow(one)), others.map(findingRow)) : null,
      el("div", { class: "row" }, isOwner ? action(t("health.again"), async () => { await context.api.send("POST", "/actions/doctor"); context.reload(); })
        : button(t("health.again"), () => context.reload()))),
    notes.length ? el("section", { class: "card wide" }, el("h2", {}, t("health.notes")), el("ul", { class: "list" }, notes.map(findingRow))) : "",
    el("section", { class: "card wide" }, el("h2", {}, t("health.more")),
      wells.length ? fold(plural("health.well", wells.length), el("ul", { class: "list" }, wells.map(findingRow))) : null,
      tree ? fold(treeWords(tree), el("div", { class: "tree" }, el("ul", {}, branch(tree)))) : null,
      boots.length ? fold(t("health.boots.last", { time: boots[0].at ? stamp(boots[0].at) : t("events.undated") }), el("ul", { class: "list" }, boots.slice(0, 10).map((boot) =>
        el("li", { class: "split" }, el("span", { class: "number" }, boot.at ? stamp(boot.at) : t("events.undated")), el("span", { class: "quiet" }, code("boot", boot.reason, boot.reason ?? "")))))) : null,
      costs.length ? fold(t("health.costs"), facts(costs)) : null,
      isOwner ? fold(t("health.bundle"), bundleParts(context)) : null,
      health.hidden?.length ? el("p", { class: "quiet" }, t("health.hidden", { names: health.hidden.map((name) => code("check", name, name)).join(", ") })) : null)];
}

function stepLine(name, words) {
  const page = PLACES.find(([pattern]) => pattern.test(name))?.[1];
  return words ? el("p", {}, "› ", words, page ? [" · ", el("a", { href: `/${page}` }, t(`${page}.title`))] : null) : null;
}

function faultRow({ id, sentence, nextStep, ageSeconds }, sign = mark("fault", "mark small")) {
  return el("li", { class: "finding" }, sign, el("div", {}, el("strong", {}, `${faultSentence(id, sentence)}.`),
    ageSeconds ? el("span", { class: "quiet" }, ` ${t("health.since", { time: duration(ageSeconds) })}`) : null,
    el("p", { class: "quiet" }, faultDetail(id, sentence)), stepLine(id, faultNext(id, nextStep))));
}

function findingRow(finding) {
  const sign = labelled(mark(LEVELS[finding.verdict], "mark small"), code("finding", finding.verdict));
  // A fault of the station, or a check by its name; what the check found stands as `roost doctor` prints it.
  if (has(`fault.${finding.name.split(":")[0]}`)) return faultRow({ ...finding, id: finding.name }, sign);
  const name = code("check", finding.name, finding.name), channels = live.station?.channels?.filter((one) => !isNeverMeasured(one)) ?? [];
  if (finding.name === "storing") return el("li", { class: "finding" }, sign, el("div", {}, t("health.storing")));
  if (finding.name === "channels") {
    const stale = channels.filter((one) => one.isStale);
    return el("li", { class: "finding" }, sign, el("div", {}, channels.length ? t("health.channels", { n: number(channels.length - stale.length), of: number(channels.length) }) : t("verdict.no-sensor"),
      stale.length ? el("p", { class: "quiet" }, t("health.stale", { names: stale.map(channelName).join(", ") })) : null,
      finding.nextStep ? el("p", {}, "› ", el("a", { href: "/devices" }, t("devices.title"))) : null));
  }
  return el("li", { class: "finding" }, sign, el("div", {}, el("span", {}, `${name} `), asIs(finding.name, "span", { class: "quiet" }),
    [finding.sentence, ...finding.details ?? []].map((line) => el("p", { class: "quiet" }, quoted(line))), finding.nextStep ? el("p", {}, "› ", quoted(finding.nextStep)) : null));
}

function costRows(station) {
  const { hour, day, residentKiB, threadCount } = station?.budget ?? {};
  const cost = (report) => t("health.cost", { wake: number(report.wakeUps), cpu: duration(report.cpuMilliseconds / 1000), bytes: report.cardBytes === undefined || report.cardBytes === null ? "–" : bytes(report.cardBytes), syncs: number(report.cardSyncs) });
  return [
    hour ? [t("health.hour"), cost(hour)] : null, day ? [t("health.day"), cost(day)] : null,
    residentKiB ? [t("health.memory"), bytes(residentKiB * 1024)] : null,
    threadCount ? [t("health.threads"), number(threadCount)] : null,
    station?.watchdog ? [t("health.watchdog"), duration(station.watchdog.timeoutSeconds)] : null,
  ].filter(Boolean);
}

const nodesOf = (node) => [node, ...(node.children ?? []).flatMap(nodesOf)];

function treeWords(tree) {
  const nodes = nodesOf(tree), still = nodes.filter((one) => one.state !== "running").length;
  return still ? plural("health.tree.still", still, { all: number(nodes.length) }) : plural("health.tree", nodes.length);
}

/** What a part of the program does, with its bare name beside it; a device by its title, the root by the station's name. */
function branch(node, isDevice) {
  const words = !isDevice && has(`part.${node.id}`) ? [t(`part.${node.id}`), " ", asIs(node.id, "small", { class: "quiet" })] : asIs(deviceTitle(node.id));
  return el("li", {}, words, " ", node.state === "running" ? null : el("span", { class: "chip" }, code("child", node.state, node.state)),
    el("span", { class: "quiet" }, [node.upSeconds ? t("health.since", { time: duration(node.upSeconds) }) : null, node.restartCount ? plural("health.restarts", node.restartCount) : null].filter(Boolean).join(" · "),
      node.lastExit ? [" · ", has(`eventCause.${node.lastExit}`) ? t(`eventCause.${node.lastExit}`) : quoted(node.lastExit)] : ""),
    node.children?.length ? el("ul", {}, node.children.map((one) => branch(one, node.id === "devices"))) : null);
}

/** Shown before it is saved: what leaves this page is read first. */
function bundleParts({ api }) {
  const place = el("div");
  return el("div", { class: "try" }, el("p", { class: "quiet" }, t("health.bundle.words")), action(t("health.bundle.show"), async () => {
    const text = JSON.stringify(await api.get("/diagnostics"), null, 1);
    const link = el("a", { class: "button", download: "roost-diagnostics.json", href: URL.createObjectURL(new Blob([text], { type: "application/json" })) }, t("do.save"));
    place.replaceChildren(asIs(text.slice(0, 20000), "pre", { tabindex: "0" }), link);
  }), place);
}
