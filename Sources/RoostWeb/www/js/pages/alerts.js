// Raised and pending alerts, rules with their figures, and receivers of notices.
import { card, el, keyed, mark, quoted } from "../dom.js";
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
  const now = el("section", { class: "card" }), rest = rulesCard(context), list = el("ul", { class: "list" }), none = el("p", { class: "quiet" }, t("alerts.receivers.none"));
  const own = el("div");
  const add = el("div");
  root.append(now, card(t("alerts.receivers"), none, list, add), rest.node, own);
  const edit = entryPlace(root, "receivers", context);
  return {
    update({ alerts, rules, receivers, isRunning, browser }, query) {
      edit(query);
      add.replaceChildren((isRunning && addLink(t("alerts.receivers.add"), context)) || "");
      own.replaceChildren(...(browser === undefined ? [] : [browserCard(browser, context)]));
      now.replaceChildren(el("h2", {}, t("alerts.now")), alerts.alerts.length ? el("ul", { class: "list" }, alerts.alerts.map((one) => row(one, context))) : el("p", { class: "big" }, t("alerts.none")),
        alerts.leftOutCount ? el("p", { class: "wrong" }, t("alerts.leftOut", { n: number(alerts.leftOutCount) })) : "",
        el("p", {}, el("a", { href: "/events?source=alerts" }, t("alerts.past"))));
      keyed(list, receivers, (one) => one.id, (one) => standing(one, context, context.reload), (node, one) => node.renew(one));
      none.hidden = receivers.length > 0;
      rest.update(rules, alerts.alerts);
    },
    live(kind) { if (kind === "alert") context.reload(); },
    tick() { for (const node of list.children) node.tick(); },
  };
}

function row(one, { may, api, reload }) {
  const post = (what, body) => async () => { await api.send("POST", `/alerts/${one.n}/${what}`, body); await reload(); };
  const notes = [t("rules.of", { name: ruleName(ruleOf(one)) }), one.isAcknowledged && t("alerts.acknowledged"), one.silencedSeconds && t("alerts.silenced", { time: duration(one.silencedSeconds) }),
    one.flags?.includes("flapping") && t("alerts.flapping"), one.worst !== undefined && t("alerts.worst", { value: number(one.worst, 1, 0) })].filter(Boolean);
  const state = one.blind ? "unknown" : one.state;
  return el("li", { class: "finding" }, mark(["pending", "unknown"].includes(state) ? "unknown" : SIGNS[one.severity], "mark small"), el("div", {},
    el("p", {}, el("strong", {}, alertWords(one)), el("span", { class: "chip" }, t(`alerts.state.${state}`))), el("p", { class: "quiet" }, notes.join(" · ")),
    one.why && !has(`cause.${one.why}`) ? el("p", { class: "quiet" }, quoted(one.why)) : null,
    one.n && !one.isAcknowledged && may("member") ? el("div", { class: "row" }, action(t("alerts.ack"), post("ack"), { class: "small" }), one.silencedSeconds ? "" : action(t("alerts.snooze"), post("snooze", { seconds: 28800 }), { class: "small" })) : null));
}
