// First steps of an owner, one at a time: sensors, name and place, who is told, where values go. Each is found again elsewhere.
import { KEEPING } from "../api.js";
import { asIs, button, card, el, fold, keyed, mark, menuRow, setMark, setText, show } from "../dom.js";
import { loadFacts } from "../facts.js";
import { field, form } from "../form.js";
import { clockSeconds, duration } from "../format.js";
import { code, loadMore, noticeLanguage, plural, t } from "../i18n.js";
import { keep, kept } from "../kept.js";
import { live, refresh } from "../live.js";
import { qrCode } from "../qr.js";
import { copyAction, isNeverMeasured, measured, measuring, quantityName, quantityOf } from "../words.js";
import { channelsOf, foundRow, profileOf } from "./devices.js";
import { collected, entryAddress, entryCard, freeID, hereProblems, newTopic, option, outcome, PATIENCE, placed, topicAddresses } from "./entryform.js";
import { changedSettings, loadSettings, settingFields } from "./settings.js";

/** Each step with the page that changes the same later. */
const STEPS = [
  { name: "sensors", page: "devices", load: loadSensors, make: sensors, summary: ({ devices }) => devices.map((one) => one.title ?? one.name).join(", ") || null },
  { name: "place", page: "settings", load: loadSettings, make: place, summary: placeWords },
  { name: "told", page: "alerts", load: loadTold, make: told, summary: ({ receivers }) => names(receivers) },
  { name: "sent", page: "outbox", load: loadSent, make: sent, summary: ({ targets }) => names(targets), doubt },
];

/** The names of targets or receivers; null without any. */
const names = (entries) => entries.map((one) => one.id).join(", ") || null;

/** The step that an address names; one beyond the last is the end. */
const stepOf = (query) => Math.min(Math.max(Math.trunc(Number(query.get("step"))) || 1, 1), STEPS.length + 1);

export async function load(api, query, context) {
  const number = stepOf(query), step = STEPS[number - 1];
  await Promise.all([loadMore("start"), loadMore("devices"), step?.name === "sent" && loadMore("entries")]);
  return { number, data: await Promise.all((step ? [step] : STEPS).map((one) => one.load(api, query, context))) };
}

export function make(root, context) {
  let view = null, shown = null;
  return {
    update({ number, data }, query) {
      const key = `${number} ${query.get("add")} ${query.get("change")}`;
      if (shown !== key) {
        shown = key;
        view?.leave?.();
        view = null;
        if (number > STEPS.length) return root.replaceChildren(progress(number), ...ending(data));
        const step = STEPS[number - 1], body = el("div", { class: "page" }), on = el("a", { class: "button", href: `/start?step=${number + 1}` });
        const heading = el("h2", { class: "big" }), words = el("p", { class: "quiet" }, t(`start.${step.name}.words`));
        root.replaceChildren(progress(number), el("div", {}, heading, words),
          body, el("div", { class: "row end" }, on));
        const next = () => context.go(`/start?step=${number + 1}`);
        const done = (isDone, said) => {
          setText(heading, said ?? t(`start.${step.name}.title`));
          setText(words, t(`start.${step.name}.${said ? "more" : "words"}`));
          on.textContent = t(isDone ? "start.on" : "start.later");
          on.classList.toggle("first", isDone);
        };
        done(false);
        view = step.make(body, { ...context, next, done, query });
      }
      view?.update(data[0], query);
    },
    live(kind, data) { view?.live?.(kind, data); },
    tick() { view?.tick?.(); },
    leave() { view?.leave?.(); },
  };
}

function progress(number) {
  return el("ol", { class: "progress", "aria-label": t("start.progress", { n: Math.min(number, STEPS.length), of: STEPS.length }) }, STEPS.map(({ name }, index) =>
    el("li", {}, el("a", { href: `/start?step=${index + 1}`, class: index < number ? "past" : null, "aria-current": index + 1 === number ? "step" : null, "aria-label": t(`start.${name}.title`), title: t(`start.${name}.title`) }))));
}

function ending(data) {
  const rows = STEPS.map(({ name, page, ...step }, index) => {
    const words = step.summary(data[index]), wrong = step.doubt?.(data[index]);
    return menuRow(`/${page}`, t(`start.${name}.short`), wrong ?? words ?? t("start.skipped", { page: t(`${page}.title`) }), mark(wrong ? "moderate" : words ? "good" : "unknown", "mark small"));
  });
  return [el("div", {}, el("h2", { class: "big" }, t("start.done.title")), el("p", { class: "quiet" }, t("start.done.words"))),
    card(null, el("ul", { class: "menu" }, rows)), el("div", { class: "row end" }, el("a", { class: "button first", href: "/" }, t("start.done.now")))];
}

