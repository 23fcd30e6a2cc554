// Where the station stands, what was measured around it, and what others measure: regions, reference stations, peers.
import { asIs, button, dialog, el, mark, quoted, svg, table } from "../dom.js";
import { field, form } from "../form.js";
import { ago, date, fromInput, isKnown, moment, number, rfc3339, stamp, toInput, value } from "../format.js";
import { code, has, loadMore, plural, t } from "../i18n.js";
import { keep, kept } from "../kept.js";
import { live, refresh } from "../live.js";
import { quantityName, quantityOf, verdictWords } from "../words.js";

const WINDOW = "14d";
const DAY = 86400, SITES_DAYS = 31;
const WINDS = ["n", "ne", "e", "se", "s", "sw", "w", "nw"];
const metres = (length) => (length < 995 ? `${number(Number(length.toPrecision(2)))} m` : `${number(length / 1000, length < 9950 ? 1 : 0, 0)} km`);
const isPlace = (one) => isKnown(one.latitude);
/** The value that a list shows of a site: an index first, then fine dust. */
const FIRST = ["psi-24h", "pm25", "pm25-24h", "pm10", "cpm", "temperature"];
const main = (site) => FIRST.map((name) => site.values.find((one) => one.quantity === name && isKnown(one.value))).find(Boolean) ?? site.values.find((one) => isKnown(one.value));
const words = (one) => `${quantityName(one.quantity)} ${value(one.value, one.decimals)} ${one.unit ?? ""}`.trim();

export async function load(api) {
  if (!live.station) await refresh();
  const channels = (live.station?.channels ?? []).map((one) => quantityOf(one.id));
  const quantity = FIRST.find((name) => channels.includes(name)) ?? channels[0];
  const [sites, tiles, clusters] = await Promise.all([api.get("/sites", { last: "72h" }), api.maybe("/map"), quantity ? api.maybe(`/clusters/${quantity}`, { last: WINDOW }) : null]);
  const imported = sites.items.filter((one) => one.kind === "other").flatMap((one) => one.values.map((value) => value.quantity));
  return { sites, tiles, clusters, own: [...new Set([...channels, ...imported])] };
}

export function make(root, context) {
  const drawing = el("div"), follow = follower((you) => { shown.you = you; draw(); });
  const where = el("div"), map = el("section", { class: "card" }, drawing, where, follow), around = el("section", { class: "card wide" }), places = el("section", { class: "card" });
  root.append(map, places, around);
  const shown = {}, list = el("div");
  let width = 0;
  const draw = () => {
    if (!shown.sites) return;
    const all = placesOf(shown);
    drawMap(drawing, all, shown);
    list.replaceChildren(...clusterList(shown.clusters));
    places.replaceChildren(...placeList(all, shown));
  };
  const sizes = new ResizeObserver(() => { if (width !== drawing.clientWidth) { width = drawing.clientWidth; draw(); } });
  sizes.observe(drawing);
  return { update({ sites, tiles, clusters, own }) {
    Object.assign(shown, { sites, tiles, clusters, stations: undefined });
    context.api.maybe("/stations").then((found) => { shown.stations = found; draw(); }).catch(() => {});
    where.replaceChildren(whereRow(sites, context));
    around.hidden = !own.length;
    around.replaceChildren(el("h2", {}, t("sites.clusters")), el("p", { class: "quiet" }, t("sites.clusters.words")),
      period(own, clusters, context, (clusters, sites) => { Object.assign(shown, { clusters }, sites ? { sites } : {}); draw(); }), list);
    draw();
  }, leave() { follow?.stop(); sizes.disconnect(); } };
}

