// Is the air good, is all well, what happened?
import { Chart, curve, stepAt, stretchAt } from "../chart.js";
import { asIs, card, el, keyed, mark, nextFrame, onceAFrame, renew, setMark, setText, show } from "../dom.js";
import { faultNext, faultSentence, loadFacts } from "../facts.js";
import { ago, clock, countdown, date, duration, isKnown, number, percent, stamp, value, zoneWords } from "../format.js";
import { code, plural, t } from "../i18n.js";
import { live, recent, refresh } from "../live.js";
import { action, atOf, bandsOf, becauseWords, byGroup, channelName, deviceOf, deviceTitle, flags, isNeverMeasured, measuring, pastWords, poorest, quantityName, reason, recorded, until, verdictWords } from "../words.js";
import { happened, lastPicture, wellCard } from "./nowparts.js";

const POINTS = 96, MOST = 40, DAY = 86400;
/** Seconds after which a page that stays open asks again: what does not come live, and the curves. */
const REST_BEATS = 60, DAY_BEATS = 600;
/** Notices of which a day may have hundreds. */
const OFTEN = ["outbox refused", "remedy tried"];
const isShown = (one) => one.place !== "hidden";
/** What few pages need comes when a person asks for it. */
const later = (name, ...given) => action(t(`${name}.do`), async () => (await import("./nowdialogs.js"))[name](...given));

export async function load(api) {
  await recent();
  const { station } = live;
  if (station.faults?.some((one) => one.isStopping)) await loadFacts();
  const isUp = station.daemon?.state === "up";
  // A card has no program that says its channels; their last values are in its history.
  const kept = station.daemon?.state === "none" ? ((await api.maybe("/channels"))?.items ?? []).filter((one) => (one.lastValue ?? null) !== null).sort(byGroup) : [];
  const newest = kept.map((one) => Date.parse(one.lastValueTime)).filter(Number.isFinite);
  const to = newest.length ? new Date(Math.max(...newest)).toISOString() : null;
  const shown = (kept.length ? kept : station.channels ?? []).filter((one) => !isNeverMeasured(one));
  const first = leading(station, shown.filter(isShown));
  // One question for all curves; the rest is asked once what is seen first is drawn.
  const range = newest.length ? { from: new Date(Date.parse(to) - DAY * 1000).toISOString(), to }
    : dayOf(station);
  return {
    station, kept, first,
    devices: shown.length || !isUp ? null : await api.maybe("/devices"),
    day: shown.length ? Promise.all([dayCurves(api, shown, range), first && api.ledger({ channel: first.id, ...range })]) : null,
    rest: isUp ? () => Promise.all([api.maybe("/outbox"), api.maybe("/alerts"), api.maybe("/events", { severity: "notice", last: "24h", without: OFTEN, limit: 200 }),
      station.lines?.length ? api.maybe("/records", { limit: 1 }) : null, lastMotions(api, station)]) : null,
  };
}

/** When each motion sensor saw the last motion, by its device. */
const lastMotions = async (api, { lines = [] }) => Object.fromEntries(await Promise.all(lines.filter(({ type }) => ["pir", "motion"].includes(type)).map(async ({ device }) => [device, (await api.maybe("/events", { source: device, kind: "motion", limit: 1 }))?.items[0]?.time])));

/** The time of the small curves: a young station has steps as fine as its age. */
function dayOf({ time, store }) {
  const to = time?.now, from = store?.oldest;
  return from < to && Date.parse(to) - Date.parse(from) < DAY * 1000 ? { from, to } : { last: "24h" };
}

