// Samples at each target: delivered, waiting, or left out, and why.
import { KEEPING } from "../api.js";
import { asIs, button, card, dialog, el, facts, keyed, mark, quoted, renew, setText, show, table } from "../dom.js";
import { deliveryReason, loadFacts } from "../facts.js";
import { field, form } from "../form.js";
import { ago, bytes, countdown, fromInput, number, rfc3339, stamp, toInput } from "../format.js";
import { code, has, plural, t } from "../i18n.js";
import { live } from "../live.js";
import { action, atOf, confirmed, deviceTitle, problemWords } from "../words.js";
import { FAILING, sending } from "./nowparts.js";
import { entryAddress, entryCard, offerUndo, said } from "./entryform.js";

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
    context.setTitle(sending(outbox).text);
    // What fetches the values of others stands beside what sends; receivers have their own page.
    const all = [...outbox.targets, ...outbox.feeds ?? []], silent = (outbox.receivers ?? []).filter((one) => FAILING.includes(one.state));
    const words = [[stationTrouble, "stationTrouble"], [cursorTrouble, "cursorTrouble"], [settingsTrouble, "settingsTrouble"]].filter(([text]) => text).flatMap(([text, name]) => [t(`outbox.${name}`), " ", quoted(text), " "]);
    renew(trouble, words.map((one) => el("span", {}, one)), isMetered && el("span", {}, t("outbox.metered")), silent.map(({ id }) => el("a", { href: "/alerts" }, t("well.alerts.unsent", { name: id }))));
    show(trouble, trouble.childElementCount > 0);
    keyed(list, all, (one) => `${one.id} ${one.type}`, (one) => standing(one, context, again), (node, one) => node.renew(one));
    if (left !== (left = JSON.stringify(leftOut))) unused.replaceChildren(unused.firstChild, ...leftOut.map(({ id, sentence }) => el("div", {}, el("p", {}, asIs(id, "strong"), " ", quoted(sentence)), el("div", { class: "row" }, entryActs({ id, origin: "ui" }, context, again)))));
    show(unused, leftOut.length > 0);
    show(targets, all.length > 0);
    show(search, outbox.targets.length > 0);
    if (all.length) return empty.replaceChildren();
    if (!empty.firstChild || empty.dataset.is !== String(isRunning)) {
      empty.dataset.is = isRunning;
      empty.replaceChildren(card(null, el("p", { class: "big" }, t(isRunning ? "outbox.none" : "outbox.noCourier")), isRunning ? addLink(t("outbox.add"), context) : [el("p", {}, t("outbox.install")), asIs("sudo apt install roost-courier", "pre", { tabindex: "0" }), el("p", {}, t("outbox.check")), asIs("roost courier check", "pre", { tabindex: "0" })]));
    }
  }
  const again = async () => update(await load(context.api));

  return { update, tick() {
    for (const node of list.children) node.tick();
    if ((beats += 1) % 2 === 0) again().catch(() => {});
  } };
}

function fates(api) {
  const list = el("ul", { class: "list" });
  const when = field("time", t("surveys.when"), { type: "datetime-local", required: true, value: toInput(live.now - 3600) });
  return card(t("outbox.fate"), form([when], t("outbox.fate.find"), async ({ time }) => {
    const found = (await api.get("/outbox/fates", { time: rfc3339(fromInput(time)) })).fates;
    list.replaceChildren(...found.map((one) => el("li", { class: "split" },
      el("span", {}, asIs(el("strong", {}, one.target)), " ", asIs(deviceTitle(one.device)), " ", el("span", { class: "quiet" }, one.time ? stamp(one.time) : "")),
      el("span", {}, has(`fate.${one.fate}`) ? t(`fate.${one.fate}`) : t("fate.leftOut", { why: code("leftOut", one.fate) }), one.why ? [" ", quoted(one.why)] : ""))));
    return found.length ? "" : t("outbox.fate.none");
  }), list);
}

// MARK: How one target or receiver stands, for the page Alerts, too

/** A server is asked what it has: the station gives it a minute. */
const PATIENCE = 65000;
const MARKS = { idle: "good", waiting: "good", later: "moderate", held: "fault", broken: "fault" };

