// Your account, sessions and tokens; for the owner also those of others.
import { asIs, el } from "../dom.js";
import { stamp } from "../format.js";
import { live } from "../live.js";
import { may } from "../roles.js";
import { t } from "../i18n.js";
import { field, form, newPassword } from "../form.js";
import { action } from "../words.js";
import { trustLine } from "./claim.js";
import { auditCard, membersCard, sessionsCard, tokensCard } from "./accountlists.js";

export const title = "account.title";

export async function load(api, _query, { me }) {
  const isOwner = may(me, "owner");
  const [account, sessions, tokens, members, invitations, audit] = await Promise.all([
    api.get("/me"), api.maybe("/sessions"), may(me, "member") ? api.maybe("/tokens") : null,
    isOwner ? api.maybe("/members") : null, isOwner ? api.maybe("/invitations") : null, isOwner ? api.maybe("/audit") : null]);
  return { account, sessions: sessions?.items, tokens: tokens?.items, members: members?.items, invitations: invitations?.items, audit: audit?.items };
}

export function make(root, context) {
  return { update(data) {
    root.replaceChildren(...[userCard(data.account, context), passwordCard(data.account, context), sessionsCard(data.sessions, context),
      tokensCard(data.tokens, context), membersCard(data, context), auditCard(data.audit), trustLine()].filter(Boolean));
  } };
}

/** Leaves nothing behind: the page is loaded anew, so that Back has nothing private to show. */
export async function leave(api, path) {
  await api.send("POST", path);
  live.stop();
  location.replace("/login");
}

function userCard(account, { api, reload }) {
  return el("section", { class: "card" }, el("h2", {}, t("account.user")), el("p", { class: "quiet" }, t(`role.${account.role}.words`)),
    account.claimed ? el("p", { class: "quiet" }, t("account.claimed", { name: account.claimed.by, time: stamp(account.claimed.at) }), " ", asIs("sudo roost claim --reset", "code")) : null,
    form([field("name", t("account.name"), { value: account.name ?? "", required: true, maxlength: "64", autocomplete: "name" }),
      field("email", t("account.email"), { type: "email", value: account.email ?? "", required: true, maxlength: "254", autocomplete: "username" }),
      field("location", t("account.location"), { value: account.location ?? "", maxlength: "128", hint: t("account.location.hint") })],
    t("do.save"), async ({ name, email, location: place }) => {
      await api.send("PATCH", "/me", { name: name.trim(), email: email.trim(), location: place.trim() });
      await reload();
    }),
    el("div", { class: "row" }, action(t("account.logout"), () => leave(api, "/logout")), action(t("account.logoutAll"), () => leave(api, "/logout-everywhere"))));
}

function passwordCard({ role, email }, { api }) {
  const fresh = newPassword("new", t("account.newPassword"), role === "owner" ? 12 : 10);
  const node = form([field("present", t("account.presentPassword"), { type: "password", required: true, autocomplete: "current-password" }), fresh.field],
    t("account.changePassword"), async ({ present, new: secret }) => {
      await api.send("POST", "/password", { present, new: secret });
      node.reset();
      return t("account.passwordChanged");
    }, fresh.check);
  node.prepend(el("input", { type: "email", autocomplete: "username", value: email ?? "", hidden: true, "aria-hidden": "true", tabindex: "-1" }));
  return el("section", { class: "card" }, el("h2", {}, t("account.changePassword")), node);
}