/** The curves of channels by their ids, with one question for each forty; null without an answer. */
export async function dayCurves(api, channels, range = dayOf(live.station)) {
  const ask = (given) => api.maybe("/series", { channel: given.map((one) => one.id), ...range, points: POINTS });
  // One that the history does not have yet is refused with all others.
  const askKnown = async (given) => {
    const known = ((await api.maybe("/channels"))?.items ?? []).map((one) => one.id), rest = given.filter((one) => known.includes(one.id));
    return rest.length && rest.length < given.length ? ask(rest) : null;
  };
  const pieces = Array.from({ length: Math.ceil(channels.length / MOST) }, (_, index) => channels.slice(index * MOST, (index + 1) * MOST));
  const answers = (await Promise.all(pieces.map(async (given) => (await ask(given)) ?? askKnown(given)))).filter(Boolean);
  return answers.length ? { series: new Map(answers.flatMap(({ series }) => series).map((one) => [one.channel, one])), from: answers[0].from, to: answers[0].to } : null;
}

/** The channel that the first chart shows: the one that the sentence names, or the first with levels. */
function leading(station, channels) {
  const named = poorest(station)?.id;
  return channels.find((one) => one.id === named && one.limits) ?? channels.find((one) => one.limits) ?? channels[0] ?? null;
}

export function make(root, context) {
  const parts = makeVerdict(context), first = el("div"), list = valueList(context);
  const well = wellCard(), today = happened(), picture = el("div"), mode = el("div");
  const asides = [[well.node, picture], [today.node, mode]].map((nodes) => [el("div", { class: "aside" }), nodes]);
  root.append(el("div", { class: "main" }, parts.node, first, list.node), ...asides.map(([aside]) => aside));
  let answer = null, rest = null, daemon = null, ask = () => {}, dueIn = REST_BEATS, dayIn = DAY_BEATS, isLeft = false;

  async function showRest(given) {
    // What is not answered stays as it was said.
    rest = given.map((one, index) => one ?? rest?.[index] ?? null);
    const [outbox, , events, records, motions] = rest;
    if (events?.items.length || [outbox?.targets, outbox?.feeds, outbox?.receivers].flat().some((one) => one?.code)) await loadFacts();
    well.update(live.station, rest);
    if (events) await today.update(events.items);
    answer = { ...answer, motions };
    list.update(live.station, answer);
    picture.replaceChildren(lastPicture(records) ?? "");
  }

  function draw(station) {
    parts.update(station);
    list.update(station, answer);
    if (station.channels?.length) first.replaceChildren();
  }

  /** Readings come several at once. */
  const redraw = onceAFrame(() => {
    // The page stays until the next one has its data, and must not give that one its title.
    if (isLeft || !live.station) return;
    draw(live.station);
    well.update(live.station, rest);
  });

  return {
    async update({ station, kept, first: leader, devices, day, rest: asked }) {
      const { state } = station.daemon ?? {}, isCard = state === "none";
      daemon = state;
      answer = kept.length ? { kept } : answer;
      draw(station);
      first.replaceChildren(...(station.channels?.length || isCard ? [] : state === "up" ? [firstSteps(devices), toFirstSteps(context)] : [absence(station)]).filter(Boolean));
      if (leader) parts.expect();
      await nextFrame();
      if (isLeft) return;
      well.update(live.station, rest);
      if (isCard) picture.replaceChildren(absence(station, kept)); else renew(mode, modeCard(live.station, context));
      for (const [aside, nodes] of asides) if (!aside.firstChild) aside.append(...nodes);
      const drawn = day?.then(async ([curves, ledger]) => {
        if (isLeft) return;
        if (!curves) return parts.leave();
        answer = { ...answer, kept, ...curves };
        parts.chart(answer, leader, ledger, context);
        await nextFrame();
        if (!isLeft) list.update(live.station, answer);
      }).catch(() => parts.leave());
      ask = () => asked?.().then(showRest).catch((problem) => { if (problem.status === undefined) console.error(problem); });
      Promise.resolve(drawn).then(() => isLeft || ask());
    },
    live(kind, data) {
      if (kind === "event" && data.severity !== "info") dueIn = Math.min(dueIn, 3);
      redraw();
      if (kind === "station" && live.station.daemon?.state !== "none") renew(mode, modeCard(live.station, context));
      // A program that stops or comes back has another page.
      if (kind === "alert" || (kind === "station" && daemon !== (daemon = live.station.daemon?.state))) context.reload();
    },
    tick() {
      list.tick();
      well.tick();
      parts.tick();
      renewAtEnd();
      if ((dueIn -= 1) <= 0) { dueIn = REST_BEATS; ask(); }
      if ((dayIn -= 1) <= 0) { dayIn = DAY_BEATS; context.reload(); }
    },
    leave() { isLeft = true; parts.leave(); },
  };
}

