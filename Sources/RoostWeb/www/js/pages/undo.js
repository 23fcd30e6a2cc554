// The last change of a target or receiver, with the way back, on the page that lists them.
import { asIs, el } from "../dom.js";
import { t } from "../i18n.js";
import { action } from "../words.js";

/** A slow card needs seconds to keep a change. */
export const KEEPING = 25000;
/** What was changed last on a page, with the way back. */
export const said = el("p", { class: "row wide", role: "status" });

/** Offers to take the last change of an entry back; `words` is the key of what was done. */
export function offerUndo(id, { api, reload }, words = "do.saved") {
  said.replaceChildren(el("span", {}, asIs(id), `: ${t(words)}`), action(t("do.undo"), async () => {
    await api.send("POST", `/outbox/${encodeURIComponent(id)}/undo`, {}, { patience: KEEPING });
    said.replaceChildren();
    await reload();
  }, { class: "small" }));
  said.scrollIntoView({ block: "center" });
}
