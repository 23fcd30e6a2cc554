// The second step: name of the station, its place and time zone, as the page Settings has them.
import { card, el } from "../dom.js";
import { form } from "../form.js";
import { t } from "../i18n.js";
import { refresh } from "../live.js";
import { changedSettings, loadSettings, settingFields } from "./settings.js";

const NAMES = ["title", "position", "zone"];

export const load = loadSettings;

export function summary({ values, origins }) {
  const set = NAMES.filter((name) => origins[name] !== "default" && values[name]);
  return set.map((name) => values[name]).join(" · ") || null;
}

export function make(root, context) {
  const { api, may, next, done } = context;
  return { update({ schema, values, origins, etag }) {
    const rows = NAMES.filter((name) => schema.properties[name]).map((name) => [name, schema.properties[name]]);
    const fields = settingFields(rows, values, origins, may("owner"), false);
    chooseOwnZone(fields.find((one) => one.name === "zone"), values.zone, origins.zone);
    root.replaceChildren(card(null, form(fields, t("start.place.save"), async (given) => {
      const { body } = changedSettings(rows, given, values, origins);
      if (Object.keys(body).length) await api.send("PATCH", "/settings", body, { etag });
      await refresh().catch(() => null);
      await next();
    })));
    done(summary({ values, origins }) !== null);
  } };
}

/** A station that nobody has told its zone is offered the browser's. */
function chooseOwnZone(zone, used, origin) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone || zone.input.disabled || origin !== "default" || own === used) return;
  const found = [...zone.input.options].find((one) => one.value === own);
  if (!found) return;
  found.selected = true;
  zone.append(el("p", { class: "hint" }, t("start.place.zone")));
}
