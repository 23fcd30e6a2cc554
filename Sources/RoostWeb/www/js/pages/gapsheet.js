// Why is there no data here: cause, surroundings, how often, next act.
import { dialog, el, fold, quoted } from "../dom.js";
import { field, form } from "../form.js";
import { clock, duration, rfc3339, span } from "../format.js";
import { has, loadMore, plural, t } from "../i18n.js";
import { channelName, problemWords, reason } from "../words.js";
import { eventSentence, loadFacts } from "../facts.js";

const MOST = 12;
/** What the station keeps of a note. */
export const NOTE = { maxlength: "120", "data-bytes": "120", required: true };
export const PLAIN = ["notScheduled", "notDue"];

export function gapList({ series, ledgers, chosen, items }, context) {
  const gaps = chosen.flatMap((id, index) => (ledgers[index]?.stretches ?? [])
    .filter(([, , cause]) => !PLAIN.includes(cause))
    .map((stretch) => ({ stretch, item: items.find((one) => one.id === id) ?? { id } })));
  const refused = ledgers.find((one) => one?.problem), why = refused ? el("p", { class: "wrong" }, problemWords(refused.problem)) : "";
  if (!gaps.length) return [why || el("p", {}, t("history.gaps.none"))];
  gaps.sort((a, b) => b.stretch[1] - b.stretch[0] - (a.stretch[1] - a.stretch[0]));
  const rows = gaps.slice(0, MOST).map(({ stretch: [from, to, cause], item }) => el("li", {},
    el("span", { class: "what" }, el("strong", {}, reason(cause)), ` · ${duration(to - from)}`,
      el("span", { class: "quiet" }, el("br"), `${span(from, to)}${series.series.length > 1 ? `, ${channelName(item)}` : ""}`)),
    el("button", { type: "button", onclick: () => openGap(context, item, [from, to, cause]), "aria-label": t("gap.why.of", { cause: reason(cause), when: span(from, to) }) }, t("gap.why"))));
  return [why, el("ul", { class: "list gaps" }, rows), gaps.length > MOST ? el("p", { class: "quiet" }, plural("history.gaps.more", gaps.length - MOST)) : ""];
}

export async function openGap(context, item, [from, to, cause]) {
  const body = el("div", { class: "page" }, el("p", { class: "quiet" }, t("page.loading")));
  dialog(t("gap.title", { duration: duration(to - from) }), t("do.close"),
    el("p", { class: "quiet" }, `${channelName(item)} · ${span(from, to)}`), body);
  const middle = rfc3339(Math.min(to - 0.5, Math.max(from + 1, (from + to) / 2)));
  const [gap] = await Promise.all([context.api.maybe(`/gaps/${item.id}/${middle}`), loadFacts(), loadMore("history").catch(() => {})]);
  body.replaceChildren(...sheet(gap ?? { cause }, context, item, from));
}

function sheet(gap, context, item, from) {
  const key = `cause.${gap.cause}`, isKnown = has(key);
  const next = has(`${key}.next`) ? t(`${key}.next`) : isKnown ? null : quoted(gap.nextStep);
  const words = has(`${key}.words`) ? t(`${key}.words`) : isKnown ? null : quoted(gap.sentence);
  // The starts of the program's parts would bury what matters.
  const telling = (gap.events ?? []).filter((event) => event.severity !== "info");
  const events = telling.length ? telling : gap.events ?? [], range = `from=${rfc3339(from - 300)}&to=${rfc3339(from + 3600)}`;
  return [el("div", {}, el("p", { class: "big" }, reason(gap.cause)), words ? el("p", {}, words) : null),
    gap.isSure === false ? el("p", { class: "quiet" }, t("gap.unsure")) : null,
    events.length ? el("div", {}, el("h3", {}, t("gap.around")), eventList(events.slice(0, 12))) : null,
    gap.alike ? el("p", {}, alikeWords(gap.alike, gap.events ?? [])) : null,
    next ? el("p", {}, el("strong", {}, `${t("gap.next")} `), next) : null,
    el("p", {}, el("a", { href: `/events?${range}`, onclick: closeDialog }, t("gap.events"))),
    context.may("member") ? noteForm(context, item, from) : null].filter(Boolean);
}

export const eventList = (events) => el("ul", {}, events.map((event) =>
  el("li", {}, el("span", { class: "number" }, event.time ? clock(event.time) : "–"), " ", eventSentence(event))));

const closeDialog = (event) => event.target.closest("dialog")?.close();

function alikeWords({ days, count, hours, with: others }, near) {
  const words = [plural("gap.alike", count, { days })];
  if (hours?.length && hours.length <= 4) words.push(t("gap.hours", { hours: hours.map((hour) => `${hour}:00`).join(", ") }));
  for (const [name, times] of Object.entries(others ?? {})) {
    const event = near.find((one) => one.kind === name);
    if (event) words.push(t("gap.with", { name: eventSentence(event), n: times }));
  }
  return words.join(" ");
}

function noteForm({ api }, item, from) {
  const node = form([field("text", t("surveys.note"), NOTE)], t("do.save"), async ({ text }) => {
    await api.send("POST", "/notes", { at: rfc3339(from), text: text.trim(), channel: item.id });
    node.reset();
    return t("do.saved");
  });
  return fold(t("gap.note"), node);
}