/** A switch that puts the browser's position on the drawing, and moves it along. */
function follower(changed) {
  // A browser gives its position to encrypted pages alone, and to those of this computer.
  if (!window.isSecureContext || !navigator.geolocation) return null;
  let watch = null;
  const said = el("span", { class: "quiet", role: "status" });
  const set = (next) => {
    if (next === null) { navigator.geolocation.clearWatch(watch); changed(null); }
    watch = next;
    node.setAttribute("aria-pressed", String(watch !== null));
  };
  const node = button(t("sites.follow"), () => {
    said.textContent = "";
    if (watch !== null) return set(null);
    set(navigator.geolocation.watchPosition(({ coords }) => changed(coords), () => { set(null); said.textContent = t("sites.where.refused"); }, { enableHighAccuracy: true }));
  }, { class: "small", "aria-pressed": "false" });
  return Object.assign(el("p", { class: "row" }, node, said), { stop() { if (watch !== null) set(null); } });
}

/** Form for quantity and days; others than owners get at most the last 14 days. */
function period(own, clusters, { api, me, may }, changed) {
  const now = live.now, today = toInput(now).slice(0, 10), first = toInput(now - 13 * DAY).slice(0, 10);
  const choice = field("quantity", t("sites.quantity"), { control: el("select", {}, own.map((name) => el("option", { value: name, selected: name === clusters?.quantity }, quantityName(name)))) });
  const [from, to] = [["from", first], ["to", today]].map(([name, value]) =>
    field(name, t(`history.${name}`), { type: "date", value, min: may("owner") || me?.isRecord ? null : first, max: today, required: true }));
  choice.input.addEventListener("change", () => choice.input.form.requestSubmit());
  return el("div", { class: "period" }, form([choice, from, to], t("history.show"), async ({ quantity, from, to }) => {
    const start = fromInput(`${from}T00:00`), end = fromInput(`${toInput(fromInput(`${to}T12:00`) + DAY).slice(0, 10)}T00:00`);
    const range = { from: rfc3339(start), to: rfc3339(end) };
    changed(...await Promise.all([api.get(`/clusters/${quantity}`, range), end - start > SITES_DAYS * DAY ? null : api.get("/sites", range)]));
  }, ({ from, to }) => ({ to: from > to ? t("history.order") : null })));
}

/** The days of an answer, whose end is the midnight after the last one. */
const days = ({ from, to }) => t("sites.days", { from: date(from?.time), to: date(moment(to?.time) / 1000 - 1) });

/** Everything with its way from here, the nearest first; what has no place comes last. */
function placesOf({ sites, clusters, stations, you }) {
  const all = [
    ...(isPlace(sites) ? [{ latitude: sites.latitude, longitude: sites.longitude, kind: "own", name: sites.station ?? "", said: t("sites.here", { name: sites.station ?? "" }) }] : []),
    ...(stations?.items ?? []).map((station) => ({ ...station.facts?.position, kind: "peer", name: station.name, said: `${station.name}: ${stationWords(station)}`, station, open: () => location.assign(station.url) })),
    ...sites.items.map((site) => ({ latitude: site.latitude, longitude: site.longitude, kind: "region", name: site.name, said: `${site.name}: ${main(site) ? words(main(site)) : t("sites.noValue")}`, site, open: () => sheet(site, sites) })),
    ...(clusters?.items ?? []).slice(0, 200).map((one) => ({ ...one, kind: "cluster", size: 6 + Math.min(14, Math.log2(one.sampleCount + 1)), name: number(one.mean, 1), said: clusterWords(one, clusters) })),
    ...(you ? [{ latitude: you.latitude, longitude: you.longitude, kind: "you", name: t("sites.you"), said: t("sites.you") }] : [])];
  const first = all.find(isPlace);
  let count = 0;
  return all.map((one) => ({ ...one, ...(isPlace(one) ? way(first, one) : { metres: Infinity }) })).sort((one, other) => one.metres - other.metres).map((one) => {
    const far = first?.kind === "own" && one.kind !== "own" && isPlace(one) ? one.metres < 50 ? t("sites.same") : `${metres(one.metres)}, ${t(`sites.wind.${WINDS[Math.round(one.angle / Math.PI * 4 + 8) % 8]}`)}` : "";
    return { ...one, far, words: [one.said, far].filter(Boolean).join(", "), number: one.site || one.station ? (count += 1) : 0 };
  });
}

