// Raised and pending alerts, rules with their figures, and receivers of notices.
import { alertWords, ruleName, ruleOf } from "../alerts.js";
import { orProblem } from "../api.js";
import { asIs, button, card, choice, el, fold, keyed, mark, quoted, renew, setMark, setText, show } from "../dom.js";
import { deliveryReason, isTest, loadFacts } from "../facts.js";
import { field, form, isNoNumber, nameProblem } from "../form.js";
import { duration, moment, number, over, percent, stamp } from "../format.js";
import { code, has, loadMore, plural, t } from "../i18n.js";
import { live, refresh } from "../live.js";
import { action, channelName, problemWords, quantityName, quantityOf, refusal } from "../words.js";
import { alerting } from "./nowparts.js";
import { addLink, entryPlace, standing } from "./outbox.js";
import { browserCard, subscription } from "./thisbrowser.js";

/** Events of each kind by which a rule says when it was raised last. */
const MOST = 200;

export async function load(api, query, { may }) {
  const [alerts, rules, outbox, past, browser] = await Promise.all([api.get("/alerts"), orProblem(api.get("/rules")), orProblem(api.get("/outbox")), Promise.all(["alert raised", "notice sent"].map((kind) => api.maybe("/events", { kind, limit: MOST }))), may("member") ? subscription() : undefined, loadFacts(), loadMore("alerts"), loadMore("outbox")]);
  return { alerts, rules, outbox, past, browser };
}

export function make(root, context) {
  const raised = el("ul", { class: "list" }), calm = el("p", { class: "big" }, t("alerts.none")), leftOut = el("p", { class: "wrong" }), rest = rulesCard(context), list = el("ul", { class: "list" }), none = el("p", { class: "quiet" });
  const own = el("div");
  const add = el("div");
  root.append(card(t("alerts.now"), raised, calm, leftOut, el("p", {}, el("a", { href: "/events?source=alerts" }, t("alerts.past")))), card(t("alerts.receivers"), none, list, add), rest.node, own);
  const edit = entryPlace(root, "receivers", context);
  return {
    update({ alerts, rules, outbox: { problem, receivers = [], isRunning }, past, browser }, query) {
      edit(query);
      context.setTitle(alerting(alerts, { receivers }).text);
      renew(add, isRunning && addLink(t("alerts.receivers.add"), context));
      renew(own, browser !== undefined && browserCard(browser, context));
      keyed(raised, alerts.alerts, (one) => `${one.key} ${one.n}`, () => el("li", { class: "finding" }, el("span"), el("div")), (node, one) => fill(node, one, context));
      show(raised, alerts.alerts.length > 0);
      show(calm, !alerts.alerts.length);
      show(setText(leftOut, t("alerts.leftOut", { n: number(alerts.leftOutCount ?? 0) })), alerts.leftOutCount > 0);
      keyed(list, receivers, (one) => one.id, (one) => standing(one, context, context.reload), (node, one) => node.renew(one));
      show(none, !receivers.length).replaceChildren(...(problem ? problemWords(problem) : [t(isRunning ? "alerts.receivers.none" : "outbox.noCourier")]));
      rest.update(rules, alerts.alerts, past.map((one) => one?.items), receivers);
    },
    live(kind, event) { if (kind === "alert" || event?.kind === "notice sent") context.reload(); },
    tick() { for (const node of list.children) node.tick(); },
  };
}

/** A button whose alert only has another figure stays where it is. */
function fill({ firstChild: sign, lastChild: place }, one, { may, change }) {
  const post = (what, body) => () => change("POST", `/alerts/${one.n}/${what}`, body);
  const notes = [t("rules.of", { name: ruleName(ruleOf(one)) }), one.isAcknowledged && t("alerts.acknowledged"), one.silencedSeconds && t("alerts.silenced", { time: duration(one.silencedSeconds) }),
    one.flags?.includes("flapping") && t("alerts.flapping"), one.worst !== undefined && t("alerts.worst", { value: number(one.worst, 1, 0) })].filter(Boolean);
  const state = one.blind ? "unknown" : one.state;
  setMark(sign, ["pending", "unknown"].includes(state) ? "unknown" : SIGNS[one.severity]);
  renew(place, el("p", {}, el("strong", {}, alertWords(one)), el("span", { class: "chip" }, t(`alerts.state.${state}`))), el("p", { class: "quiet" }, notes.join(" · ")),
    one.why && !has(`cause.${one.why}`) ? el("p", { class: "quiet" }, quoted(one.why)) : null,
    one.n && !one.isAcknowledged && may("member") ? el("div", { class: "row" }, action(t("alerts.ack"), post("ack"), { class: "small" }), one.silencedSeconds ? "" : action(t("alerts.snooze"), post("snooze", { seconds: 28800 }), { class: "small" })) : null);
}

