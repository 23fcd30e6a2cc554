// Starts the dashboard: catalogue, account, header, router, stream.
import { needs, showNew } from "./alerts.js";
import { api, whenUnauthorized } from "./api.js";
import { dialog, el, icon, keyed, nextFrame, quoted, setText, show } from "./dom.js";
import { ago, clockSeconds, isOwnZone, stamp, useOwnZone, zone, zoneName, zonesDiffer } from "./format.js";
import { has, keepLanguage, loadLanguage, plural, t } from "./i18n.js";
import { live, refresh } from "./live.js";
import { isOffered, PAGES } from "./navigation.js";
import { context, open, startRouter } from "./router.js";
import { action, atOf } from "./words.js";

const $ = (id) => document.getElementById(id);
const header = { title: $("title"), station: $("station"), main: $("main"), links: [] };

function labelShell() {
  setText($("skip"), t("shell.skip"));
  $("nav").setAttribute("aria-label", t("shell.pages"));
}

function makeNavigation(me) {
  const links = PAGES.filter((page) => page.place === "bar" && isOffered(page, me)).map((page) =>
    el("a", { href: page.path, "data-page": page.name }, icon(`icon-${page.name}`), el("span", {}, t(`${page.name}.title`)),
      page.name === "more" ? el("b", { class: "badge", hidden: true, "aria-hidden": "true" }) : null));
  $("nav").replaceChildren(...links);
  header.links = links;
}

/** How many things need a person, at the link to the page that lists them first. */
function showNeeds() {
  const link = header.links.find((one) => one.dataset.page === "more"), count = needs.all;
  if (!link) return;
  setText(show(link.lastElementChild, count > 0), String(count));
  link.setAttribute("aria-label", t("more.title") + (count ? `, ${plural("more.needs", count)}` : ""));
}

/** The words at the top right: whether what is shown is live. */
function showState() {
  const station = live.station;
  setText(header.station, station?.station?.name ?? "");
  const state = live.state;
  const node = show($("live"), state !== "still" && state !== "saved");
  const isDown = ["down", "hung"].includes(station?.daemon?.state);
  node.dataset.state = state === "live" && isDown ? "lost" : state;
  setText(node.lastElementChild, state === "live" ? liveWords(station) : t(`live.${state}`));
  // Dates have the station's zone; another one is offered where the browser has it.
  if (show($("zone"), zonesDiffer()).hidden === false) {
    setText($("zone"), zoneName());
    $("zone").title = zone();
    $("zone").setAttribute("aria-label", t(isOwnZone() ? "zone.own" : "zone.station", { zone: zone() }));
  }
  document.body.classList.toggle("old", state === "lost" || state === "saved" || isDown);
  showChips(station, state);
  showNeeds();
}

function liveWords(station) {
  const ages = (station.channels ?? []).map((channel) => channel.ageSeconds).filter((age) => age !== null && age !== undefined);
  if (["down", "hung"].includes(station.daemon?.state)) return t("live.down");
  return ages.length && !station.channels.some((channel) => !channel.isStale) ? ago(Math.min(...ages) + live.elapsed) : t("live.live");
}

/** What somebody should know of all that a page shows: a mark with a word each, which says more when it is pressed. */
function showChips(station, state) {
  const time = station?.time, isUnsure = time?.trusted === false;
  const nearby = time?.nearby && t(`time.${time.nearby}`, { stations: time.stations });
  const chips = [
    ["simulated", station?.station?.isSimulated && t("banner.simulated")],
    ["saved", state === "saved" && t("banner.saved", { time: atOf(live.savedAt) })],
    ["accounts", station?.accounts?.trouble && [t("banner.accounts"), " ", quoted(station.accounts.trouble)]],
    ["unsure", [isUnsure && t("banner.unsure"), nearby].filter(Boolean).join(" ")],
    ["still", state === "still" && t("banner.still")],
  ].filter(([, words]) => words);
  keyed($("chips"), chips, ([name]) => name, ([name]) => {
    const node = el("button", { type: "button", class: "chip", onclick: () => dialog(t(`chip.${name}`), t("do.close"), el("p", {}, node.words), has(`chip.${name}.next`) ? el("p", {}, t(`chip.${name}.next`)) : "", offer(name) ?? "") }, t(`chip.${name}`));
    return node;
  }, (node, [, words]) => { node.words = words; });
  const lost = $("lost");
  if (show(lost, state === "lost").hidden === false) setText(lost, t("banner.lost", { time: clockSeconds(live.lostAt) }));
}

