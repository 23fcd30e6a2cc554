// The form of an upload target or a receiver, made of what the courier says its type takes.
import { asIs, card, el, fold, mark, menuRow, quoted } from "../dom.js";
import { field, form, nameProblem } from "../form.js";
import { number } from "../format.js";
import { code, has, loadMore, t } from "../i18n.js";
import { live, refresh } from "../live.js";
import { beginProblems, collected, entryAddress, hereProblems, option, topic } from "./entryfields.js";
import { KEEPING, offerUndo } from "./undo.js";

const USUAL = { targets: ["mqtt", "influx2", "sensor-community", "opensensemap", "webhook"], receivers: ["ntfy", "telegram", "smtp", "webhook"] };
/** Each step of a trial has its own limit at the courier. */
export const PATIENCE = 105000, SEARCH_PATIENCE = 20000;
const STEPS = { done: "good", failed: "poor", skipped: "unknown" };

/** The card for `add`, a type or `any`, with the `url` of an offer, or for `change`, an id. */
export async function entryCard(section, { add, change, url }, context) {
  const { api } = context;
  const [kinds, outbox, present] = await Promise.all([api.get("/outbox/kinds"), api.get("/outbox"), change ? api.get(`/outbox/${encodeURIComponent(change)}/entry`) : null,
    loadMore("entries"), live.station ?? refresh().catch(() => null)]);
  const all = kinds[section], type = present ? present.entry.type : add, kind = all.find((one) => one.type === type);
  if (!kind) return choice(section, all, context);
  const ids = [outbox.targets, outbox.receivers, outbox.feeds, outbox.leftOut].flat().map((one) => one.id);
  return formCard({ section, kind, ids, present, url }, context);
}

/** The types, the usual ones first. */
function choice(section, all, context) {
  const usual = USUAL[section].map((type) => all.find((one) => one.type === type)).filter(Boolean);
  const menu = (kinds) => el("ul", { class: "menu" }, kinds.map((kind) => menuRow(entryAddress({ add: kind.type }), kindName(kind), about(kind))));
  // A step that begins with the choice has its own heading and its own way on.
  const isAsked = new URLSearchParams(location.search).has("add");
  return card(isAsked ? t(`entry.choose.${section}`) : null, section === "targets" ? nearbyPart(context) : null, menu(usual), fold(t("entry.others"), menu(all.filter((one) => !usual.includes(one)))),
    isAsked ? el("div", { class: "row" }, el("a", { class: "button", href: entryAddress() }, t("do.cancel"))) : null);
}

const about = ({ type, about: words }) => (has(`kind.${type}.about`) ? t(`kind.${type}.about`) : quoted(words));

const kindName = ({ type, name }) => (has(`kind.${type}`) ? t(`kind.${type}`) : asIs(name ?? type));

