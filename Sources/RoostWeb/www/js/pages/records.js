// One record for each motion, newest first, with its picture where there is one.
import { address } from "../api.js";
import { asIs, button, dialog, el, icon, quoted, show } from "../dom.js";
import { bytes, clock, clockSeconds, day, duration, number, zoneWords } from "../format.js";
import { plural, t } from "../i18n.js";
import { may } from "../roles.js";
import { action, confirmed } from "../words.js";

export const title = "records.title";
const LIMIT = 48;
/** A first try may meet the limit of requests a second. */
const RETRY = 2500;

export async function load(api) { return api.get("/records", { limit: LIMIT }); }

export function make(root, context) {
  const state = el("section", { class: "card" }), list = el("div", { class: "days" });
  const newer = button("", () => context.reload(), { class: "first", hidden: true });
  const more = action(t("events.more"), async () => {
    const page = await context.api.get("/records", { limit: LIMIT, cursor: shown.next });
    const known = new Set(shown.items.map(key));
    shown.items.push(...page.items.filter((one) => !known.has(key(one))));
    shown.next = page.next;
    draw();
    return "";
  });
  root.append(state, newer, list, more);
  let shown = null, waiting = 0;
  const at = { context, get items() { return shown.items.filter((one) => one.number); }, get mayDelete() { return shown.mayDelete && shown.camera !== "stopped"; }, gone };

  /** Pictures that were deleted: their motions stay. */
  function gone(isGone) {
    shown.items = shown.items.filter((one) => one.event || !isGone(one));
    for (const one of shown.items.filter(isGone)) Object.assign(one, { hasPicture: false, number: undefined });
    shown.pictureCount = Math.max(0, (shown.pictureCount ?? 0) - 1);
    draw();
  }

  function draw() {
    state.replaceChildren(...stateCard(shown, context));
    list.replaceChildren(...(shown.items.length ? days(shown, at) : [el("section", { class: "card" }, el("p", { class: "big" }, t("records.none")), el("p", { class: "quiet" }, t("records.none.words")))]));
    show(more, Boolean(shown.next));
  }

  return {
    update(data) { shown = data; waiting = 0; show(newer, false); draw(); },
    live(kind, event) {
      if (kind !== "event" || event.kind !== "motion") return;
      newer.textContent = plural("records.newer", (waiting += 1));
      show(newer, true);
    },
  };
}

const key = (one) => one.event ?? `p${one.number}`;

/** State of the camera, kept pictures, and their viewers. */
function stateCard(data, { api, me, reload }) {
  const { camera, pictureCount, room, ringBytes, retentionDays, trouble, stationTrouble } = data;
  const facts = [
    pictureCount !== undefined && pictureCount !== null && (room ? t("records.kept", { n: number(pictureCount), room: number(room) }) : plural("records.pictures", pictureCount)),
    retentionDays && plural("records.days", retentionDays), ringBytes && t("records.room", { size: bytes(ringBytes) })].filter(Boolean).join(" · ");
  const all = data.mayDelete && camera !== "stopped" && pictureCount > 0 ? button(t("records.deleteAll"), confirmed(plural("records.deleteAll.sure", pictureCount), t("records.deleteAll"), async () => {
    await api.send("POST", "/records/delete", { upTo: data.newest }, { patience: 70000 });
    await reload();
  }), { class: "small" }) : null;
  return [
    el("p", { class: "big" }, t(`records.camera.${camera}`)),
    facts ? el("p", { class: "number" }, facts) : null,
    trouble ? el("p", { class: "wrong" }, t("records.trouble"), " ", quoted(trouble)) : null,
    stationTrouble ? el("p", { class: "wrong" }, t("records.stationTrouble")) : null,
    el("p", { class: "quiet" }, camera === "off" ? t("records.off.words") : [t("records.privacy"), data.mayLook ? t("records.audit") : t("records.members")].join(" ")),
    el("div", { class: "row" }, may(me, "owner") ? el("a", { class: "button small", href: "/camera" }, t("camera.link")) : null, all),
  ].filter(Boolean);
}

function days({ items, next }, at) {
  const groups = items.reduce((map, one) => map.set(dayOf(one), [...(map.get(dayOf(one)) ?? []), one]), new Map());
  return [...groups].map(([name, records], index) => el("section", { class: "card" },
    el("div", { class: "split" }, el("h2", {}, name), el("span", { class: "quiet" }, [next && index === groups.size - 1 ? "" : plural("records.motions", records.length), index === 0 ? zoneWords() : ""].filter(Boolean).join(" · "))),
    el("ul", { class: "shots" }, folded(records).map((run) => (run[0].number ? tile(run[0], at) : row(run))))));
}

