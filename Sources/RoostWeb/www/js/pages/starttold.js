// The third step: who is told of alerts. A phone by the app ntfy, with a test before it is saved; others by their forms.
import { KEEPING } from "../api.js";
import { asIs, button, card, el, fold, menuRow, show } from "../dom.js";
import { form } from "../form.js";
import { clockSeconds } from "../format.js";
import { loadMore, noticeLanguage, t } from "../i18n.js";
import { keep, kept } from "../kept.js";
import { live } from "../live.js";
import { qrCode } from "../qr.js";
import { copyAction } from "../words.js";
import { collected, entryAddress, entryCard, freeID, hereProblems, newTopic, option, outcome, PATIENCE, placed, topicAddresses } from "./entryform.js";

/** Options of the receiver that the step shows; all others are of its own form. */
const SHOWN = ["url", "token", "local"];

export async function load(api, query, context) {
  const [outbox] = await Promise.all([api.get("/outbox"), loadMore("entries")]);
  const [add, change] = ["add", "change"].map((name) => query.get(name));
  const isAsked = outbox.isRunning && query.get("step") === "3";
  return { ...outbox, form: isAsked && (add || change) ? await entryCard("receivers", { add, change }, context) : null,
    kinds: isAsked && !add && !change ? await api.get("/outbox/kinds") : null };
}

export const summary = ({ receivers }) => receivers.map((one) => one.id).join(", ") || null;

export function make(root, context) {
  return { update(data) {
    if (root.firstChild) return;
    const { isRunning, receivers, form: given, kinds } = data;
    context.done(receivers.length > 0);
    if (given) return root.append(given);
    if (!isRunning) return root.append(card(null, el("p", { class: "big" }, t("outbox.noCourier")), el("p", {}, t("outbox.install")), asIs("sudo apt install roost-courier", "pre", { tabindex: "0" })));
    if (receivers.length) root.append(card(t("start.told.now"), el("p", {}, asIs(receivers.map((one) => one.id).join(", ")))));
    root.append(phoneCard(data, kinds.receivers.find((one) => one.type === "ntfy"), context),
      card(null, el("ul", { class: "menu" }, menuRow(entryAddress({ add: "any" }), t("start.told.others"), t("start.told.others.words")))));
  } };
}

/** The topic of this visit, and id and server of its receiver once it is saved: the same after a reload, so that what was scanned stays right. */
function ownTopic() {
  const own = JSON.parse(kept("topic", "sessionStorage")) ?? { topic: newTopic() };
  keepTopic(own);
  return own;
}

const keepTopic = (own) => keep("topic", JSON.stringify(own), "sessionStorage");

function phoneCard(outbox, kind, { api, done }) {
  const { topic, id: own, url } = ownTopic(), before = { type: "ntfy", language: noticeLanguage() };
  const options = kind.fields.filter((one) => SHOWN.includes(one.key)).map((one) => option(one, kind, before, true));
  const server = options.find((one) => one.option.key === "url"), used = [outbox.targets, outbox.receivers, outbox.feeds, outbox.leftOut].flat().map((one) => one.id);
  const id = used.includes(own) ? own : freeID("ntfy", used), picture = el("div", { class: "scan" }), link = el("a", { class: "button" }, t("start.told.open")), text = el("code", { translate: "no" });
  server.input.value = url ?? "";
  const draw = async () => {
    const { app, address } = topicAddresses(server.input.value.trim() || server.option.example, topic);
    const whole = `${app}${app.includes("?") ? "&" : "?"}display=${encodeURIComponent(live.station?.station?.name ?? "Roost")}`;
    link.href = whole;
    text.textContent = address;
    picture.replaceChildren();
    const drawn = await qrCode(whole, t("start.told.code")).catch(() => null);
    picture.replaceChildren(drawn ?? el("p", { class: "quiet" }, t("start.told.noCode")));
  };
  server.input.addEventListener("input", draw);
  draw();
  const said = el("div", { class: "say", role: "status" }), more = Object.assign(fold(t("start.told.server"), el("div", { class: "form" }, options)), { fields: options });

  async function send(values) {
    const { entry, secrets } = collected(options, values, before), body = { section: "receivers", entry, secrets: { ...secrets, topic } };
    said.replaceChildren(el("p", { class: "quiet" }, t("do.running")));
    try {
      const result = await api.send("POST", `/outbox/${id}/try`, { ...body, sends: true }, { patience: PATIENCE });
      if (!result.isReached) return void said.replaceChildren(...outcome(result));
      await api.send("PUT", `/outbox/${id}`, body, { patience: KEEPING });
      keepTopic({ topic, id, url: entry.url });
      done(true);
      said.replaceChildren(...question(clockSeconds(live.now), () => keepTopic(null)));
    } catch (problem) {
      said.replaceChildren();
      throw problem;
    }
  }
  const steps = ["install", "scan", "press"].map((name) => el("li", {}, t(`start.told.${name}`)));
  const node = form([more, said], t("entry.test"), send, (values) => hereProblems(options, values), (pointer) => placed(pointer, options));
  return card(t("start.told.phone"), el("div", { class: "phone" }, picture, el("ol", { class: "numbered" }, steps)),
    el("p", {}, link), el("p", { class: "quiet" }, t("start.told.byHand"), " ", text), copyAction(() => text.textContent, { class: "small" }), node);
}

/** What a person whose phone did not ring looks at. */
function question(time, heard) {
  const answer = el("p", {}), list = el("ul", { class: "hints" }, ["allowed", "saving", "topic", "line"].map((name) => el("li", {}, t(`start.told.no.${name}`))));
  const ask = el("div", { class: "row" }, button(t("start.told.yes"), () => { heard(); show(ask, false); show(list, false); answer.textContent = t("start.told.rang"); }),
    button(t("start.told.no"), () => { answer.textContent = t("start.told.no.words"); show(list, true); }));
  show(list, false);
  return [el("p", {}, el("strong", {}, t("start.told.accepted", { time })), " ", t("start.told.ring")), ask, answer, list];
}
