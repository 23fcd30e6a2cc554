// Wi-Fi of a station from an image: networks in range, one to join, and what became of the last try.
import { asIs, button, card, choice, el, facts, icon, mark, quoted, svg } from "../dom.js";
import { field, form } from "../form.js";
import { ago, stamp } from "../format.js";
import { code, loadMore, t } from "../i18n.js";

export const load = async (api) => (await Promise.all([api.get("/network"), loadMore("network")]))[0];

const HIDDEN = "hidden", JOINS = ["open", "wpa2", "wpa3", "mixed"];
const POINTS = ["afterClaim", "locked", "open"];
const STRENGTHS = [-55, -67, -75];

export function make(root, context) {
  const now = el("div", { role: "status" }), rest = el("div");
  let view = null, beats = 0, listed = null;
  root.append(now, rest);

  function show(given) {
    view = given;
    now.replaceChildren(state(view));
  }
  function networks() {
    const fresh = list(view, () => look(context).then((given) => { show(given); networks(); }));
    // The form below it keeps what is chosen in it.
    if (listed?.parentNode === rest) listed.replaceWith(fresh); else rest.replaceChildren(fresh, point(view, context, show));
    listed = fresh;
  }
  return {
    update(given, query) {
      show(given);
      const chosen = query.get("join"), canJoin = view.isImage && view.survey?.hasRadio !== false;
      rest.replaceChildren();
      if (!canJoin) return;
      if (chosen) rest.append(joinCard(chosen, view, context, show)); else networks();
      if (!view.survey?.networks.length && !view.isBusy) look(context).then((seen) => { show(seen); if (!chosen) networks(); }, () => {});
    },
    tick() {
      if (!view?.isBusy || (beats += 1) % 2) return;
      load(context.api).then((given) => {
        show(given);
        if (!rest.querySelector("form.join:not([hidden])")) networks();
      }, () => {});
    },
  };
}

const look = ({ api }) => api.send("POST", "/network/scan");

/** A name's bytes need not be text: such a name is shown as its first and last digits. */
function nameOf(digits) {
  const bytes = Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!/\p{C}/u.test(text)) return text;
  } catch { /* No text. */ }
  return digits.length > 16 ? `${digits.slice(0, 8)}…${digits.slice(-4)}` : digits;
}

const digitsOf = (text) => Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
const site = ({ host }) => ["http:", "", `${host}.local`].join("/");

function state(view) {
  const { survey, last, isAccessPoint } = view;
  if (!view.isImage) return card(null, el("p", {}, t("network.system")), el("p", {}, asIs("sudo nmtui", "code")));
  if (view.joining) {
    return card(null, el("p", { class: "big" }, t("network.tries", { name: nameOf(view.joining) })), consequences(view, view.joining));
  }
  const ways = [survey?.joined && t("network.by.wifi", { name: nameOf(survey.joined) }), survey?.hasCable && t("network.by.cable"),
    isAccessPoint && t("network.by.point", { name: survey?.accessPoint ?? "" })].filter(Boolean);
  return card(null, facts([[t("network.now"), ways.length ? ways.join(" · ") : survey ? t("network.by.nothing") : null],
    [t("network.address"), asIs(site(view))]]), last ? outcome(last) : null, view.isBusy ? el("p", { class: "quiet" }, t("network.looks")) : null);
}

function outcome({ network, result, why, time }) {
  return el("div", { class: "station" }, mark(result === "joined" ? "good" : "poor"), el("div", {},
    el("p", {}, t(`network.last.${result}`, { name: nameOf(network) }), time ? ` (${stamp(time)})` : ""),
    ["failed", "invalid"].includes(result) ? el("p", { class: "quiet" }, quoted(why)) : null));
}

function list(view, again) {
  const { networks = [], known } = view.survey ?? {}, age = view.surveyAgeSeconds;
  const row = ({ network, signal, kind }) => {
    const canJoin = JOINS.includes(kind), words = [code("network.kind", kind), network === known ? t("network.known") : null].filter(Boolean).join(" · ");
    const content = [bars(signal), el("span", { class: "wide" }, asIs(nameOf(network), "strong"), el("span", { class: "quiet" }, words))];
    return el("li", {}, canJoin ? el("a", { href: `/network?join=${network}` }, content, icon("icon-next")) : el("div", { class: "none" }, content));
  };
  const said = networks.length ? age >= 60 && t("network.seen", { time: ago(age) }) : t(view.isBusy ? "network.looks" : "network.none");
  return card(t("network.list"), said ? el("p", { class: "quiet" }, said) : null,
    el("ul", { class: "menu networks" }, [true, false].flatMap((can) => networks.filter((one) => JOINS.includes(one.kind) === can)).map(row),
      el("li", {}, el("a", { href: `/network?join=${HIDDEN}` }, el("span", { class: "wide" }, t("network.hidden")), icon("icon-next")))),
    el("div", { class: "row" }, button(t("network.again"), again, { disabled: view.isBusy })));
}

