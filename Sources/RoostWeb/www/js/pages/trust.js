// The protection of this connection, and how a device comes to trust the station.
import { asIs, card, el, fold } from "../dom.js";
import { stamp } from "../format.js";
import { t } from "../i18n.js";

export const load = async (api) => ({ trust: await api.maybe("/trust"), hasWorker: await hasWorker() });

const SYSTEMS = [
  ["trust.ios", ["trust.load.apple", "trust.ios.install", "trust.ios.full"]],
  ["trust.android", ["trust.load.other", "trust.android.install"]],
  ["trust.mac", ["trust.load.apple", "trust.mac.install"]],
  ["trust.windows", ["trust.windows.load", "trust.windows.install"]],
  ["trust.firefox", ["trust.load.other", "trust.firefox.install"]],
];

/** Only a device that trusts the certificate has one; asking the browser anything else proves nothing. */
async function hasWorker() {
  try { return Boolean(await navigator.serviceWorker?.getRegistration()); } catch { return false; }
}

export function draw({ trust, hasWorker: isTrusted }) {
  const isSafe = location.protocol === "https:", own = trust?.ownCertificateUntil;
  return [
    card(null, el("p", { class: "big" }, t(isSafe ? "trust.https" : "trust.http", { host: location.host })),
      el("p", {}, t(isSafe ? "trust.https.words" : "trust.http.words")),
      isSafe && !own ? el("p", {}, t(isTrusted ? "trust.known" : "trust.unknown")) : null),
    own && card(null, el("p", {}, t("trust.own", { time: stamp(own) }))), authorityCard(trust, isSafe),
    card(t("trust.works"), el("p", {}, t("trust.works.words"))), card(t("trust.not"), el("p", {}, t("trust.not.words"))),
    card(t("trust.do"), el("ul", { class: "list" }, ["trust.do.wifi", "trust.do.password", "trust.do.certificate"].map((key) => el("li", {}, t(key))))),
    card(null, el("p", {}, t("trust.weakness"))),
  ];
}

function authorityCard(trust, isSafe) {
  if (!trust?.fingerprint) return null;
  const pairs = trust.fingerprint.split(":");
  const rows = [pairs.slice(0, 8), pairs.slice(8, 16), pairs.slice(16, 24), pairs.slice(24)].map((row) => row.join(" "));
  return card(t("trust.authority"), el("p", {}, t("trust.authority.words")),
    isSafe ? null : el("p", {}, t("trust.addresses"), " ", trust.addresses.map((address) => el("a", { href: address }, address)).flatMap((link) => [link, " "])),
    el("p", {}, t("trust.compare"), " ", asIs("sudo roost claim", "code")),
    el("pre", { class: "scroll", tabindex: "0" }, rows.join("\n")),
    SYSTEMS.map(([name, steps]) => fold(t(name), el("ol", { class: "list" }, steps.map((key) => el("li", {}, t(key)))))),
    el("p", { class: "row" }, el("a", { class: "button", href: "/ca.mobileconfig", download: "" }, t("trust.get.apple")),
      el("a", { class: "button", href: "/ca.pem", download: "" }, t("trust.get.other"))));
}
