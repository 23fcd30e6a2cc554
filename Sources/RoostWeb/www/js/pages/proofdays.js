// The squares of Proof: filled from below as far as a day was measured, hatched above, a dot where nothing was due.
import { el, svg } from "../dom.js";
import { percent } from "../format.js";
import { t } from "../i18n.js";
import { deviceOf, deviceTitle, quantityName, quantityOf, reason } from "../words.js";

const SIDE = 12, PITCH = 14, HEAD = 15, NAMES = 4;
/** How a day is called. */
export const LONG = { weekday: "long", day: "numeric", month: "long", year: "numeric" };
const STEPS = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 7, ArrowLeft: -7, Home: -Infinity, End: Infinity };

/** `PM2.5, PM10 · Balcony`; of many channels the first. */
export function rowName({ channels }, most = NAMES) {
  const names = channels.map((id) => quantityName(quantityOf(id))), more = names.length - most;
  const words = more > 1 ? t("proof.more", { names: names.slice(0, most).join(", "), n: more }) : names.join(", ");
  return `${words} · ${deviceTitle(deviceOf(channels[0]))}`;
}

/** A day in words: for its sheet and for those who hear it. */
export function dayWords(row, days, number) {
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

/** What each shape means. */
export const legend = () => el("ul", { class: "meaning" }, [[100, "proof.measured"], [60, "proof.partly"], [0, "proof.gone"], [-1, "proof.notdue"]]
  .map(([share, key]) => el("li", {}, drawing(SIDE, SIDE, 1 / 16, shapes([[share, 0, 0]])), t(key))));

/** All rows; `choose` gets a row and a day, the first and the last day, and what to call with the day that is chosen then. */
export function drawDays(rows, days, choose) {
  const weeks = Math.ceil((days.count + days.weekday) / 7), months = [];
  // A short record has larger squares.
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
  const box = el("div", { class: "days" }, svg("svg", { class: "sprite", "aria-hidden": "true" },
    svg("pattern", { id: "gone", width: 4, height: 4, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, svg("rect", { width: 1.5, height: 4 }))),
  rows.map((row) => oneRow(row, days, weeks, months, size, choose, later)));
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