// MARK: Which sensors are plugged in, as they come

/** States of a port in which nobody has said what it is. */
const OPEN = ["unknown", "found", "probing", "faulty", "ignored"];
/** The socket of an adapter, by its path in sysfs: `1.2`. */
const socketOf = (path) => /\/\d+-([\d.]+):\d/.exec(path ?? "")?.[1];

async function loadSensors(api) {
  const [now, profiles, network] = await Promise.all([plugged(api), api.maybe("/profiles"), api.maybe("/network"), loadFacts(), loadMore("pins"), live.station ?? refresh().catch(() => null)]);
  return { ...now, profiles: profiles?.items ?? [], isAccessPoint: network?.isAccessPoint };
}

async function plugged(api) {
  const { devices, found } = await api.get("/devices");
  return { devices: devices ?? [], found: found ?? [], at: performance.now() };
}

function sensors(root, context) {
  const list = el("ul", { class: "list" }), none = el("p", { class: "big", role: "status" }, t("start.sensors.none")), ports = el("ul", { class: "list" });
  const open = card(t("start.sensors.ports"), ports);
  // In the station's own Wi-Fi nothing is sent, and the page ends with it.
  const wifi = card(null, el("p", {}, t("start.wifi.words")), el("p", {}, el("a", { class: "button first", href: "/network" }, t("start.wifi.do"))));
  show(wifi, false);
  root.append(wifi, card(null, none, list), open, el("p", { class: "quiet" }, t("start.sensors.pins"), " ", el("a", { href: "/devices" }, t("devices.title"))));
  let beats = 0, known = [];
  const again = () => plugged(context.api).then((now) => view.update({ ...now, profiles: known }), () => {});
  const view = {
    update({ devices, found, profiles, at, isAccessPoint }) {
      known = profiles;
      if (isAccessPoint !== undefined) show(wifi, isAccessPoint);
      show(none, !devices.length);
      show(list, devices.length > 0);
      keyed(list, devices, (one) => one.name, (one) => row(one, context), (node, one) => node.renew(one, found.find((other) => other.name === one.name), profiles, at));
      const unclear = found.filter((one) => OPEN.includes(one.state) && !devices.some((device) => device.name === one.name));
      keyed(ports, unclear, (one) => `${one.identity} ${one.state}`, (one) => (one.state === "probing" ? probed(one) : foundRow(one, profiles, context)));
      show(open, unclear.length > 0);
      const count = measuring(devices).length;
      context.done(devices.length > 0, count ? plural("devices.measure", count) : null);
    },
    live(kind) { if (kind === "station") again(); },
    tick() {
      for (const node of list.children) node.tick();
      // A port that was plugged in is seen within two seconds.
      if ((beats += 1) % 2 === 0) again();
    },
  };
  return view;
}

const probed = (one) => el("li", {}, el("strong", {}, asIs(one.node ?? one.identity)), el("p", { class: "quiet" }, t("start.sensors.probing")));

function row(first, context) {
  const sign = el("span"), name = asIs("", "strong"), kind = asIs("", "span", { class: "quiet" }), state = el("span", { role: "status" }), place = el("div");
  const ask = button(t("start.sensors.name"), () => {
    if (place.firstChild) return place.replaceChildren();
    const one = field("title", t("devices.name"), { value: device.title ?? "", placeholder: device.name, maxlength: "64", autocomplete: "off", hint: t("devices.title.hint") });
    place.replaceChildren(form([one], t("do.save"), async (values) => {
      const given = values.title.trim();
      if (given !== (device.title ?? "")) await context.api.send("PATCH", `/devices/${encodeURIComponent(device.name)}`, { title: given });
      place.replaceChildren();
      await refresh().catch(() => {});
      await context.reload();
    }));
    one.input.select();
  }, { class: "plain" });
  const node = el("li", { class: "finding" }, sign, el("div", {}, el("div", { class: "split" }, el("span", {}, name, " ", kind), ask), el("p", { class: "quiet" }, state), place));
  let device = first, askedAt = 0;
  node.tick = () => {
    const channels = channelsOf(device.name).filter((one) => !isNeverMeasured(one)), values = channels.filter((one) => (one.value ?? null) !== null);
    const next = device.progress?.nextInSeconds ?? device.progress?.endsInSeconds, left = (next ?? 0) - (performance.now() - askedAt) / 1000;
    const words = values.length ? values.slice(0, 2).map((one) => `${quantityName(quantityOf(one.id))} ${measured(one)}`).join(" · ")
      : left > 0 && channels.length ? t("start.sensors.first", { time: duration(left) }) : code("state", device.state);
    setText(state, [device.port, words].filter(Boolean).join(" · "));
    setMark(sign, values.length || !channels.length ? "good" : "unknown");
  };
  node.renew = (given, found, profiles, at) => {
    device = { ...given, port: socketOf(found?.path) ? t("start.sensors.socket", { n: socketOf(found.path) }) : found?.node };
    askedAt = at;
    setText(name, device.title ?? device.name);
    const profile = profileOf(device, profiles);
    setText(kind, profile ? code("pins.part", profile.id, profile.name) : device.type);
    show(ask, given.origin !== undefined && given.origin !== "file");
    node.tick();
  };
  return node;
}

