// Motions as a wall of pictures by day, newest first, and how the camera is.
import { address } from "../api.js";
import { asIs, button, dialog, el, icon, quoted, show } from "../dom.js";
import { bytes, clock, clockSeconds, date, day, dayStart, duration, isKnown, moment, number, rfc3339, value, zoneWords } from "../format.js";
import { plural, t } from "../i18n.js";
import { live } from "../live.js";
import { action, asHeard, byGroup, channelName, confirmed, deviceTitle, problemWords, reason } from "../words.js";

const LIMIT = 48;
/** A first try may meet the limit of requests a second. */
const RETRY = 2500;
/** Seconds around a motion whose values belong to it, and their channels; pixels of a swipe; days before which a lack of motions has its cause asked for. */
const AROUND = 300, CHANNELS = 6, SWIPE = 48, ASKED = 6;

export async function load(api) { return api.get("/records", { limit: LIMIT }); }

export function make(root, context) {
  const state = el("section", { class: "card" }), list = el("div", { class: "page" });
  const newer = button("", () => context.reload(), { class: "first", hidden: true });
  const more = action(t("events.more"), () => at.more());
  root.append(state, newer, list, more);
  let shown = null, waiting = 0;
  const at = {
    context, gone,
    get items() { return shown.items.filter((one) => one.number); },
    get next() { return shown.next; },
    get isOff() { return shown.camera === "off"; },
    get mayDelete() { return shown.mayDelete && shown.camera !== "stopped"; },
    async more() {
      const page = await context.api.get("/records", { limit: LIMIT, cursor: shown.next });
      const known = new Set(shown.items.map(key));
      shown.items.push(...page.items.filter((one) => !known.has(key(one))));
      shown.next = page.next;
      draw();
      return "";
    },
  };

  /** The motion of a picture that was deleted stays. */
  function gone(one) {
    Object.assign(one, { hasPicture: false, number: undefined });
    shown.items = shown.items.filter((one) => one.event || one.number);
    shown.pictureCount -= 1;
    draw();
  }

  function draw() {
    state.replaceChildren(...stateCard(shown, context));
    context.setTitle(t(`records.camera.${shown.camera}`));
    list.replaceChildren(...(shown.items.length ? wall(shown.items, at) : [el("section", { class: "card" }, el("p", { class: "big" }, t("records.none")), el("p", { class: "quiet" }, t("records.none.words")))]));
    show(more, Boolean(shown.next));
  }

  return {
    update(data) { shown = data; waiting = 0; show(newer, false); draw(); },
    keeps: () => shown?.items.length > LIMIT,
    live(kind, event) {
      if (kind !== "event" || event.kind !== "motion") return;
      newer.textContent = plural("records.newer", (waiting += 1));
      show(newer, true);
    },
  };
}

function stateCard(data, { may, change }) {
  const { camera, pictureCount, room, ringBytes, retentionDays, trouble, stationTrouble } = data;
  const facts = [
    (pictureCount ?? null) !== null && (room ? t("records.kept", { n: number(pictureCount), room: number(room) }) : plural("records.pictures", pictureCount)),
    retentionDays && plural("records.days", retentionDays), ringBytes && t("records.room", { size: bytes(ringBytes) })].filter(Boolean).join(" · ");
  const all = data.mayDelete && camera !== "stopped" && pictureCount > 0 ? button(t("records.deleteAll"), confirmed(plural("records.deleteAll.sure", pictureCount), t("records.deleteAll"), () => change("POST", "/records/delete", { upTo: data.newest }, { patience: 70000 })), { class: "small" }) : null;
  const link = (href, words) => el("a", { class: "button small", href }, words);
  return [
    el("p", { class: "big", "data-says": t(`records.camera.${camera}`) }, asHeard(t(`records.camera.${camera}`))),
    facts ? el("p", { class: "number" }, facts) : null,
    trouble ? el("p", { class: "wrong" }, t("records.trouble"), " ", quoted(trouble)) : null,
    stationTrouble ? el("p", { class: "wrong" }, t("records.stationTrouble")) : null,
    el("p", { class: "quiet" }, camera === "off" ? t("records.off.words") : [t("records.privacy"), data.mayLook ? t("records.audit") : t("records.members")].join(" ")),
    el("div", { class: "row" }, camera === "on" ? link("/live", t("livepicture.title")) : null, may("owner") ? link("/camera", t("camera.link")) : null, all),
  ].filter(Boolean);
}

const key = (one) => one.event ?? `p${one.number}`;

