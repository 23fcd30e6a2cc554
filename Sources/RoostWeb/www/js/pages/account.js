// Your account, sessions and tokens; for the owner also those of others.
import { asIs, button, card, choice, dialog, el, fold, table } from "../dom.js";
import { field, form, newPassword, whose } from "../form.js";
import { date, stamp } from "../format.js";
import { code, t } from "../i18n.js";
import { live } from "../live.js";
import { action, confirmed, copyAction, orWhy } from "../words.js";
import { claimedLine, personFields, trimmed, trustLine } from "./claim.js";

export async function load(api, _query, { may }) {
  const isOwner = may("owner");
  const [account, sessions, tokens, members, invitations, audit] = await Promise.all([
    api.get("/me"), api.maybe("/sessions"), may("member") ? api.maybe("/tokens") : null,
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

function userCard(account, { api, change }) {
  const place = field("location", t("account.location"), { value: account.location ?? "", maxlength: "128", hint: t("account.location.hint") });
  return card(t("account.user"), el("p", { class: "quiet" }, t(`role.${account.role}.words`)), account.claimed ? claimedLine(account.claimed) : null,
    form([...personFields(account), place], t("do.save"), (person) => change("PATCH", "/me", trimmed(person))),
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

// MARK: Lists

const encode = encodeURIComponent;
const since = (time) => (time ? stamp(time) : t("account.never"));

function sessionsCard(sessions, { change }) {
  if (!sessions) return null;
  return card(t("account.sessions"), el("ul", { class: "list" }, sessions.map((one) => el("li", { class: "split" },
    el("span", {}, el("strong", {}, agent(one.agent)), one.isThis ? el("span", { class: "chip" }, t("account.this")) : null,
      el("span", { class: "quiet" }, el("br"), [one.address, t("account.lastUsed", { time: since(one.lastUsed) })].filter(Boolean).join(" · "))),
    one.isThis ? null : button(t("account.end"), confirmed(t("account.end.sure"), t("account.end"), () => change("DELETE", `/sessions/${encode(one.id)}`)), { class: "small" })))));
}

/** The browser and the system of a user agent, as far as they can be told. */
function agent(text = "") {
  const browser = ["Edg", "Firefox", "Chrome", "Safari", "curl"].find((name) => text.includes(name)) ?? text.slice(0, 40);
  const system = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"].find((name) => text.includes(name));
  return [browser === "Edg" ? "Edge" : browser || "?", system].filter(Boolean).join(", ");
}

function tokensCard(tokens, { api, reload, change }) {
  if (!tokens) return null;
  const scope = choice(["read", "write", "metrics"].map((name) => [name, t(`scope.${name}`)]));
  const add = form([field("name", t("account.tokenName"), { required: true, maxlength: "64", autocomplete: "off" }), field("scope", t("account.scope"), { control: scope })], t("account.token.add"), async (values) => {
    const token = await api.send("POST", "/tokens", { name: values.name.trim(), scopes: [values.scope], days: 365 });
    dialog(t("account.token.new"), t("do.close"), el("p", {}, t("account.once")), asIs(token.token, "pre", { tabindex: "0" }));
    await reload();
  });
  return card(t("account.tokens"), el("p", { class: "quiet" }, t("account.tokens.words")), el("ul", { class: "list" }, tokens.map((one) => el("li", { class: "split" },
    el("span", {}, el("strong", {}, one.name), el("span", { class: "quiet" }, el("br"), [(one.scopes ?? []).map((name) => code("scope", name)).join(", "), t("account.lastUsed", { time: since(one.lastUsed) }), one.expires ? t("account.expires", { time: date(one.expires) }) : ""].filter(Boolean).join(" · "))),
    button(t("do.delete"), confirmed(t("account.token.sure", { name: one.name }), t("do.delete"), () => change("DELETE", `/tokens/${encode(one.id)}`)), { class: "small" })))),
  fold(t("account.token.add"), add));
}

function membersCard({ members, invitations }, { api, reload, change }) {
  if (!members) return null;
  const roles = (role) => choice(["viewer", "member", "owner"].map((name) => [name, t(`role.${name}`)]), role);
  const role = roles("viewer");
  const invite = form([field("role", t("account.role"), { control: role })], t("account.invite"), async (values) => {
    const made = await api.send("POST", "/invitations", { role: values.role, days: 7 }), link = `${location.origin}/login?invitation=${encode(made.code)}`;
    dialog(t("account.invitation"), t("do.close"), el("p", {}, t("account.invitation.words", { time: date(made.expires) })), asIs(link, "pre", { tabindex: "0" }),
      copyAction(() => link));
    await reload();
  });
  return card(t("account.members"), el("ul", { class: "list" }, members.map((one) => {
    const select = roles(one.role), said = el("span", { class: "wrong", role: "status" });
    select.setAttribute("aria-label", t("account.role.of", { name: one.name }));
    select.addEventListener("change", () => orWhy(said, () => change("PATCH", `/members/${encode(one.id)}`, { role: select.value })
      .catch((problem) => { select.value = one.role; throw problem; })));
    return el("li", { class: "split" }, el("span", {}, el("strong", {}, one.name), one.isYou ? el("span", { class: "chip" }, t("account.you")) : null, el("span", { class: "quiet" }, el("br"), one.email)),
      one.isYou ? el("span", {}, t(`role.${one.role}`)) : el("span", { class: "row" }, el("span", {}, select), button(t("account.remove"), confirmed(t("account.remove.sure", { name: one.name }), t("account.remove"), () => change("DELETE", `/members/${encode(one.id)}`)), { class: "small" })), said);
  })), invitations?.length ? el("p", { class: "quiet" }, t("account.invitations", { n: invitations.length })) : null,
  fold(t("account.invite"), el("p", { class: "quiet" }, ["viewer", "member", "owner"].map((name) => t(`role.${name}.words`)).join(" ")), invite));
}

function auditCard(audit) {
  if (!audit?.length) return null;
  return el("section", { class: "card wide" }, fold(el("h2", {}, t("account.audit")), table(t("account.audit"), [t("events.time"), t("account.actor"), t("account.action"), t("account.target")],
    audit.slice(0, 100).map((one) => [stamp(one.time), one.actor ?? "–", code("audit", one.action, one.action), [one.target, one.address].filter(Boolean).join(" · ")]))));
}
