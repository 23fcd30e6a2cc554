// Is it measuring, is the air good, is the record complete, what is to be done?
import { Chart } from "../chart.js";
import { button, card, dialog, el, facts, keyed, mark, asIs, setText, show } from "../dom.js";
import { faultNext, faultSentence, loadFacts } from "../facts.js";
import { countdown, date, duration, month, number, percent, value, zoneWords } from "../format.js";
import { code, plural, t } from "../i18n.js";
import { live, recent, refresh } from "../live.js";
import { may } from "../roles.js";
import { action, ageWords, becauseWords, channelName, deviceOf, deviceTitle, flags, isNeverMeasured, levelMean, quantityName, quantityOf, reason, recorded, until, verdictWords } from "../words.js";

export const title = "now.title";
const hintsOff = () => { try { return localStorage.getItem("roost.hints") === "off"; } catch { return false; } };

export async function load(api) {
  await recent();
  const { station } = live;
  if (station.faults?.length) await loadFacts();
  const channels = (station.channels ?? []).filter((channel) => channel.limits).slice(0, 2);
  const ids = (channels.length ? channels : (station.channels ?? []).slice(0, 1)).map((channel) => channel.id);
  // The axis of a young station begins with its first value.
  const to = station.time?.now, from = station.store?.oldest;
  const range = from < to && Date.parse(to) - Date.parse(from) < 864e5 ? { from, to } : { last: "24h" };
  return {
    station,
    devices: station.channels?.length || station.daemon?.state !== "up" ? null : await api.maybe("/devices"),
    day: ids.length ? Promise.all([api.maybe("/series", { channel: ids, ...range, points: 300 }),
      ...ids.map((id) => api.ledger({ channel: id, ...range }))]) : null,
  };
}

export function make(root, context) {
  const parts = makeVerdict();
  const cards = el("div", { class: "cards" }), first = el("div"), tiles = el("div", { class: "tiles" });
  const dayCard = el("section", { class: "card", hidden: true });
  root.append(parts.node, first, cards, dayCard, tiles);
  let chart = null;

  function draw(station) {
    parts.update(station);
    const channels = (station.channels ?? []).filter((channel) => !isNeverMeasured(channel));
    // Advice for a station without sensors ends with the first.
    if (channels.length) first.replaceChildren();
    cards.classList.toggle("three", channels.length % 3 === 0 || channels.length > 4);
    keyed(cards, [...channels, ...(station.lines ?? []).map((line) => ({ ...line, id: `line:${line.device}` }))],
      (one) => one.id, (one) => (one.unit === undefined ? makeLine() : makeCard()), (node, one) => node.renew(one));
    show(cards, channels.length > 0 || (station.lines ?? []).length > 0);
  }

  const drawTiles = (station) => tiles.replaceChildren(...[completeCard, wearCard, modeCard].map((make) => make(station, context)).filter(Boolean));

  return {
    update({ station, devices, day }) {
      draw(station);
      first.replaceChildren(...(station.channels?.length ? [] : station.daemon?.state === "up" ? firstSteps(devices) : absence(station)));
      drawTiles(station);
      day?.then(([series, ...ledgers]) => {
        if (!series?.series?.some((one) => one.t.length)) return;
        chart?.close();
        chart = dayChart(dayCard, series, ledgers, context);
      }).catch(() => {});
    },
    live(kind) {
      if (live.station) draw(live.station);
      if (kind === "station") drawTiles(live.station);
    },
    tick() {
      for (const node of cards.children) node.tick?.();
      parts.tick();
      renewAtEnd();
    },
    leave() { chart?.close(); },
  };
}