function point({ survey }, { api }, show) {
  const control = choice(POINTS.map((one) => [one, t(`network.point.${one}`)]), survey?.rule ?? POINTS[0]);
  return card(t("network.point"), form([field("rule", t("network.point.who"), { control, hint: t("network.point.hint") })], t("do.save"), async (given) => {
    show(await api.send("POST", "/network/point", given));
    for (let beats = 0; beats < 20; beats += 1) {
      await new Promise((done) => setTimeout(done, 500));
      const seen = await load(api);
      if (seen.isBusy) continue;
      show(seen);
      return t((seen.survey?.rule ?? POINTS[0]) === given.rule ? "network.point.saved" : "network.point.kept");
    }
    return t("network.point.kept");
  }));
}

/** Four bars, of which the filled ones say how strong it is. */
function bars(signal) {
  const strength = 4 - STRENGTHS.filter((least) => signal < least).length;
  return svg("svg", { class: "bars", viewBox: "0 0 20 16", role: "img", "aria-label": t("network.strength", { n: strength }) },
    [0, 1, 2, 3].map((index) => svg("rect", { x: index * 5, y: 12 - index * 4, width: 4, height: 4 + index * 4, fill: "currentColor", opacity: index < strength ? 1 : 0.25 })));
}

function consequences(view, network) {
  const { survey } = view, name = nameOf(network), words = [t("network.try", { n: view.limitSeconds })];
  if (view.isAccessPoint || view.joining) words.push(t("network.lose.point", { name, address: site(view), point: survey?.accessPoint ?? "roost-…" }));
  else if (survey?.joined) words.push(t("network.lose.wifi", { name, address: site(view), before: nameOf(survey.joined) }));
  if (survey?.hasCable) words.push(t("network.lose.cable"));
  if (view.isAccessPoint) words.push(t("network.point.heard"));
  return el("p", { class: "hint" }, words.join(" "));
}

function joinCard(chosen, view, { api }, show) {
  const isHidden = chosen === HIDDEN, found = view.survey?.networks.find((one) => one.network === chosen);
  const isKnown = chosen === view.survey?.known, isOpen = found?.kind === "open";
  const name = isHidden ? field("network", t("network.name"), { required: true, maxlength: "32", autocapitalize: "none", autocomplete: "off", spellcheck: "false" }) : null;
  const password = isOpen ? null : field("password", t("network.password"), { type: "password", autocomplete: "off", maxlength: "64", required: !isKnown && !isHidden,
    hint: t(isKnown ? "network.password.known" : isHidden ? "network.password.hidden" : "network.password.hint") });
  const country = field("country", t("network.country"), { value: view.survey?.country ?? region(), maxlength: "2", autocapitalize: "characters", autocomplete: "off", hint: t("network.country.hint") });
  const said = isHidden ? el("div") : el("div", {}, consequences(view, chosen));
  name?.input.addEventListener("input", () => said.replaceChildren(name.input.value ? consequences(view, digitsOf(name.input.value)) : ""));
  const node = form([name, password, country, said].filter(Boolean), t("network.join"), async (given) => {
    const network = isHidden ? digitsOf(given.network) : chosen, body = { network, isHidden };
    if (given.country) body.country = given.country;
    if (isOpen || isHidden || given.password) body.password = given.password ?? "";
    show(await api.send("POST", "/network", body));
    node.hidden = true;
  }, ({ network, password: given, country: code }) => ({
    network: network && digitsOf(network).length > 64 ? t("network.name.long") : null,
    password: given && !/^([ -~]{8,63}|[0-9a-fA-F]{64})$/.test(given) ? t("network.password.wrong") : null,
    country: code && !/^[a-zA-Z]{2}$/.test(code) ? t("network.country.wrong") : null,
  }));
  node.classList.add("join");
  node.lastChild.append(el("a", { class: "button", href: "/network" }, t("do.cancel")));
  return card(isHidden ? t("network.hidden") : asIs(nameOf(chosen)), found ? el("p", { class: "quiet" }, code("network.kind", found.kind)) : null, node);
}

/** The country of the browser's language, for a station that knows none. */
const region = () => navigator.languages.map((one) => /-([A-Z]{2})$/.exec(one)?.[1]).find(Boolean) ?? "";
