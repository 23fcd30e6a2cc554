// Samples at each target: delivered, waiting, or left out, and why.
import { card, el, keyed, asIs, quoted, show } from "../dom.js";
import { loadFacts } from "../facts.js";
import { field, form } from "../form.js";
import { rfc3339, stamp } from "../format.js";
import { code, has, t } from "../i18n.js";
import { may } from "../roles.js";
import { fromInput, toInput } from "../window.js";
import { standing } from "./outboxparts.js";

export const title = "outbox.title";
const EXAMPLE = '{ "targets": [\n  { "id": "map", "type": "sensor-community",\n    "sensor": "raspi-00000000abcdef01",\n    "devices": { "dust": { "pin": 1 } } } ] }';

export async function load(api) { return (await Promise.all([api.get("/outbox"), loadFacts()]))[0]; }

export function make(root, context) {
  const list = el("ul", { class: "list" }), targets = card(null, list), trouble = el("p", { class: "wrong" }), empty = el("div");
  const search = fates(context.api);
  root.append(trouble, targets, search, empty);
  let beats = 0;

  function update(outbox) {
    const { isRunning, stationTrouble, cursorTrouble, isMetered } = outbox;
    const words = [[stationTrouble, "stationTrouble"], [cursorTrouble, "cursorTrouble"]].filter(([text]) => text).flatMap(([text, name]) => [t(`outbox.${name}`), " ", quoted(text), " "]);
    trouble.replaceChildren(...words, isMetered ? t("outbox.metered") : "");
    show(trouble, words.length > 0 || Boolean(isMetered));
    keyed(list, outbox.targets, (one) => `${one.id} ${one.type}`, (one) => standing(one, context, again), (node, one) => node.renew(one));
    show(targets, outbox.targets.length > 0);
    show(search, outbox.targets.length > 0);
    if (outbox.targets.length) return empty.replaceChildren();
    if (!empty.firstChild || empty.dataset.is !== String(isRunning)) {
      empty.dataset.is = isRunning;
      empty.replaceChildren(card(null, el("p", { class: "big" }, t(isRunning ? "outbox.none" : "outbox.noCourier")), el("p", {}, t("outbox.add")), may(context.me, "owner") ? asIs(EXAMPLE, "pre", { tabindex: "0" }) : null));
    }
  }
  const again = async () => update(await load(context.api));

  return { update, tick() {
    for (const node of list.children) node.tick();
    // An error is seen within two seconds; a problem of this question is the banner's.
    if ((beats += 1) % 2 === 0) again().catch(() => {});
  } };
}

/** Delivery of the first reading of each device from a moment on. */
function fates(api) {
  const list = el("ul", { class: "list" });
  const when = field("time", t("surveys.when"), { type: "datetime-local", required: true, value: toInput(Date.now() / 1000 - 3600) });
  return card(t("outbox.fate"), form([when], t("outbox.fate.find"), async ({ time }) => {
    const found = (await api.get("/outbox/fates", { time: rfc3339(fromInput(time)) })).fates;
    list.replaceChildren(...found.map((one) => el("li", { class: "split" },
      el("span", {}, asIs(el("strong", {}, one.target)), " ", asIs(one.device), " ", el("span", { class: "quiet" }, one.time ? stamp(one.time) : "")),
      el("span", {}, has(`fate.${one.fate}`) ? t(`fate.${one.fate}`) : t("fate.leftOut", { why: code("leftOut", one.fate) }), one.why ? [" ", quoted(one.why)] : ""))));
    return found.length ? "" : t("outbox.fate.none");
  }), list);
}
