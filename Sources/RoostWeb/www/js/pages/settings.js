// The owner's settings, made from the station's own schema.
import { asIs, button, card, choice, el, menuRow, show } from "../dom.js";
import { field, form } from "../form.js";
import { duration } from "../format.js";
import { code, loadMore, t } from "../i18n.js";
import { live, refresh } from "../live.js";
import { action, quantityName, quantityOf, refusal } from "../words.js";

const PATIENCE = 20000, FIRST = ["title", "position", "zone", "levels", "tiles", "stations"];

export async function loadSettings(api) {
  const [answer] = await Promise.all([api.getTagged("/settings"), loadMore("start"), loadMore("settings")]);
  if (!live.station) await refresh().catch(() => null);
  return { ...answer.data, etag: answer.etag };
}

export async function load(api) {
  const [settings, devices] = await Promise.all([loadSettings(api), api.maybe("/devices")]);
  return { ...settings, lamps: devices?.devices?.filter((one) => one.shows === "level") };
}

export function make(root, context) {
  const said = el("p", { class: "row", role: "status" }), { api, reload } = context;

  /** Puts values in use, null takes one back; offers those before, as long as another owner changed nothing since. */
  async function change(body, before, etag) {
    const { data, etag: now } = await api.sendTagged("PATCH", "/settings", body, { etag });
    const kept = Object.keys(body).map((name) => [name, own(name, data.values, data.origins)]);
    await Promise.all([reload(), refresh().catch(() => null)]);
    said.replaceChildren(t("do.saved"), action(t("do.undo"), () => undo(kept, before, body, now), { class: "small" }));
    said.querySelector("button").focus();
  }

  /** Takes a change back where its settings are as they were kept; what another owner set elsewhere stays. */
  async function undo(kept, before, body, etag) {
    await change(before, body, etag).catch(async (problem) => {
      if (problem.type !== "precondition") throw problem;
      const { data, etag: now } = await api.getTagged("/settings");
      if (kept.some(([name, value]) => own(name, data.values, data.origins) !== value)) throw problem;
      await change(before, body, now);
    });
  }

  return { update({ schema, values, origins, etag, lamps }) {
    const rows = Object.entries(schema?.properties ?? {}).filter(([name]) => !name.startsWith("now")).sort(([one], [other]) => FIRST.indexOf(one) - FIRST.indexOf(other));
    const keeps = live.station?.store?.keepsDays;
    root.replaceChildren(keeps ? card(t("settings.keeping"), el("p", {}, t("settings.keeps", { time: duration(keeps * 86400) }))) : "",
      card(t("settings.title"), said, rows.length ? settingsForm(rows, { values: values ?? {}, origins: origins ?? {}, etag, lamps }, context, change) : el("p", {}, t("settings.none"))),
      card(null, el("ul", { class: "menu" }, context.pages.filter(({ name }) => ["start", "network"].includes(name)).map(({ name, path }) => menuRow(path, t(`${name}.title`), t(`${name}.purpose`))))));
  } };
}

/** The field of each setting; on a page of its own it says as well what is the default. */
export function settingFields(rows, values, origins, isOwner, saysDefault = true) {
  return rows.map(([name, schema]) => {
    const isLocked = origins[name] === "file" || !isOwner;
    const hint = [code("settings.hint", name, schema.description ?? ""), range(schema), origins[name] === "file" ? t("settings.locked") : origins[name] === "default" && saysDefault ? t("settings.default") : null].filter(Boolean).join(" ");
    const node = field(name, code("setting", name, schema.title ?? name), { hint, control: control(schema, isLocked ? values[name] : own(name, values, origins), isLocked, name, values[name]) });
    if (name === "position" && !isLocked) node.append(here(node));
    return node;
  });
}

/** The settings that a form changes, and what a person had set before. */
export function changedSettings(rows, given, values, origins) {
  const body = {}, before = {};
  for (const [name, schema] of rows) {
    const now = typed(schema, given[name]), then = own(name, values, origins);
    if (origins[name] !== "file" && JSON.stringify(now) !== JSON.stringify(then)) [body[name], before[name]] = [now, then];
  }
  return { body, before };
}

function settingsForm(rows, { values, origins, etag, lamps }, { may }, change) {
  const fields = settingFields(rows, values, origins, may("owner"));
  if (lamps) fields.find((one) => one.name === "levels")?.append(el("p", { class: "hint" }, lamps.length ? [t("settings.levels.lamps"), " ", asIs(lamps.map((one) => one.title ?? one.name).join(", "))]
    : [t("settings.levels.noLamp"), " ", el("a", { href: "/devices" }, t("devices.title"))]));
  if (!fields.some((one) => !one.input.disabled)) return el("div", { class: "form" }, fields);
  return form(fields, t("do.save"), async (given) => {
    const { body, before } = changedSettings(rows, given, values, origins);
    if (!Object.keys(body).length) return t("settings.same");
    await change(body, before, etag);
  });
}