function drawMap(node, all, { tiles }) {
  const points = all.filter(isPlace);
  if (!points.length) return node.replaceChildren(el("p", { class: "big" }, t("sites.empty")), el("p", { class: "quiet" }, t("sites.empty.words")));
  if (!node.clientWidth) return;
  node.replaceChildren(siteMap(points, { width: node.clientWidth, label: t("sites.map", { n: number(points.length), last: points.at(-1).words }), length: metres }),
    el("ul", { class: "swatches legend" }, [["own", "▲"], ["you", "○"], ["cluster", "●"], ["peer", "◆"], ["region", "■"]].filter(([kind]) => points.some((one) => one.kind === kind))
      .map(([kind, shape]) => el("li", {}, el("span", { class: `site ${kind}`, "aria-hidden": "true" }, shape), t(`sites.legend.${kind}`)))),
    el("p", { class: "quiet" }, tiles?.host ? t("map.words", tiles) : t("sites.tiles")),
    // A page of its own: its content policy is another.
    tiles?.tiles ? el("a", { class: "button", href: "/map", rel: "external" }, t("map.open")) : tiles?.why ? el("p", { class: "quiet" }, t("map.missing"), " ", quoted(tiles.why)) : "");
}

const clusterWords = (one, { quantity, unit, decimals }) => `${quantityName(quantity)} ${value(one.mean, decimals + 1)} ${unit ?? ""}: ${plural("outbox.samples", one.sampleCount)}, ${value(one.least, decimals)}–${value(one.most, decimals)}`;

function clusterList(found) {
  if (!found) return [];
  return [found.items.length ? table(t("sites.clusters.caption", { n: number(found.items.length), days: days(found) }),
    [t("sites.place"), t("history.mean"), t("sites.count"), t("sites.span"), t("sites.radius")],
    found.items.slice(0, 50).map((one) => [`${number(one.latitude, 4)}, ${number(one.longitude, 4)}`, `${value(one.mean, found.decimals + 1)} ${found.unit ?? ""}`, number(one.sampleCount), `${value(one.least, found.decimals)}–${value(one.most, found.decimals)}`, metres(one.radiusMeters)]))
    : el("p", { class: "quiet" }, t("sites.clusters.none")), el("p", { class: "quiet" }, [
    found.withoutPlaceCount ? t("sites.withoutPlace", { n: number(found.withoutPlaceCount) }) : "", found.privateCount ? t("sites.private", { n: number(found.privateCount) }) : "",
    found.omittedCount ? t("sites.omitted", { n: number(found.omittedCount) }) : ""].filter(Boolean).join(" "))];
}

const whereRow = (sites, { me, may }) => el("p", {}, `${t("sites.where")}: ${isPlace(sites) ? `${sites.latitude}, ${sites.longitude}` : t("sites.where.none")} `, may("owner") && !me?.isRecord ? el("a", { href: "/settings" }, t("sites.where.change")) : "");

const role = ({ quantities, hasLamp, visited }) => [...quantities.map((name) => quantityName(name)), hasLamp ? t("stations.lamp") : "", { true: t("visited.yes"), false: t("visited.no") }[visited]].filter(Boolean).join(" · ");

/** What another of the owner's stations says of itself: text, never markup; or why it says nothing. */
const stationWords = ({ facts, state }) => (facts ? verdictWords({ verdict: facts }) : t(`stations.state.${state}`));