// MARK: The rules with their figures; an owner adds, changes, switches and tries them

const SIGNS = { notice: "unknown", warning: "moderate", critical: "poor" };
/** The form's fields by the last key of a mistake's place, with the number of their part. */
const FIELDS = { atLeast: "limit", atMost: "limit", below: "until", above: "until", overSeconds: "over" };
const fieldOf = (place) => `/${FIELDS[place.split("/").pop()] ?? place.split("/").pop()}${/parts.(\d+)/.exec(place)?.[1] ?? ""}`;
const OVERS = [0, 900, 3600, 28800, 86400];
/** How long the way of a test is watched, in seconds; a receiver that fails tries again later. */
const TEST_SECONDS = 30;
const FAILURES = ["later", "held", "broken", "paused"];

function rulesCard({ may, api, reload }) {
  const isOwner = may("owner"), editor = el("div"), said = el("p", { class: "row", role: "status" }), refused = el("p", { class: "wrong" }), list = el("ul", { class: "list" }), off = el("ul", { class: "list" });
  const known = new Map(), rows = new Map(), homes = new Map();
  const unused = fold(isOwner && t("rules.unused"), off);
  let open = null, news = said;

  /** Puts the owner's entry about a rule in use, null takes it back; offers the one before, as long as another owner changed nothing since. */
  async function change(id, entry, rule) {
    const before = entryOf(rule), was = known.get(id), path = `/rules/${encodeURIComponent(id)}`;
    const { alerts = [], off = [] } = await api.send(entry ? "PUT" : "DELETE", path, entry, { etag: tagOf(rule) }).catch((problem) => {
      // Its row may have been drawn anew meanwhile.
      if (problem.type === "precondition") news.replaceChildren(asIs(ruleName(id)), ": ", ...problemWords(problem));
      throw problem;
    });
    const now = [...alerts, ...off].find((one) => one.id === id), isOff = off.includes(now);
    const what = !now ? "do.removed" : was && Boolean(was.isOff) !== isOff ? `rules.${isOff ? "isOff" : "isOn"}` : "do.saved";
    news.replaceChildren();
    news = (now && was && rows.get(id)?.news) || said;
    news.replaceChildren(el("span", {}, asIs(ruleName(id)), `: ${t(what)}`), action(t("do.undo"), () => change(id, before, now), { class: "small" }));
    await reload();
    news.querySelector("button")?.focus({ preventScroll: news !== said });
  }

  /** Opens the form in the row of its rule, or above all rows for a new one; one is open at a time. */
  async function edit(id, rule) {
    if (!live.station) await refresh();
    open?.remove();
    open = ruleForm(id, rule, { api, known, change });
    (rows.get(id)?.place ?? editor).replaceChildren(open);
    open.querySelector("input, select").focus();
  }

  /** A row stays while its rule is drawn anew: what came of its test, and its form. */
  function row(id) {
    const sign = el("span"), state = el("span", { class: "chip" }), about = el("div"), answer = el("div", { role: "status" }), place = el("div"), news = el("p", { class: "row", role: "status" });
    const test = may("member") ? action(t("alerts.test"), () => tryReceivers(id, api, answer), { class: "small" }) : null, acts = el("div", { class: "row" });
    const node = el("li", { class: "finding" }, sign, el("div", {}, el("p", {}, el("strong", {}, ruleName(id)), state), about, acts, news, answer, place));
    let drawn = "", shown = "";
    return Object.assign(node, { place, news, renew(rule, isOff, raised, { time, names, isNever }) {
      const stage = isOff ? "off" : raised?.state ?? "quiet", level = isOff || stage === "pending" ? "unknown" : raised ? SIGNS[rule.severity] : "good";
      if (shown !== (shown = `${stage} ${level}`)) {
        sign.replaceChildren(mark(level, "mark small"));
        setText(state, code("alerts.state", stage));
      }
      const { present, ...figures } = rule;
      if (drawn === (drawn = JSON.stringify([figures, isOff, time, names, isNever]))) return;
      const entry = entryOf(rule), isFile = rule.origin === "file";
      about.replaceChildren(...ruleSentences(rule).map((words) => el("p", {}, words)), el("p", { class: "quiet" }, t("rules.hasSeverity", { name: severityName(rule.severity) }), time ? ` · ${t("rules.last", { time })}` : isNever ? ` · ${t("rules.unraised")}` : "", names.length ? ` · ${t("rules.receivers", { names: names.join(", ") })}` : ""),
        isOwner && isFile ? el("p", { class: "quiet" }, t("settings.locked"), rule.source ? ` ${t("rules.hides")}` : "") : "");
      if (test) show(test, !isOff);
      acts.replaceChildren(test ?? "", ...(isOwner && !isFile ? [isSimple(rule) ? button(t("rules.change"), () => edit(id, rule), { class: "small" }) : "",
        action(t(isOff ? "rules.on" : "rules.off"), () => change(id, { ...entry, isOn: isOff }, rule), { class: "small" }),
        rule.origin === "ui" ? action(t("rules.remove"), () => change(id, null, rule), { class: "small" }) : ""] : []));
    } });
  }

  const rowOf = ({ id }) => rows.get(id) ?? rows.set(id, row(id)).get(id);
  return { node: card(t("alerts.rules"), refused, said, isOwner ? el("div", { class: "row" }, button(t("rules.add"), () => edit())) : null, editor, list, isOwner ? unused : null),
    update(rules, alerts, past, receivers) {
      refused.replaceChildren(...(rules.problem ? problemWords(rules.problem) : []));
      if (rules.problem) return;
      known.clear();
      for (const rule of rules.alerts ?? []) known.set(rule.id, rule);
      for (const rule of rules.off ?? []) known.set(rule.id, { ...rule, isOff: true });
      for (const id of rows.keys()) if (!known.has(id)) rows.delete(id);
      const order = ["pending", "easing", "raised"], raised = new Map([...alerts].sort((one, other) => order.indexOf(one.state) - order.indexOf(other.state)).map((one) => [ruleOf(one), one]));
      // A rule that is switched stays where it is, under the finger, until the page is opened anew.
      for (const id of homes.keys()) if (!known.has(id)) homes.delete(id);
      for (const { id, isOff } of known.values()) if (!homes.has(id)) homes.set(id, Boolean(isOff));
      // When it was raised last, and who got a notice since: the courier says it before the record does, and the record for longer.
      const last = (id, now) => {
        const [raises, sent] = past.map((all) => (all ?? []).filter((one) => one.details?.key?.startsWith(`${id}:`) && !isTest(one))), time = now?.n ? live.now - now.sinceSeconds : raises[0]?.time && moment(raises[0].time) / 1000;
        if (!time) return { names: [], isNever: !raises.length && past[0]?.length < MOST };
        const recent = receivers.filter(({ notices }) => notices?.latest?.some(({ key, ageSeconds }) => key.startsWith(`${id}:`) && live.now - ageSeconds >= time - 5));
        return { time: stamp(time), names: [...new Set([...recent.map((one) => one.id), ...sent.filter((one) => one.time && moment(one.time) / 1000 >= time - 5).map(({ details }) => details.target)])] };
      };
      for (const place of [list, off]) {
        const here = ownFirst([...homes].filter(([, isOff]) => isOff === (place === off)).map(([id]) => known.get(id)));
        keyed(place, here, (rule) => rule.id, rowOf, (node, rule) => node.renew(rule, Boolean(rule.isOff), rule.isOff ? undefined : raised.get(rule.id), last(rule.id, raised.get(rule.id))));
      }
    } };
}

