// A drawing of places to scale, north up: no tiles, no other server. Colour, shape and words differ by kind.
import { svg } from "./dom.js";

const RADIUS = 6371008.8, TURN = Math.PI / 180, MARGIN = 44, LETTERS = 24;
/** Metres that the drawing spans at least, and how many times farther than all others a place is when it stands at the edge. */
const LEAST = 400, FAR = 8;
const pen = document.createElement("canvas").getContext("2d");

/** The shortest way on the sphere from one place to another: metres, and radians clockwise from north. */
export function way(from, to) {
  const [a, b, east] = [from.latitude * TURN, to.latitude * TURN, (to.longitude - from.longitude) * TURN];
  const [x, y] = [Math.sin(east) * Math.cos(b), Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(east)];
  return { metres: RADIUS * Math.atan2(Math.hypot(x, y), Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(east)), angle: Math.atan2(x, y) };
}

/** 1, 2 or 5 times a power of ten, at most this many metres. */
function roundLength(metres) {
  const power = 10 ** Math.floor(Math.log10(metres));
  return power * [5, 2, 1].find((one) => one * power <= metres);
}

const SHAPES = {
  own: (x, y) => svg("path", { d: `M${x} ${y - 10}l9 17h-18z` }),
  cluster: (x, y, size) => svg("circle", { cx: x, cy: y, r: size }),
  you: (x, y) => svg("circle", { cx: x, cy: y, r: 9 }),
  peer: (x, y) => svg("path", { d: `M${x} ${y - 10}l10 10l-10 10l-10 -10z` }),
  region: (x, y) => svg("rect", { x: x - 7, y: y - 7, width: 14, height: 14 }),
  far: (x, y, angle) => svg("path", { d: "M0 -10l8 16l-8 -4l-8 4z", transform: `translate(${x} ${y}) rotate(${angle / TURN})` }),
};

/**
 * Draws `points`, the nearest to the first one first: `{ kind, name, words, metres, angle, number?, size?, open? }`. Around an `own` one there
 * are rings. Those at the same place share a mark. A name without room is its number in the list, which has the same for keys and
 * screen readers. `length` writes metres.
 */
export function siteMap(points, { width, label, length }) {
  const height = Math.round(Math.min(width * 0.9, Math.max(320, width * 0.56), 640)), isOwn = points[0].kind === "own";
  const cut = points.findIndex((one, index) => index > 1 && one.metres > FAR * Math.max(points[index - 1].metres, LEAST));
  // One place far away would shrink all others to a dot.
  const isFar = (one) => cut > 0 && one.metres >= points[cut].metres;
  const all = points.map((one) => ({ ...one, east: one.metres * Math.sin(one.angle), south: -one.metres * Math.cos(one.angle) })), near = all.filter((one) => !isFar(one));
  const span = (name) => [Math.min(...near.map((one) => one[name])), Math.max(...near.map((one) => one[name]))];
  const [[west, east], [north, south]] = [span("east"), span("south")];
  const scale = Math.max(LEAST / height, (east - west) / (width - 2 * MARGIN), (south - north) / (height - 2 * MARGIN));
  const place = (one) => [width / 2 + (one.east - (west + east) / 2) / scale, height / 2 + (one.south - (north + south) / 2) / scale];
  const [x0, y0] = place(all[0]), step = roundLength(Math.max(LEAST, near.at(-1).metres) / 3), taken = [[width - 44, 0, width, 60], [0, height - 48, 40 + step / scale, height]];

  /** Words where they have room beside a mark, if anywhere. */
  function text(words, x, y, size, props) {
    const wide = pen.measureText(words).width;
    for (const [by, down] of [[0, 5], [1, 5], [0.5, size + 14], [0.5, -size - 5]]) {
      const left = by === 0.5 ? Math.max(4, Math.min(width - wide - 4, x - wide / 2)) : by ? x - size - 4 - wide : x + size + 4, base = y + down, box = [left - 2, base - 13, left + wide + 2, base + 4];
      if (left < 3 || left + wide > width - 3 || base < 14 || base > height - 4 || taken.some((one) => one[0] < box[2] && box[0] < one[2] && one[1] < box[3] && box[1] < one[3])) continue;
      taken.push(box);
      return svg("text", { x: left, y: base, ...props }, words);
    }
    return null;
  }

  // A place far away stands at the edge, in its direction.
  const atEdge = ({ east: right, south: down }) => {
    const reach = Math.min(((right >= 0 ? width - 20 : 20) - x0) / right || Infinity, ((down >= 0 ? height - 20 : 20) - y0) / down || Infinity);
    return [x0 + right * reach, y0 + down * reach];
  };
  const groups = [];
  for (const one of all) {
    const [x, y] = isFar(one) ? atEdge(one) : place(one), isNamed = !["cluster", "you"].includes(one.kind);
    const same = isNamed && groups.find((other) => other.isNamed && Math.hypot(other.x - x, other.y - y) < 12);
    if (same) same.points.push(one); else if (isNamed || !isFar(one)) groups.push({ x, y, points: [one], isNamed });
  }
  for (const { x, y } of groups) taken.push([x - 8, y - 8, x + 8, y + 8]);
  pen.font = "13px system-ui, sans-serif";
  const rank = ({ isNamed, points: [one] }) => isNamed + isFar(one);
  const marks = groups.sort((one, other) => rank(other) - rank(one)).map(({ x, y, isNamed, points: [first, ...others] }) => {
    const size = first.size ?? 10, words = [first, ...others].map((one) => one.words).join("; ");
    const letters = [...first.name], name = letters.length > LETTERS ? `${letters.slice(0, LETTERS).join("")}…` : first.name;
    // Apart from what follows: a name may run from right to left.
    const said = [`\u2068${name}\u2069`, others.length ? `+ ${others.length}` : "", isOwn && isNamed && first.kind !== "own" ? length(first.metres) : ""].filter(Boolean).join(" ");
    return svg("g", { class: `site ${first.kind}`, onclick: others.length ? null : first.open }, svg("title", {}, words),
      isFar(first) ? SHAPES.far(x, y, first.angle) : SHAPES[first.kind](x, y, size), svg("circle", { class: "hit", cx: x, cy: y, r: 13 }),
      text(said, x, y, size) ?? (first.number ? text(String(first.number), x, y, size, { class: "short" }) : null));
  });
  const rings = (isOwn ? [1, 2, 3, 4, 5, 6, 7, 8] : []).map((index) => {
    const words = length(index * step), r = (index * step) / scale, label = (y) => text(words, x0, y, -5, { class: "quiet" });
    return [svg("circle", { class: "ring", cx: x0, cy: y0, r }), label(y0 - r) ?? label(y0 + r)];
  });
  return svg("svg", { class: "sitemap", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, rings, marks.reverse(),
    svg("path", { class: "scale", d: `M14 ${height - 12}v-6h${(step / scale).toFixed(1)}v6` }), svg("text", { x: 14, y: height - 24 }, length(step)),
    svg("path", { class: "scale", d: `M${width - 22} 34v-20l-6 9m6 -9l6 9` }), svg("text", { x: width - 22, y: 50, "text-anchor": "middle" }, "N"));
}
