// Another version for a station that runs from an image: a file of the owner's, in pieces.
import { asIs, card, el, facts, quoted } from "../dom.js";
import { stamp } from "../format.js";
import { field, form } from "../form.js";
import { code, t } from "../i18n.js";
import { live } from "../live.js";
import { sendPieces } from "./backup.js";

export const load = (api) => api.get("/update");

export function make(root, context) {
  const shown = el("div"), bar = el("progress", { max: 100, hidden: true, "aria-label": t("update.title") });
  const file = field("file", t("update.file"), { type: "file", accept: ".update", required: true });
  const upload = form([file], t("update.do"), () => send(file.input.files[0], bar, context)), box = card(null, bar, upload);
  let isBusy = false, waits = false, beats = 0;
  root.append(shown, box);

  function update(view) {
    const last = view.last ?? {};
    isBusy = view.isBusy;
    waits = last.state === "waiting";
    const state = waits && last.slot === view.slot ? "trial" : last.state;
    box.hidden = !view.isImage;
    upload.hidden = isBusy;
    bar.hidden = !isBusy;
    if (isBusy) bar.value = waits ? 100 : last.percent ?? 0;
    shown.replaceChildren(card(null, el("p", {}, t(view.isImage ? "update.words" : "update.apt")),
      facts([[t("update.version"), live.station?.station?.version], [t("update.slot"), view.slot && asIs(view.slot)],
        view.isImage && [t("update.keys"), view.keys.length ? asIs(view.keys.join(" ")) : t("update.noKeys")],
        last.state && [t("update.last"), [last.version, code("update.state", state), last.time && stamp(last.time)].filter(Boolean).join(" · ")]]),
      last.why ? el("p", { class: "wrong" }, quoted(last.why)) : null));
  }
  return { update, tick() { if ((isBusy || waits) && (beats += 1) % 4 === 0) load(context.api).then(update, () => {}); } };
}

async function send(file, bar, { api, change }) {
  await sendPieces(api, "/update/file", file, bar);
  await change("POST", "/update", { bytes: file.size });
}
