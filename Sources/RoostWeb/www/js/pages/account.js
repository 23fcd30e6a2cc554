// Your account, sessions and tokens; for the owner also those of others.
import { card, el } from "../dom.js";
import { live } from "../live.js";
import { may } from "../roles.js";
import { t } from "../i18n.js";
import { field, form, newPassword, whose } from "../form.js";
import { action } from "../words.js";
import { claimedLine, personFields, trimmed, trustLine } from "./claim.js";
import { auditCard, membersCard, sessionsCard, tokensCard } from "./accountlists.js";

export async function load(api, _query, { me }) {
  const isOwner = may(me, "owner");
  const [account, sessions, tokens, members, invitations, audit] = await Promise.all([
    api.get("/me"), api.maybe("/sessions"), may(me, "member") ? api.maybe("/tokens") : null,
    isOwner ? api.maybe("/members") : null, isOwner ? api.maybe("/invitations") : null, isOwner ? api.maybe("/audit") : null]);
  return { account, sessions: sessions?.items, tokens: tokens?.items, members: members?.items, invitations: invitations?.items, audit: audit?.items };
}

export const draw = (data, context) => [userCard(data.account, context), passwordCard(data.account, context), sessionsCard(data.sessions, context),
  tokensCard(data.tokens, context), membersCard(data, context), auditCard(data.audit), trustLine()];

/** Leaves nothing behind: the page is loaded anew, so that Back has nothing private to show. */
export async function leave(api, path) {
  await api.send("POST", path);
  live.stop();
  location.replace("/login");
}

function userCard(account, { api, reload }) {
  const place = field("location", t("account.location"), { value: account.location ?? "", maxlength: "128", hint: t("account.location.hint") });
  return card(t("account.user"), el("p", { class: "quiet" }, t(`role.${account.role}.words`)), account.claimed ? claimedLine(account.claimed) : null,
    form([...personFields(account), place], t("do.save"), async (person) => {
      await api.send("PATCH", "/me", trimmed(person));
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
  node.prepend(whose(email));
  return card(t("account.changePassword"), node);
}
