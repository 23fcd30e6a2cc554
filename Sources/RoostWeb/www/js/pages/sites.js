// Where the station stands, what was measured around it, and what others measure: regions, reference stations, peers.
import { button, card, dialog, el, quoted, show, table } from "../dom.js";
import { field, form } from "../form.js";
import { ago, date, moment, number, rfc3339, stamp, value } from "../format.js";
import { has, loadMore, plural, t } from "../i18n.js";
import { live, refresh } from "../live.js";
import { may } from "../roles.js";
import { near, siteMap } from "../sitemap.js";
import { stationList, stationPoints } from "../stations.js";
import { fromInput, toInput } from "../window.js";
import { action, quantityName, quantityOf, refusal } from "../words.js";

export const title = "sites.title";
const WINDOW = "14d";
const REACH = 300000, DAY = 86400, SITES_DAYS = 31;
const metres = (length) => (length < 1000 ? `${number(length)} m` : `${number(length / 1000)} km`);
const isPlace = (one) => one.latitude !== null && one.latitude !== undefined;
/** The value that a list shows of a site: an index first, then fine dust. */
const FIRST = ["psi-24h", "pm25", "pm25-24h", "pm10", "cpm", "temperature"];
const main = (site) => FIRST.map((name) => site.values.find((one) => one.quantity === name && isKnown(one))).find(Boolean) ?? site.values.find(isKnown);
const isKnown = (one) => one.value !== null && one.value !== undefined;
const words = (one) => `${quantityName(one.quantity)} ${value(one.value, one.decimals)} ${one.unit ?? ""}`.trim();

export async function load(api) {
  if (!live.station) await refresh();
  const channels = (live.station?.channels ?? []).map((one) => quantityOf(one.id));
  const quantity = FIRST.find((name) => channels.includes(name)) ?? channels[0];
  const [sites, tiles, clusters] = await Promise.all([api.get("/sites", { last: "72h" }), api.maybe("/map"), quantity ? api.maybe(`/clusters/${quantity}`, { last: WINDOW }) : null]);
  // Values of an imported drive have places, too.
  const imported = sites.items.filter((one) => one.kind === "other").flatMap((one) => one.values.map((value) => value.quantity));
  return { sites, tiles, clusters, own: [...new Set([...channels, ...imported])] };
}

export function make(root, context) {
  const drawing = el("div"), follow = follower((you) => { shown.you = you; draw(); });
  const map = el("section", { class: "card" }, drawing, follow), where = el("div"), around = el("section", { class: "card" }), others = el("div", { class: "cards" });
  const stations = el("section", { class: "card" });
  root.append(map, stations, where, around, others);
  const shown = {}, list = el("div");
  const draw = () => {
    if (!shown.sites) return;
    drawMap(drawing, shown);
    list.replaceChildren(...clusterList(shown.clusters));
    others.replaceChildren(...kinds(shown.sites.items).map(([kind, all]) => siteCard(kind, all, shown.sites)));
    show(others, shown.sites.items.length > 0);
  };
  return { update({ sites, tiles, clusters, own }) {
    Object.assign(shown, { sites, tiles, clusters, stations: undefined });
    stations.replaceChildren(...stationList(undefined));
    // A search takes a second or two, which nothing else waits for.
    context.api.maybe("/stations").then((found) => { shown.stations = found; stations.replaceChildren(...stationList(found)); draw(); }).catch(() => {});
    where.replaceChildren(whereCard(sites, context));
    around.replaceChildren(el("h2", {}, t("sites.clusters")), el("p", { class: "quiet" }, t("sites.clusters.words")),
      own.length ? period(own, clusters, context, (clusters, sites) => { Object.assign(shown, { clusters }, sites ? { sites } : {}); draw(); }) : "", list);
    draw();
  }, leave() { follow?.stop(); } };
}

// A browser gives its position to encrypted pages alone, and to those of this computer.
const canLocate = () => window.isSecureContext && navigator.geolocation;