const unitOf = (quantity) => live.station?.channels?.find((one) => quantityOf(one.id) === quantity)?.unit;

/** A sentence for each part of a rule; none for a kind without words. */
export const ruleSentences = (rule) => rule.parts.map((part) => {
  const quantity = quantityOf(part.channels), unit = part.limits.length && unitOf(quantity), name = quantityName(quantity) + (unit ? ` (${unit})` : ""), round = (all) => all.map((one) => number(one, 1, 0)).join(", "), kind = `rules.kind.${part.kind}`;
  if (!part.limits.length) return has(kind) && t(kind, { name, time: duration(part.overSeconds ?? rule.forSeconds), n: number(part.intervalCount ?? 0), used: percent((part.usedPercent ?? 0) / 100, 0), left: duration((part.daysLeft ?? 0) * 86400) });
  return t(part.isFloor ? "rules.below" : "rules.from", { name, over: part.overSeconds ? t("alerts.mean", { time: over(part.overSeconds) }) : t("rules.sample"), limits: round(part.limits), ends: round(part.ends), lasting: rule.forSeconds ? t("rules.lasting", { time: duration(rule.forSeconds) }) : "" });
}).filter(Boolean);

/** Sends a test to all receivers, and says at the rule what came of it at each. */
async function tryReceivers(rule, api, answer) {
  const sent = (one) => one.notices?.sent ?? 0, ask = async () => (await api.maybe("/outbox")) ?? {};
  answer.replaceChildren();
  const before = new Map((await ask()).receivers?.map((one) => [one.id, sent(one)]));
  await api.send("POST", "/alerts/test", { rule });
  const began = performance.now();
  for (;;) {
    const { isRunning, receivers = [] } = await ask(), seconds = (performance.now() - began) / 1000;
    if (!isRunning || !receivers.length) throw refusal(t(isRunning ? "alerts.receivers.none" : "outbox.noCourier"));
    const fates = receivers.map((one) => {
      if (sent(one) > (before.get(one.id) ?? 0)) return { one, level: "good", words: t("alerts.test.taken") };
      if (seconds > 4 && FAILURES.includes(one.state)) return { one, level: "poor", words: [code("outbox.state", one.state), ". ", deliveryReason(one.code, one.why)] };
      if (seconds > 10 && !one.notices?.waiting) return { one, level: "unknown", words: t("alerts.test.nothing") };
      return { one, words: t("alerts.test.waits") };
    });
    answer.replaceChildren(el("ul", { class: "steps" }, fates.map(({ one, level, words }) => el("li", {}, mark(level, "mark small"), el("span", {}, asIs(one.id), ": ", words)))));
    if (fates.every(({ level }) => level) || seconds > TEST_SECONDS || !answer.isConnected) return "";
    await new Promise((ready) => { setTimeout(ready, 1000); });
  }
}