function makeVerdict() {
  const words = el("strong"), why = el("p"), faults = el("p", { class: "quiet" });
  const place = el("div");
  const node = el("section", { class: "card verdict", "aria-label": t("now.verdict") }, place,
    el("div", { class: "say" }, el("div", { role: "status" }, words), why, faults));
  // Counted beside the sentence, which is read aloud when it changes.
  const tick = () => {
    const left = live.station?.verdict?.code === "warming" ? live.station.verdict.leftSeconds : null;
    if (left === null || left === undefined) return;
    setText(why, t("now.warming.left", { time: duration(left - live.elapsed) }));
    show(why, left > live.elapsed);
  };
  return { node, tick, update(station) {
    const level = station.verdict?.level ?? "unknown";
    if (place.dataset.level !== level) { place.dataset.level = level; place.replaceChildren(mark(level)); }
    setText(words, verdictWords(station));
    setText(why, becauseWords(station));
    show(why, why.textContent !== "");
    tick();
    // Faults that stop a device as text; all as a count.
    const count = (station.faults ?? []).length;
    const lines = (station.faults ?? []).filter((fault) => fault.isStopping).slice(0, 2).map((fault) => {
      const next = faultNext(fault.id, fault.nextStep);
      return el("span", {}, `${faultSentence(fault.id, fault.sentence)}. `, next ? `${next}. ` : "");
    });
    if (faults.dataset.key !== `${count}${lines.map((line) => line.textContent)}`) {
      faults.dataset.key = `${count}${lines.map((line) => line.textContent)}`;
      faults.replaceChildren(...lines, count > 0 ? el("a", { href: "/health" }, plural("now.faults", count)) : "");
    }
    show(faults, count > 0);
  } };
}

/** A phase that is over has a next one: the answer that named it is asked for again, once. */
let renewedOf = null;
function renewAtEnd() {
  const { station, elapsed } = live;
  const isOver = (station?.channels ?? []).some(({ phaseEndsInSeconds: end }) => end !== null && end !== undefined && end + 1 < elapsed);
  if (!isOver || renewedOf === station) return;
  renewedOf = station;
  refresh().catch(() => {});
}

function makeCard() {
  const name = el("b"), device = el("span"), number = el("b"), unit = el("small"), level = el("span", { class: "level" });
  const scale = el("div"), age = el("p", { class: "age quiet" }), mean = el("p", { class: "quiet" }), more = el("p", { class: "quiet" });
  const explain = el("a", { class: "quiet" }), history = el("a", { class: "quiet" }, t("now.history"));
  const node = el("section", { class: "card reading" }, el("h2", {}, name, device), el("div", { class: "value" }, number, unit, level),
    scale, age, mean, more, el("div", { class: "foot" }, history, explain));
  let channel = null;
  node.tick = () => setText(age, ageLine(channel));
  node.renew = (given) => {
    channel = given;
    const isStale = channel.isStale || channel.value === null || channel.value === undefined;
    node.className = `card reading${isStale ? " stale" : ""}${channel.quality?.length ? " doubtful" : ""}`;
    setText(name, quantityName(quantityOf(channel.id), channel.name));
    setText(device, deviceTitle(deviceOf(channel.id)));
    setText(number, /^warming/.test(channel.phase ?? "") ? "–" : value(channel.value, channel.decimals));
    setText(unit, channel.unit ?? "");
    const shown = isStale ? null : channel.level;
    if (level.dataset.level !== String(shown)) {
      level.dataset.level = String(shown);
      level.replaceChildren(...(shown ? [mark(shown, "mark small"), t(`level.${shown}`)]
        : isStale && channel.value === null ? [] : isStale ? [mark("unknown", "mark small"), t("level.unknown")] : []));
    }
    drawScale(scale, channel, isStale);
    node.tick();
    setText(mean, meanLine(channel, isStale));
    show(mean, mean.textContent !== "");
    setText(more, moreLine(channel));
    show(more, more.textContent !== "");
    history.href = `/history?channel=${channel.id}`;
    explain.href = `/numbers#${quantityOf(channel.id)}`;
    setText(explain, t("now.explain"));
    history.setAttribute("aria-label", t("now.history.of", { name: channelName(channel) }));
    explain.setAttribute("aria-label", t("now.explain.of", { name: channelName(channel) }));
    show(explain, !hintsOff());
  };
  return node;
}

function ageLine(channel) {
  const parts = [];
  if (channel.noData) parts.push(reason(channel.noData));
  if (channel.ageSeconds !== null && channel.ageSeconds !== undefined) parts.push(ageWords(channel, live.elapsed));
  else if (!channel.noData && !/^warming/.test(channel.phase ?? "")) parts.push(t("age.never"));
  const next = channel.nextInSeconds === null || channel.nextInSeconds === undefined ? null : channel.nextInSeconds - live.elapsed;
  const left = (channel.phaseEndsInSeconds ?? channel.nextInSeconds ?? 0) - live.elapsed;
  if (/^warming/.test(channel.phase ?? "") && left > 0) parts.push(t("phase.warming.left", { time: duration(left) }));
  else if (next > 0 && !(channel.intervalSeconds < 10)) parts.push(t("age.next", { time: countdown(next) }));
  else if (channel.phase) parts.push(code("phase", channel.phase));
  return parts.join(" · ");
}