function formCard({ section, kind, ids, present, url }, context) {
  const { api, go } = context, { type } = kind, before = present?.entry ?? { type, ...offered(url) };
  const id = present ? null : field("id", t("entry.id"), { value: freeID(type, ids), required: true, maxlength: "32", autocomplete: "off", autocapitalize: "none", spellcheck: "false", hint: t("entry.id.hint") });
  const options = kind.fields.filter((one) => one.kind !== "object").map((one) => option(one, kind, before, !present));
  const own = options.filter((one) => !one.option.isCommon), common = options.filter((one) => one.option.isCommon);
  const more = Object.assign(fold(t("entry.more"), el("div", { class: "form" }, common)), { fields: common });
  const steps = el("div", { role: "status" });
  const trial = el("button", { type: "submit" }, t(section === "receivers" ? "entry.test" : "entry.try"));

  async function send(values, submitter) {
    const path = `/outbox/${encodeURIComponent(present?.id ?? values.id.trim())}`, body = { section, ...collected(options, values, before) };
    steps.replaceChildren(submitter === trial ? el("p", { class: "quiet" }, t("do.running")) : "");
    trial.disabled = true;
    try {
      if (submitter !== trial) await api.send("PUT", path, body, { patience: KEEPING });
      else steps.replaceChildren(...outcome(await api.send("POST", `${path}/try`, section === "receivers" ? { ...body, sends: true } : body, { patience: PATIENCE })));
    } catch (problem) {
      steps.replaceChildren();
      for (const error of problem.errors ?? []) error.pointer = placed(error.pointer, options);
      throw problem;
    } finally {
      trial.disabled = false;
    }
    if (submitter === trial) {
      // Long forms end below the screen, and so does what came of the trial.
      steps.scrollIntoView({ block: "center" });
      return "";
    }
    await go(entryAddress(), { replaces: true });
    offerUndo(present?.id ?? values.id.trim(), context);
    return "";
  }

  const node = form([id, ...own, type === "ntfy" ? topic(own) : null, more, steps].filter(Boolean), t("do.save"), send,
    (values) => ({ ...beginProblems(options, values), ...hereProblems(options, values), id: ids.includes(values.id?.trim()) ? t("entry.id.used") : nameProblem(values.id?.trim()) }));
  node.lastChild.append(trial, el("a", { class: "button", href: entryAddress() }, t("do.cancel")));
  const words = has(`kind.${type}.steps`) ? t(`kind.${type}.steps`) : about(kind);
  return card(present ? [asIs(present.id), ` · `, kindName(kind)] : kindName(kind), el("p", { class: "quiet" }, words), node);
}

/** The options of a server that was found; one of this computer is allowed by its owner only. */
const offered = (url) => (url ? { url, ...(url.includes("//127.") ? { local: true } : {}) } : {});

/** A name that no entry has: the type, or the type and a number. */
export function freeID(type, ids) {
  let name = type;
  for (let n = 2; ids.includes(name); n += 1) name = `${type}-${n}`;
  return name;
}

/** The name of the field that a refusal is about; what is in a folded part is unfolded. */
function placed(pointer, options) {
  const key = pointer?.replace(/^\/(entry|secrets)\//, "");
  const found = options.filter((one) => key === one.name || key?.startsWith(`${one.name}/`)).at(-1);
  found?.closest("details")?.setAttribute("open", "");
  return found ? `/${found.name}` : pointer;
}

/** How far a trial came. */
export function outcome({ isReached, server, steps, milliseconds }) {
  const failed = steps.find((one) => one.state === "failed")?.name, key = `try.notReached.${failed}`;
  return [el("p", {}, el("strong", {}, t(isReached ? "try.reached" : has(key) ? key : "try.notReached", { ms: number(milliseconds) })), " ", server ? asIs(server) : ""),
    el("ul", { class: "steps" }, steps.map((one) => el("li", {}, mark(STEPS[one.state], "mark small"),
      el("span", {}, el("strong", {}, code("try", one.name)), `: ${t(`try.${one.state}`)} `, quoted(one.sentence)))))];
}

/** Brokers and Home Assistants that announce themselves on the local network: each fills in the form of a target. */
function nearbyPart({ api }) {
  const said = el("p", { class: "quiet", role: "status" }, t("nearby.looks")), list = el("ul", { class: "menu" });
  api.get("/outbox/nearby", null, { patience: SEARCH_PATIENCE }).then(({ search, why, items, omittedCount }) => {
    list.replaceChildren(...items.map(row));
    const words = search !== "done" ? t(`nearby.${search}`) : t(items.length ? "nearby.found" : "nearby.none");
    said.replaceChildren(words, why ? " " : "", quoted(why) ?? "", omittedCount ? t("nearby.omitted", { n: omittedCount }) : "");
  }, (problem) => {
    if (problem.status === undefined) console.error(problem);
    said.replaceChildren(t("nearby.failed"));
  });
  return el("div", { class: "nearby" }, said, list);
}

function row({ kind, name, url, isLocal }) {
  const where = isLocal ? t("nearby.here") : new URL(url.replace(/^mqtts?:/, "http:")).hostname;
  return menuRow(entryAddress({ add: "mqtt", url }), asIs(name), t(`nearby.${kind}`, { address: where }));
}
