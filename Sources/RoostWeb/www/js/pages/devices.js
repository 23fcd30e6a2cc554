// Connected devices: their values, how each measures and how long it lasts; and found ones that are not used.
import { asIs, button, el, facts, keyed, lateFold, nextFrame, onceAFrame, quoted, renew, setText, show } from "../dom.js";
import { factWords, loadFacts } from "../facts.js";
import { ago, countdown, duration, month, number, stamp } from "../format.js";
import { code, has, loadMore, plural, t } from "../i18n.js";
import { live, refresh } from "../live.js";
import { action, confirmed, deviceOf, deviceTitle, isNeverMeasured, measuring, orWhy, quantityName, quantityOf, say } from "../words.js";
import { dayCurves, folded, putRows } from "./now.js";

export async function load(api) {
  const [devices, profiles, parts] = await Promise.all([api.get("/devices"), api.maybe("/profiles"), import("../parts.js"), loadFacts(), loadMore("pins"), live.station ?? refresh().catch(() => null)]);
  return { ...devices, profiles: profiles?.items ?? [], parts, at: performance.now() };
}

export function make(root, context) {
  const says = el("p", { class: "big", role: "status" }), list = el("div", { class: "tiles wide" }), none = el("p", { class: "quiet" }, t("devices.found.none")), ports = el("ul", { class: "list" });
  const board = el("section", { class: "card wide" }, el("h2", {}, t("devices.http")), el("p", {}, t("devices.http.words")),
    el("div", { class: "row" }, opening(t("devices.http.add"), (forms) => forms.addDialog(profiles, context)))), pins = el("section", { class: "card wide" });
  const bus = busFold(context);
  root.append(says, list, el("section", { class: "card wide" }, el("h2", {}, t("devices.found")), ports, none), board, bus, pins);
  let profiles = [], part = null, curves = null, latest = null;
  /** Once a page: what is small says little of what came since. */
  async function drawCurves() {
    const channels = (live.station?.channels ?? []).filter((one) => !isNeverMeasured(one));
    curves = await dayCurves(context.api, channels).catch(() => null);
    for (const node of list.children) node.values(curves);
  }
  /** The header is drawn by a module of its own, which comes when this page is open. */
  const drawPins = () => orWhy(pins, async () => {
    part ??= (await import("./pins.js")).pinsPart(pins, context, () => profiles);
    await part.update();
  });
  const fresh = new Set(), redraw = onceAFrame(() => {
    for (const node of list.children) if (fresh.delete(node.dataset.key)) node.values(curves);
  });
  return {
    async update(data) {
      profiles = data.profiles;
      latest = data;
      const devices = data.devices ?? [], items = (data.found ?? []).filter((one) => !isHere(one, devices)), count = measuring(devices).length;
      const words = count ? plural("devices.measure", count) : devices.length ? t("devices.measure.none") : t("devices.none");
      say(says, words);
      context.setTitle(words);
      keyed(list, devices, (one) => one.name, () => deviceCard(context), (node, one) => { node.renew(one, data); node.values(curves); });
      await nextFrame();
      if (latest !== data) return;
      if (live.station && curves === null) { curves = undefined; drawCurves(); }
      drawPins();
      // What is typed into a row stays until the row says something else.
      keyed(ports, items, (one) => JSON.stringify([one, data.plugs?.items.find(({ node }) => node && node === one.node), data.plugs?.sockets]), (one) => foundRow(one, profiles, context, where(data, ({ node }) => node && node === one.node)));
      show(none, !items.length);
      show(board, context.may("owner"));
      show(bus, context.may("owner"));
    },
    live(kind, data) {
      if (kind === "station") context.reload();
      if (kind === "reading") { fresh.add(deviceOf(data.channel)); redraw(); }
    },
    tick() { for (const node of list.children) node.tick(); },
    leave() { latest = null; },
  };
}

const encode = encodeURIComponent;

const isHTTP = ({ location }) => location.startsWith("http");
/** Lines of a part on the header's pins: one, or three of a traffic light. */
const linesOf = ({ location }) => (/^GPIO\d+\b/.test(location) ? location.replace(/ of .*/, "").split(", ") : []);
/** Where something is plugged in, drawn and in words; null where the station does not know. */
const where = ({ parts, plugs }, isIt, lines = []) => parts.plugged(plugs?.items.find(isIt), plugs?.sockets, lines.join(", "));
export const channelsOf = (name) => (live.station?.channels ?? []).filter((one) => deviceOf(one.id) === name);

