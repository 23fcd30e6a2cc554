// Where the browser is, as the station's position.
import { el, show } from "../dom.js";
import { t } from "../i18n.js";
import { action, refusal } from "../words.js";

const PATIENCE = 20000;

/** A button that fills in where the browser is; only an encrypted page may ask. */
export function here(position) {
  const ask = action(t("start.place.here"), async () => {
    const { coords } = await new Promise((found, failed) => { navigator.geolocation.getCurrentPosition(found, failed, { timeout: PATIENCE }); }).catch(() => { throw refusal(t("start.place.unknown")); });
    position.input.value = `${coords.latitude.toFixed(4)}, ${coords.longitude.toFixed(4)}`;
    position.fail();
    return "";
  });
  show(ask, isSecureContext && Boolean(navigator.geolocation));
  return el("div", {}, ask, isSecureContext ? null : el("p", { class: "hint", role: "status" }, t("start.place.insecure")));
}