/** A card for each day. `at`: `{ context, items, next, isOff, mayDelete, more(), gone(one) }`, looked up when a picture is opened. */
function wall(items, at) {
  const groups = items.reduce((map, one) => map.set(dayOf(one), [...(map.get(dayOf(one)) ?? []), one]), new Map());
  let later = null;
  return [...groups].flatMap(([name, records], index) => {
    const start = records[0].time ? dayStart(moment(records[0].time) / 1000) : null, end = start && dayStart(start + 129600);
    const blank = later && start && end < later ? [blankDays(end, later, index <= ASKED && at.context)] : [];
    later = start ?? later;
    return [...blank, dayCard(name, records, at, { isCut: at.next && index === groups.size - 1, isFirst: index === 0 })];
  });
}

const dayOf = (one) => (one.time ? day(one.time) : t("events.undated"));

function dayCard(name, records, at, { isCut, isFirst }) {
  const shots = records.filter((one) => one.number), bare = records.filter((one) => !one.number), sources = counted(records, (one) => deviceTitle(one.source));
  const counts = isCut ? [] : [shots.length && plural("records.pictures", shots.length), plural("records.motions", records.length)];
  return el("section", { class: "card" },
    el("div", { class: "split" }, el("h2", {}, name), el("span", { class: "quiet" }, [...counts, isFirst && zoneWords()].filter(Boolean).join(" · "), sources.length > 1 && !isCut ? [" · ", asIs(sources.map((one) => one.join(" ")).join(", "))] : "")),
    shots.length ? el("ul", { class: "shots" }, shots.map((one) => tile(one, at, sources.length > 1))) : null,
    bare.length ? el("details", { open: at.isOff }, el("summary", {}, el("span", {}, plural("records.without", bare.length), " ", el("span", { class: "quiet" },
      counted(bare, whyOf).map(([words, n]) => words && `${words} ${n}`).filter(Boolean).join(" · ")))), el("ul", { class: "list" }, bare.map(row))) : null);
}

const counted = (list, name) => [...list.reduce((map, one) => map.set(name(one), (map.get(name(one)) ?? 0) + 1), new Map())].sort((one, other) => other[1] - one[1]).map(([words, count]) => [words, number(count)]);

/** Days on which no sensor saw a motion, and what kept the station from measuring where it knows that. */
function blankDays(from, to, context) {
  const days = [...new Set([date(from), date(to - 3600)])].join(" – "), node = el("p", { class: "quiet" }, t("records.blank", { days }));
  const channel = context && live.station?.channels?.find((one) => one.group !== "motion")?.id;
  if (channel) context.api.ledger({ channel, from: rfc3339(from), to: rfc3339(to) }).then((ledger) => {
    const [most] = (ledger?.gaps ?? []).sort((one, other) => other.seconds - one.seconds);
    if (most?.seconds > ledger.elapsedSeconds / 2) node.append(" ", t("records.blank.why", { cause: reason(most.cause, most.name) }));
  }).catch(() => {});
  return node;
}

/** That a picture is for others, or why there is none where the camera’s program knows it. */
const whyOf = (one) => (one.hasPicture ? t("records.hidden") : one.lack ? t(`records.lack.${one.lack}`) : "");

const row = (one) => el("li", { class: "row" }, el("span", { class: "number" }, timeOf(one)), asIs(deviceTitle(one.source)),
  el("span", { class: "quiet" }, [lengthOf(one), whyOf(one)].filter(Boolean).join(" · "), one.lackWords ? [" ", quoted(one.lackWords)] : ""));

const timeOf = (one, form = clock) => (one.time ? `${one.isSure ? "" : "~"}${form(one.time)}` : t("events.uptime", { time: duration(one.instantSeconds) }));
const lengthOf = (one) => (!isKnown(one.seconds) ? "" : duration(Math.max(1, one.seconds)));
const wordsOf = (one) => [timeOf(one, clockSeconds), deviceTitle(one.source), lengthOf(one)].filter(Boolean).join(", ");

function tile(one, at, isNamed) {
  return el("li", {}, el("button", { type: "button", class: "shot", onclick: () => look(one, at), "aria-label": t("records.look", { words: wordsOf(one) }) }, picture(one, { loading: "lazy" }),
    el("span", { class: "split" }, el("strong", { class: "number" }, timeOf(one)), el("span", { class: "quiet" }, isNamed ? [asIs(deviceTitle(one.source)), " "] : "", lengthOf(one)))));
}

/** The picture, or words in its place when it cannot be shown; a second try comes first. */
function picture(one, props) {
  const source = address(`/records/${one.number}/picture`);
  const frame = el("span", { class: "frame" });
  const image = el("img", { alt: t("records.alt", { words: wordsOf(one) }), decoding: "async", ...props, src: source });
  let tries = 0;
  image.addEventListener("error", () => {
    if ((tries += 1) < 2) setTimeout(() => { if (image.isConnected) image.src = source; }, RETRY);
    else frame.replaceChildren(icon("mark-unknown", "mark small"), el("span", { class: "quiet" }, t("records.unreadable")));
  });
  frame.append(image);
  return frame;
}

