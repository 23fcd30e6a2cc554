// A drawing of points on a scaled grid, north up: no tiles, no other server. Colour, shape and words differ by kind.
import { svg } from "./dom.js";

const [WIDTH, HEIGHT, MARGIN] = [640, 400, 48];
const RADIUS = 6371008.8;

/** A round length of about a quarter of the width, in metres. */
function roundLength(metres) {
  const power = 10 ** Math.floor(Math.log10(metres));
  return [5, 2, 1].map((one) => one * power).find((one) => one <= metres) ?? power;
}

/** Where points are on the drawing, and how many metres a unit of it has. */
function projection(points) {
  const turn = Math.PI / 180, first = points[0].longitude;
  // The shorter way around the Earth, so that both sides of the 180th meridian are neighbours.
  const east = (one) => first + ((one.longitude - first + 540) % 360 + 360) % 360 - 180;
  const [south, north] = [Math.min(...points.map((one) => one.latitude)), Math.max(...points.map((one) => one.latitude))];
  const [west, rest] = [Math.min(...points.map(east)), Math.max(...points.map(east))];
  const shrink = Math.max(Math.cos(((south + north) / 2) * turn), 0.01), metre = RADIUS * turn;
  const high = Math.max((north - south) * metre, 200), wide = Math.max((rest - west) * metre * shrink, 200);
  const scale = Math.max(high / (HEIGHT - 2 * MARGIN), wide / (WIDTH - 2 * MARGIN));
  return { scale, at: (one) => [
    WIDTH / 2 + ((east(one) - (west + rest) / 2) * metre * shrink) / scale,
    HEIGHT / 2 - ((one.latitude - (south + north) / 2) * metre) / scale] };
}

/** Those within so many metres of the first one: a station far away would shrink all others to a dot. */
export function near(points, first, metres) {
  const { scale, at } = projection([first, ...points]), [x, y] = at(first);
  return points.filter((one) => Math.hypot(at(one)[0] - x, at(one)[1] - y) * scale <= metres);
}

const SHAPES = {
  own: (x, y) => svg("path", { d: `M${x} ${y - 10}l9 17h-18z` }),
  cluster: (x, y, size) => svg("circle", { cx: x, cy: y, r: size }),
  you: (x, y) => svg("circle", { cx: x, cy: y, r: 9 }),
  peer: (x, y) => svg("path", { d: `M${x} ${y - 10}l10 10l-10 10l-10 -10z` }),
  region: (x, y) => svg("rect", { x: x - 7, y: y - 7, width: 14, height: 14 }),
};

/** `points`: `{ latitude, longitude, kind, name, words, size? }`; a tap on one calls `open(point)`. */
export function siteMap(points, label, metres, open) {
  const { scale, at } = projection(points);
  const length = roundLength(scale * WIDTH / 4), bar = length / scale;
  const lines = [];
  for (let x = WIDTH / 2 % bar; x < WIDTH; x += bar) lines.push(`M${x.toFixed(1)} 0V${HEIGHT}`);
  for (let y = HEIGHT / 2 % bar; y < HEIGHT; y += bar) lines.push(`M0 ${y.toFixed(1)}H${WIDTH}`);
  const taken = [];
  const marks = points.map((point) => {
    const [x, y] = at(point), size = point.size ?? 8;
    // A name that would cover another is left to the list below.
    const box = [x - 6 * point.name.length - 4, y + size + 4, x + 6 * point.name.length + 4, y + size + 28];
    const isFree = !taken.some((one) => one[0] < box[2] && box[0] < one[2] && one[1] < box[3] && box[1] < one[3]);
    if (isFree) taken.push(box);
    const kind = SHAPES[point.kind] ? point.kind : "region";
    const node = svg("g", { class: `site ${kind}`, ...(open ? { tabindex: "0", role: "button" } : { role: "img" }), "aria-label": point.words },
      svg("title", {}, point.words), SHAPES[kind](x, y, size), isFree ? svg("text", { x, y: y + size + 16, "text-anchor": "middle" }, point.name) : null);
    if (open) {
      node.addEventListener("click", () => open(point));
      node.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(point); } });
    }
    return node;
  });
  return svg("svg", { class: "sitemap", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": label },
    svg("path", { class: "grid", d: lines.join("") }), marks,
    svg("path", { class: "scale", d: `M16 ${HEIGHT - 14}v-6h${bar.toFixed(1)}v6` }), svg("text", { x: 16, y: HEIGHT - 26 }, metres(length)),
    svg("path", { class: "scale", d: `M${WIDTH - 24} 34v-20l-6 9m6 -9l6 9` }), svg("text", { x: WIDTH - 24, y: 50, "text-anchor": "middle" }, "N"));
}