/** The rules that do not come with Roost before the others. */
const ownFirst = (all = []) => [...all].sort((one, other) => has(`rule.${one.id}`) - has(`rule.${other.id}`));

/** What the owner's settings say of a rule; null for one as it was shipped. */
const entryOf = (rule) => (rule?.source ? JSON.parse(rule.source) : null);

/** What a change of a rule is made from, as `If-Match`; a station before this did not say it. */
const tagOf = (rule) => (rule ? rule.tag && `"${rule.tag}"` : '"none"');

/** Whether the form can say it: values or means, each with one limit. */
const isSimple = (rule) => rule.parts.every((part) => part.limits.length === 1 && ["value", "mean"].includes(part.kind));

const severityName = (name) => t(name === "critical" ? "rules.critical" : `severity.${name}`);
const choose = (name, label, chosen, options) => field(name, label, { control: choice(options, chosen) });
const figure = (name, label, value, props) => field(name, label, { type: "number", step: "any", value, ...props });

/** The name that programs use: ASCII letters, digits, - _ and dots of what a person wrote; `ü` is `ue`, as `é` is `e`. */
const plainName = (text) => text.replace(/[äöü]/gi, "$&e").replace(/ß/g, "ss").normalize("NFD").replace(/\p{M}/gu, "").replace(/[^\w.-]+/g, " ").trim().replace(/ /g, "-");

