// The pins of the header as they stand on the board: what uses each, and for an owner what can be put there and tried.
import { asIs, button, choice, dialog, el, fold, quoted, show } from "../dom.js";
import { field, form } from "../form.js";
import { duration } from "../format.js";
import { code, has, loadMore, plural, t } from "../i18n.js";
import { live } from "../live.js";
import { header } from "../parts.js";
import { action, confirmed, deviceOf, deviceTitle, problemWords, quantityOf } from "../words.js";
import { offerBack, said } from "./entryform.js";

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

// MARK: The forms: what a device is called, where it is and how it works; and one on the network

/** A lamp of the configuration file has no origin. */
const isFromFile = ({ origin }) => (origin ?? "file") === "file";
const isHTTP = ({ location }) => location.startsWith("http");
const motionSensors = (devices) => devices.filter((one) => one.type === "pir").map((one) => one.name);
const dustSensors = () => [...new Set((live.station?.channels ?? []).filter((one) => quantityOf(one.id) === "pm25").map((one) => deviceOf(one.id)))];

/** What a lamp shows, and the device that it follows; a traffic light always shows the air. */
function lampFields(device, devices, disabled) {
  const shows = showsField(device.shows, disabled), list = el("select", { name: "follows", disabled }), follows = field("follows", t("pins.follows"), { control: list, hint: t("pins.follows.hint") });
  const adapt = () => {
    const isLevel = shows.input.value === "level", names = isLevel ? dustSensors() : motionSensors(devices);
    const all = shows.input.value === device.shows && device.follows ? [...new Set([...names, device.follows])] : names;
    list.replaceChildren(el("option", { value: "" }, t(isLevel ? "pins.follows.first" : "pins.follows.each")), ...all.map((one) => asIs(deviceTitle(one), "option", { value: one })));
    list.value = shows.input.value === device.shows ? device.follows ?? "" : "";
    show(follows, isLevel || shows.input.value === "motion");
  };
  shows.input.addEventListener("change", adapt);
  adapt();
  return device.type === "led" ? [shows, follows] : [follows];
}

/** Dialog to change a device; values fixed by its file are shown and locked. */
export function changeDialog(device, { devices, lines, channels }, context) {
  const { api } = context, path = `/devices/${encodeURIComponent(device.name)}`, isOwn = device.origin === "owner", isLocked = isFromFile(device), measures = channels.length > 0;
  const done = async () => { box.close(); await live.refresh().catch(() => {}); context.reload(); };
  const fields = [field("title", t("devices.name"), { value: device.title ?? "", placeholder: device.name, maxlength: "64", autocomplete: "off", hint: t("devices.title.hint") })];
  if (isHTTP(device)) {
    fields.push(field("address", t("devices.field.address"), { value: device.location, required: true, autocomplete: "off", disabled: !isOwn }));
  }
  if (lines.length) fields.push(field("line", t("devices.pin"), { value: lines.join(", "), required: true, autocomplete: "off", autocapitalize: "characters", spellcheck: "false", disabled: !isOwn }));
  if (device.shows) fields.push(...lampFields(device, devices, !isOwn));
  const interval = device.intervalSeconds ? intervalField(isHTTP(device), device) : null;
  if (interval) fields.push(interval);
  const name = field("name", t("devices.id"), { value: device.name, maxlength: "64", required: true, autocomplete: "off", autocapitalize: "none", spellcheck: "false", disabled: isLocked, hint: t("devices.id.hint") });
  fields.push(Object.assign(fold(t("devices.more"), name), { fields: [name] }));
  if (typeof device.resets === "boolean") fields.push(resetField(device, !isOwn));
  const keep = el("input", { type: "checkbox", checked: device.records !== false });
  const changed = (values) => {
    const body = {};
    if (values.title.trim() !== (device.title ?? "")) body.title = values.title.trim();
    if (values.name.trim() !== device.name) body.name = values.name.trim();
    if (values.address !== undefined && values.address.trim() !== device.location) body.address = values.address.trim();
    if (values.line !== undefined && values.line.trim() !== lines.join(", ")) {
      const given = values.line.split(/[\s,]+/).filter(Boolean);
      if (lines.length > 1) body.lines = given; else body.line = given.join("");
    }
    if (values.shows !== undefined && values.shows !== device.shows) body.shows = values.shows;
    if (values.follows !== undefined && values.follows !== (body.shows ? "" : device.follows ?? "")) body.follows = values.follows;
    if (interval && values.intervalSeconds !== interval.before) body.intervalSeconds = Number(values.intervalSeconds);
    if (values.resets !== undefined && values.resets !== device.resets) body.resets = values.resets;
    if (measures && keep.checked !== (device.records !== false)) body.record = keep.checked;
    return body;
  };
  const edit = form(fields, t("do.save"), async (values) => {
    const body = changed(values);
    said.remove();
    if (Object.keys(body).length) await api.send("PATCH", path, body);
    if (Object.keys(body).join() === "title") {
      document.querySelector(".page.devices").prepend(said);
      offerBack(body.title || device.name, "do.saved", async () => { await api.send("PATCH", path, { title: device.title ?? "" }); return done; });
    }
    return done();
  });
  if (measures) {
    edit.insertBefore(el("div", { class: "field" }, el("label", { class: "check" }, keep, t("devices.keep")), el("p", { class: "hint" }, t("devices.keep.words"))), edit.lastElementChild.previousElementSibling);
  }
  const forget = isLocked ? null : fold(t("devices.forget"), el("p", {}, t(isOwn ? "devices.remove.words" : "devices.forget.words")),
    button(t("devices.forget"), confirmed(t("devices.forget.sure", { name: device.title ?? device.name }), t("devices.forget"), async () => { await api.send("DELETE", path); await done(); })));
  const box = dialog(t("devices.change.of", { name: device.title ?? device.name }), t("do.close"), isLocked ? el("p", { class: "quiet" }, t("devices.fromFile")) : null, edit, forget);
}