// MARK: Name of the station, its place and time zone, as the page Settings has them

/** The settings of the second step. */
const NAMES = ["title", "position", "zone"];

function placeWords({ values, origins }) {
  const set = NAMES.filter((name) => origins[name] !== "default" && values[name]);
  return set.map((name) => values[name]).join(" · ") || null;
}

function place(root, context) {
  const { api, may, next, done } = context;
  return { update({ schema, values, origins, etag }) {
    const rows = NAMES.filter((name) => schema.properties[name]).map((name) => [name, schema.properties[name]]);
    const fields = settingFields(rows, values, origins, may("owner"), false);
    chooseOwnZone(fields.find((one) => one.name === "zone"), values.zone, origins.zone);
    root.replaceChildren(card(null, form(fields, t("start.place.save"), async (given) => {
      const { body } = changedSettings(rows, given, values, origins);
      if (Object.keys(body).length) await api.send("PATCH", "/settings", body, { etag });
      await refresh().catch(() => null);
      await next();
    })));
    done(placeWords({ values, origins }) !== null);
  } };
}

/** A station that nobody has told its zone is offered the browser's. */
function chooseOwnZone(zone, used, origin) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone || zone.input.disabled || origin !== "default" || own === used) return;
  const found = [...zone.input.options].find((one) => one.value === own);
  if (!found) return;
  found.selected = true;
  zone.append(el("p", { class: "hint" }, t("start.place.zone")));
}

// MARK: Who is told of alerts: a phone by the app ntfy, with a test before it is saved; others by their forms

/** Options of the receiver that the step shows; all others are of its own form. */
const SHOWN = ["url", "token", "local"];

async function loadTold(api, query, context) {
  const [outbox] = await Promise.all([api.get("/outbox"), loadMore("entries")]);
  const [add, change] = ["add", "change"].map((name) => query.get(name));
  const isAsked = outbox.isRunning && query.get("step") === "3";
  return { ...outbox, form: isAsked && (add || change) ? await entryCard("receivers", { add, change }, context) : null,
    kinds: isAsked && !add && !change ? await api.get("/outbox/kinds") : null };
}

function told(root, context) {
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

// MARK: Where values go: servers that announce themselves come first; every type has its form

async function loadSent(api, query, context) {
  const [outbox] = await Promise.all([api.get("/outbox"), loadMore("outbox")]), [add, change, url] = ["add", "change", "url"].map((name) => query.get(name));
  const isShown = outbox.isRunning && query.get("step") === "4";
  return { ...outbox, form: isShown ? await entryCard("targets", { add: add ?? "any", change, url }, context) : null };
}

const FAILS = ["held", "broken", "later"];
/** What is set, and does not take values: the end of the first steps has no good mark for it. */
function doubt({ targets }) {
  return targets.filter((one) => FAILS.includes(one.state)).map((one) => `${one.id}: ${code("outbox.state", one.state)}`).join(", ") || null;
}

function sent(root, context) {
  return { update({ targets, isRunning, form }) {
    if (root.firstChild) return;
    context.done(targets.length > 0);
    if (!isRunning) return root.append(card(null, el("p", { class: "big" }, t("outbox.noCourier"))));
    if (targets.length && context.query.get("add") === null) root.append(card(t("start.sent.now"), el("ul", { class: "steps" }, targets.map((one) =>
      el("li", {}, mark(FAILS.includes(one.state) ? "moderate" : "good", "mark small"), el("span", {}, asIs(one.id), `: ${code("outbox.state", one.state)}`))))));
    root.append(form);
  } };
}
