// Samples at each target: delivered, waiting, or left out, and why.
import { card, el, keyed, asIs, quoted, show } from "../dom.js";
import { loadFacts } from "../facts.js";
import { field, form } from "../form.js";
import { rfc3339, stamp } from "../format.js";
import { code, has, t } from "../i18n.js";
import { live } from "../live.js";
import { fromInput, toInput } from "../window.js";
import { addLink, entryActs, entryPlace, standing } from "./outboxparts.js";

export async function load(api) { return (await Promise.all([api.get("/outbox"), loadFacts()]))[0]; }

export function make(root, context) {
  const list = el("ul", { class: "list" }), add = addLink(t("outbox.add"), context), targets = card(null, list, add), trouble = el("p", { class: "wrong" }), unused = card(t("outbox.unused")), empty = el("div");
  const search = fates(context.api);
  root.append(trouble, unused, targets, search, empty);
  const edit = entryPlace(root, "targets", context);
  let beats = 0, left = "";

  function update(outbox, query) {
    const { isRunning, stationTrouble, cursorTrouble, settingsTrouble, leftOut = [], isMetered } = outbox;
    if (query) edit(query);
    const words = [[stationTrouble, "stationTrouble"], [cursorTrouble, "cursorTrouble"], [settingsTrouble, "settingsTrouble"]].filter(([text]) => text).flatMap(([text, name]) => [t(`outbox.${name}`), " ", quoted(text), " "]);
    trouble.replaceChildren(...words, isMetered ? t("outbox.metered") : "");
    show(trouble, words.length > 0 || Boolean(isMetered));
    keyed(list, outbox.targets, (one) => `${one.id} ${one.type}`, (one) => standing(one, context, again), (node, one) => node.renew(one));
    if (left !== (left = JSON.stringify(leftOut))) unused.replaceChildren(unused.firstChild, ...leftOut.map(({ id, sentence }) => el("div", {}, el("p", {}, asIs(id, "strong"), " ", quoted(sentence)), el("div", { class: "row" }, entryActs({ id, origin: "ui" }, context, again)))));
    show(unused, leftOut.length > 0);
    show(targets, outbox.targets.length > 0);
    show(search, outbox.targets.length > 0);
    if (outbox.targets.length) return empty.replaceChildren();
    if (!empty.firstChild || empty.dataset.is !== String(isRunning)) {
      empty.dataset.is = isRunning;
      empty.replaceChildren(card(null, el("p", { class: "big" }, t(isRunning ? "outbox.none" : "outbox.noCourier")), isRunning ? addLink(t("outbox.add"), context) : [el("p", {}, t("outbox.install")), asIs("sudo apt install roost-courier", "pre", { tabindex: "0" }), el("p", {}, t("outbox.check")), asIs("roost courier check", "pre", { tabindex: "0" })]));
    }
  }
  const again = async () => update(await load(context.api));

  return { update, tick() {
    for (const node of list.children) node.tick();
    // An error is seen within two seconds; a problem of this question is the banner's.
    if ((beats += 1) % 2 === 0) again().catch(() => {});
  } };
}

function fates(api) {
  const list = el("ul", { class: "list" });
  const when = field("time", t("surveys.when"), { type: "datetime-local", required: true, value: toInput(live.now - 3600) });
  return card(t("outbox.fate"), form([when], t("outbox.fate.find"), async ({ time }) => {
    const found = (await api.get("/outbox/fates", { time: rfc3339(fromInput(time)) })).fates;
    list.replaceChildren(...found.map((one) => el("li", { class: "split" },
      el("span", {}, asIs(el("strong", {}, one.target)), " ", asIs(one.device), " ", el("span", { class: "quiet" }, one.time ? stamp(one.time) : "")),
      el("span", {}, has(`fate.${one.fate}`) ? t(`fate.${one.fate}`) : t("fate.leftOut", { why: code("leftOut", one.fate) }), one.why ? [" ", quoted(one.why)] : ""))));
    return found.length ? "" : t("outbox.fate.none");
  }), list);
}
