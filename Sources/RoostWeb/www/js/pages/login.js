// Log in, or take up an invitation.
import { card, el, fold } from "../dom.js";
import { t } from "../i18n.js";
import { field, form, newPassword } from "../form.js";
import { claimedLine, personFields, trimmed, trustLine } from "./claim.js";
import { languageLine } from "./more.js";

export const load = async (api, query) => ({ invitation: query.get("invitation"), trust: await api.maybe("/trust") });

export function make(root, { api }) {
  let isMade = false;
  return { update({ invitation, trust }) {
    if (isMade) return;
    isMade = true;
    root.append(invitation ? joinCard(api, invitation) : loginCard(api), !invitation && trust?.claimed ? claimedLine(trust.claimed) : "", trustLine(), languageLine());
  } };
}

/** The address stays what was asked for; Log in itself leads to Now. */
function enter() {
  if (location.pathname === "/login") location.replace("/"); else location.reload();
}

function loginCard(api) {
  return card(null, form([field("email", t("account.email"), { type: "email", required: true, autocomplete: "username" }),
    field("password", t("account.password"), { type: "password", required: true, autocomplete: "current-password" })],
  t("login.do"), async ({ email, password }) => {
    await api.send("POST", "/login", { email: email.trim(), password }, { isQuiet: true }).catch((problem) => {
      if (problem.status === 401) problem.words = t("login.wrong");
      throw problem;
    });
    enter();
  }), fold(t("login.forgotten"), el("p", {}, t("login.forgotten.words"))));
}

function joinCard(api, code) {
  const password = newPassword("password", t("account.password"), 10);
  return card(t("login.join"), el("p", {}, t("login.join.words")), form([...personFields({}), password.field], t("login.join.do"), async (person) => {
    await api.send("POST", `/invitations/${encodeURIComponent(code)}`, trimmed(person), { isQuiet: true });
    location.replace("/");
  }, password.check));
}
