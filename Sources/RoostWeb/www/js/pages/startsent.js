// The fourth step: where values go. Servers that announce themselves come first; every type has its form.
import { asIs, card, el, mark } from "../dom.js";
import { code, loadMore, t } from "../i18n.js";
import { entryCard } from "./entryform.js";

export async function load(api, query, context) {
  const [outbox] = await Promise.all([api.get("/outbox"), loadMore("outbox")]), [add, change, url] = ["add", "change", "url"].map((name) => query.get(name));
  const isShown = outbox.isRunning && query.get("step") === "4";
  return { ...outbox, form: isShown ? await entryCard("targets", { add: add ?? "any", change, url }, context) : null };
}

export const summary = ({ targets }) => targets.map((one) => one.id).join(", ") || null;

const FAILS = ["held", "broken", "later"];
/** What is set, and does not take values: the end of the first steps has no good mark for it. */
export const doubt = ({ targets }) => targets.filter((one) => FAILS.includes(one.state)).map((one) => `${one.id}: ${code("outbox.state", one.state)}`).join(", ") || null;

export function make(root, context) {
  return { update({ targets, isRunning, form }) {
    if (root.firstChild) return;
    context.done(targets.length > 0);
    if (!isRunning) return root.append(card(null, el("p", { class: "big" }, t("outbox.noCourier"))));
    if (targets.length && context.query.get("add") === null) root.append(card(t("start.sent.now"), el("ul", { class: "steps" }, targets.map((one) =>
      el("li", {}, mark(FAILS.includes(one.state) ? "moderate" : "good", "mark small"), el("span", {}, asIs(one.id), `: ${code("outbox.state", one.state)}`))))));
    root.append(form);
  } };
}