/** The mean that the level comes from, beside that of the day. */
function meanLine(channel, isStale) {
  const short = levelMean(channel), { levelMeanSeconds: seconds } = channel;
  const first = isStale || !seconds ? "" : short ? t("now.mean.short", short) : t("now.mean.soon", { time: duration(seconds) });
  return [first, dayLine(channel)].filter(Boolean).join(" · ");
}

function dayLine({ mean24h, decimals, guideline, coverage24h }) {
  // A mean of minutes would equal the value above.
  if (mean24h === null || mean24h === undefined || coverage24h < 0.05) return "";
  const mean = value(mean24h, decimals);
  const words = guideline?.limit ? t("now.mean.guideline", { mean, limit: number(guideline.limit, 1, 0) }) : t("now.mean", { mean });
  return coverage24h !== null && coverage24h < 0.75 ? `${words} (${t("now.mean.covered", { share: percent(coverage24h, 0) })})` : words;
}

function moreLine(channel) {
  return [
    channel.quality?.length ? t("now.doubtful", { flags: flags(channel.quality) }) : null,
    channel.isMuted && channel.noData !== "muted" ? t("now.muted") : null,
    channel.records === false ? t("now.notKept") : null,
    channel.omitted24h ? plural("now.omitted", channel.omitted24h) : null,
  ].filter(Boolean).join(" · ");
}

/** Bands of equal width, as only their order matters; the needle moves within its band. */
function drawScale(node, { limits, value: last, levelMean: mean, levelMeanSeconds, display }, isStale) {
  const now = levelMeanSeconds ? mean ?? null : last;
  const key = JSON.stringify([limits, now, isStale]);
  if (node.dataset.key === key) return;
  node.dataset.key = key;
  if (!limits?.length) return node.replaceChildren();
  const top = Math.max(display?.[1] ?? limits.at(-1).from * 2.5, limits.at(-1).from * 1.2);
  const edges = [display?.[0] ?? 0, ...limits.map((limit) => limit.from), top];
  const needle = el("i", { hidden: isStale || now === null });
  const band = Math.max(0, edges.findLastIndex((edge, index) => index < edges.length - 1 && now >= edge));
  const share = Math.min(1, Math.max(0, (now - edges[band]) / (edges[band + 1] - edges[band])));
  needle.style.left = `${((band + share) / (edges.length - 1)) * 100}%`;
  const ends = edges.map((edge, index) => {
    const label = el("span", {}, index === edges.length - 1 ? `${number(edge, 1, 0)}+` : number(edge, 1, 0));
    label.style.left = `${(index / (edges.length - 1)) * 100}%`;
    return label;
  });
  node.replaceChildren(
    el("div", { class: "scale", "aria-hidden": "true" }, ["good", ...limits.map((limit) => limit.level)].map((level) => el("span", { class: level })), needle),
    el("div", { class: "ends", "aria-hidden": "true" }, ends));
}

function makeLine() {
  const name = el("b"), device = el("span"), words = el("b");
  const node = el("section", { class: "card reading" }, el("h2", {}, name, device), el("div", { class: "value" }, words));
  node.renew = (line) => {
    setText(name, code("line", line.type, line.type));
    setText(device, deviceTitle(line.device));
    setText(words, code("state", line.state));
  };
  return node;
}

function firstSteps(devices) {
  const found = devices?.found ?? [];
  return [card(t("now.first"), el("p", {}, t("now.first.words")),
    found.length ? el("ul", { class: "list" }, found.map((one) => el("li", {}, asIs(one.node ?? one.name ?? one.identity, "strong"), " ", el("span", { class: "quiet" }, code("found", one.state)))))
      : el("p", { class: "quiet" }, t("now.first.nothing")),
    el("div", { class: "row" }, el("a", { class: "button", href: "/devices" }, t("devices.title")), el("a", { class: "button", href: "/health" }, t("health.title"))))];
}

/** No program answers: what still works, and what to do. */
function absence({ daemon }) {
  return [card(null, daemon?.state === "none" ? null : el("p", {}, t("problem.station-down.words")), el("p", {}, t("now.stillHistory")),
    el("div", { class: "row" }, ["history", "events", "proof"].map((name) => el("a", { class: "button", href: `/${name}` }, t(`${name}.title`)))))];
}