/** An item of a list, with `renew(report)` and `tick()`. */
export function standing(first, context, changed) {
  const { may, api } = context;
  const sign = el("span"), state = el("strong"), why = el("p"), next = el("p", { class: "quiet" }), sums = el("div"), acts = el("div", { class: "row" });
  const node = el("li", { class: "finding" }, sign, el("div", {}, asIs([el("strong", {}, first.id), first.type === first.id ? null : el("span", { class: "chip" }, first.type)].filter(Boolean), "p"), el("p", { role: "status" }, state), why, next, sums, acts));
  const post = (what, body) => async () => { await api.send("POST", `/outbox/${first.id}/${what}`, body); await changed(); };
  let report = null, heardAt = 0, offered = "";

  async function retry() {
    const { taken, left } = await api.send("POST", `/outbox/${first.id}/retry`, {}, { patience: PATIENCE });
    await changed();
    return t("outbox.retried", { taken: number(taken), left: number(left) });
  }

  async function prove(repairs) {
    const { days, files } = await api.send("POST", `/outbox/${first.id}/prove`, { repairs }, { patience: PATIENCE });
    if (!days && !files) return t("outbox.proof.none");
    const all = files ?? days.map((one) => ({ ...one, state: one.isProved ? "proved" : one.held === undefined ? "unanswered" : "differs" }));
    const wrong = all.filter((one) => one.state !== "proved"), words = t(files ? "outbox.proof.files" : "outbox.proof.days", { n: number(all.length - wrong.length), of: number(all.length) });
    if (wrong.length) {
      dialog(first.id, t("do.close"), el("p", {}, words), table(t("outbox.proof.wrong"), ["", t("outbox.delivered"), t("outbox.proof.held")],
        wrong.slice(0, 60).map((one) => [asIs(one.day ?? one.path), number(one.delivered ?? one.samples), one.held === undefined ? code("outbox.proof", one.state) : number(one.held)])),
      repairs ? null : action(t("outbox.repair"), () => prove(true), { class: "small" }));
    }
    return words;
  }

  node.tick = () => {
    const left = report.nextTrySeconds, wait = left === undefined || left === null ? null : left - (performance.now() - heardAt) / 1000;
    setText(next, wait === null ? "" : t("outbox.next", { time: countdown(wait) }));
    show(next, wait !== null && report.state !== "paused");
  };
  node.renew = (given) => {
    report = given;
    heardAt = performance.now();
    const isPaused = report.state === "paused", isSender = Boolean(report.samples), isRefused = !report.fileCount && report.samples?.leftOut.refused > 0;
    const now = `${report.state} ${isRefused} ${report.origin}`;
    if (offered !== now) {
      offered = now;
      sign.replaceChildren(mark(report.isWaitingForClock && report.samples?.waiting ? "moderate" : MARKS[report.state] ?? "unknown", "mark small"));
      // Each delivery changes whether something can be sent: that stands last, so that a finger meets the button that it saw.
      renew(acts, may("member") ? [
        action(t(isPaused ? "outbox.resume" : "outbox.pause"), post(isPaused ? "resume" : "pause"), { class: "small" }),
        report.isProvable ? action(t("outbox.prove"), () => prove(false), { class: "small" }) : null,
        isSender && may("owner") ? button(t("outbox.drop"), confirmed(t("outbox.drop.sure", { name: report.id }), t("outbox.drop"), () => post("drop", { before: rfc3339(live.now) })()), { class: "small" }) : null,
        entryActs(report, context, changed),
        isPaused || report.values || report.state === "idle" ? null : action(t("outbox.flush"), post("flush"), { class: "small" }),
        isRefused ? action(t("outbox.retry"), retry, { class: "small" }) : null] : []);
    }
    setText(state, code("outbox.state", report.state !== "idle" ? report.state : report.values ? "fetched" : report.fileCount !== undefined && report.samples?.waiting ? "period" : "idle"));
    const key = `${report.code} ${report.why}`;
    if (why.dataset.key !== key) { why.dataset.key = key; why.replaceChildren(...deliveryReason(report.code, report.why).filter(Boolean)); }
    show(why, Boolean(report.why));
    sums.replaceChildren(facts(rows(report)));
    node.tick();
  };
  node.renew(first);
  return node;
}