/** An HTTP device may be asked each second; a part that rests in between needs a minute. */
function intervalField(isQuick, { intervalSeconds, hasFixedInterval = true }) {
  const slider = el("input", { type: "range", name: "intervalSeconds", min: isQuick ? "1" : "60", max: isQuick ? "3600" : "86400", step: isQuick ? "1" : "60", disabled: hasFixedInterval });
  slider.value = intervalSeconds;
  // In live mode values come more often than the slider goes: only a moved one is another interval.
  const before = slider.value;
  const said = el("output", { class: "hint" }, duration(intervalSeconds));
  slider.addEventListener("input", () => { said.textContent = duration(Number(slider.value)); slider.setAttribute("aria-valuetext", said.textContent); });
  const node = field("intervalSeconds", t("devices.field.interval"), { control: slider });
  node.append(said);
  return Object.assign(node, { before });
}

/** Asks for an HTTP device at an address of the local network. */
export function addDialog(profiles, { api, reload }) {
  const isGeneric = ({ id }) => id.startsWith("generic");
  const types = profiles.filter((profile) => profile.kind === "http").sort((a, b) => isGeneric(a) - isGeneric(b));
  const type = el("select", { name: "type" }, types.map((one) => asIs(one.name ?? one.id, "option", { value: one.id })));
  const fields = [field("name", t("devices.id"), { required: true, maxlength: "64", autocomplete: "off", autocapitalize: "none", hint: t("devices.id.hint") }),
    field("address", t("devices.field.address"), { required: true, placeholder: "192.168.1.20:3000", hint: t("devices.address.hint"), autocomplete: "off", inputmode: "url" }),
    field("type", t("devices.which"), { control: type }), intervalField(true, { intervalSeconds: 5, hasFixedInterval: false })];
  const box = dialog(t("devices.http.add"), t("do.close"), form(fields, t("devices.http.do"), async (values) => {
    await api.send("POST", "/devices", { name: values.name.trim(), type: values.type, address: values.address.trim(), intervalSeconds: Number(values.intervalSeconds) });
    box.close();
    await live.refresh().catch(() => {});
    await reload();
  }));
}
