// The first step: which sensors are plugged in, as they come.
import { asIs, button, card, el, keyed, setMark, setText, show } from "../dom.js";
import { loadFacts } from "../facts.js";
import { field, form } from "../form.js";
import { duration } from "../format.js";
import { code, loadMore, plural, t } from "../i18n.js";
import { live, refresh } from "../live.js";
import { isNeverMeasured, measured, quantityName, quantityOf } from "../words.js";
import { channelsOf, foundRow, profileOf } from "./devices.js";

/** States of a port in which nobody has said what it is. */
const OPEN = ["unknown", "found", "probing", "faulty", "ignored"];
/** The socket of an adapter, by its path in sysfs: `1.2`. */
const socketOf = (path) => /\/\d+-([\d.]+):\d/.exec(path ?? "")?.[1];

export async function load(api) {
  const [now, profiles, network] = await Promise.all([plugged(api), api.maybe("/profiles"), api.maybe("/network"), loadFacts(), loadMore("pins"), live.station ?? refresh().catch(() => null)]);
  return { ...now, profiles: profiles?.items ?? [], isAccessPoint: network?.isAccessPoint };
}

async function plugged(api) {
  const { devices, found } = await api.get("/devices");
  return { devices: devices ?? [], found: found ?? [], at: performance.now() };
}

export const summary = ({ devices }) => devices.map((one) => one.title ?? one.name).join(", ") || null;

export function make(root, context) {
  const list = el("ul", { class: "list" }), none = el("p", { class: "big", role: "status" }, t("start.sensors.none")), ports = el("ul", { class: "list" });
  const open = card(t("start.sensors.ports"), ports);
  // In the station's own Wi-Fi nothing is sent, and the page ends with it.
  const wifi = card(null, el("p", {}, t("start.wifi.words")), el("p", {}, el("a", { class: "button first", href: "/network" }, t("start.wifi.do"))));
  show(wifi, false);
  root.append(wifi, card(null, none, list), open, el("p", { class: "quiet" }, t("start.sensors.pins"), " ", el("a", { href: "/devices" }, t("devices.title"))));
  let beats = 0, known = [];
  // A problem of this question is the banner's.
  const again = () => plugged(context.api).then((now) => view.update({ ...now, profiles: known }), () => {});
  const view = {
    update({ devices, found, profiles, at, isAccessPoint }) {
      known = profiles;
      if (isAccessPoint !== undefined) show(wifi, isAccessPoint);
      show(none, !devices.length);
      show(list, devices.length > 0);
      keyed(list, devices, (one) => one.name, (one) => row(one, context), (node, one) => node.renew(one, found.find((other) => other.name === one.name), profiles, at));
      const unclear = found.filter((one) => OPEN.includes(one.state) && !devices.some((device) => device.name === one.name));
      keyed(ports, unclear, (one) => `${one.identity} ${one.state}`, (one) => (one.state === "probing" ? probed(one) : foundRow(one, profiles, context)));
      show(open, unclear.length > 0);
      const measuring = devices.filter((one) => one.intervalSeconds).length;
      context.done(devices.length > 0, measuring ? plural("devices.measure", measuring) : null);
    },
    live(kind) { if (kind === "station") again(); },
    tick() {
      for (const node of list.children) node.tick();
      // A port that was plugged in is seen within two seconds.
      if ((beats += 1) % 2 === 0) again();
    },
  };
  return view;
}

const probed = (one) => el("li", {}, el("strong", {}, asIs(one.node ?? one.identity)), el("p", { class: "quiet" }, t("start.sensors.probing")));

function row(first, context) {
  const sign = el("span"), name = asIs("", "strong"), kind = asIs("", "span", { class: "quiet" }), state = el("span", { role: "status" }), place = el("div");
  const ask = button(t("start.sensors.name"), () => {
    if (place.firstChild) return place.replaceChildren();
    const one = field("title", t("devices.name"), { value: device.title ?? "", placeholder: device.name, maxlength: "64", autocomplete: "off", hint: t("devices.title.hint") });
    place.replaceChildren(form([one], t("do.save"), async (values) => {
      const given = values.title.trim();
      if (given !== (device.title ?? "")) await context.api.send("PATCH", `/devices/${encodeURIComponent(device.name)}`, { title: given });
      place.replaceChildren();
      await refresh().catch(() => {});
      await context.reload();
    }));
    one.input.select();
  }, { class: "plain" });
  const node = el("li", { class: "finding" }, sign, el("div", {}, el("div", { class: "split" }, el("span", {}, name, " ", kind), ask), el("p", { class: "quiet" }, state), place));
  let device = first, askedAt = 0;
  node.tick = () => {
    const channels = channelsOf(device.name).filter((one) => !isNeverMeasured(one)), values = channels.filter((one) => (one.value ?? null) !== null);
    const next = device.progress?.nextInSeconds ?? device.progress?.endsInSeconds, left = (next ?? 0) - (performance.now() - askedAt) / 1000;
    const words = values.length ? values.slice(0, 2).map((one) => `${quantityName(quantityOf(one.id))} ${measured(one)}`).join(" · ")
      : left > 0 && channels.length ? t("start.sensors.first", { time: duration(left) }) : code("state", device.state);
    setText(state, [device.port, words].filter(Boolean).join(" · "));
    setMark(sign, values.length || !channels.length ? "good" : "unknown");
  };
  node.renew = (given, found, profiles, at) => {
    device = { ...given, port: socketOf(found?.path) ? t("start.sensors.socket", { n: socketOf(found.path) }) : found?.node };
    askedAt = at;
    setText(name, device.title ?? device.name);
    const profile = profileOf(device, profiles);
    setText(kind, profile ? code("pins.part", profile.id, profile.name) : device.type);
    show(ask, given.origin !== undefined && given.origin !== "file");
    node.tick();
  };
  return node;
}