/** Means of the minutes around a moment, of what people ask for first. */
async function measuredAt(time, { api }) {
  // A channel that the history does not have would be refused with all others.
  const at = moment(time) / 1000, hasBegun = (one) => one.oldest && moment(one.oldest) / 1000 <= at + AROUND;
  const channels = ((await api.get("/channels")).items ?? []).filter((one) => hasBegun(one) && !one.isImported && !["motion", "detail"].includes(one.group)).sort(byGroup).slice(0, CHANNELS);
  if (!channels.length) return [t("records.then.none")];
  const around = (reach) => ({ channel: channels.map((one) => one.id), from: rfc3339(at - reach), to: rfc3339(at + reach) });
  const found = await api.get("/series", { ...around(AROUND), points: 1 });
  const values = found.series.filter(({ mean }) => isKnown(mean[0])).map((one) => `${channelName({ id: one.channel })} ${value(one.mean[0], one.decimals)} ${one.unit}`);
  return [values.length ? t("records.then", { values: values.join(", ") }) : t("records.then.none"), " ", el("a", { href: `/history?${new URLSearchParams(Object.entries({ ...around(3600), channel: channels[0].id }))}`, onclick: (event) => event.target.closest("dialog").close() }, t("records.then.link"))];
}

/** One picture as large as the screen, with those before and after it: by buttons, arrows or a swipe. */
function look(first, at) {
  let one = first, from = 0, turn = 0, isAsking = false;
  const place = el("div"), why = el("p"), words = el("p", { class: "quiet number" }), then = el("p", { class: "quiet", role: "status" });
  const indexOf = () => at.items.findIndex((other) => key(other) === key(one));
  const step = async (by) => {
    if (isAsking) return;
    isAsking = true;
    try {
      while (by > 0 && !at.items[indexOf() + by] && at.next && box.isConnected) await at.more();
    } catch (problem) {
      then.replaceChildren(...problemWords(problem));
    } finally { isAsking = false; }
    const next = at.items[indexOf() + by];
    if (next && box.isConnected) { one = next; draw(); } else drawButtons();
  };
  const older = button(t("records.older"), () => step(1), { class: "small" }), younger = button(t("records.younger"), () => step(-1), { class: "small" });
  const save = el("a", { class: "button" }, t("records.download"));
  const remove = button(t("do.delete"), () => confirmed(t("records.delete.sure"), t("do.delete"), async () => {
    const deleted = one;
    await at.context.api.send("DELETE", `/records/${deleted.number}`, {}, { patience: 70000 });
    box.close();
    at.gone(deleted);
  })(), { class: "small" });
  const box = dialog("", t("do.close"), place, why, then, words, el("div", { class: "row" }, younger, older, save, remove));
  box.classList.add("look");
  box.tabIndex = -1;
  box.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) step(by);
  });
  place.addEventListener("pointerdown", (event) => { from = event.clientX; });
  place.addEventListener("pointerup", (event) => {
    const x = event.clientX - from;
    if (Math.abs(x) > SWIPE) step(x < 0 ? 1 : -1);
  });
  function drawButtons() {
    const { items, next } = at, index = indexOf();
    // A button that is disabled loses the focus to the page beneath, where arrows are not heard.
    for (const [node, isOff] of [[younger, index <= 0], [older, index < 0 || index >= items.length - 1 && !next]]) {
      if (isOff && document.activeElement === node) box.focus();
      node.disabled = isOff;
    }
  }
  async function draw() {
    const mine = (turn += 1);
    box.querySelector("h2").textContent = one.time ? `${dayOf(one)}, ${timeOf(one, clockSeconds)}` : timeOf(one);
    place.replaceChildren(picture(one, {}));
    why.replaceChildren(t("records.by", { source: deviceTitle(one.source) }), lengthOf(one) ? `, ${lengthOf(one)}` : "");
    words.textContent = [t("records.number", { n: number(one.number) }), bytes(one.bytes)].join(" · ");
    save.setAttribute("href", address(`/records/${one.number}/picture`));
    save.setAttribute("download", one.name);
    drawButtons();
    show(remove, at.mayDelete);
    then.replaceChildren();
    const found = one.time ? await measuredAt(one.time, at.context).catch(() => [t("records.then.none")]) : [];
    if (mine === turn) then.replaceChildren(...found);
  }
  draw();
}