/** A switch that puts the browser's position on the drawing, and moves it along. */
function follower(changed) {
  if (!canLocate()) return null;
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
function period(own, clusters, { api, me }, changed) {
  const now = Date.now() / 1000, today = toInput(now).slice(0, 10), first = toInput(now - 13 * DAY).slice(0, 10);
  const choice = field("quantity", t("sites.quantity"), { control: el("select", {}, own.map((name) => el("option", { value: name, selected: name === clusters?.quantity }, quantityName(name)))) });
  const [from, to] = [["from", first], ["to", today]].map(([name, value]) =>
    field(name, t(`history.${name}`), { type: "date", value, min: may(me, "owner") || me?.isRecord ? null : first, max: today, required: true }));
  choice.input.addEventListener("change", () => choice.input.form.requestSubmit());
  return el("div", { class: "period" }, form([choice, from, to], t("history.show"), async ({ quantity, from, to }) => {
    const start = fromInput(`${from}T00:00`), end = fromInput(`${toInput(fromInput(`${to}T12:00`) + DAY).slice(0, 10)}T00:00`);
    const range = { from: rfc3339(start), to: rfc3339(end) };
    changed(...await Promise.all([api.get(`/clusters/${quantity}`, range), end - start > SITES_DAYS * DAY ? null : api.get("/sites", range)]));
  }, ({ from, to }) => ({ to: from > to ? t("history.order") : null })));
}

/** The days of an answer, whose end is the midnight after the last one. */
const days = ({ from, to }) => t("sites.days", { from: date(from?.time), to: date(moment(to?.time) / 1000 - 1) });

const kinds = (items) => [...new Set(items.map((one) => one.kind))].map((kind) => [kind, items.filter((one) => one.kind === kind)]);

function drawMap(node, { sites, clusters, stations, tiles, you }) {
  const all = [
    ...(you ? [{ latitude: you.latitude, longitude: you.longitude, kind: "you", name: t("sites.you"), words: t("sites.you") }] : []),
    ...stationPoints(stations),
    ...(clusters?.items ?? []).slice(0, 200).map((one) => ({ ...one, kind: "cluster", size: 6 + Math.min(14, Math.log2(one.sampleCount + 1)),
      name: number(one.mean, 1), words: clusterWords(one, clusters) })),
    ...sites.items.filter(isPlace).map((one) => ({ ...one, kind: "region", words: `${one.name}: ${main(one) ? words(main(one)) : t("sites.noValue")}`, site: one })),
    ...(isPlace(sites) ? [{ ...sites, kind: "own", name: sites.station ?? "", words: t("sites.here", { name: sites.station ?? "" }) }] : [])];
  const points = isPlace(sites) ? near(all, sites, REACH) : all, far = all.length - points.length;
  if (!points.length) return node.replaceChildren(el("p", { class: "big" }, t("sites.empty")), el("p", { class: "quiet" }, t("sites.empty.words")));
  node.replaceChildren(siteMap(points, t("sites.map"), metres, (point) => (point.site ? sheet(point.site, sites) : point.url ? location.assign(point.url) : null)),
    el("ul", { class: "swatches legend" }, [["own", "▲"], ["you", "○"], ["cluster", "●"], ["peer", "◆"], ["region", "■"]].filter(([kind]) => points.some((one) => one.kind === kind))
      .map(([kind, shape]) => el("li", {}, el("span", { class: `site ${kind}`, "aria-hidden": "true" }, shape), t(`sites.legend.${kind}`)))),
    el("p", { class: "quiet" }, far ? `${plural("sites.far", far)} ` : "", tiles?.host ? t("map.words", tiles) : t("sites.tiles")),
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

function whereCard(sites, { api, me, reload }) {
  const shown = isPlace(sites) ? `${sites.latitude}, ${sites.longitude}` : "";
  if (!may(me, "owner") || me?.isRecord) return card(t("sites.where"), el("p", {}, shown || t("sites.where.none")));
  const place = field("position", t("sites.where.label"), { hint: t("sites.where.hint"), value: shown, placeholder: "46.1699, 9.8786", inputmode: "text", autocomplete: "off" });
  const save = async (text) => {
    const { etag } = await api.getTagged("/settings");
    await api.send("PATCH", "/settings", { position: text || null }, { etag });
    await reload();
    return t("do.saved");
  };
  const [north, east] = ["latitude", "longitude"].map((name) => (live.station?.channels ?? []).find((one) => quantityOf(one.id) === name && isKnown(one))?.value);
  const receiver = north !== undefined && east !== undefined ? button(t("sites.where.receiver"), () => { place.input.value = `${north}, ${east}`; }, { class: "small" }) : null;
  const browser = canLocate() ? action(t("sites.where.browser"), async () => {
    const found = await new Promise((done, fail) => navigator.geolocation.getCurrentPosition(done, fail, { enableHighAccuracy: true, timeout: 20000 }))
      .catch(() => { throw refusal(t("sites.where.refused")); });
    place.input.value = `${found.coords.latitude.toFixed(5)}, ${found.coords.longitude.toFixed(5)}`;
    return t("sites.where.accuracy", { length: metres(Math.round(found.coords.accuracy)) });
  }, { class: "small" }) : null;
  return card(t("sites.where"), form([place], t("do.save"), ({ position }) => save(position.trim())), el("div", { class: "row" }, receiver, browser));
}

function siteCard(kind, list, range) {
  return card(t(`sites.kind.${kind}`), el("p", { class: "quiet" }, days(range)), el("ul", { class: "list" }, list.map((site) => {
    const first = main(site);
    return el("li", { class: "split" }, el("span", {}, el("strong", {}, site.name), el("span", { class: "quiet" }, ` ${site.source}`)),
      el("span", {}, first ? words(first) : t("sites.noValue"), el("span", { class: "quiet" }, first ? ` ${stamp(first.time)}, ${t("sites.mean")} ${value(first.mean, first.decimals + 1)}` : "")),
      button(t("sites.open"), () => sheet(site, range), { class: "small", "aria-label": t("sites.open.of", { name: site.name }) }));
  })));
}

const KEY = "roost.sitehints";
function hidesHints() { try { return localStorage.getItem(KEY) === "off"; } catch { return false; } }

/** Where the words about a quantity are: one text for all counts of particles. */
const hintOf = (quantity) => `explain.${quantity.replace(/^n\d+$/, "n").replace("tvocs", "tvoc")}`;

/** All values of a site, each with what it means until a person hides that. */
function sheet(site, range) {
  const hints = el("dl", { class: "flags" });
  const explain = (isShown) => {
    show(hints, isShown);
    // Read when a person wants it; without the network there is none.
    if (isShown) loadMore("explain").catch(() => {}).then(() => hints.replaceChildren(...site.values.map((one) => [one, hintOf(one.quantity)]).filter(([, key]) => has(key)).map(([one, key]) =>
      el("div", {}, el("dt", {}, el("strong", {}, quantityName(one.quantity))), el("dd", { class: "quiet" }, t(key))))));
  };
  explain(!hidesHints());
  const toggle = button("(?)", () => {
    const isHidden = !hints.hidden;
    try { localStorage.setItem(KEY, isHidden ? "off" : "on"); } catch {
      // Then for this sheet alone.
    }
    explain(!isHidden);
    toggle.setAttribute("aria-expanded", String(!isHidden));
  }, { class: "small", "aria-label": t("sites.hints"), "aria-expanded": String(!hidesHints()) });
  const newest = site.values.map((one) => one.time).filter(Boolean).sort().at(-1);
  const own = (live.station?.channels ?? []).find((one) => site.values.some((other) => other.quantity === quantityOf(one.id)));
  const same = own && site.values.find((one) => one.quantity === quantityOf(own.id));
  dialog(site.name, t("do.close"), el("p", { class: "quiet" }, newest ? `${stamp(newest)}, ${ago((Date.now() - Date.parse(newest)) / 1000)}` : t("sites.noValue")),
    table(days(range), [t("sites.quantity"), t("sites.newest"), t("sites.mean"), t("sites.corrected")], site.values.map((one) => [
      quantityName(one.quantity), isKnown(one) ? [`${value(one.value, one.decimals)} ${one.unit ?? ""}`, one.time === newest ? null : el("div", { class: "quiet" }, stamp(one.time))] : t("sites.missing"), one.sampleCount ? value(one.mean, one.decimals + 1) : "–", one.correctionCount ? number(one.correctionCount) : ""])),
    el("div", { class: "row" }, toggle, same ? el("a", { class: "button", href: `/history?channel=${encodeURIComponent(own.id)}&channel=${encodeURIComponent(same.channel)}` }, t("sites.compare")) : null), hints);
}
