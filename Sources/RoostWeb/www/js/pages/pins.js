// The pins of the header as they stand on the board: what uses each, and for an owner what can be put there and tried.
import { asIs, button, choice, dialog, el, quoted, show } from "../dom.js";
import { field, form } from "../form.js";
import { code, has, loadMore, plural, t } from "../i18n.js";
import { live } from "../live.js";
import { header } from "../parts.js";
import { action, deviceTitle, problemWords } from "../words.js";

/** A try lasts 5 s at most. */
const PATIENCE = 12000;
/** A glyph beside the words, so that no state is told by its colour alone. */
const GLYPHS = { free: "○", device: "●", program: "✕", absent: "–" };
const NAMES = { led: "lamp", pir: "door", button: "button" };
/** Whether a held button can give this station away, as the last answer said; null before one. */
let canReset = null;

/** Whether a button gives the station away: only where it works, unless it is to be taken back. */
export function resetField(device, disabled) {
  const input = el("input", { type: "checkbox", name: "resets", checked: device?.resets === true, disabled: disabled || (canReset === false && !device?.resets) });
  return field("resets", t("pins.resets"), { control: input, hint: t(canReset === false ? "pins.resets.none" : "pins.resets.words") });
}

/** What a lamp shows. */
export const showsField = (chosen, disabled) => field("shows", t("pins.shows"),
  { control: choice(["station", "motion", "level", "camera"].map((one) => [one, t(`pins.shows.${one}`)]), chosen, { name: "shows", disabled }) });

