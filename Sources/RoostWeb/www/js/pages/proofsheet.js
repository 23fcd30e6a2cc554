// A day of Proof: what was measured, what is missing and why, with its events.
import { button, dialog, el } from "../dom.js";
import { clock, rfc3339 } from "../format.js";
import { t } from "../i18n.js";
import { eventSentence, loadFacts } from "../facts.js";
import { gapList } from "./gapsheet.js";
import { dayWords, LONG, rowName } from "./proofdays.js";

const MOST = 8;

export function openDay(context, days, row, day, first, end, move) {
  const body = el("div", { class: "page" }), id = row.channels[0], name = () => days.dated(day, LONG);
  const turns = [["proof.before", -1], ["proof.after", 1]].map(([key, by]) => button(t(key), () => { day += by; move(day); fill(); }));
  const box = dialog(name(), t("do.close"), el("p", { class: "quiet" }, rowName(row, Infinity)), el("div", { class: "row" }, turns), body);
  async function fill() {
    const mine = day, span = { from: rfc3339(days.at(day)), to: rfc3339(days.at(day + 1)) }, words = el("p", { class: "big" }, dayWords(row, days, day));
    box.querySelector("h2").textContent = name();
    [turns[0].disabled, turns[1].disabled] = [day <= first, day >= end];
    body.replaceChildren(words, el("p", { class: "quiet" }, t("page.loading")));
    const [ledger, events] = await Promise.all([context.api.ledger({ channel: id, ...span }),
      context.api.maybe("/events", { ...span, severity: "warning", limit: MOST }), loadFacts()]);
    if (mine !== day) return;
    body.replaceChildren(words, ...gapList({ series: { series: [] }, ledgers: [ledger], chosen: [id], items: [] }, context),
      events?.items.length ? el("div", {}, el("h3", {}, t("proof.day.events")), el("ul", {}, events.items.toReversed().map((event) =>
        el("li", {}, el("span", { class: "number" }, event.time ? clock(event.time) : "–"), " ", eventSentence(event))))) : "",
      el("p", {}, el("a", { href: `/events?from=${span.from}&to=${span.to}`, onclick: () => box.close() }, t("gap.events"))));
  }
  fill();
}
