// What an unencrypted connection in one's own network means, and what to do about it.
import { card, el } from "../dom.js";
import { t } from "../i18n.js";

export const title = "trust.title";
export const load = async () => ({});

export function make(root) {
  const isSafe = location.protocol === "https:";
  root.append(card(null, el("p", { class: "big" }, t(isSafe ? "trust.https" : "trust.http", { host: location.host })), el("p", {}, t(isSafe ? "trust.https.words" : "trust.http.words"))),
    card(t("trust.works"), el("p", {}, t("trust.works.words"))), card(t("trust.not"), el("p", {}, t("trust.not.words"))),
    card(t("trust.do"), el("ul", { class: "list" }, ["trust.do.wifi", "trust.do.password", "trust.do.certificate"].map((key) => el("li", {}, t(key))))));
  return { update() {} };
}