// MARK: The first sentence and the day behind it

function makeVerdict(context) {
  const words = el("strong"), why = el("p"), faults = el("p", { class: "quiet" }), place = el("div");
  const said = el("p", { class: "quiet", role: "status" }), box = el("div", { class: "chart low", tabindex: "0", role: "group" });
  const day = el("div", { hidden: true }, box, said);
  const node = el("section", { class: "card", "aria-label": t("now.verdict") }, el("div", { class: "verdict" }, place,
    el("div", { class: "say" }, el("div", { role: "status" }, words), why, faults)), day);
  let chart = null, isDrawn = false;
  // Counted beside the sentence, which is read aloud when it changes.
  const tick = () => {
    const left = live.station?.verdict?.code === "warming" ? live.station.verdict.leftSeconds : null;
    if (left === null || left === undefined) return;
    setText(why, t("now.warming.left", { time: duration(left - live.elapsed) }));
    show(why, left > live.elapsed);
  };
  return {
    node, tick,
    leave() { chart?.close(); show(day, false); },
    /** Keeps the place of the chart, so that nothing moves when it comes. */
    expect() { show(day, true); },
    update(station) {
      const isOld = live.state === "lost" || live.state === "saved";
      const level = isOld ? "unknown" : station.verdict?.level ?? "unknown", sentence = isOld ? pastWords(station) : verdictWords(station);
      if (place.dataset.level !== level) { place.dataset.level = level; place.replaceChildren(mark(level)); }
      setText(words, sentence);
      context.setTitle(sentence);
      setText(why, isOld ? "" : becauseWords(station));
      show(why, why.textContent !== "");
      tick();
      // While sensors warm up the sentence grows: it has its place from the start, so that nothing below moves.
      if (!isDrawn && station.verdict?.code === "warming") node.classList.add("settling", ...(new Set((station.channels ?? []).map(({ id }) => deviceOf(id))).size > 1 ? ["many"] : []));
      isDrawn = true;
      const count = (station.faults ?? []).length;
      const lines = (station.faults ?? []).filter((fault) => fault.isStopping).slice(0, 2).map((fault) => {
        const next = faultNext(fault.id, fault.nextStep);
        return el("span", {}, `${faultSentence(fault.id, fault.sentence)}. `, next ? `${next}. ` : "");
      });
      renew(faults, lines, count > 0 && el("a", { href: "/health" }, plural("now.faults", count)));
      show(faults, count > 0);
    },
    chart(answer, channel, ledger, { go }) {
      const one = channel && answer.series.get(channel.id), isEmpty = !one?.t.some((_, index) => one.mean[index] !== null);
      chart?.close();
      show(day, Boolean(one));
      box.replaceChildren(...(isEmpty ? [el("p", { class: "quiet" }, t("now.day.none"))] : []));
      if (isEmpty) { box.removeAttribute("aria-label"); return void setText(said, ""); }
      const series = { ...one, width: one.widthSeconds, ...recorded(ledger) }, to = Date.parse(answer.to) / 1000;
      const from = Math.min(Math.max(Date.parse(answer.from) / 1000, one.t[0]), to - 3600);
      const usual = dayWords(channel, series, from);
      const read = (time) => {
        chart.cursor = time;
        const index = stepAt(series, time), mean = index < 0 ? null : series.mean[index];
        setText(said, time === null ? usual : `${clock(time)}: ${mean === null ? t("history.noValue", { cause: reason(stretchAt(series.stretches, time, series.width)?.[2] ?? "none") }) : `${value(mean, one.decimals)} ${one.unit}`}`);
      };
      chart = new Chart(box, { read, gap: () => go(`/history?channel=${channel.id}`) });
      box.setAttribute("aria-label", usual);
      setText(said, usual);
      chart.data = { from, to, series: [series], now: to, ...bandsOf(channel) };
    },
  };
}

