// The camera's settings: which one, what it takes, when it takes nothing; with a picture to see what they do.
import { KEEPING, address } from "../api.js";
import { asIs, button, card, el, quoted } from "../dom.js";
import { field, isNoNumber } from "../form.js";
import { bytes, number } from "../format.js";
import { loadMore, t } from "../i18n.js";
import { action } from "../words.js";
import { stepList, triedForm } from "./entryform.js";

/** A picture may take a minute, and the end of a live picture another. */
const PATIENCE = 135000;
const SIZES = ["320×240", "640×360", "640×480", "1280×720", "1920×1080"];
const ROWS_MAX = 16, NONE = "";

/** The settings; `isAbsent` where the camera's program does not run. */
export async function load(api) {
  const [data] = await Promise.all([api.get("/camera/settings").catch((problem) => {
    if (problem.type !== "station-down") throw problem;
    return { isAbsent: true };
  }), loadMore("camera")]);
  return data;
}

export function make(root, context) {
  const said = el("p", { class: "row", role: "status" });
  let drawn = "";

  /** Shows what is in use now, and offers the way back. */
  function kept(view, words) {
    draw(view);
    said.replaceChildren(el("span", {}, words), view.canUndo ? action(t("do.undo"), () => undo(view), { class: "small" }) : "");
  }

  async function undo({ tag }) {
    kept(await context.api.send("POST", "/camera/settings/undo", { tag }, { patience: KEEPING }), t("camera.undone"));
  }

  function draw(view) {
    drawn = JSON.stringify(view);
    if (view.isAbsent) return root.replaceChildren(card(null, el("p", { class: "big" }, t("records.camera.stopped")), el("p", {}, t("camera.absent")), el("p", {}, asIs("sudo systemctl start roost-eyes", "code"))));
    const state = view.trouble ? [el("p", { class: "big" }, t("camera.broken")), el("p", { class: "wrong" }, quoted(view.trouble)),
      view.canUndo ? el("div", { class: "row" }, action(t("camera.before"), () => undo(view), { class: "first" })) : null]
      : [el("p", { class: "big" }, t(view.isOn ? "camera.on" : "camera.off")), el("p", { class: "quiet" }, t("camera.when"))];
    const links = view.isOn && valueOf(view, "live.isOn") ? el("div", { class: "row" }, el("a", { class: "button", href: "/live" }, t("livepicture.title"))) : null;
    root.replaceChildren(card(null, state.filter(Boolean), said, links), view.trouble ? "" : settingsCard(view, context, kept));
  }
  // A page that looks again keeps what is typed and tried, where nothing else changed.
  return { update(view) {
    if (JSON.stringify(view) === drawn) return;
    said.replaceChildren();
    draw(view);
  } };
}

const settingOf = (view, key) => view.settings.find((one) => one.key === key);
const valueOf = (view, key) => JSON.parse(settingOf(view, key).value);
const isLocked = (view, key) => settingOf(view, key).origin === "file";
const locking = (view, locked) => (locked ? [" ", t("camera.locked"), " ", asIs(view.file)] : []);
const nameOf = (key) => key.replaceAll(".", "/");

function settingsCard(view, { api }, kept) {
  const fields = [device(view), view.hasProgram ? null : size(view, "camera.width", t("camera.size"), t("camera.size.hint")), flag(view, "record", t("camera.record"), t("camera.record.hint")),
    count(view, "retentionDays", t("camera.days")), flag(view, "live.isOn", t("camera.live"), t("camera.live.hint")),
    size(view, "live.width", t("camera.live.size")), count(view, "live.framesPerSecond", t("camera.live.rate")), masks(view), covers(view)].filter(Boolean);
  const typed = () => {
    const settings = structuredClone(view.own);
    for (const one of fields) if (!one.isLocked) one.put(settings);
    return settings;
  };
  return card(t("camera.settings"), triedForm([...fields, el("p", { class: "hint" }, t("camera.try.hint"))], t("camera.try"), {
    save: async () => kept(await api.send("PUT", "/camera/settings", { tag: view.tag, settings: typed() }, { patience: KEEPING }), t("camera.saved")),
    attempt: async () => {
      const answer = await api.send("POST", "/camera/settings/try", { settings: typed() }, { patience: PATIENCE });
      if (answer.trial) fields.at(-1).see(address("/camera/settings/picture", { trial: answer.trial }));
      return outcome(answer);
    },
    check: () => Object.fromEntries(fields.map((one) => [one.name, one.wrong?.()])),
    placed: (pointer) => pointer.replace(/height$/, "width").replace(/^\/(masks|covers)\/.*/, "/$1"),
  }));
}