const dayOf = (one) => (one.time ? day(one.time) : t("events.undated"));

/** Runs of motions without a picture of the same sensor become one row. */
function folded(records) {
  const runs = [];
  for (const one of records) {
    const last = runs.at(-1)?.[0];
    if (last && !one.number && !last.number && last.source === one.source && last.hasPicture === one.hasPicture && lackOf(last) === lackOf(one) && last.lackWords === one.lackWords) runs.at(-1).push(one);
    else runs.push([one]);
  }
  return runs;
}

const timeOf = (one, form = clock) => (one.time ? `${one.isSure ? "" : "~"}${form(one.time)}` : t("events.uptime", { time: duration(one.instantSeconds) }));
const lengthOf = (one) => (one.seconds === null || one.seconds === undefined ? "" : duration(Math.max(1, one.seconds)));
const wordsOf = (one) => [timeOf(one, clockSeconds), one.source, lengthOf(one)].filter(Boolean).join(", ");

function row(run) {
  const [newest, oldest] = [run[0], run.at(-1)];
  const time = [...new Set([timeOf(oldest), timeOf(newest)])].join(" – ");
  const words = [newest.source, run.length > 1 ? plural("records.motions", run.length) : lengthOf(newest)].filter(Boolean).join(" · ");
  return el("li", { class: "row plain" }, el("span", { class: "number" }, time), el("strong", {}, words),
    el("span", { class: "quiet" }, newest.hasPicture ? t("records.hidden") : [lackOf(newest), newest.lackWords ? [" ", quoted(newest.lackWords)] : ""]));
}

/** That there is no picture, and why where the camera’s program knows it. */
const lackOf = (one) => (one.lack ? t(`records.lack.${one.lack}`) : t("records.noPicture"));

function tile(one, at) {
  return el("li", {}, el("button", { type: "button", class: "shot", onclick: () => look(one, at), "aria-label": t("records.look", { words: wordsOf(one) }) },
    picture(one, { loading: "lazy" }),
    el("span", { class: "split" }, el("strong", { class: "number" }, timeOf(one)), el("span", { class: "quiet" }, lengthOf(one))),
    asIs(one.source, "span", { class: "quiet" })));
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

/** One picture as large as the screen, with those before and after it. */
function look(first, at) {
  let one = first;
  const place = el("div"), words = el("p", { class: "quiet number" });
  const step = (by) => { const { items } = at; const next = items[items.findIndex((other) => key(other) === key(one)) + by]; if (next) { one = next; draw(); } };
  const older = button(t("records.older"), () => step(1), { class: "small" }), younger = button(t("records.younger"), () => step(-1), { class: "small" });
  const save = el("a", { class: "button" }, t("records.download"));
  const remove = button(t("do.delete"), () => confirmed(t("records.delete.sure"), t("do.delete"), async () => {
    const deleted = one;
    await at.context.api.send("DELETE", `/records/${deleted.number}`, {}, { patience: 70000 });
    box.close();
    at.gone((other) => other === deleted);
  })(), { class: "small" });
  const box = dialog("", t("do.close"), place, words, el("div", { class: "row" }, younger, older, save, remove));
  box.classList.add("look");
  box.tabIndex = -1;
  box.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) { event.preventDefault(); step(by); }
  });
  function draw() {
    const { items } = at, index = items.findIndex((other) => key(other) === key(one));
    box.querySelector("h2").textContent = one.time ? `${dayOf(one)}, ${timeOf(one, clockSeconds)}` : timeOf(one);
    place.replaceChildren(picture(one, {}));
    words.textContent = [one.source, lengthOf(one), t("records.number", { n: number(one.number) }), bytes(one.bytes)].filter(Boolean).join(" · ");
    save.setAttribute("href", address(`/records/${one.number}/picture`));
    save.setAttribute("download", one.name);
    // A button that is disabled loses the focus to the page beneath, where arrows are not heard.
    for (const [node, isOff] of [[younger, index <= 0], [older, index < 0 || index >= items.length - 1]]) {
      if (isOff && document.activeElement === node) box.focus();
      node.disabled = isOff;
    }
    show(remove, at.mayDelete);
  }
  draw();
}
