// Is the record complete? A square a day, a column a week, a row for the channels of a device whose days are the same.
import { button, card, dialog, el, facts, mark, svg, table } from "../dom.js";
import { loadFacts } from "../facts.js";
import { bytes, dated, duration, fromWall, month, number, percent, rfc3339, stamp, zone } from "../format.js";
import { loadMore, plural, t } from "../i18n.js";
import { live } from "../live.js";
import { asHeard, channelName, deviceOf, deviceTitle, quantityName, quantityOf, reason } from "../words.js";
import { eventList, gapList } from "./history.js";

export const load = async (api) => (await Promise.all([api.get("/proof/days", { zone: zone() }), loadMore("proof")]))[0];

const DAY = 86400, EVENTS = 8;
const SIDE = 12, PITCH = 14, HEAD = 15, NAMES = 4;
const LONG = { weekday: "long", day: "numeric", month: "long", year: "numeric" };
const STEPS = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 7, ArrowLeft: -7, Home: -Infinity, End: Infinity };

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
      const box = root.querySelector(".days");
      requestAnimationFrame(() => { box.scrollLeft = 1e6; });
      // Behind it stands unseen what else it may say, so that nothing moves when that is known.
      const likely = { missing: [], coveredSeconds: answer.coveredSeconds, elapsedSeconds: answer.dueSeconds };
      const say = (words, found) => {
        const [sign, said] = sentence(answer, days, words, found);
        const others = [0, 0.001].map((unknownShare) => sentence(answer, days, null, { ...likely, unknownShare })[1]);
        head.replaceChildren(sign, el("div", { class: "over" }, said, others));
        context.setTitle(said.firstChild.dataset.says);
      };
      say(t("proof.counting"));
      // The ledger reads every sample: what it says comes when it is there.
      context.api.get("/proof", null, { patience: 60000 }).then((found) => {
        if (mine !== turn) return;
        proof = found;
        say(null, proof);
        side.replaceChildren(el("section", { class: "card screen" }, el("h2", {}, t("proof.why")), proof.missing.length ? why(proof.missing) : el("p", {}, t("proof.why.none"))),
          el("div", { class: "tiles" }, ...parts(proof)));
        print.disabled = false;
      }).catch(() => { if (mine === turn) say(t("proof.refused")); });
    },
    // The ledger of a large record takes a minute: it is not begun again.
    keeps: () => !proof,
    leave() { turn += 1; removeEventListener("beforeprint", fillTables); },
  };
}

/** The first sentence and what it rests on; without a ledger what is measured, and `words`. */
function sentence(answer, days, words, proof) {
  // Days are measured by the hours' sums, in which seconds may be lost: of a whole record the ledger knows better.
  const covered = answer.coveredSeconds / (answer.dueSeconds || 1);
  const lacks = (proof?.missing ?? []).reduce((sum, one) => sum + one.share, 0);
  // Tenths of a per cent that add up; what is measured is rounded down, what is unknown up.
  const measured = Math.floor((covered < 1 ? covered : 1 - lacks) * 1000), share = (tenths) => percent(tenths / 1000, 1);
  const unknown = Math.min(1000 - measured, Math.ceil((proof?.unknownShare ?? 0) * 1000));
  const given = { since: days.dated(0, { ...LONG, weekday: undefined }),
    measured: share(measured), explained: share(1000 - measured - unknown), unknown: share(unknown) };
  return [mark(words ? "unknown" : unknown ? "moderate" : "good"), el("div", {},
    el("strong", { "data-says": t(words ? "proof.sofar" : unknown ? "proof.unknown" : "proof.every", given) }, asHeard(t(words ? "proof.sofar" : unknown ? "proof.unknown" : "proof.every", given))),
    el("p", {}, words ?? t(measured === 1000 ? "proof.whole" : unknown ? "proof.shares.unknown" : "proof.shares", given)),
    proof?.elapsedSeconds ? el("p", { class: "quiet" }, t("proof.chief", { share: percent(proof.coveredSeconds / proof.elapsedSeconds) })) : null,
    proof ? el("p", { class: "quiet" }, t("proof.at", { time: stamp(proof.at ?? live.now) })) : null)];
}

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
      [laser.device ? deviceTitle(laser.device) : laser.part, laser.lifeHours ? t("proof.hours.of", { hours: number(laser.hours), life: number(laser.lifeHours) }) : t("proof.hours", { hours: number(laser.hours) })],
      laser.endOfLife ? [t("proof.laser.until"), t("proof.about", { time: month(laser.endOfLife) })] : null,
    ]))) : null,
    card(t("proof.clock"), facts([[t("proof.clock.sure"), percent(clock.sureShare)]])),
  ].filter(Boolean);
}