/** The chart as a sentence: what it shows, how far it goes, its mean beside the guideline, and its gaps. */
function dayWords(channel, series, from) {
  const means = series.mean.filter((one) => one !== null), shown = (given) => value(given, series.decimals);
  const gaps = series.stretches.filter(([start, end]) => end > from && start < series.t.at(-1)).length;
  const { mean24h: mean, guideline, coverage24h: share } = channel;
  return [
    `${channelName(channel)}, ${series.unit}, ${zoneWords()}`,
    t("now.day.range", { least: shown(Math.min(...means)), most: shown(Math.max(...means)), last: shown(means.at(-1)) }),
    mean === null || mean === undefined || share < 0.05 ? null : guideline?.limit ? t("now.mean.guideline", { mean: shown(mean), limit: number(guideline.limit, 1, 0) }) : t("now.mean", { mean: shown(mean) }),
    share < 0.75 && share >= 0.05 ? t("now.mean.covered", { share: percent(share, 0) }) : null,
    gaps ? plural("now.day.gaps", gaps) : null,
  ].filter(Boolean).join(" · ");
}

/** A phase that is over has a next one: the answer that named it is asked for again, once. */
let renewedOf = null;
function renewAtEnd() {
  const { station, elapsed } = live;
  const isOver = (station?.channels ?? []).some(({ phaseEndsInSeconds: end }) => end !== null && end !== undefined && end + 1 < elapsed);
  if (!isOver || renewedOf === station || live.state !== "live") return;
  renewedOf = station;
  refresh().catch(() => {});
}

// MARK: Values

/** Rows of values in a list; in the card of their device they are brief. */
export const putRows = (parent, items, answer, isInCard = false) => keyed(parent, items, (one) => one.id,
  (one) => (one.quantity === undefined ? makeLine() : makeRow(isInCard)), (row, one) => row.renew(one, answer));

const isGone = (one) => one.isStale || (one.value ?? null) === null;

/** Channels that open on a tap, with some of their names. */
export function folded(key, { isMarked = false, isInCard = false } = {}) {
  const words = el("span"), sign = el("span"), level = el("span", { class: "level" }), list = el("ul", { class: "list values" }), node = el("details", { hidden: true }, el("summary", {}, sign, words, " ", level), list);
  return { node, update(channels, answer) {
    putRows(list, channels, answer, isInCard);
    const shown = !isMarked ? null : channels.some((one) => !isGone(one) && one.level === "poor") ? "poor" : channels.some((one) => !one.isKept && isGone(one)) ? "unknown" : null;
    if (shown) setMark(sign, shown);
    setText(level, shown ? t(`level.${shown}`) : "");
    show(sign, shown !== null);
    const names = [...new Set(channels.map((one) => quantityName(one.quantity, one.name)))];
    setText(words, plural(key, channels.length, { names: names.slice(0, 3).join(", ") + (names.length > 3 ? " …" : "") }));
    show(node, channels.length > 0);
  } };
}

function valueList(context) {
  const rows = el("ul", { class: "list values" }), seldom = folded("now.more"), hidden = folded("now.hidden", { isMarked: true });
  const choose = later("choice", context, () => choose.lastChild);
  const compare = el("a", {}, t("now.compare"));
  const node = el("section", { class: "card" }, el("div", { class: "split" }, el("h2", {}, t("now.values")), compare), rows, seldom.node, hidden.node, el("div", { class: "split" }, el("a", { class: "quiet", href: "/numbers" }, t("now.explain")), choose));
  return {
    node,
    tick() { for (const row of node.querySelectorAll(".reading")) row.tick?.(); },
    update(station, answer) {
      const channels = (answer?.kept ?? []).map((one) => ({ ...one, value: one.lastValue, isStale: true, isKept: true })).concat(station.channels ?? []).filter((channel) => !isNeverMeasured(channel));
      const lines = (station.lines ?? []).map((line) => ({ ...line, id: `line:${line.device}` }));
      const seen = channels.filter(isShown), main = seen.filter((one) => (one.place ?? one.group) !== "detail");
      const few = main.length ? seen.filter((one) => !main.includes(one)) : main.splice(0, 0, ...seen);
      const after = main.findIndex((one) => one.place !== "first" && ["radiation", "other", "detail"].includes(one.group));
      main.splice(after < 0 ? main.length : after, 0, ...lines);
      putRows(rows, main, answer);
      seldom.update(few, answer);
      hidden.update(channels.filter((one) => !isShown(one)), answer);
      show(choose, context.may("owner") && station.daemon?.state === "up");
      const both = main.filter((one) => one.quantity !== undefined).slice(0, 2);
      compare.href = `/history?${both.map((one) => `channel=${one.id}`).join("&")}`;
      show(compare, both.length > 1);
      show(node, channels.length + lines.length > 0);
    },
  };
}

