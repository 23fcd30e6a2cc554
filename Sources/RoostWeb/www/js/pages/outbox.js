// What became of each sample at each target: delivered, waiting, left out, and why.
import { card, el, keyed, show } from "../dom.js";
import { t } from "../i18n.js";
import { may } from "../navigation.js";
import { standing } from "./outboxparts.js";

export const title = "outbox.title";
const EXAMPLE = '{ "targets": [\n  { "id": "map", "type": "sensor-community",\n    "sensor": "raspi-00000000abcdef01",\n    "devices": { "dust": { "pin": 1 } } } ] }';

export async function load(api) { return api.get("/outbox"); }

export function make(root, context) {
  const list = el("ul", { class: "list" }), targets = card(null, list), trouble = el("p", { class: "wrong" }), empty = el("div");
  root.append(trouble, targets, empty);
  let beats = 0;

  function update(outbox) {
    const { isRunning, stationTrouble, cursorTrouble, isMetered } = outbox;
    const words = [stationTrouble, cursorTrouble, isMetered && t("outbox.metered")].filter(Boolean).join(" · ");
    trouble.textContent = words;
    show(trouble, Boolean(words));
    keyed(list, outbox.targets, (one) => `${one.id} ${one.type}`, (one) => standing(one, context, again), (node, one) => node.renew(one));
    show(targets, outbox.targets.length > 0);
    if (outbox.targets.length) return empty.replaceChildren();
    if (!empty.firstChild || empty.dataset.is !== String(isRunning)) {
      empty.dataset.is = isRunning;
      empty.replaceChildren(card(null, el("p", { class: "big" }, t(isRunning ? "outbox.none" : "outbox.noCourier")), el("p", {}, t("outbox.add")), may(context.me, "owner") ? el("pre", { tabindex: "0" }, EXAMPLE) : null));
    }
  }
  const again = async () => update(await load(context.api));

  return { update, tick() {
    for (const node of list.children) node.tick();
    // An error is seen within two seconds; a problem of this question is the banner's.
    if ((beats += 1) % 2 === 0) again().catch(() => {});
  } };
}
