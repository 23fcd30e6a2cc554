// The owner's settings, made from the station's own schema.
import { asIs, card, el } from "../dom.js";
import { duration } from "../format.js";
import { code, t } from "../i18n.js";
import { live, refresh } from "../live.js";
import { field, form } from "../form.js";
import { may } from "../roles.js";

export const title = "settings.title";

export async function load(api) {
  const answer = await api.getTagged("/settings");
  if (!live.station) await refresh().catch(() => null);
  return { ...answer.data, etag: answer.etag };
}

export function make(root, context) {
  return { update({ schema, values, origins, etag }) {
    const rows = Object.entries(schema?.properties ?? {});
    const keeps = live.station?.store?.keepsDays;
    root.replaceChildren(keeps ? card(t("settings.keeping"), el("p", {}, t("settings.keeps", { time: duration(keeps * 86400) }))) : "",
      card(t("settings.title"), rows.length ? settingsForm(rows, values ?? {}, origins ?? {}, etag, context) : el("p", {}, t("settings.none"))));
  } };
}

function settingsForm(rows, values, origins, etag, { api, me, reload }) {
  const isOwner = may(me, "owner");
  const fields = rows.map(([name, schema]) => {
    const isLocked = origins[name] === "file" || !isOwner;
    const hint = [code("settings.hint", name, schema.description ?? ""), range(schema), origins[name] === "file" ? t("settings.locked") : origins[name] === "default" ? t("settings.default") : null].filter(Boolean).join(" ");
    return field(name, code("setting", name, schema.title ?? name), { hint, control: control(schema, isLocked ? values[name] : own(name, values, origins), isLocked, name, values[name]) });
  });
  if (!fields.some((one) => !one.input.disabled)) return el("div", { class: "form" }, fields);
  return form(fields, t("do.save"), async (given) => {
    const body = {};
    for (const [name, schema] of rows) {
      const now = typed(schema, given[name]);
      if (origins[name] !== "file" && JSON.stringify(now) !== JSON.stringify(own(name, values, origins))) body[name] = now;
    }
    if (!Object.keys(body).length) return t("settings.same");
    await api.send("PATCH", "/settings", body, { etag });
    await Promise.all([reload(), refresh().catch(() => null)]);
    return t("do.saved");
  });
}

/** Value set by a person; null where the station decides. */
function own(name, values, origins) {
  return origins[name] === "ui" ? values[name] ?? null : null;
}

function range({ minimum, maximum }) {
  return minimum !== undefined && maximum !== undefined ? t("settings.range", { least: minimum, most: maximum }) : null;
}

function control(schema, given, disabled, name, shown) {
  if (schema.type === "boolean") return el("input", { type: "checkbox", checked: given === true, disabled });
  if (schema.enum) {
    const choice = (one) => code(`setting.${name}`, one, one);
    return el("select", { disabled }, el("option", { value: "", selected: !given }, t("settings.usual", { name: choice(schema.enum[0]) })), schema.enum.map((one) => el("option", { value: one, selected: one === given }, choice(one))));
  }
  if (/zone/i.test(name) && Intl.supportedValuesOf) {
    const zones = [...new Set([given, ...Intl.supportedValuesOf("timeZone")].filter(Boolean))];
    return el("select", { disabled }, el("option", { value: "", selected: !given }, t("settings.machine", { name: shown ?? "" })), zones.map((one) => asIs(one, "option", { value: one, selected: one === given })));
  }
  const isNumber = ["integer", "number"].includes(schema.type);
  return el("input", { disabled, type: isNumber ? "number" : "text", min: schema.minimum, max: schema.maximum, maxlength: schema.maxLength, step: schema.type === "integer" ? 1 : isNumber ? "any" : null, value: given ?? "", placeholder: given ? null : shown });
}

function typed(schema, given) {
  if (given === "" || given === undefined) return null;
  return ["integer", "number"].includes(schema.type) ? Number(given) : given;
}