/** A field with what it puts into the owner's settings; one that `eyes.json` sets says so. */
function setting(view, key, label, control, hint, read) {
  const locked = isLocked(view, key);
  control.disabled = locked;
  const node = field(nameOf(key), label, { control, hint: [hint, ...locking(view, locked)] });
  return Object.assign(node, { isLocked: locked, put(settings) {
    for (const [name, value] of Object.entries(read(node.input))) if (JSON.stringify(value) !== settingOf(view, name).value) place(settings, name, value);
  } });
}

function place(settings, key, value) {
  const names = key.split("."), last = names.pop();
  names.reduce((at, name) => (at[name] ??= {}), settings)[last] = value;
}

function device(view) {
  const given = valueOf(view, "camera.device"), key = "camera.device";
  if (view.hasProgram) return Object.assign(el("div", { class: "field" }, el("p", {}, t("camera.program"), " ", asIs(view.file))), { isLocked: true });
  const known = [...view.cameras.map((one) => [one.device, `${one.name || one.path} · ${one.device}`]), ["any", null]];
  if (given && !known.some(([name]) => name === given)) known.push([given, t("camera.missing", { device: given })]);
  const control = el("select", {}, el("option", { value: NONE, selected: !given }, t("camera.none")),
    known.map(([value, words]) => (words ? asIs(words, "option", { value, selected: value === given }) : el("option", { value, selected: value === given }, t("camera.any")))));
  const node = setting(view, key, t("camera.device"), control, t("camera.device.hint"), () => ({}));
  // Without a camera nothing is left of it; a size alone switches none on.
  node.put = (settings) => {
    if (control.value === NONE) delete settings.camera; else if (control.value !== given) place(settings, key, control.value);
  };
  return node;
}

function size(view, key, label, hint = "") {
  const high = key.replace("width", "height"), given = valueOf(view, key) && `${valueOf(view, key)}×${valueOf(view, high)}`;
  const control = el("select", {}, [...new Set([...SIZES, given])].filter(Boolean).map((one) => asIs(one.replace("×", " × "), "option", { value: one, selected: one === given })));
  return setting(view, key, label, control, hint, ({ value }) => ({ [key]: Number(value.split("×")[0]), [high]: Number(value.split("×")[1]) }));
}

const flag = (view, key, label, hint) => setting(view, key, label, el("input", { type: "checkbox", checked: valueOf(view, key) === true }), hint, ({ checked }) => ({ [key]: checked }));

function count(view, key, label) {
  const { low, high } = settingOf(view, key), control = el("input", { type: "number", min: low, max: high, step: 1, value: valueOf(view, key), required: true });
  const node = setting(view, key, label, control, t("settings.range", { least: low, most: high }), ({ value }) => ({ [key]: Number(value) }));
  node.wrong = () => (isNoNumber(node) || !node.input.value ? t("form.number") : null);
  return node;
}

/**
 * A setting of rows, each of inputs with their names: `usual` is a fresh one, `props` are those of its inputs, `between` is what its
 * texts are joined with; `isWrong(texts)` judges one. `drawn()` is called when rows come, change or go; `above` is over them.
 */
function rowsOf(view, key, { names, usual, props, between, isWrong, drawn = () => {}, above = "" }) {
  const locked = isLocked(view, key), list = el("div", { class: "form" }), wrong = el("p", { class: "wrong", role: "alert" });
  const add = button(t(`camera.${key}.add`), () => { addRow(usual); list.lastChild.querySelector("input").focus(); }, { disabled: locked });
  const rows = () => [...list.children].map((row) => [...row.querySelectorAll("input")].map((one) => one.value.trim()));
  const changed = () => { add.disabled = locked || list.children.length >= ROWS_MAX; drawn(); };

  function addRow(texts) {
    const one = (name, index) => el("label", {}, t(`camera.${key}.${name}`), " ",
      el("input", { ...props, required: true, disabled: locked, value: texts[index], oninput: changed }));
    const row = el("div", { class: "row" }, names.map(one),
      button(t("camera.masks.remove"), () => { row.remove(); changed(); add.focus(); }, { class: "small", disabled: locked }));
    list.append(row);
    changed();
  }

  const node = el("fieldset", { class: "field" }, el("legend", {}, t(`camera.${key}`)),
    el("p", { class: "hint" }, t(`camera.${key}.hint`), ...locking(view, locked)), above, list, wrong, el("div", { class: "row" }, add));
  return Object.assign(node, {
    name: key, isLocked: locked, input: add, rows, addRow,
    wrong: () => (rows().some(isWrong) ? t(`camera.${key}.wrong`) : null),
    fail(words) { wrong.replaceChildren(...[words ?? ""].flat()); },
    put(settings) {
      const now = rows().map(between);
      if (JSON.stringify(now) !== settingOf(view, key).value) settings[key] = now;
    },
  });
}