/** A value with its curve and level; in the card of its device without what the card says. */
function makeRow(isInCard = false) {
  const name = el("a"), place = el("span", { class: "quiet" }), age = el("span", { class: "age quiet" }), figure = el("b"), unit = el("small"), level = el("span", { class: "level" }), spark = el("div", { class: "spark" });
  const node = el("li", { class: "reading" }, el("div", { class: "name" }, name, place), spark, el("div", { class: "value" }, figure, " ", unit), el("div", { class: "under" }, age, level));
  let channel = null, drawn = null;
  node.tick = () => setText(age, ageLine(channel, isInCard));
  node.renew = (given, answer) => {
    channel = given;
    const one = answer?.series?.get(channel.id), isOld = isGone(channel);
    node.className = `reading${isOld && !channel.isKept ? " stale" : ""}${channel.quality?.length ? " doubtful" : ""}`;
    setText(name, quantityName(channel.quantity, channel.name));
    name.href = `/history?channel=${channel.id}`;
    name.setAttribute("aria-label", t("now.history.of", { name: channelName(channel) }));
    setText(place, isInCard ? "" : deviceTitle(deviceOf(channel.id)));
    setText(figure, /^warming/.test(channel.phase ?? "") ? "–" : value(channel.value, channel.decimals));
    setText(unit, channel.unit ?? "");
    node.classList.toggle("long", figure.textContent.length > 10);
    const shown = isOld ? !channel.isKept && (channel.value ?? null) !== null && "unknown" : channel.level;
    renew(level, shown && [mark(shown, "mark small"), el("span", {}, t(`level.${shown}`))]);
    node.tick();
    if (one && drawn !== one) spark.replaceChildren(curve(drawn = one, Date.parse(answer.from) / 1000, Date.parse(answer.to) / 1000) ?? "");
  };
  return node;
}

/** What keeps a row from being plain: why it has no value, how old it is, what is doubtful. */
function ageLine(channel, isBrief) {
  if (channel.isKept) return channel.lastValueTime ? t("now.kept", { time: stamp(channel.lastValueTime) }) : "";
  const parts = [], isWarming = /^warming/.test(channel.phase ?? ""), left = (channel.phaseEndsInSeconds ?? channel.nextInSeconds ?? 0) - live.elapsed;
  if (channel.noData && !isWarming) parts.push(reason(channel.noData));
  const isOld = channel.isStale || (!isBrief && (live.state !== "live" || channel.ageSeconds + live.elapsed > 60));
  if (!isKnown(channel.ageSeconds)) { if (!channel.noData && !isWarming) parts.push(t("age.never")); }
  else if (isOld) parts.push(ago(channel.ageSeconds + live.elapsed));
  const next = (channel.nextInSeconds ?? 0) - live.elapsed, air = channel.quality?.includes("humid") && channel.humidity;
  const doubts = channel.quality?.filter((flag) => !air || flag !== "humid") ?? [];
  if (isWarming) parts.push(left > 0 ? t("phase.warming.left", { time: duration(left) }) : code("phase", "warming"));
  else if (!isBrief && next > 0 && !(channel.intervalSeconds < 10)) parts.push(t("age.next", { time: countdown(next) }));
  return [
    ...parts,
    doubts.length ? t("now.doubtful", { flags: flags(doubts) }) : null,
    air ? t("now.damp", { humidity: percent(air.percent / 100, 0), name: deviceTitle(air.device) }) : null,
    channel.isMuted && channel.noData !== "muted" ? t("now.muted") : null,
    channel.records === false && !isBrief ? t("now.notKept") : null,
    channel.omitted24h ? plural("now.omitted", channel.omitted24h) : null,
  ].filter(Boolean).join(" · ");
}