/** A row of a list; `before` is what the page knows of the station. */
function stationRow(one, before) {
  const { facts } = one, more = facts ? role(facts) : quoted(one.why);
  return el("li", { class: "station" }, mark(facts?.level ?? (one.state === "silent" ? "fault" : "unknown")),
    el("div", {}, asIs(one.name, "strong"), " ", asIs(one.host ?? one.url.replace(/^https?:\/\//, ""), "a", { class: "quiet", href: one.url, rel: "noreferrer" }), el("p", { class: "quiet" }, before),
      el("p", {}, stationWords(one), facts?.isSimulated ? ` (${t("stations.simulated")})` : ""), more ? el("p", { class: "quiet" }, more) : null));
}

/** How the search went. `report`: `/stations`; undefined while it is asked for, null when it cannot be had. */
function searchWords(report) {
  const search = report === undefined ? "searching" : (report?.search ?? "failed");
  const words = search === "done" ? (report.items.length ? "" : t("stations.search.none")) : has(`stations.search.${search}`) ? t(`stations.search.${search}`) : code("stations.search", search);
  return el("p", { class: "quiet", role: "status" }, words, report?.why ? [" ", quoted(report.why)] : "");
}

/** What the drawing shows, as a list, and what has no place; then how the search for stations went. */
function placeList(all, { sites, stations }) {
  return [el("h2", {}, t("sites.places")), sites.items.length ? el("p", { class: "quiet" }, days(sites)) : null, el("ol", { class: "list" }, all.filter((one) => one.number).map(({ site, station, number, far }) => {
    if (station) return stationRow(station, [number, far].filter(Boolean).join(" · "));
    const first = main(site);
    return el("li", { class: "split" }, el("div", {}, asIs(site.name, "strong"), el("p", { class: "quiet" }, `${number} · `, far ? `${far} · ` : "", asIs(site.source)), el("p", {}, first ? words(first) : t("sites.noValue"),
      el("span", { class: "quiet" }, first ? ` ${stamp(first.time)}, ${t("sites.mean")} ${value(first.mean, first.decimals + 1)}` : ""))),
      button(t("sites.open"), () => sheet(site, sites), { class: "small", "aria-label": t("sites.open.of", { name: site.name }) }));
  })), searchWords(stations)].filter(Boolean);
}

/** Where the words about a quantity are: one text for all counts of particles. */
const hintOf = (quantity) => `explain.${quantity.replace(/^n\d+$/, "n").replace("tvocs", "tvoc")}`;

/** All values of a site, each with what it means until a person hides that. */
function sheet(site, range) {
  const list = el("dl", { class: "flags" }), hints = el("details", {}, el("summary", {}, t("sites.hints")), list);
  hints.addEventListener("toggle", () => {
    keep("sitehints", hints.open ? "on" : "off");
    if (hints.open) loadMore("explain").catch(() => {}).then(() => list.replaceChildren(...site.values.map((one) => [one, hintOf(one.quantity)]).filter(([, key]) => has(key)).map(([one, key]) =>
      el("div", {}, el("dt", {}, el("strong", {}, quantityName(one.quantity))), el("dd", { class: "quiet" }, t(key))))));
  });
  hints.open = kept("sitehints") !== "off";
  const newest = site.values.map((one) => one.time).filter(Boolean).sort().at(-1);
  const own = (live.station?.channels ?? []).find((one) => site.values.some((other) => other.quantity === quantityOf(one.id)));
  const same = own && site.values.find((one) => one.quantity === quantityOf(own.id));
  dialog(site.name, t("do.close"), el("p", { class: "quiet" }, newest ? `${stamp(newest)}, ${ago(live.now - Date.parse(newest) / 1000)}` : t("sites.noValue")),
    table(days(range), [t("sites.quantity"), t("sites.newest"), t("sites.mean"), t("sites.corrected")], site.values.map((one) => [
      quantityName(one.quantity), isKnown(one.value) ? [`${value(one.value, one.decimals)} ${one.unit ?? ""}`, one.time === newest ? null : el("div", { class: "quiet" }, stamp(one.time))] : t("sites.missing"), one.sampleCount ? value(one.mean, one.decimals + 1) : "–", one.correctionCount ? number(one.correctionCount) : ""])),
    same ? el("a", { class: "button", href: `/history?channel=${encodeURIComponent(own.id)}&channel=${encodeURIComponent(same.channel)}` }, t("sites.compare")) : null, hints);
}

const RADIUS = 6371008.8, TURN = Math.PI / 180, MARGIN = 44, LETTERS = 24;
/** Metres that the drawing spans at least, and how many times farther than all others a place is when it stands at the edge. */
const LEAST = 400, FAR = 8;
const pen = document.createElement("canvas").getContext("2d");

/** The shortest way on the sphere from one place to another: metres, and radians clockwise from north. */
function way(from, to) {
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
function siteMap(points, { width, label, length }) {
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