/** Whether what is away is a device above that is there: one of the file, by its port. */
const isHere = (one, devices) => one.state === "absent" && devices.some(({ name, location, state }) => (name === one.name || location === one.node) && !["unplugged", "unusable"].includes(state));

const neverMeasured = (name) => channelsOf(name).filter(isNeverMeasured).map((one) => quantityName(quantityOf(one.id))).join(", ") || null;

const lampWords = ({ shows, follows }) => [code("pins.shows", shows), follows && asIs(` · ${deviceTitle(follows)}`)];

/** The card of a device; `renew` changes only what differs. */
function deviceCard(context) {
  const top = el("div", { class: "top" }), state = el("strong"), how = el("p", { class: "quiet" }), known = el("div"), row = el("div", { class: "row" });
  const rows = el("ul", { class: "list values" }), seldom = folded("now.more", { isInCard: true });
  const figures = el("div"), fold = el("details", {}, el("summary", {}, t("devices.figures")), figures);
  const node = el("section", { class: "card device" }, top, el("p", {}, state), how, rows, seldom.node, known, fold, row);
  let device, data;
  node.tick = () => {
    const left = (device.progress?.nextInSeconds ?? 0) - (performance.now() - data.at) / 1000;
    const lamp = `well.lamp.${device.state}`, isLit = device.type === "traffic-light" && has(lamp);
    const words = isLit ? t(lamp) : code("state", device.state);
    setText(state, `${words}${left > 0 ? ` · ${t("age.next", { time: countdown(left) })}` : ""}`);
    for (const one of node.querySelectorAll(".reading")) one.tick();
  };
  node.values = (curves) => {
    const channels = channelsOf(device.name).filter((one) => !isNeverMeasured(one)), main = channels.filter((one) => one.group !== "detail");
    putRows(rows, main.length ? main : channels, curves, true);
    seldom.update(main.length ? channels.filter((one) => one.group === "detail") : [], curves);
    show(rows, channels.length > 0);
  };
  node.renew = (one, all) => {
    [device, data] = [one, all];
    const profile = profileOf(device, data.profiles);
    renew(top, data.parts.picture(device, profile), el("div", { class: "split" }, asIs(device.title ?? device.name, "h2"), profile ? el("span", { class: "quiet" }, code("pins.part", profile.id, profile.name)) : null));
    setText(how, howWords(device, profile));
    show(how, how.textContent !== "");
    const { rows, others } = deviceRows(device, data.found ?? []);
    renew(known, where(data, (plug) => plug.device === device.name, linesOf(device)), facts(rows));
    renew(figures, facts(others));
    show(fold, others.length > 0);
    renew(row, deviceButtons(context, () => device, () => data.devices));
    node.tick();
  };
  return node;
}

export const profileOf = ({ type }, profiles) => profiles.find((one) => one.id === type) ?? profiles.find((one) => one.driver === type);

/** When a CO₂ sensor last had fresh air, or that it needs some. */
const airWords = ({ freshAirAgeSeconds: age, lowestIn14Days: lowest } = {}) =>
  (lowest !== undefined ? t("devices.air.none", { value: number(lowest) }) : age !== undefined ? t("devices.air", { time: ago(age) }) : null);

function howWords({ name, type, intervalSeconds: interval, facts: said }, profile) {
  const laser = live.station?.lasers?.find((one) => one.device === name), warm = profile?.warmUpSeconds, never = neverMeasured(name);
  return [
    interval ? t(warm && interval >= 60 ? "devices.every.warm" : "devices.every", { time: duration(interval), warm: duration(warm ?? 0) }) : has(`devices.how.${type}`) ? t(`devices.how.${type}`) : null,
    laser && (laser.lifeHours ? t(laser.endOfLife ? "devices.laser.until" : "devices.laser", { left: number(Math.max(0, laser.lifeHours - laser.hours)), life: number(laser.lifeHours), date: laser.endOfLife ? month(laser.endOfLife) : "" }) : t("devices.laser.ran", { hours: number(laser.hours) })),
    airWords(said),
    never && t("devices.never", { names: never }),
  ].filter(Boolean).join(" ");
}

/** What a driver says of trouble is seen at once; its counters are folded. */
const TROUBLES = ["trouble", "isFollowing"], AIR = ["freshAirAgeSeconds", "lowestIn14Days"];