/** Until something gives the time, an owner's device may. */
function offer(name) {
  if (name !== "unsure" || live.station?.time?.trusted !== false || live.state !== "live" || !context.may("owner")) return null;
  return action(t("time.ask", { time: stamp(Date.now() / 1000) }), async () => {
    await api.send("POST", "/time", { time: new Date() });
    await refresh();
  });
}

/** Log in or Claim in place of the page; its address stays, so that it opens afterwards. */
function sendAway(problem) {
  live.stop();
  const page = problem.type === "unclaimed" ? "claim" : "login";
  if (page === "claim" && location.pathname !== "/" && location.pathname !== "/claim") history.replaceState({}, "", "/");
  open(location.pathname, { as: page });
}

async function begin() {
  let me = null, problem = null;
  const account = api.get("/me", null, { isQuiet: true }).then((answer) => { me = answer; }, (error) => { problem = error; });
  // The zone of every date is the station's, and Now needs the same answer; all three questions at once.
  const known = refresh().catch(() => {});
  // A slow phone reads its tables of zones while it waits for the answers.
  nextFrame().then(zone);
  await loadLanguage();
  labelShell();
  await Promise.all([account, known]);
  whenUnauthorized(sendAway);
  // A station older than accounts, or a page from the cache without a connection, still shows what it can.
  if (problem && problem.status !== 401) me = { isOpen: true, role: "viewer", name: null };
  makeNavigation(me);
  startRouter(header, me);
  const here = PAGES.find((page) => page.path === location.pathname);
  if (problem?.status === 401 && !(here?.isOpen && !(here.isAlone && problem.type === "unclaimed"))) return sendAway(problem);
  if (me && here?.isAlone) history.replaceState({}, "", "/");
  live.on((kind) => {
    if (kind !== "reading" && kind !== "event") showState();
    if (["alert", "return"].includes(kind) && me) showNew(me).then(showNeeds);
  });
  if (me) {
    showState();
    if (live.state === "still") { me.isRecord = true; makeNavigation(me); }
    live.start();
  }
  $("zone").addEventListener("click", () => { useOwnZone(!isOwnZone()); showState(); context.reload(); });
  await open(location.pathname, {});
  if (me && !here?.isAlone) showNew(me).then(showNeeds);
  return me;
}

/** Only a page with a trusted certificate can have a worker; elsewhere this does nothing. */
async function registerWorker(me) {
  if (!navigator.serviceWorker) return;
  const own = (url) => { if (url !== "/sw.js") throw new TypeError(url); return url; };
  const policy = globalThis.trustedTypes?.createPolicy("roost", { createScriptURL: own });
  try { await navigator.serviceWorker.register(policy ? policy.createScriptURL("/sw.js") : "/sw.js"); } catch { return; }
  // A first visit, and one after an update, had its language before there was a worker to keep it.
  navigator.serviceWorker.ready.then(keepLanguage).catch(() => {});
  const trust = await api.maybe("/trust");
  // By this mark plain HTTP sends the browser here; another authority does not.
  if (trust?.isEncrypted) document.cookie = `roost-trusts=${trust.fingerprint}; path=/; max-age=31536000; samesite=lax`;
  if (me && location.pathname !== "/alerts" && globalThis.Notification?.permission === "granted") (await import("./pages/thisbrowser.js")).subscription();
}

// A page that Back brings out of memory may belong to somebody who has logged out.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
begin().then(registerWorker);