/** What a line says now, and of a motion sensor when it was last. */
function makeLine() {
  const name = el("a"), place = el("span", { class: "quiet" }), words = el("b"), age = el("span", { class: "age quiet" });
  const node = el("li", { class: "reading" }, el("div", { class: "name" }, name, place), el("div", { class: "spark" }), el("div", { class: "value" }, words), el("div", { class: "under" }, age));
  node.renew = (line, answer) => {
    const time = answer?.motions?.[line.device];
    setText(name, code("line", line.type, line.type));
    name.href = `/events?source=${encodeURIComponent(line.device)}`;
    setText(place, deviceTitle(line.device));
    setText(words, code("state", line.state));
    setText(age, time ? t("now.motion.last", { time: atOf(time) }) : "");
  };
  return node;
}

// MARK: A station without values

/** A sensor that is there is said first; the advice to plug one in is for a station without any. */
function firstSteps(devices) {
  const found = devices?.found ?? [], count = measuring(devices?.devices ?? []).length;
  return card(count ? plural("devices.measure", count) : t("now.first"), el("p", {}, t(count ? "now.first.soon" : "now.first.words")),
    found.length ? el("ul", { class: "list" }, found.map((one) => el("li", {}, asIs(one.node ?? one.name ?? one.identity, "strong"), " ", el("span", { class: "quiet" }, code("found", one.state)))))
      : count ? null : el("p", { class: "quiet" }, t("now.first.nothing")),
    el("div", { class: "row" }, el("a", { class: "button", href: "/devices" }, t("devices.title")), el("a", { class: "button", href: "/health" }, t("health.title"))));
}

/** An owner who logs in at another address, as over a new Wi-Fi, goes on with the first steps. */
const toFirstSteps = ({ may }) => (may("owner") ? card(null, el("p", {}, t("start.purpose")), el("div", { class: "row" }, el("a", { class: "button", href: "/start" }, t("start.title")))) : null);

/** No program answers: what still works, and what to do; of a card, how far its record goes. */
function absence({ daemon }, kept = []) {
  const times = kept.flatMap((one) => [one.oldest, one.newest]).filter(Boolean).sort();
  const words = daemon?.state !== "none" ? [t("problem.station-down.words"), " ", t("now.stillHistory")] : times.length ? t("now.kept.span", { from: date(times[0]), to: date(times.at(-1)) }) : kept.length ? t("now.stillHistory") : t("now.kept.none");
  return card(null, el("p", {}, words), el("div", { class: "row" }, ["history", "events", "proof"].map((name) => el("a", { class: "button", href: `/${name}` }, t(`${name}.title`)))));
}

// MARK: How often it measures

function modeCard(station, { may, api, reload }) {
  const mode = station.mode?.mode ?? "normal", ends = station.mode?.endsInSeconds;
  const isMember = may("member") && station.daemon?.state === "up";
  const key = mode === "live" && !ends ? "live.open" : mode;
  const words = t(`mode.${key}`, { name: station.mode?.name ?? "", time: ends ? until(ends - live.elapsed) : "" });
  const send = async (body) => { await api.send("POST", "/mode", body); await refresh(); };
  return card(t("now.mode"), el("p", {}, words), isMember ? el("div", { class: "row" },
    mode === "live" ? action(t("mode.end"), () => send({ mode: "normal" })) : action(t("mode.live.start"), () => send({ mode: "live", seconds: 600 })),
    el("a", { class: "button", href: "/surveys" }, t("surveys.title")),
    station.channels?.length ? later("mute", api, reload) : null) : null);
}
