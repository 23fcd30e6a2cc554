// The forms of the page Devices: what a device is called, where it is and how it works; and one on the network.
import { asIs, button, dialog, el, fold, show } from "../dom.js";
import { field, form } from "../form.js";
import { duration } from "../format.js";
import { t } from "../i18n.js";
import { live } from "../live.js";
import { confirmed, deviceOf, deviceTitle, quantityOf } from "../words.js";
import { resetField, showsField } from "./pins.js";
import { offerBack, said } from "./entryform.js";

const encode = encodeURIComponent;

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
  const { api } = context, path = `/devices/${encode(device.name)}`, isOwn = device.origin === "owner", isLocked = isFromFile(device), measures = channels.length > 0;
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
