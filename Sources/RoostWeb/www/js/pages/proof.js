// Is the record complete? Measured and explained time together are all of it.
import { button, card, el, facts, table } from "../dom.js";
import { bytes, date, duration, month, number, percent, stamp, zoneName } from "../format.js";
import { plural, t } from "../i18n.js";
import { live } from "../live.js";
import { channelName, reason } from "../words.js";

export const title = "proof.title";
export const load = (api) => api.get("/proof");

export function make(root) {
  return { update(proof) {
    const sum = (list, of) => (list ?? []).reduce((total, one) => total + of(one), 0);
    const unknown = sum(proof.channels, (ledger) => sum(ledger.gaps, (gap) => (gap.cause === "unexplained" ? gap.seconds : 0)));
    const accounted = 1 - unknown / (sum(proof.channels, (ledger) => ledger.elapsedSeconds) || 1);
    if (!proof.since) return root.replaceChildren(card(null, el("p", {}, t("proof.nothing"))));
    root.replaceChildren(
      el("section", { class: "card" },
        el("p", { class: "big" }, t("proof.sentence", { name: live.station?.station?.name ?? proof.station ?? "", since: `${stamp(proof.since)} ${zoneName(proof.since)}` })),
        el("p", {}, t("proof.sum", { elapsed: duration(proof.elapsedSeconds), share: percent(accounted), covered: percent(proof.coveredSeconds / proof.elapsedSeconds) })),
        el("p", { class: "quiet" }, t("proof.at", { time: stamp(proof.at ?? Date.now() / 1000) })),
        el("div", { class: "row" }, button(t("proof.print"), () => print()),
          el("a", { class: "button", href: "/api/v1/proof", download: "proof.json" }, t("proof.json")))),
      ...(proof.channels ?? []).map(channelCard),
      el("div", { class: "tiles" }, ...parts(proof)));
  } };
}

function channelCard(ledger) {
  const gaps = (ledger.gaps ?? []).toSorted((a, b) => b.seconds - a.seconds);
  const share = (seconds) => (ledger.elapsedSeconds ? percent(seconds / ledger.elapsedSeconds, 3) : "–");
  const seconds = (given) => [duration(given), el("br"), el("span", { class: "quiet" }, t("unit.second", { n: number(given, 1) }))];
  const rows = [[t("proof.measured"), seconds(ledger.coveredSeconds), share(ledger.coveredSeconds), ledger.valueCount === undefined ? "" : number(ledger.valueCount)],
    ...gaps.map((gap) => [reason(gap.cause, gap.name), seconds(gap.seconds), share(gap.seconds), gap.count ? plural("proof.times", gap.count) : ""]),
    [t("proof.total"), seconds(ledger.elapsedSeconds), share(ledger.elapsedSeconds), ""]];
  return card(channelName({ id: ledger.channel, name: ledger.name }),
    el("p", { class: "quiet" }, `${duration(ledger.elapsedSeconds)}${ledger.lostCount ? ` · ${plural("proof.lost", ledger.lostCount)}` : ""}`),
    table(t("proof.caption"), [t("proof.what"), t("proof.time"), t("proof.share"), t("proof.count")], rows),
    el("p", { class: "quiet" }, el("a", { href: `/history?channel=${ledger.channel}&range=month` }, t("proof.gaps"))));
}

function parts({ card: storage, lasers, clock, isStationAway }) {
  return [
    isStationAway ? card(null, el("p", {}, t("proof.away"))) : null,
    storage ? card(t("proof.card"), facts([
      storage.bytesPerDay ? [t("proof.card.day"), bytes(storage.bytesPerDay)] : null,
      storage.usedBytes ? [t("proof.card.used"), `${bytes(storage.usedBytes)}${storage.sizeBytes ? ` / ${bytes(storage.sizeBytes)}` : ""}`] : null,
      storage.yearsLeft ? [t("proof.card.left"), storage.yearsLeft > 100 ? t("proof.century") : duration(storage.yearsLeft * 31557600)] : null,
      storage.keepsDays ? [t("proof.keeps"), duration(storage.keepsDays * 86400)] : null,
    ])) : null,
    lasers?.length ? card(t("proof.lasers"), facts(lasers.flatMap((laser) => [
      [laser.device ?? laser.part, laser.lifeHours ? t("proof.hours.of", { hours: number(laser.hours), life: number(laser.lifeHours) }) : t("proof.hours", { hours: number(laser.hours) })],
      laser.endOfLife ? [t("proof.laser.until"), t("proof.about", { time: month(laser.endOfLife) })] : null,
    ]))) : null,
    clock ? card(t("proof.clock"), facts([
      clock.sureShare === undefined || clock.sureShare === null ? null : [t("proof.clock.sure"), percent(clock.sureShare)],
      clock.since ? [t("proof.since"), date(clock.since)] : null,
    ])) : null,
  ].filter(Boolean);
}
