// Sensors on the header: what answers on the I²C buses, and what an owner has the kernel or the station read.
import { asIs, choice, el, quoted } from "../dom.js";
import { has, loadMore, t } from "../i18n.js";
import { action, deviceTitle } from "../words.js";

/** A look takes up to 20 s, a driver 15 more, and a look follows. */
const PATIENCE = 60000;
const NEXT = ["noDevice", "noAccess", "hangs", "everywhere", "fails", "partly"];

/** The section of the page Devices: it looks only when it is asked to. */
export async function busPart(root, { api, reload }) {
  await loadMore("bus");
  const said = el("div", { role: "status" }), found = el("div", { class: "say" }), wires = el("div");
  let own = null;
  const look = () => act("GET", "/buses");
  const looking = action(t("bus.look"), look, { class: "first" });
  root.append(el("p", {}, t("bus.words")), looking, said, found, wires);
  // A bus that hangs keeps no owner from a sensor with a wire of its own.
  let used = [];
  const askWires = async () => {
    [own, used] = await Promise.all([api.maybe("/wires").catch(() => null), api.maybe("/pins").then((report) => (report?.items ?? []).filter((pin) => pin.line && pin.device).map((pin) => pin.line.replace("GPIO", ""))).catch(() => [])]);
    if (own?.isImage) wires.replaceChildren(el("h3", {}, t("bus.wires")), chosenWires());
  };
  await askWires();

  /** Asks and draws the answer, which is a new look each time. */
  async function act(method, path, body) {
    const report = method === "GET" ? await api.get(path, undefined, { patience: PATIENCE }) : await api.send(method, path, body, { patience: PATIENCE });
    draw(report);
    if (method !== "GET") await reload();
  }

  function draw({ buses, overlays, outcome, why }) {
    said.replaceChildren(...(outcome ? [el("p", {}, asIs(`${outcome.address} · ${outcome.name}`, "strong"), " ", t(`bus.outcome.${outcome.state}`)), outcome.direct ? el("p", {}, t("bus.outcome.direct.next")) : ""] : []));
    found.replaceChildren(...(why ? (outcome ? [el("p", { class: "quiet" }, quoted(why))] : [el("p", {}, t("bus.none")), el("p", {}, t("bus.none.next"))]) : buses.flatMap(bus)));
    if (own?.isImage) return;
    wires.replaceChildren(el("details", {}, el("summary", {}, t("bus.wires")), el("p", {}, t("bus.wires.words")),
      el("ul", { class: "list" }, overlays.map(({ name, line }) => el("li", {}, asIs(name), " ", asIs(line, "code"))))));
  }

  /** On Roost's own image the page chooses them; the board has them from its next start on. */
  function chosenWires() {
    const { used: now = [], next = [], isAble, problem } = own.state ?? {}, part = el("div"), isKnown = (name) => own.overlays.includes(name);
    if (isAble === false) return el("p", {}, t("bus.wires.old"));
    const say = (name) => { if (!isKnown(name)) return name; const at = name.lastIndexOf("-"); return `${t(`bus.wires.${name.slice(0, at)}`)} · GPIO${name.slice(at + 1)}`; };
    const taken = new Set([...used, ...next.map((name) => name.split("-").at(-1))]);
    const kind = choice(["w1-gpio", "dht11"].map((name) => [name, t(`bus.wires.${name}`)]), "dht11", { "aria-label": t("bus.wires.kind") });
    const pins = [...new Set(own.overlays.map((name) => name.split("-").at(-1)))].filter((pin) => !taken.has(pin)), pin = choice(pins.map((one) => [one, `GPIO${one}`]), pins[0], { "aria-label": t("bus.wires.pin") });
    const write = async (overlays, restarts) => {
      own = await api.send("PUT", "/wires", { overlays: overlays.filter(isKnown), restarts });
      if (restarts) return void part.replaceChildren(el("p", { role: "status" }, t("bus.wires.restarting")));
      for (let turn = 0; own.isBusy && turn < 20; turn += 1) { await new Promise((done) => setTimeout(done, 500)); own = await api.get("/wires"); }
      part.replaceWith(chosenWires());
    };
    const row = (name, state, ...more) => el("li", { class: "split" }, asIs(say(name)), el("span", { class: "chip" }, t(`bus.wires.${state}`)), ...more);
    part.append(el("p", {}, t("bus.wires.own")), problem ? el("p", { class: "wrong" }, quoted(problem)) : "", own.isBusy ? el("p", { role: "status" }, t("bus.wires.busy")) : "",
      el("div", { class: "row" }, kind, pin, action(t("bus.use"), () => write([...next, `${kind.value}-${pin.value}`]))),
      el("ul", { class: "list" }, next.map((name) => row(name, now.includes(name) ? "used" : "next", action(t("bus.forget"), () => write(next.filter((one) => one !== name))))),
        now.filter((name) => !next.includes(name)).map((name) => row(name, "going"))),
      [...now].sort().join() !== [...next].sort().join() ? el("div", { class: "row" }, action(t("bus.wires.restart"), () => write(next, true))) : "");
    return part;
  }

  function bus({ number, name, state, why, parts }) {
    const rows = parts.map((part) => row(part, `/buses/${number}/${part.address}`));
    return [el("h3", {}, asIs(`i2c-${number}`), " ", asIs(name, "small")),
      state === "seen" ? null : el("p", {}, t(`bus.state.${state}`), " ", state === "noAccess" || state === "fails" ? quoted(why) : ""),
      NEXT.includes(state) ? el("p", {}, t(`bus.state.${state}.next`)) : null,
      rows.length ? el("ul", { class: "list" }, rows) : state === "seen" ? el("p", { class: "quiet" }, t("bus.empty")) : null].filter(Boolean);
  }

  function row({ address, state, name, driver, device, looksLike, isListed }, path) {
    const names = looksLike.map((one) => one.name).join(" · ");
    const ways = looksLike.flatMap(({ name: called, kernelName, direct }) => [kernelName && state !== "undriven" ? [kernelName, called] : null, direct ? [direct, t("bus.direct", { name: called })] : null]).filter(Boolean);
    const canUse = ["found", "possible", "undriven"].includes(state) && ways.length > 0;
    const which = choice(ways, ways[0]?.[0], { "aria-label": t("bus.which", { address }) });
    return el("li", { class: "say" }, el("div", { class: "split" }, asIs([address, name].filter(Boolean).join(" · "), "strong"), el("span", { class: "chip" }, t(`bus.part.${state}`))),
      el("p", {}, t(`bus.part.${state}.words`, { driver: driver ?? "", device: device ? deviceTitle(device) : "" }), " ", asIs(names)),
      has(`bus.part.${state}.next`) ? el("p", { class: "quiet" }, t(`bus.part.${state}.next`)) : null,
      canUse ? el("div", { class: "row" }, ways.length > 1 ? which : null, action(t("bus.use"), () => act("PUT", path, { name: which.value }))) : null,
      isListed || state === "direct" ? el("div", { class: "row" }, action(t("bus.forget"), () => act("DELETE", path))) : null);
  }
}