function completeCard({ complete }) {
  if (!complete) return null;
  return card(t("now.complete"), facts([
    complete.since ? [t("proof.since"), date(complete.since)] : null,
    complete.coveredShare === undefined ? null : [t("proof.covered"), percent(complete.coveredShare)],
    complete.accountedShare === undefined ? null : [t("proof.accounted"), percent(complete.accountedShare)],
  ]), el("a", { href: "/proof" }, t("proof.title")));
}

function wearCard({ lasers, store, budget, power }) {
  const rows = (lasers ?? []).flatMap((laser) => [
    [t("proof.laser", { name: laser.device ?? laser.part }), laser.lifeHours ? t("proof.hours.of", { hours: number(laser.hours), life: number(laser.lifeHours) }) : t("proof.hours", { hours: number(laser.hours) })],
    laser.endOfLife ? [t("proof.laser.until"), t("proof.about", { time: month(laser.endOfLife) })] : null,
  ]);
  if (power?.percent >= 0) rows.push([t("now.power"), percent(power.percent / 100, 0) + (power.isOnBattery ? `, ${t("now.onBattery")}` : "")]);
  if (store?.keepsDays) rows.push([t("proof.keeps"), duration(store.keepsDays * 86400)]);
  // A day of its own, not the first minutes with the store's making.
  if (budget?.day?.cardBytes && budget.day.seconds > 80000) rows.push([t("proof.card.day"), `${number(budget.day.cardBytes / 1e6, 1)} MB`]);
  return rows.length ? card(t("now.wear"), facts(rows)) : null;
}

function modeCard(station, { me, api, reload }) {
  const mode = station.mode?.mode ?? "normal", ends = station.mode?.endsInSeconds;
  const isMember = may(me, "member") && station.daemon?.state === "up";
  const key = mode === "live" && !ends ? "live.open" : mode;
  const words = t(`mode.${key}`, { name: station.mode?.name ?? "", time: ends ? until(ends - live.elapsed) : "" });
  if (station.daemon?.state === "none") return null;
  const send = async (body) => { await api.send("POST", "/mode", body); await refresh(); };
  return card(t("now.mode"), el("p", {}, words), isMember ? el("div", { class: "row" },
    mode === "live" ? action(t("mode.end"), () => send({ mode: "normal" })) : action(t("mode.live.start"), () => send({ mode: "live", seconds: 600 })),
    el("a", { class: "button", href: "/surveys" }, t("surveys.title")),
    station.channels?.length ? button(t("mute.do"), () => muteDialog(station, api, reload)) : null) : null);
}

function muteDialog(station, api, reload) {
  const devices = [...new Set((station.channels ?? []).map((channel) => deviceOf(channel.id)))];
  const device = el("select", {}, devices.map((name) => el("option", {}, name)));
  const time = el("select", {}, [1800, 7200, 28800, 86400].map((seconds) => el("option", { value: seconds }, duration(seconds))));
  const box = dialog(t("mute.do"), t("do.cancel"), el("p", {}, t("mute.words")),
    el("div", { class: "form" }, el("label", {}, t("devices.device"), device), el("label", {}, t("mute.time"), time)),
    action(t("mute.do"), async () => {
      await api.send("POST", `/mutes/${encodeURIComponent(device.value)}`, { seconds: Number(time.value) });
      await refresh();
      box.close();
      reload();
    }, { class: "first" }));
}

function dayChart(node, answer, ledgers, context) {
  const [first] = answer.series;
  const series = answer.series.filter((one) => one.unit === first.unit).map((one, index) =>
    ({ ...one, width: one.widthSeconds, ...recorded(ledgers[index]) }));
  const box = el("div", { class: "chart low", role: "img", "aria-label": t("now.day.label") });
  const chart = new Chart(box, { gap: () => context.go(`/history?channel=${first.channel}`) });
  node.replaceChildren(el("div", { class: "split" }, el("h2", {}, t("now.day", { unit: first.unit })), el("span", { class: "quiet" }, zoneWords())),
    box, el("ul", { class: "row legend-row" }, series.map((one, index) => el("li", { class: "quiet" }, el("span", { class: `s${index + 1}`, "aria-hidden": "true" }, "━ "), channelName({ id: one.channel })))),
    el("a", { href: `/history?${series.map((one) => `channel=${one.channel}`).join("&")}` }, t("now.day.more")));
  show(node, true);
  chart.data = { from: Date.parse(answer.from) / 1000, to: Date.parse(answer.to) / 1000, series, now: Date.parse(answer.to) / 1000 };
  return chart;
}
