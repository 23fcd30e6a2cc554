// Drawings of the page Devices: pictures of parts, the board's sockets and its header, and where a device is plugged in.
import { asIs, el, svg } from "./dom.js";
import { plural, t } from "./i18n.js";

const sheet = new URL("../parts.svg", import.meta.url).pathname;
const ALIKE = { hpma115: "plantower", sps30: "plantower", "i2c-sensor": "breakout", "kernel-sensor": "breakout" };
/** Parts that differ from others of their driver. */
const OWN = [[/geiger$/, "geiger"], [/ds18/, "probe"], [/dht/, "dht"]];
const DRAWN = ["sds011", "plantower", "mhz19b", "geiger", "pir", "button", "led", "traffic-light", "bgeigie-nano", "nmea", "http-line", "breakout", "probe", "dht"];

const symbol = (name, props) => svg("use", { href: `${sheet}#${name}`, ...props });

/** The picture of a device's part, by its profile; an adapter for what has none. */
export function picture({ type }, profile) {
  const driver = profile?.driver ?? type, name = OWN.find(([form]) => form.test(profile?.id))?.[1] ?? ALIKE[driver] ?? driver;
  return svg("svg", { class: "icon", viewBox: "0 0 40 40", "aria-hidden": "true" }, symbol(DRAWN.includes(name) ? name : "line"));
}

export const header = (cells, props) => el("div", { class: "header", ...props }, cells);

/** Width and height of the sockets, and the symbol of each. */
const SOCKETS = { usb2: ["usb", 32, 16], usb3: ["usb", 32, 16], micro: ["micro", 24, 12], power: ["micro", 24, 12], video: ["video", 28, 12], network: ["network", 32, 32] };
const GAP = 6, DEEP = 40;

/** The side of the board with its sockets, parts up; the one that is used is filled. */
function sockets(columns, used) {
  let x = GAP;
  const drawn = columns.flatMap(({ kind, count }, column) => {
    const [name, width, height] = SOCKETS[kind], at = x;
    x += width + GAP;
    return Array.from({ length: count }, (_, row) => symbol(`socket-${name}`, {
      x: at, y: DEEP - 4 - (height + 1) * (count - row), width, height, class: used.column === column && used.row === row ? "here" : null }));
  });
  return svg("svg", { class: "icon", viewBox: `0 0 ${x} ${DEEP}`, "aria-hidden": "true" }, drawn, svg("path", { d: `M1 ${DEEP - 3}h${x - 2}` }));
}

/** The socket in words, for who does not see it. */
function socketWords(columns, { usbPort, column, row, hubPort }) {
  if (!columns?.[column]) return t("plug.port", { n: usbPort });
  const all = columns.filter(({ kind }) => ["usb2", "usb3", "micro"].includes(kind)), mine = columns[column];
  const place = all.length > 1 ? t(`plug.${row ? "lower" : "upper"}.${all[0] === mine ? "left" : "right"}`) : t(mine.kind === "micro" ? "plug.micro" : "plug.only");
  const words = [column - 1, column + 1].some((at) => columns[at]?.kind === "network") ? t("plug.network", { place }) : place;
  return hubPort ? t("plug.hub", { place: words, n: hubPort }) : words;
}

/** Where something is plugged in, drawn as far as that is known, and in words; null where the station does not know. */
export function plugged(plug, columns, lines) {
  if (!plug) return null;
  const { pins, column } = plug, isHere = (_, index) => el("i", { class: pins.includes(index + 1) ? "here" : null });
  return el("figure", { class: "plug" }, pins ? header(Array.from({ length: 40 }, isHere), { class: "header small", "aria-hidden": "true" }) : columns?.[column] ? sockets(columns, plug) : null,
    el("figcaption", { class: "quiet" }, pins ? plural("plug.pins", pins.length, { pins: pins.join(", ") }) : socketWords(columns, plug), lines ? asIs(` · ${lines}`) : null));
}
