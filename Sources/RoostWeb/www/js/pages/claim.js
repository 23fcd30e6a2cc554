// Before an owner exists: proof of nearness, then an account.
import { asIs, card, el, setText, show } from "../dom.js";
import { t } from "../i18n.js";
import { field, form, newPassword } from "../form.js";
import { stamp } from "../format.js";
import { languageLine } from "./more.js";

export const load = async () => ({});

export function make(root, { api }) {
  const code = field("code", t("claim.code"), { required: true, autocomplete: "one-time-code", autocapitalize: "characters", spellcheck: "false", maxlength: "128", placeholder: "K7QF-M2PX" });
  code.classList.add("code");
  const now = el("p", { class: "big", role: "status" });
  const ways = { power: el("li", {}, t("claim.way.power")), button: el("li", {}, t("claim.way.button")), card: el("li", {}, t("claim.way.card")), shell: el("li", {}, t("claim.way.shell"), " ", asIs("roost claim", "code")) };
  const summary = el("summary", {}), others = el("details", { hidden: true }, summary, el("ul", { class: "list" }, Object.values(ways)));
  let isOpen, isClaiming = false;
  const look = async () => {
    let codeFrom = null;
    try { ({ isOpen, codeFrom } = await api.get("/claim")); } catch (problem) {
      // Another became the owner; this page's own claim leads to the first steps.
      if (problem.status === 409 && !isClaiming) location.replace("/");
      isOpen = false;
    }
    show(code, !isOpen);
    code.input.required = !isOpen;
    show(others, !isOpen);
    const sentence = t(`claim.now.${isOpen ? "open" : codeFrom ?? "none"}`);
    // Open while it says all that there is to do; a person opens and closes it after that.
    if (now.textContent !== sentence) others.open = !codeFrom;
    setText(now, sentence);
    setText(summary, t(codeFrom ? "claim.other" : "claim.get"));
    for (const [name, way] of Object.entries(ways)) show(way, name !== codeFrom);
  };
  const timer = setInterval(look, 2000);
  look();
  const password = newPassword("password", t("account.password"), 12);
  root.append(
    el("section", { class: "card" }, now, el("p", { class: "quiet" }, t("claim.sentence")), others),
    card(t("claim.owner"), form([code, ...personFields({}, t("claim.email")), password.field], t("claim.do"), async ({ code: given, ...person }) => {
      isClaiming = true;
      const body = { code: isOpen ? "" : given.trim().toUpperCase(), ...trimmed(person) };
      await api.send("POST", "/claim", body, { isQuiet: true }).catch((problem) => { isClaiming = false; throw problem; });
      location.replace("/start");
    }, password.check)), trustLine(), languageLine());
  return { update() {}, leave() { clearInterval(timer); } };
}

/** Fields of an account that each form of it has. */
export const personFields = ({ name, email }, hint) => [
  field("name", t("account.name"), { value: name ?? "", required: true, maxlength: "64", autocomplete: "name" }),
  field("email", t("account.email"), { type: "email", value: email ?? "", required: true, maxlength: "254", autocomplete: "username", hint })];

/** What a form says of an account, as it is sent: a secret is as it was typed. */
export const trimmed = ({ password, ...texts }) => ({ ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.trim()])), password });

/** By whom and when the station was claimed, and the way to start over. */
export const claimedLine = ({ by, at }) =>
  el("p", { class: "quiet" }, t("account.claimed", { name: by, time: stamp(at) }), " ", asIs("sudo roost claim --reset", "code"));

export function trustLine() {
  const words = location.protocol === "https:" ? t("login.https") : t("login.http");
  return el("p", { class: "quiet" }, words, " ", el("a", { href: "/trust" }, t("login.more")));
}