// MARK: The squares of days: filled from below as far as a day was measured, hatched above, a dot where nothing was due

/** `PM2.5, PM10 · Balcony`; of many channels the first. */
function rowName({ channels }, most = NAMES) {
  const names = channels.map((id) => quantityName(quantityOf(id))), more = names.length - most;
  const words = more > 1 ? t("proof.more", { names: names.slice(0, most).join(", "), n: more }) : names.join(", ");
  return `${words} · ${deviceTitle(deviceOf(channels[0]))}`;
}

function dayWords(row, days, number) {
  const share = days.share(row, number), cause = days.cause(row, number);
  if (share < 0) return t("proof.notdue");
  return t("proof.day", { share: `${share} %` }) + (cause ? `, ${cause.cause ? reason(cause.cause) : t("proof.noValue")}` : "");
}

/** The outlines of days: what is filled, what is hatched, and dots. However little is missing or measured, it is seen. */
function shapes(all) {
  const paths = { full: "", gone: "", none: "" };
  const add = (name, x, y, width, height) => { if (height) paths[name] += `M${x} ${y}h${width}v${height}h${-width}z`; };
  for (const [share, x, y] of all) {
    const gone = share >= 100 ? 0 : share <= 0 ? SIDE : Math.min(SIDE - 2, Math.max(3, Math.round((SIDE * (100 - share)) / 100)));
    if (share < 0) add("none", x + 5, y + 5, 2, 2);
    else { add("full", x, y + gone, SIDE, SIDE - gone); add("gone", x, y, SIDE, gone); }
  }
  return Object.entries(paths).map(([name, d]) => svg("path", { class: name, d }));
}

function drawing(width, height, size, ...parts) {
  const node = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", class: "squares" }, parts);
  Object.assign(node.style, { width: `${width * size}rem`, height: `${height * size}rem`, fontSize: `${11 / 16 / size}px` });
  return node;
}

const legend = () => el("ul", { class: "meaning" }, [[100, "proof.measured"], [60, "proof.partly"], [0, "proof.gone"], [-1, "proof.notdue"]]
  .map(([share, key]) => el("li", {}, drawing(SIDE, SIDE, 1 / 16, shapes([[share, 0, 0]])), t(key))));

/** All rows; `choose` gets a row and a day, the first and the last day, and what to call with the day that is chosen then. */
function drawDays(rows, days, choose) {
  const weeks = Math.ceil((days.count + days.weekday) / 7), months = [];
  const size = (weeks < 9 ? 1.6 : weeks < 27 ? 1.25 : 1) / 16;
  for (let number = 0, last = -9; number < days.count; number += 1) {
    const column = Math.floor((number + days.weekday) / 7);
    if (number && (!days.isFirst(number) || column - last < 3 || column > weeks - 2)) continue;
    months.push([column * PITCH, days.dated(number, { month: "short" })]);
    last = column;
  }
  // One row after the other: forty at once would hold the page up.
  const later = [], next = () => { later.shift()?.(); if (later.length) setTimeout(next); };
  setTimeout(next);
  const box = el("div", { class: "days" }, rows.map((row) => oneRow(row, days, weeks, months, size, choose, later)));
  box.style.setProperty("--days", `${weeks * PITCH * size}rem`);
  return box;
}