/** A rule as a sentence with gaps for each of its parts. */
function ruleForm(id, rule, { api, known, change }) {
  const sentences = (rule?.parts ?? [{}]).map(sentence);
  const name = field("name", t("rules.name"), { required: true, maxlength: "64", autocomplete: "off" });
  const nameOf = (values) => plainName(values.name), called = el("p", { class: "hint", role: "status" });
  name.append(called);
  name.input.addEventListener("input", () => {
    const given = nameOf({ name: name.input.value });
    setText(called, given && given !== name.input.value ? t("rules.called", { name: given }) : "");
  });
  const lasting = figure("forSeconds", t("rules.for"), (rule?.forSeconds ?? 0) / 60, { min: "0" });
  const severity = choose("severity", t("rules.severity"), rule?.severity ?? "warning", ["notice", "warning", "critical"].map((one) => [one, severityName(one)]));
  const built = () => ({ parts: sentences.map((one) => one.built()), forSeconds: Math.round(lasting.input.value * 60), severity: severity.input.value,
    until: { forSeconds: rule?.untilSeconds ?? 0 }, unless: rule?.unless, words: rule?.words, isOn: known.get(id)?.isOff ? false : undefined });
  /** The answer to what the form says when it comes, not to what it said before. */
  async function preview() {
    const unread = [...sentences.flatMap((one) => one.fields), lasting].filter(isNoNumber);
    for (const one of unread) one.fail(t("form.number"));
    if (unread.length) throw refusal(t("form.number"));
    if (!isWhole()) throw refusal(t("form.empty"));
    const asked = built(), isOld = () => JSON.stringify(built()) !== JSON.stringify(asked);
    let words;
    try { words = previewWords(await api.send("POST", "/rules/preview", asked, { patience: 60000 })); } catch (problem) { if (!isOld()) throw problem; }
    return isOld() ? preview() : words;
  }
  const isWhole = () => sentences.every((one) => one.isWhole());
  const trial = action(t("rules.try"), preview);
  const node = form([id ? [] : name, sentences.map((one) => one.fields), lasting, severity].flat(2), t("do.save"), async (values) => {
    await change(id ?? nameOf(values), built(), rule);
    node.remove();
  }, (values) => ({ name: !id && (/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(values.name) ? t("form.unseen") : known.has(nameOf(values)) ? t("rules.taken") : nameOf(values) ? nameProblem(nameOf(values)) : t("form.name")) }), fieldOf);
  // By itself, once there is something to try.
  node.addEventListener("change", () => { if (isWhole()) trial.firstChild.click(); else trial.lastChild.replaceChildren(); });
  node.lastElementChild.append(button(t("do.cancel"), () => node.remove()));
  node.append(trial);
  node.prepend(el("h3", {}, id ? [`${t("rules.change")}: `, asIs(ruleName(id))] : t("rules.add")));
  return node;
}

/** The gaps of one part; the end that it has without one is left out. */
function sentence({ channels: chosen, overSeconds = 0, isFloor, limits = [], ends = [] }, index) {
  const channel = choose(`channel${index}`, t("rules.channel"), chosen, channels(chosen));
  const mean = choose(`over${index}`, t("rules.over"), overSeconds, [...new Set([...OVERS, overSeconds])].map((one) => [one, one ? t("alerts.mean", { time: over(one) }) : t("rules.sample")]));
  const side = choose(`side${index}`, t("rules.side"), isFloor ? "atMost" : "atLeast", [["atLeast", t("rules.atLeast")], ["atMost", t("rules.atMost")]]);
  const limit = figure(`limit${index}`, t("rules.limit"), limits[0], { required: true });
  const sayUnit = () => { limit.input.placeholder = unitOf(quantityOf(channel.input.value)) ?? ""; };
  channel.input.addEventListener("change", sayUnit);
  sayUnit();
  const usual = limits[0] + (isFloor ? 0.1 : -0.1) * Math.abs(limits[0]);
  const until = figure(`until${index}`, t("rules.until"), Math.abs(ends[0] - usual) > 1e-6 ? ends[0] : null, { hint: t("rules.until.hint") });
  return { fields: [channel, mean, side, limit, until], isWhole: () => limit.input.value, built: () => {
    const seconds = Number(mean.input.value), bound = { [side.input.value]: Number(limit.input.value) }, end = until.input.value;
    return { channel: channel.input.value, when: seconds ? { mean: { overSeconds: seconds, ...bound } } : { value: bound },
      until: end ? { [side.input.value === "atMost" ? "above" : "below"]: Number(end) } : {} };
  } };
}

function channels(chosen) {
  const all = live.station?.channels ?? [], quantities = [...new Set(all.map((one) => quantityOf(one.id)))];
  const rows = [...quantities.map((one) => [`*/${one}`, t("rules.any", { name: quantityName(one) })]), ...all.map((one) => [one.id, `${channelName(one)}${one.unit ? ` (${one.unit})` : ""}`])];
  return chosen && !rows.some(([value]) => value === chosen) ? [[chosen, chosen], ...rows] : rows;
}

function previewWords({ days, dataDayCount, episodeCount, medianSeconds, episodes }) {
  const past = plural("rules.past", days);
  if (!dataDayCount) return t("rules.noPast", { past });
  const words = episodeCount ? plural("rules.would", episodeCount, { past, time: duration(medianSeconds), last: stamp(episodes.at(-1).time) }) : t("rules.never", { past });
  return dataDayCount < days ? `${words} ${plural("rules.dataDays", dataDayCount)}` : words;
}