/** The section of the page Devices; `update` draws it anew. */
export function pinsPart(root, context, profiles) {
  let chosen = null, items = [], drawn = null;
  async function update() {
    try {
      const [report] = await Promise.all([context.api.get("/pins"), loadMore("pins")]);
      // A header that is the same stays: a pin under a finger or with the focus.
      const now = JSON.stringify([report, live.station?.titles]);
      if (drawn === now) return;
      [drawn, items, canReset] = [now, report.items, report.canReset ?? null];
      root.replaceChildren(el("h2", {}, t("pins.title")), ...(report.state === "seen" ? [el("p", {}, t("pins.words")), board(), legend(), ...items.filter((one) => one.resets).map(awayWords)] : absence(report)));
    } catch (problem) {
      drawn = null;
      root.replaceChildren(el("div", { role: "alert" }, problemWords(problem)), el("div", { class: "row" }, button(t("page.again"), update)));
    }
  }
  function board() {
    const cells = items.map((pin) => cell(pin, () => { chosen = pin.number; pinDialog(pin, items, { ...context, profiles: profiles() }, update); }));
    const first = cells[(chosen ?? 1) - 1];
    first.tabIndex = 0;
    const list = header(cells, { role: "group", "aria-label": t("pins.header") });
    list.addEventListener("keydown", (event) => {
      const at = cells.indexOf(event.target), step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -2, ArrowDown: 2 }[event.key];
      const next = event.key === "Home" ? cells[0] : event.key === "End" ? cells.at(-1) : cells[at + step];
      if (at < 0 || !next) return;
      event.preventDefault();
      cells[at].tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
    return list;
  }
  return { update };
}

const absence = ({ state, why }) => [el("p", {}, t(`pins.${state}`)), el("p", { class: "quiet" }, quoted(why)), el("p", {}, t(`pins.${state}.next`))];

const legend = () => el("ul", { class: "swatches legend" }, ["free", "device", "program"].map((state) => el("li", {}, el("span", { "aria-hidden": "true" }, GLYPHS[state]), t(`pins.${state}`))),
  el("li", {}, el("span", { "aria-hidden": "true" }, "!"), t("pins.risky")));

/** Who gives the station away, so that no owner has to remember it. */
const awayWords = (pin) => el("p", {}, asIs(`${deviceTitle(pin.device)} · ${pin.line}`, "strong"), ": ", t(canReset === false ? "pins.resets.cannot" : "pins.resets.can"));

const nameOf = (pin) => pin.line ?? t(`pins.${pin.kind}`);

function useOf(pin) {
  if (pin.kind !== "line") return "";
  if (pin.state === "device") return deviceTitle(pin.device);
  return pin.state === "program" && pin.holder ? pin.holder : t(`pins.${pin.state}`);
}

function cell(pin, open) {
  const said = [t("pins.pin", { n: pin.number }), nameOf(pin), useOf(pin), pin.risk && t("pins.risky")].filter(Boolean).join(", ");
  return el("button", { type: "button", onclick: open, class: `is-${pin.state ?? pin.kind}`, tabindex: "-1", "aria-label": said },
    el("span", { "aria-hidden": "true" }, pin.line ? asIs(`${GLYPHS[pin.state]} ${pin.line}${pin.risk ? " !" : ""}`) : nameOf(pin),
      pin.state === "device" || pin.holder ? asIs(useOf(pin), "small") : null),
    el("b", { "aria-hidden": "true" }, String(pin.number)));
}

/** The nearest pin of a kind: what is wired stands close together. */
const nearest = (pin, kind, items) => items.filter((one) => one.kind === kind).sort((a, b) => Math.abs(a.number - pin.number) - Math.abs(b.number - pin.number))[0]?.number;

function pinDialog(pin, items, context, update) {
  const { may, api } = context, isOwner = may("owner"), canAdd = pin.state === "free" && isOwner;
  const state = pin.kind === "line" ? el("p", {}, t(`pins.${pin.state}.words`, { line: pin.line }), " ", pin.device ? asIs(deviceTitle(pin.device), "strong") : pin.state === "program" ? quoted(pin.holder) : "") : el("p", {}, t(`pins.${pin.kind}.words`));
  const busy = pin.device && pin.holder ? el("p", { class: "wrong" }, t("pins.wants"), " ", quoted(pin.holder)) : null;
  const risk = pin.risk ? el("p", {}, el("strong", {}, t("pins.risky"), ": "), t(`pins.risk.${pin.risk}`)) : null;
  const away = pin.resets ? awayWords(pin) : null;
  const box = dialog(`${t("pins.pin", { n: pin.number })} · ${nameOf(pin)}`, t("do.close"), state, away, busy, risk,
    pin.state === "device" && isOwner ? tryRow(pin, () => null, api) : null,
    canAdd ? adding(pin, items, context, async () => { box.close(); await live.refresh().catch(() => {}); await context.reload(); await update(); }) : null);
}

const tryRow = (pin, type, api) => el("div", { class: "try" }, el("p", { class: "quiet" }, t("pins.try.words")), el("div", { class: "row" }, action(t("pins.try"), async () => {
  const chosen = type(), report = await api.send("POST", `/pins/${pin.line}/try`, chosen ? { type: chosen } : {}, { patience: PATIENCE });
  if (report.isOutput) return t("pins.tried.output", { n: report.seconds });
  return `${plural("pins.tried.changes", report.changeCount)} ${t(report.isActive ? "pins.tried.active" : "pins.tried.idle")}`;
})));

function adding(pin, items, { api, profiles }, done) {
  const hasLamps = items.some((one) => one.device === "lights");
  const parts = profiles.filter((one) => one.kind === "gpio" && !(one.driver === "traffic-light" && hasLamps));
  const which = el("select", { name: "type" }, parts.map((one) => el("option", { value: one.id, translate: has(`pins.part.${one.id}`) ? null : "no" }, code("pins.part", one.id, one.name))));
  const kind = () => parts.find((one) => one.id === which.value)?.driver;
  const name = field("name", t("devices.id"), { required: true, maxlength: "64", autocomplete: "off", autocapitalize: "none", spellcheck: "false", hint: t("devices.id.hint") });
  const shows = showsField("station", false), resets = resetField(null, false);
  const free = items.filter((one) => one.state === "free" && (one === pin || one.risk !== "hatMemory")), lamps = ["red", "yellow", "green"].map((lamp, index) => {
    const list = el("select", { name: lamp }, free.map((one) => el("option", { value: one.line }, `${one.line} · ${t("pins.pin", { n: one.number })}${one.risk ? " !" : ""}`)));
    list.value = free[(free.indexOf(pin) + index) % free.length].line;
    return field(lamp, t(`pins.lamp.${lamp}`), { control: list });
  });
  const wiring = el("p", { role: "status" });
  let typed = false;
  name.input.addEventListener("input", () => { typed = true; });
  function adapt() {
    const driver = kind(), isThree = driver === "traffic-light";
    wiring.textContent = t(`pins.wire.${driver}`, { n: pin.number, ground: nearest(pin, "ground", items), power: nearest(pin, "power5V", items) });
    if (isThree) name.input.value = "lights"; else if (!typed) name.input.value = fresh(NAMES[driver] ?? driver, items);
    show(name, !isThree);
    show(shows, driver === "led");
    show(resets, driver === "button");
    for (const lamp of lamps) show(lamp, isThree);
  }
  which.addEventListener("change", adapt);
  adapt();
  return el("div", {}, form([field("type", t("devices.which"), { control: which }), wiring, name, shows, resets, ...lamps], t("pins.add"), async (values) => {
    const driver = kind(), isThree = driver === "traffic-light";
    await api.send("POST", "/devices", { type: values.type, name: values.name.trim(),
      ...(isThree ? { lines: lamps.map((lamp) => lamp.input.value) } : { line: pin.line }), ...(driver === "led" ? { shows: values.shows } : {}), ...(driver === "button" && values.resets ? { resets: true } : {}) });
    await done();
  }), tryRow(pin, () => which.value, api));
}

function fresh(stem, items) {
  const taken = new Set([...items.map((one) => one.device), ...Object.keys(live.station?.titles ?? {})]);
  for (let n = 1; ; n += 1) if (!taken.has(n === 1 ? stem : `${stem}${n}`)) return n === 1 ? stem : `${stem}${n}`;
}
