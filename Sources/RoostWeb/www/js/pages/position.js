// Where a receiver or the browser is, as the station's position.
import { button, el, show } from "../dom.js";
import { t } from "../i18n.js";
import { live } from "../live.js";
import { action, quantityOf, refusal } from "../words.js";

const PATIENCE = 20000;

/** Buttons that fill in where a receiver is, or the browser; only an encrypted page may ask it. */
export function here(position) {
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