/** What its owner may do with an entry that was added on the page or by a command. */
export function entryActs({ id, origin }, context, changed) {
  const { may, api, go } = context;
  if (!may("owner")) return [];
  if (origin !== "ui") return [el("span", { class: "quiet" }, t("outbox.inFile"))];
  return [button(t("outbox.change"), () => go(entryAddress({ change: id })), { class: "small" }),
    button(t("outbox.remove"), confirmed(t("outbox.remove.sure", { name: id }), t("outbox.remove"), async () => { await api.send("DELETE", `/outbox/${id}`, {}, { patience: KEEPING }); offerUndo(id, context, "do.removed"); await changed(); }), { class: "small" })];
}

export const addLink = (words, { may }) => (may("owner") ? el("p", {}, el("a", { class: "button", href: entryAddress({ add: "any" }) }, words)) : null);

/** The form of the entry that the address names; the page's other parts are away meanwhile. */
export function entryPlace(root, section, context) {
  const place = el("div", { class: "entry" });
  let shown = null;
  said.replaceChildren();
  root.prepend(said);
  root.append(place);
  return async (query) => {
    const [add, change, url] = ["add", "change", "url"].map((name) => query.get(name)), wanted = change ?? add;
    if (wanted === shown || !context.may("owner")) return;
    shown = wanted;
    root.classList.toggle("editing", wanted !== null);
    place.replaceChildren();
    if (wanted === null) return;
    const node = await entryCard(section, { add, change, url }, context)
      .catch((problem) => card(null, el("p", { class: "wrong", role: "alert" }, problemWords(problem))));
    if (shown === wanted) place.replaceChildren(node);
  };
}

function rows({ samples, values, notices, oldestWaiting, isWaitingForClock, lastDeliverySeconds, fileCount, drives, requestCount, byteCount, proof, cursorLost }) {
  const left = Object.entries(samples?.leftOut ?? {}).filter(([, count]) => count);
  return [
    samples ? [t("outbox.delivered"), plural("outbox.samples", samples.delivered)] : null,
    samples ? [t("outbox.waiting"), `${plural("outbox.samples", samples.waiting)}${oldestWaiting ? `, ${t("outbox.oldest", { time: stamp(oldestWaiting) })}` : ""}${isWaitingForClock ? `, ${t("outbox.forClock")}` : ""}`] : null,
    values ? [t("outbox.values"), number(values.written)] : null,
    values?.refused ? [t("outbox.values.refused"), [number(values.refused), " ", quoted(values.refusal)]] : null,
    left.length ? [t("outbox.leftOut"), left.map(([name, count]) => `${code("leftOut", name)}: ${number(count)}`).join(", ")] : null,
    samples ? [t("outbox.recorded"), number(samples.delivered + samples.waiting + left.reduce((sum, [, count]) => sum + count, 0))] : null,
    notices ? [t("outbox.notices"), t("outbox.notices.sum", { sent: number(notices.sent), waiting: number(notices.waiting) })] : null,
    fileCount ? [t("outbox.files"), number(fileCount)] : null,
    drives ? [t("outbox.drives"), t("outbox.drives.sum", { delivered: number(drives.delivered), waiting: number(drives.waiting), left: number(drives.leftOut) })] : null,
    drives?.present ? [t("outbox.drive"), `${drives.present.name}${drives.present.importID ? ` (#${drives.present.importID})` : ""}: ${code("outbox.step", drives.present.step)}`] : null,
    [t("outbox.last"), lastDeliverySeconds === undefined ? t("outbox.never") : lastDeliverySeconds < 120 ? ago(lastDeliverySeconds) : atOf(live.now - lastDeliverySeconds)],
    requestCount ? [t("outbox.traffic"), `${plural("outbox.requests", requestCount)}, ${bytes(byteCount)}`] : null,
    proof ? [t("outbox.proof"), quoted(proof)] : null,
    cursorLost ? [t("outbox.lost"), t("outbox.lost.anew")] : null,
  ];
}
