// The page Map: places over the tiles of the server that the owner chose. It is apart from the others, whose content policy
// allows no picture of another server, and loads Leaflet from Debian's packages. What it imports is installed beside it.
import { api, whenUnauthorized } from "./api.js";
import { el } from "./dom.js";
import { isKnown, number, setStationZone, stamp } from "./format.js";
import { code, loadLanguage, loadMore, t } from "./i18n.js";

const SCRIPTS = ["/map/leaflet.min.js", "/map/leaflet.markercluster.min.js"];
const REACH = 300000;
const KINDS = { own: "▲", cluster: "●", peer: "◆", region: "■" };

// Leaflet makes a few texts as markup. They keep their words and lose every tag; no other script can be loaded.
const policy = globalThis.trustedTypes?.createPolicy("default", {
  createHTML: (text) => text.replace(/<[^>]*>?/g, ""),
  createScriptURL: (url) => { if (!SCRIPTS.includes(url)) throw new TypeError(url); return url; },
});

const $ = (id) => document.getElementById(id);
const quantityName = (name) => code("quantity", name.split("@")[0], name);

const load = (url) => new Promise((done, fail) => {
  const node = document.createElement("script");
  node.src = policy ? policy.createScriptURL(url) : url;
  node.addEventListener("load", done);
  node.addEventListener("error", () => fail(new Error(url)));
  document.head.append(node);
});

/** The pop-up of a place: its name, and its values. */
const popup = (name, lines) => el("div", { class: "said" }, el("strong", {}, name), lines.filter(Boolean).map((line) => el("p", {}, line)));

const valueWords = (one) => `${quantityName(one.quantity)} ${number(one.value, one.decimals)} ${one.unit ?? ""}`.trim();
const meanWords = (one) => (one.sampleCount ? `${t("sites.mean")} ${number(one.mean, one.decimals + 1)}` : "");

/** The newest time first, then each value; one of another time has its own. */
function siteLines(values) {
  const newest = values.map((one) => one.time).filter(Boolean).sort().at(-1);
  return [newest && stamp(newest), ...values.map((one) => (isKnown(one.value)
    ? [valueWords(one), meanWords(one), one.time === newest ? "" : stamp(one.time)].filter(Boolean).join(", ")
    : `${quantityName(one.quantity)}: ${t("sites.missing")}`))];
}

function places({ sites, clusters, stations }) {
  const all = sites.items.filter((one) => isKnown(one.latitude)).map((one) => ({ ...one, kind: "region", lines: siteLines(one.values) }));
  for (const one of clusters?.items ?? []) {
    all.push({ ...one, kind: "cluster", name: `${number(one.mean, clusters.decimals + 1)} ${clusters.unit ?? ""}`.trim(), lines: [quantityName(clusters.quantity), `${t("sites.count")}: ${number(one.sampleCount)}`,
      t("sites.days", { from: stamp(clusters.from?.time), to: stamp(clusters.to?.time) })] });
  }
  for (const one of stations?.items ?? []) if (one.facts?.position) all.push({ name: one.name, ...one.facts.position, kind: "peer", lines: [one.facts.sentence] });
  if (isKnown(sites.latitude)) all.push({ latitude: sites.latitude, longitude: sites.longitude, kind: "own", name: sites.station ?? "", lines: [t("sites.here", { name: sites.station ?? "" })] });
  return all;
}

const icon = (text, kind, size) => globalThis.L.divIcon({ className: `pin site ${kind}`, html: el("span", {}, text), iconSize: [size, size] });

function draw(about, found) {
  const { L } = globalThis, all = places(found);
  const map = L.map("map", { attributionControl: false, zoomControl: false });
  L.control.zoom({ zoomInText: "+", zoomOutText: "−", zoomInTitle: t("map.in"), zoomOutTitle: t("map.out") }).addTo(map);
  L.control.scale({ imperial: false }).addTo(map);
  const tiles = L.tileLayer(about.tiles, { maxZoom: 19, referrerPolicy: "strict-origin" }).addTo(map);
  let isSaid = false;
  tiles.on("tileerror", () => {
    if (isSaid) return;
    isSaid = true;
    $("said").prepend(`${t("map.noTiles", { host: about.host })} `);
  });
  const group = L.markerClusterGroup({ showCoverageOnHover: false, iconCreateFunction: (cluster) => icon(String(cluster.getChildCount()), "group", 36) });
  for (const one of all) {
    group.addLayer(L.marker([one.latitude, one.longitude], { icon: icon(KINDS[one.kind], one.kind, 28), title: one.name, alt: one.name }).bindPopup(popup(one.name, one.lines)));
  }
  map.addLayer(group);
  const own = all.find((one) => one.kind === "own"), at = (one) => L.latLng(one.latitude, one.longitude);
  const near = own ? all.filter((one) => at(own).distanceTo(at(one)) <= REACH) : all;
  if (near.length) map.fitBounds(L.latLngBounds(near.map(at)), { maxZoom: 14, padding: [32, 32] });
  else map.setView([20, 0], 2);
}

function credit(about) {
  const words = about.credit ?? about.host;
  $("said").append(about.creditURL ? el("a", { href: about.creditURL, rel: "noopener" }, words) : words);
}

async function begin() {
  await loadLanguage();
  await loadMore("sites");
  document.title = $("title").textContent = t("map.title");
  $("back").textContent = t("map.back");
  const about = await api.get("/map");
  if (!about.tiles) { $("said").textContent = about.why ?? t("map.off"); return; }
  credit(about);
  const sites = await api.get("/sites", { last: "72h" }), station = await api.maybe("/station");
  setStationZone(station?.station?.zone);
  const own = [...new Set((station?.channels ?? []).map((one) => one.quantity))], quantity = ["pm25", "pm10", "cpm"].find((name) => own.includes(name)) ?? own[0];
  const [clusters, stations] = await Promise.all([quantity ? api.maybe(`/clusters/${quantity}`) : null, api.maybe("/stations")]);
  for (const url of SCRIPTS) await load(url);
  draw(about, { sites, clusters, stations });
}

whenUnauthorized(() => location.replace("/login"));
begin().catch((problem) => { $("said").prepend(`${t("map.failed")} `); console.error(problem); });