/** Value set by a person; null where the station decides. */
const own = (name, values, origins) => (origins[name] === "ui" ? values[name] ?? null : null);

const range = ({ minimum, maximum }) => (minimum !== undefined && maximum !== undefined ? t("settings.range", { least: minimum, most: maximum }) : null);

function control(schema, given, disabled, name, shown) {
  if (schema.type === "boolean") return el("input", { type: "checkbox", checked: given === true, disabled });
  if (name === "levels") return levels(schema, given, disabled);
  if (/zone/i.test(name) && Intl.supportedValuesOf) {
    const zones = [...new Set([given, ...Intl.supportedValuesOf("timeZone")].filter(Boolean))];
    return el("select", { disabled }, el("option", { value: "", selected: !given }, t("settings.machine", { name: shown ?? "" })), zones.map((one) => asIs(one, "option", { value: one, selected: one === given })));
  }
  if (schema.enum) {
    const words = (one) => code(`setting.${name}`, one, one);
    return choice([["", t("settings.usual", { name: words(schema.enum[0]) })], ...schema.enum.map((one) => [one, words(one)])], given ?? "", { disabled });
  }
  const isNumber = ["integer", "number"].includes(schema.type);
  return el("input", { disabled, type: isNumber ? "number" : "text", min: schema.minimum, max: schema.maximum, maxlength: schema.maxLength, step: schema.type === "integer" ? 1 : isNumber ? "any" : null, value: given ?? "", placeholder: given ? null : shown });
}

/** The limits of lamp and page: one of the known, or yellow and red of each quantity as `pm25 10 20, pm10 20 40`. */
function levels(schema, given, disabled) {
  const isOwn = Boolean(given) && !schema.enum.includes(given), words = (one) => code("setting.levels", one, one);
  const select = choice([["", t("settings.usual", { name: words(schema.enum[0]) })], ...schema.enum.map((one) => [one, words(one)]), ["own", t("settings.levels.own")]],
    isOwn ? "own" : given ?? "", { disabled, "aria-label": t("setting.levels") });
  const known = new Map(isOwn ? given.split(", ").map((one) => one.split(" ")).map(([name, ...limits]) => [name, limits]) : []);
  const measured = (live.station?.channels ?? []).map((one) => quantityOf(one.id)).filter((one) => one === "co2");
  const rows = [...new Set(["pm25", "pm10", ...measured, ...known.keys()])].map((name) => {
    const inputs = ["moderate", "poor"].map((level, index) => el("input", { type: "number", min: 0, step: "any", disabled, value: known.get(name)?.[index] ?? "", "aria-label": `${quantityName(name)}: ${t(`level.${level}`)}` }));
    return { name, inputs, nodes: [el("span", {}, quantityName(name)), ...inputs] };
  });
  const box = el("div", { hidden: !isOwn }, el("p", { class: "hint" }, t("settings.levels.limits")),
    el("div", { class: "limits" }, el("span"), el("span", { class: "quiet" }, t("level.moderate")), el("span", { class: "quiet" }, t("level.poor")), rows.map((row) => row.nodes)));
  select.addEventListener("change", () => { box.hidden = select.value !== "own"; });
  const node = el("div", { role: "group" }, select, box);
  const text = () => rows.filter((row) => row.inputs.some((one) => one.value || one.validity.badInput)).map((row) => [row.name, ...row.inputs.map((one) => one.value)].join(" ")).join(", ");
  return Object.defineProperties(node, { value: { get: () => (select.value === "own" ? text() || "own" : select.value) }, disabled: { value: disabled } });
}

function typed(schema, given) {
  if (given === "" || given === undefined) return null;
  return ["integer", "number"].includes(schema.type) ? Number(given) : given;
}

/** Buttons that fill in where a receiver is, or the browser; only an encrypted page may ask it. */
function here(position) {
  const put = (...place) => { position.input.value = place.map((one) => one.toFixed(4)).join(", "); position.fail(); };
  const fix = ["latitude", "longitude"].map((name) => live.station?.channels?.find((one) => quantityOf(one.id) === name)?.value ?? null);
  const ask = action(t("start.place.here"), async () => {
    const { coords } = await new Promise((found, failed) => { navigator.geolocation.getCurrentPosition(found, failed, { timeout: PATIENCE }); }).catch(() => { throw refusal(t("start.place.unknown")); });
    put(coords.latitude, coords.longitude);
    return "";
  });
  show(ask, isSecureContext && Boolean(navigator.geolocation));
  return el("div", {}, fix.includes(null) ? null : button(t("start.place.receiver"), () => put(...fix)), ask,
    isSecureContext ? null : el("p", { class: "hint", role: "status" }, t("start.place.insecure")));
}
