// Raised and pending alerts, rules with their figures, and receivers of notices.
import { card, el, keyed, quoted, renew, setMark, setText, show } from "../dom.js";
import { duration, number } from "../format.js";
import { has, loadMore, t } from "../i18n.js";
import { loadFacts } from "../facts.js";
import { action } from "../words.js";
import { alertWords, ruleName, ruleOf } from "../alerts.js";
import { addLink, entryPlace, standing } from "./outboxparts.js";
import { rulesCard, SIGNS } from "./rules.js";
import { browserCard, subscription } from "./thisbrowser.js";

export async function load(api, query, { may }) {
  const [alerts, rules, outbox, browser] = await Promise.all([api.get("/alerts"), api.maybe("/rules"), api.maybe("/outbox"), may("member") ? subscription() : undefined, loadFacts(), loadMore("alerts"), loadMore("outbox")]);
  return { alerts, rules, receivers: outbox?.receivers ?? [], isRunning: outbox?.isRunning, browser };
}

export function make(root, context) {
  const raised = el("ul", { class: "list" }), calm = el("p", { class: "big" }, t("alerts.none")), leftOut = el("p", { class: "wrong" }), rest = rulesCard(context), list = el("ul", { class: "list" }), none = el("p", { class: "quiet" }, t("alerts.receivers.none"));
  const own = el("div");
  const add = el("div");
  root.append(card(t("alerts.now"), raised, calm, leftOut, el("p", {}, el("a", { href: "/events?source=alerts" }, t("alerts.past")))), card(t("alerts.receivers"), none, list, add), rest.node, own);
  const edit = entryPlace(root, "receivers", context);
  return {
    update({ alerts, rules, receivers, isRunning, browser }, query) {
      edit(query);
      renew(add, isRunning && addLink(t("alerts.receivers.add"), context));
      renew(own, browser !== undefined && browserCard(browser, context));
      keyed(raised, alerts.alerts, (one) => `${one.key} ${one.n}`, () => el("li", { class: "finding" }, el("span"), el("div")), (node, one) => fill(node, one, context));
      show(raised, alerts.alerts.length > 0);
      show(calm, !alerts.alerts.length);
      show(setText(leftOut, t("alerts.leftOut", { n: number(alerts.leftOutCount ?? 0) })), alerts.leftOutCount > 0);
      keyed(list, receivers, (one) => one.id, (one) => standing(one, context, context.reload), (node, one) => node.renew(one));
      show(none, !receivers.length);
      rest.update(rules, alerts.alerts);
    },
    live(kind) { if (kind === "alert") context.reload(); },
    tick() { for (const node of list.children) node.tick(); },
  };
}

/** A button whose alert only has another figure stays where it is. */
function fill({ firstChild: sign, lastChild: place }, one, { may, api, reload }) {
  const post = (what, body) => async () => { await api.send("POST", `/alerts/${one.n}/${what}`, body); await reload(); };
  const notes = [t("rules.of", { name: ruleName(ruleOf(one)) }), one.isAcknowledged && t("alerts.acknowledged"), one.silencedSeconds && t("alerts.silenced", { time: duration(one.silencedSeconds) }),
    one.flags?.includes("flapping") && t("alerts.flapping"), one.worst !== undefined && t("alerts.worst", { value: number(one.worst, 1, 0) })].filter(Boolean);
  const state = one.blind ? "unknown" : one.state;
  setMark(sign, ["pending", "unknown"].includes(state) ? "unknown" : SIGNS[one.severity]);
  renew(place, el("p", {}, el("strong", {}, alertWords(one)), el("span", { class: "chip" }, t(`alerts.state.${state}`))), el("p", { class: "quiet" }, notes.join(" · ")),
    one.why && !has(`cause.${one.why}`) ? el("p", { class: "quiet" }, quoted(one.why)) : null,
    one.n && !one.isAcknowledged && may("member") ? el("div", { class: "row" }, action(t("alerts.ack"), post("ack"), { class: "small" }), one.silencedSeconds ? "" : action(t("alerts.snooze"), post("snooze", { seconds: 28800 }), { class: "small" })) : null);
}
