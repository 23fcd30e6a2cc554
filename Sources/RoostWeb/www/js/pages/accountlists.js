// The lists of the page Account.
import { asIs, button, card, choice, dialog, el, fold, table } from "../dom.js";
import { date, stamp } from "../format.js";
import { code, t } from "../i18n.js";
import { field, form } from "../form.js";
import { confirmed, copyAction, orWhy } from "../words.js";

const encode = encodeURIComponent;
const since = (time) => (time ? stamp(time) : t("account.never"));

export function sessionsCard(sessions, { api, reload }) {
  if (!sessions) return null;
  return card(t("account.sessions"), el("ul", { class: "list" }, sessions.map((one) => el("li", { class: "split" },
    el("span", {}, el("strong", {}, agent(one.agent)), one.isThis ? el("span", { class: "chip" }, t("account.this")) : null,
      el("span", { class: "quiet" }, el("br"), [one.address, t("account.lastUsed", { time: since(one.lastUsed) })].filter(Boolean).join(" · "))),
    one.isThis ? null : button(t("account.end"), confirmed(t("account.end.sure"), t("account.end"), async () => { await api.send("DELETE", `/sessions/${encode(one.id)}`); await reload(); }), { class: "small" })))));
}

/** The browser and the system of a user agent, as far as they can be told. */
function agent(text = "") {
  const browser = ["Edg", "Firefox", "Chrome", "Safari", "curl"].find((name) => text.includes(name)) ?? text.slice(0, 40);
  const system = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"].find((name) => text.includes(name));
  return [browser === "Edg" ? "Edge" : browser || "?", system].filter(Boolean).join(", ");
}

export function tokensCard(tokens, { api, reload }) {
  if (!tokens) return null;
  const scope = choice(["read", "write", "metrics"].map((name) => [name, t(`scope.${name}`)]));
  const add = form([field("name", t("account.tokenName"), { required: true, maxlength: "64", autocomplete: "off" }), field("scope", t("account.scope"), { control: scope })], t("account.token.add"), async (values) => {
    const token = await api.send("POST", "/tokens", { name: values.name.trim(), scopes: [values.scope], days: 365 });
    dialog(t("account.token.new"), t("do.close"), el("p", {}, t("account.once")), asIs(token.token, "pre", { tabindex: "0" }));
    await reload();
  });
  return card(t("account.tokens"), el("p", { class: "quiet" }, t("account.tokens.words")), el("ul", { class: "list" }, tokens.map((one) => el("li", { class: "split" },
    el("span", {}, el("strong", {}, one.name), el("span", { class: "quiet" }, el("br"), [(one.scopes ?? []).map((name) => code("scope", name)).join(", "), t("account.lastUsed", { time: since(one.lastUsed) }), one.expires ? t("account.expires", { time: date(one.expires) }) : ""].filter(Boolean).join(" · "))),
    button(t("do.delete"), confirmed(t("account.token.sure", { name: one.name }), t("do.delete"), async () => { await api.send("DELETE", `/tokens/${encode(one.id)}`); await reload(); }), { class: "small" })))),
  fold(t("account.token.add"), add));
}

export function membersCard({ members, invitations }, { api, reload }) {
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
    select.addEventListener("change", () => orWhy(said, async () => {
      await api.send("PATCH", `/members/${encode(one.id)}`, { role: select.value }).catch((problem) => { select.value = one.role; throw problem; });
      await reload();
    }));
    return el("li", { class: "split" }, el("span", {}, el("strong", {}, one.name), one.isYou ? el("span", { class: "chip" }, t("account.you")) : null, el("span", { class: "quiet" }, el("br"), one.email)),
      one.isYou ? el("span", {}, t(`role.${one.role}`)) : el("span", { class: "row" }, el("span", {}, select), button(t("account.remove"), confirmed(t("account.remove.sure", { name: one.name }), t("account.remove"), async () => { await api.send("DELETE", `/members/${encode(one.id)}`); await reload(); }), { class: "small" })), said);
  })), invitations?.length ? el("p", { class: "quiet" }, t("account.invitations", { n: invitations.length })) : null,
  fold(t("account.invite"), el("p", { class: "quiet" }, ["viewer", "member", "owner"].map((name) => t(`role.${name}.words`)).join(" ")), invite));
}

export function auditCard(audit) {
  if (!audit?.length) return null;
  return el("section", { class: "card wide" }, fold(el("h2", {}, t("account.audit")), table(t("account.audit"), [t("events.time"), t("account.actor"), t("account.action"), t("account.target")],
    audit.slice(0, 100).map((one) => [stamp(one.time), one.actor ?? "–", code("audit", one.action, one.action), [one.target, one.address].filter(Boolean).join(" · ")]))));
}