function oneRow(row, days, weeks, months, size, choose, later) {
  const place = (number) => [Math.floor((number + days.weekday) / 7) * PITCH, HEAD + ((number + days.weekday) % 7) * PITCH];
  const { first, shares } = row, end = first + shares.length - 1, due = shares.filter((share) => share >= 0);
  const share = percent(due.reduce((total, one) => total + one, 0) / (100 * due.length || 1), 1);
  const cursor = svg("rect", { class: "cursor", width: SIDE + 2, height: SIDE + 2, rx: 2 }), picture = drawing(weeks * PITCH, HEAD + 7 * PITCH, size, cursor);
  later.push(() => picture.prepend(...shapes(shares.map((one, index) => [one, ...place(first + index)])), ...months.map(([x, name]) => svg("text", { x, y: 10 }, name))), () => move(end));
  const node = el("div", { class: "slide", role: "slider", tabindex: "0", "aria-valuemin": first, "aria-valuemax": end, "aria-valuenow": end,
    "aria-label": t("proof.row", { names: rowName(row, Infinity), share, days: due.length, missing: due.filter((one) => one < 100).length }) }, picture);
  let chosen = end;
  const move = (number) => {
    chosen = Math.max(first, Math.min(end, number));
    const [x, y] = place(chosen);
    cursor.setAttribute("x", x - 1);
    cursor.setAttribute("y", y - 1);
    node.setAttribute("aria-valuenow", chosen);
    node.setAttribute("aria-valuetext", t("proof.day.of", { day: days.dated(chosen, LONG), words: dayWords(row, days, chosen) }));
  };
  const open = () => choose(row, chosen, first, end, move);
  node.addEventListener("keydown", (event) => {
    const isOpening = ["Enter", " "].includes(event.key);
    if (!isOpening && !STEPS[event.key]) return;
    event.preventDefault();
    if (isOpening) open(); else move(chosen + STEPS[event.key]);
  });
  picture.addEventListener("click", (event) => {
    const at = picture.getBoundingClientRect(), scale = (weeks * PITCH) / at.width, line = Math.floor(((event.clientY - at.top) * scale - HEAD) / PITCH);
    const number = Math.floor(((event.clientX - at.left) * scale) / PITCH) * 7 + line - days.weekday;
    if (line < 0 || number < first || number > end) return;
    move(number);
    open();
  });
  return el("div", { class: "channel" }, el("p", {}, el("strong", {}, rowName(row)), el("span", { class: "number quiet" }, share)), node);
}

// MARK: The sheet of a day

function openDay(context, days, row, day, first, end, move) {
  const body = el("div", { class: "page" }), id = row.channels[0], name = () => days.dated(day, LONG);
  const turns = [["proof.before", -1], ["proof.after", 1]].map(([key, by]) => button(t(key), () => { day += by; move(day); fill(); }));
  const box = dialog(name(), t("do.close"), el("p", { class: "quiet" }, rowName(row, Infinity)), el("div", { class: "row" }, turns), body);
  async function fill() {
    const mine = day, span = { from: rfc3339(days.at(day)), to: rfc3339(days.at(day + 1)) }, words = el("p", { class: "big" }, dayWords(row, days, day));
    box.querySelector("h2").textContent = name();
    [turns[0].disabled, turns[1].disabled] = [day <= first, day >= end];
    body.replaceChildren(words, el("p", { class: "quiet" }, t("page.loading")));
    const [ledger, events] = await Promise.all([context.api.ledger({ channel: id, ...span }),
      context.api.maybe("/events", { ...span, severity: "warning", limit: EVENTS }), loadFacts()]);
    if (mine !== day) return;
    body.replaceChildren(words, ...gapList({ series: { series: [] }, ledgers: [ledger], chosen: [id], items: [] }, context),
      events?.items.length ? el("div", {}, el("h3", {}, t("proof.day.events")), eventList(events.items.toReversed())) : "",
      el("p", {}, el("a", { href: `/events?from=${span.from}&to=${span.to}`, onclick: () => box.close() }, t("gap.events"))));
  }
  fill();
}
