// Is the record complete? A square a day, a column a week, a row for the channels of a device whose days are the same.
import { button, card, el, facts, mark, table } from "../dom.js";
import { bytes, dated, duration, fromWall, month, number, percent, stamp, zone } from "../format.js";
import { loadMore, plural, t } from "../i18n.js";
import { live } from "../live.js";
import { channelName, deviceTitle, reason } from "../words.js";
import { drawDays, legend, LONG } from "./proofdays.js";
import { openDay } from "./proofsheet.js";

export const load = async (api) => (await Promise.all([api.get("/proof/days", { zone: zone() }), loadMore("proof")]))[0];

const DAY = 86400;
/** The days of the answer: when each is, its name, and of a row its share and its cause. */
function calendar({ from, dayCount, causes }) {
  const first = Date.parse(`${from}T00:00:00Z`) / 1000, at = (number) => fromWall(first + number * DAY);
  return { count: dayCount, weekday: (first / DAY + 3) % 7, at,
    isFirst: (number) => new Date((first + number * DAY) * 1000).getUTCDate() === 1,
    dated: (number, options) => dated(at(number + 0.5), options),
    share: (row, number) => row.shares[number - row.first],
    cause: (row, number) => causes[row.causes.find(([from, days]) => number >= from && number < from + days)?.[2]] };
}

export function make(root, context) {
  let turn = 0, proof = null;
  const head = el("div", { class: "proofsay" }), print = button(t("proof.print"), () => window.print(), { disabled: true });
  const side = el("div", { class: "side" }), printed = el("div", { class: "printed" });
  // A table of each channel is made when it is wanted, as a browser draws hundreds of rows slowly.
  const fillTables = () => { if (proof && !printed.firstChild) printed.append(...proof.channels.map(channelCard)); };
  addEventListener("beforeprint", fillTables);
  return {
    update(answer) {
      const mine = ++turn;
      if (!answer.from) return root.replaceChildren(card(null, el("p", {}, t("proof.nothing"))));
      const days = calendar(answer);
      printed.replaceChildren();
      root.replaceChildren(
        el("section", { class: "card whole" }, head, el("div", { class: "row screen" }, print,
          el("a", { class: "button", href: "/api/v1/proof", download: "proof.json" }, t("proof.json")))),
        el("section", { class: "card screen" }, el("h2", {}, t("proof.days")), drawDays(answer.rows, days, (...chosen) => openDay(context, days, ...chosen)),
          legend(), el("p", { class: "quiet" }, t("proof.hint"))),
        side, printed);
      root.querySelector(".days").scrollLeft = 1e6;
      head.replaceChildren(...sentence(answer, days, t("proof.counting")));
      // The ledger reads every sample: what it says comes when it is there.
      context.api.get("/proof", null, { patience: 60000 }).then((found) => {
        if (mine !== turn) return;
        proof = found;
        head.replaceChildren(...sentence(answer, days, null, proof));
        side.replaceChildren(el("section", { class: "card screen" }, el("h2", {}, t("proof.why")), proof.missing.length ? why(proof.missing) : el("p", {}, t("proof.why.none"))),
          el("div", { class: "tiles" }, ...parts(proof)));
        print.disabled = false;
      }).catch(() => { if (mine === turn) head.replaceChildren(...sentence(answer, days, t("proof.refused"))); });
    },
    leave() { turn += 1; removeEventListener("beforeprint", fillTables); },
  };
}

/** The first sentence and what it rests on; without a ledger what is measured, and `words`. */
function sentence(answer, days, words, proof) {
  // Tenths of a per cent that add up; what is measured is rounded down, what is unknown up.
  const measured = Math.floor((answer.coveredSeconds / (answer.dueSeconds || 1)) * 1000), share = (tenths) => percent(tenths / 1000, 1);
  const unknown = Math.min(1000 - measured, Math.ceil((proof?.unknownShare ?? 0) * 1000));
  const given = { since: days.dated(0, { ...LONG, weekday: undefined }),
    measured: share(measured), explained: share(1000 - measured - unknown), unknown: share(unknown) };
  return [mark(words ? "unknown" : unknown ? "moderate" : "good"), el("div", {},
    el("strong", {}, t(words ? "proof.sofar" : unknown ? "proof.unknown" : "proof.every", given)),
    el("p", {}, words ?? t(measured === 1000 ? "proof.whole" : unknown ? "proof.shares.unknown" : "proof.shares", given)),
    proof ? el("p", { class: "quiet" }, t("proof.at", { time: stamp(proof.at ?? live.now) })) : null)];
}

/** What is missing by cause, most first. */
const why = (list) => el("ul", { class: "list why" }, list.map(({ cause, share, seconds, count, devices }) => el("li", {},
  el("span", {}, el("strong", {}, reason(cause)), el("span", { class: "quiet" }, [duration(seconds), plural("proof.times", count), ...devices.slice(0, 3).map(deviceTitle)].join(" · "))),
  el("span", { class: "number" }, share < 0.001 ? `< ${percent(0.001, 1)}` : percent(share, 1)))));

/** What is printed: the sums of a channel, to the tenth of a second. */
function channelCard(ledger) {
  const share = (seconds) => (ledger.elapsedSeconds ? percent(seconds / ledger.elapsedSeconds, 3) : "–");
  const seconds = (given) => [duration(given), el("br"), el("span", { class: "quiet" }, t("unit.second", { n: number(given, 1) }))];
  const rows = [[t("proof.measured"), seconds(ledger.coveredSeconds), share(ledger.coveredSeconds), number(ledger.valueCount)],
    ...ledger.gaps.map((gap) => [reason(gap.cause, gap.name), seconds(gap.seconds), share(gap.seconds), gap.count ? plural("proof.times", gap.count) : ""]),
    [t("proof.total"), seconds(ledger.elapsedSeconds), share(ledger.elapsedSeconds), ""]];
  return card(channelName({ id: ledger.channel }),
    el("p", { class: "quiet" }, `${duration(ledger.elapsedSeconds)}${ledger.lostCount ? ` · ${plural("proof.lost", ledger.lostCount)}` : ""}`),
    table(t("proof.caption"), [t("proof.what"), t("proof.time"), t("proof.share"), t("proof.count")], rows));
}

function parts({ card: storage, lasers, clock, isStationAway }) {
  return [
    isStationAway ? card(null, el("p", {}, t("proof.away"))) : null,
    card(t("proof.card"), facts([
      storage.bytesPerDay ? [t("proof.card.day"), bytes(storage.bytesPerDay)] : null,
      storage.usedBytes ? [t("proof.card.used"), bytes(storage.usedBytes)] : null,
      storage.yearsLeft ? [t("proof.card.left"), storage.yearsLeft > 100 ? t("proof.century") : duration(storage.yearsLeft * 31557600)] : null,
      storage.keepsDays ? [t("proof.keeps"), duration(storage.keepsDays * DAY)] : null,
    ])),
    lasers?.length ? card(t("proof.lasers"), facts(lasers.flatMap((laser) => [
      [laser.device ?? laser.part, laser.lifeHours ? t("proof.hours.of", { hours: number(laser.hours), life: number(laser.lifeHours) }) : t("proof.hours", { hours: number(laser.hours) })],
      laser.endOfLife ? [t("proof.laser.until"), t("proof.about", { time: month(laser.endOfLife) })] : null,
    ]))) : null,
    card(t("proof.clock"), facts([[t("proof.clock.sure"), percent(clock.sureShare)]])),
  ].filter(Boolean);
}
