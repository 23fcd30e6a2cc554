// Where the browser is, as the station's position.
import { button, el, show } from "../dom.js";
import { t } from "../i18n.js";

const PATIENCE = 20000;

/** A button that fills in where the browser is; only an encrypted page may ask. */
export function here(position) {
  const said = el("p", { class: "hint", role: "status" }, isSecureContext ? "" : t("start.place.insecure"));
  const ask = button(t("start.place.here"), async () => {
    ask.disabled = true;
    said.textContent = t("do.running");
    try {
      const { coords } = await new Promise((found, failed) => { navigator.geolocation.getCurrentPosition(found, failed, { timeout: PATIENCE }); });
      position.input.value = `${coords.latitude.toFixed(4)}, ${coords.longitude.toFixed(4)}`;
      position.fail();
      said.textContent = "";
    } catch {
      said.textContent = t("start.place.unknown");
    } finally {
      ask.disabled = false;
    }
  });
  show(ask, isSecureContext && Boolean(navigator.geolocation));
  return el("div", {}, ask, said);
}