function deviceRows(device, found) {
  const [mute] = device.mutes, identity = found.find((one) => one.name === device.name)?.identity;
  const said = Object.entries(device.facts ?? {}).filter(([name]) => !(device.shows && ["shows", "follows"].includes(name)) && !AIR.includes(name));
  const row = ([name, given]) => [code("fact", name, name), factWords(name, given)];
  const rows = [
    [t("devices.address"), isHTTP(device) ? asIs(device.location) : null],
    [t("pins.shows"), device.shows ? lampWords(device) : null], [t("pins.held"), device.resets ? t("pins.held.away") : null],
    ...said.filter(([name]) => TROUBLES.includes(name)).map(row),
    [t("devices.kept"), device.records === false ? t("devices.kept.no") : null],
    [t("devices.muted"), mute ? (mute.endTime ? t("devices.muted.until", { time: stamp(mute.endTime) }) : t("devices.muted.yes")) : null],
  ];
  const isPort = device.location.startsWith("/");
  const others = [[t("devices.id"), device.title && asIs(device.name)], [t("devices.port"), isPort && asIs(device.location)], [t("devices.identity"), identity && asIs(identity)]].filter(([, words]) => words);
  return { rows, others: [...others, ...said.filter(([name]) => !TROUBLES.includes(name)).map(row)] };
}

/** Links and buttons of a card; a button that stays asks for the device as it is then. */
function deviceButtons(context, present, all) {
  const { may, change } = context, { name, title: called, mutes } = present(), channels = channelsOf(name);
  return [channels.length ? el("a", { class: "button", href: `/history?${channels.slice(0, 4).map(({ id }) => `channel=${id}`).join("&")}` }, t("history.title")) : null,
    el("a", { class: "button", href: `/events?source=${encode(name)}` }, t("events.title")),
    may("member") && mutes[0] ? action(t("mute.undo"), () => change("DELETE", `/mutes/${encode(name)}`)) : null,
    may("owner") ? opening(t("devices.change"), (forms) => { const one = present(); forms.changeDialog(one, { devices: all(), lines: linesOf(one), channels: channelsOf(name) }, context); }, { "aria-label": t("devices.change.of", { name: called ?? name }) }) : null];
}

/** A button for a form, which comes when it is asked for. */
function opening(text, open, props) {
  const said = el("span", { class: "wrong", role: "status" });
  return el("span", { class: "row" }, button(text, () => orWhy(said, async () => { said.replaceChildren(); open(await import("./pins.js")); }), props), said);
}

/** Sensors on the header, whose part comes when the fold is opened. */
function busFold(context) {
  return lateFold(el("summary", {}, t("devices.header")), () => {
    const inside = el("div", { class: "say" });
    orWhy(inside, async () => (await import("./bus.js")).busPart(inside, context));
    return inside;
  }, { class: "card wide" });
}

export function foundRow(one, profiles, { may, api, change, reload }, place = null) {
  const isOwner = may("owner"), path = `/found/${encode(one.identity)}`;
  const isNew = ["unknown", "found", "ignored", "faulty"].includes(one.state);
  const names = one.candidates?.length ? one.candidates : profiles.filter((profile) => !profile.kind || profile.kind === "usb-serial").map((profile) => profile.id);
  const which = el("select", { "aria-label": t("devices.which") }, names.map((name) => asIs(profiles.find((profile) => profile.id === name)?.name ?? name, "option", { value: name })));
  const name = el("input", { "aria-label": t("devices.id"), placeholder: t("devices.id"), maxlength: "32", autocapitalize: "none" });
  return el("li", {}, el("div", { class: "split" }, asIs(one.name ?? one.node ?? one.identity, "strong"), el("span", { class: "chip" }, code("found", one.state))),
    el("p", {}, code("found.words", one.state, ""), " ", ["unknown", "faulty", "found"].includes(one.state) ? quoted(one.why) : ""), asIs([one.node, one.usb, one.identity].filter(Boolean).join(" · "), "p", { class: "quiet" }), place,
    isOwner && isNew ? el("details", {}, el("summary", {}, t("devices.adopt")), el("div", { class: "form" }, names.length ? which : null, name,
      action(t("devices.adopt"), async () => {
        await api.send("POST", `${path}/adopt`, { ...(names.length ? { profile: which.value } : {}), ...(name.value.trim() ? { name: name.value.trim() } : {}) });
        await refresh().catch(() => {});
        reload();
      }, { class: "first" }))) : null,
    isOwner ? el("div", { class: "row" }, ["unknown", "found"].includes(one.state) ? action(t("devices.ignore"), () => change("POST", `${path}/ignore`)) : null,
      one.state === "absent" && one.name ? button(t("devices.forget"), confirmed(t("devices.forget.sure", { name: one.name }), t("devices.forget"), () => change("DELETE", `/devices/${encode(one.name)}`))) : null) : null);
}