/** Times of day without pictures: each with its own two fields. */
function masks(view) {
  const node = rowsOf(view, "masks", { names: ["from", "to"], usual: ["22:00", "06:00"], props: { type: "time" },
    between: (row) => row.join("-"), isWrong: ([from, to]) => !from || !to || from === to });
  for (const one of valueOf(view, "masks")) node.addRow(one.split("-"));
  return node;
}

/** Parts of the picture that are black: drawn on the last picture that was tried, or typed in percent. */
function covers(view) {
  const stage = el("div", { class: "stage" }), parts = el("div", { "aria-hidden": "true" });
  stage.style.cssText = "position:relative;touch-action:none;aspect-ratio:16/9;overflow:hidden;border-radius:5px;background:var(--hair)";
  stage.append(parts);
  const areaOf = (row) => row.map((text) => (text ? Math.round(Number(text.replace(",", ".")) * 10) : NaN));
  const fits = ([left, top, width, height]) => left >= 0 && top >= 0 && width > 0 && height > 0 && left + width <= 1000 && top + height <= 1000;
  const node = rowsOf(view, "covers", { names: ["left", "top", "width", "height"], usual: [0, 0, 25, 25], props: { type: "number", min: 0, max: 100, step: 0.1 },
    between: (row) => areaOf(row).join(" "), isWrong: (row) => !fits(areaOf(row)), drawn: () => paint(),
    above: [view.coverTrouble ? el("p", { class: "wrong" }, t("camera.covers.ratio")) : "", stage] });

  function paint(extra = []) {
    parts.replaceChildren(...[...node.rows().map(areaOf), ...extra].filter(fits).map(([left, top, width, height]) => {
      const part = el("div");
      part.style.cssText = `position:absolute;background:#000c;outline:1px solid #fff;left:${left / 10}%;top:${top / 10}%;width:${width / 10}%;height:${height / 10}%`;
      return part;
    }));
  }

  /** Where a finger or the mouse is, in thousandths of the picture. */
  function place({ clientX, clientY }) {
    const { left, top, width, height } = stage.getBoundingClientRect();
    const part = (value, whole) => Math.min(1000, Math.max(0, Math.round(value / whole * 1000)));
    return [part(clientX - left, width), part(clientY - top, height)];
  }
  let from = null;
  const area = ([x, y]) => [Math.min(x, from[0]), Math.min(y, from[1]), Math.abs(x - from[0]), Math.abs(y - from[1])];
  stage.addEventListener("pointerdown", (event) => {
    if (node.input.disabled || event.button !== 0) return;
    event.preventDefault();
    stage.setPointerCapture(event.pointerId);
    from = place(event);
  });
  stage.addEventListener("pointermove", (event) => { if (from) paint([area(place(event))]); });
  stage.addEventListener("pointercancel", () => { from = null; paint(); });
  stage.addEventListener("pointerup", (event) => {
    if (!from) return;
    const drawn = area(place(event));
    from = null;
    if (drawn[2] >= 10 && drawn[3] >= 10) addCover(drawn); else paint();
  });
  const addCover = (thousandths) => node.addRow(thousandths.map((one) => one / 10));
  for (const one of valueOf(view, "covers")) addCover(one.split(" "));
  /** Shows the picture to draw on as the camera gives it, whichever way up it says that it is. */
  return Object.assign(node, { see(src) {
    const image = el("img", { alt: t("camera.covers.alt"), src, draggable: "false" });
    image.style.cssText = "display:block;width:100%;image-orientation:none";
    stage.style.aspectRatio = "auto";
    stage.replaceChildren(image, parts);
  } });
}

function outcome({ steps, trial, byteCount, width, height, seconds, isOfLive }) {
  const size = width ? t("camera.tried", { width, height, size: bytes(byteCount), seconds: number(seconds, 1) }) : "";
  return [el("p", {}, el("strong", {}, trial ? t("camera.taken") : t("camera.failed")), " ", size),
    isOfLive ? el("p", { class: "hint" }, t("camera.tried.live")) : "",
    trial ? el("div", { class: "frame wide" }, el("img", { alt: t("camera.tried.alt"), src: address("/camera/settings/picture", { trial }) })) : "",
    stepList(steps.filter(({ state }) => !trial || state !== "skipped"), (one) => [el("strong", {}, t(`camera.step.${one.name}`)),
      `: ${t(`camera.state.${one.state}`)} `, isOfLive && one.name === "picture" ? "" : quoted(one.sentence)])].filter(Boolean);
}
