// One file with what the owner set, the way back from it, and a station without an owner.
import { address } from "../api.js";
import { asIs, button, card, el, facts, fold, quoted, show } from "../dom.js";
import { field, form, whose } from "../form.js";
import { number, stamp } from "../format.js";
import { code, loadMore, plural, t } from "../i18n.js";
import { refresh } from "../live.js";
import { action, doing, problemWords, refusal } from "../words.js";

export const load = async (api) => (await Promise.all([api.maybe("/update"), loadMore("backup"), loadMore("settings")]))[0];

const KINDS = ["setting", "rule", "device", "laser", "target", "receiver", "subscriber", "person", "camera"];
const PATIENCE = 90000;

export function make(root, context) {
  if (!context.may("owner")) {
    root.append(card(null, el("p", {}, t("backup.owner")), el("p", {}, t("problem.forbidden.words"))));
    return { update() {} };
  }
  root.append(card(t("backup.make"), el("p", {}, t("backup.words")), backUp(context)),
    card(t("backup.files"), el("p", {}, t("backup.files.words")), files(context)),
    card(t("backup.restore"), el("p", {}, t("backup.restore.words")), restore(context)));
  const away = el("div", { class: "form" });
  const before = el("div", { class: "form" });
  root.append(card(t("backup.import"), before), card(t("backup.reset"), el("p", {}, t("backup.reset.words")), away));
  importPart(context).then((parts) => before.replaceChildren(...parts), (problem) => before.replaceChildren(el("p", { role: "alert" }, problemWords(problem))));
  let isMade = false;
  return { update(image) {
    if (isMade) return;
    isMade = true;
    away.replaceChildren(...(image?.isImage ? [reset(context), el("p", { class: "hint" }, t("backup.reset.card"))] : [el("p", {}, t("backup.reset.shell"))]));
  } };
}

function reset({ api, me }) {
  const history = field("history", t("backup.reset.history"), { type: "checkbox" });
  const password = secret("password", { required: true, autocomplete: "current-password", hint: t("backup.reset.ask") });
  const node = form([history, password], t("backup.reset.do"), async (given) => {
    await api.send("POST", "/reset", { password: given.password, history: given.history });
    return t("backup.reset.done");
  });
  node.prepend(whose(me?.email));
  node.querySelector("button[type=submit]").className = "danger";
  return node;
}

const secret = (name, more = {}) => field(name, t(`backup.${name}`), { type: "password", autocomplete: "off", ...more });

function backUp({ api, me }) {
  const passphrase = secret("passphrase", { autocomplete: "new-password", hint: t("backup.passphrase.hint") });
  const password = secret("password", { autocomplete: "current-password", hint: t("backup.password.hint") });
  const history = field("history", t("backup.history"), { type: "checkbox", hint: t("backup.history.hint") });
  const copy = el("div", { role: "status" });
  password.hidden = true;
  passphrase.input.addEventListener("input", () => show(password, passphrase.input.value !== ""));
  const node = form([passphrase, password, history], t("backup.save"), async (given) => {
    copy.replaceChildren();
    const { fileName, file, leftOut } = await api.send("POST", "/backup",
      { passphrase: given.passphrase || undefined, password: given.password || undefined }, { patience: PATIENCE });
    download(fileName, file);
    passphrase.input.value = password.input.value = "";
    show(password, false);
    if (given.history) await copied(api, copy);
    return [t("backup.saved", { name: fileName }), lacks(leftOut)].filter(Boolean).join(" ");
  }, (given) => ({ password: given.passphrase && !given.password ? t("form.empty") : null }));
  node.prepend(whose(me?.email));
  return [node, copy];
}

/** What was set, as the files that a person with an editor writes: each with what it lacks. */
function files({ api }) {
  const rows = el("ul", { class: "steps" });
  return [el("div", { class: "row" }, action(t("backup.files.get"), async () => {
    const answer = await api.get("/backup/files");
    rows.replaceChildren(...answer.files.map((one) => el("li", {}, el("div", {},
      button(t("backup.files.save", { name: one.name }), () => download(one.name, btoa(String.fromCharCode(...new TextEncoder().encode(one.content)))), { class: "small" }),
      one.secrets.length ? el("p", { class: "hint" }, t("backup.files.secrets"), " ", asIs(one.secrets.join(", "))) : "",
      one.leftOut.map((words) => el("p", { class: "hint" }, t("backup.files.lacks"), " ", quoted(words)))))),
    ...answer.leftOut.map((words) => el("li", {}, el("p", { class: "hint" }, t("backup.files.without"), " ", quoted(words)))));
  })), el("div", { role: "status" }, rows)];
}

/** What was measured, as a file of its own: the station makes it, and its size stands on the way to it. */
async function copied(api, node) {
  node.replaceChildren(el("p", {}, t("backup.history.wait")));
  await copyStore(api).then(({ href, size }) => {
    node.replaceChildren(el("p", {}, el("a", { class: "button", download: "", href }, t("backup.history.get", { size }))), el("p", { class: "hint" }, t("backup.history.back")));
  }, (problem) => node.replaceChildren(el("p", { class: "wrong" }, t("backup.history"), ": ", problemWords(problem))));
}

/** What a file does not have, as a sentence; empty for nothing. */
const lacks = (leftOut) => (leftOut.length ? t("backup.lacks", { list: leftOut.map((one) => code("backup.part", one)).join(", ") }) : "");

function download(name, base64) {
  const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  const address = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

function restore({ api, me }) {
  const file = field("file", t("backup.file"), { type: "file", required: true, accept: ".backup,.age,.json" });
  const passphrase = secret("opening"), shown = el("div", { class: "form", role: "status" });
  passphrase.hidden = true;
  let body = null;
  file.input.addEventListener("change", async () => {
    shown.replaceChildren();
    const start = await file.input.files[0]?.slice(0, 22).text();
    show(passphrase, start === "age-encryption.org/v1\n");
  });
  const send = (isTrial, password) => api.send("POST", "/restore", { ...body, isTrial, password }, { patience: PATIENCE });
  const look = form([file, passphrase], t("backup.look"), async (given) => {
    shown.replaceChildren();
    body = { file: await base64(file.input.files[0]), passphrase: given.opening || undefined };
    const answer = await send(true), rows = changes(answer.items);
    const confirm = field("password", t("backup.confirm"), { type: "password", required: true, autocomplete: "current-password" });
    const apply = form([confirm], t("backup.apply"), async (now) => {
      const done = await send(false, now.password);
      await refresh().catch(() => null);
      shown.replaceChildren(el("p", { class: "done" }, t("backup.done")), ...advice(done.items));
    });
    apply.prepend(whose(me?.email));
    apply.lastChild.append(button(t("do.cancel"), () => shown.replaceChildren()));
    shown.replaceChildren(el("h3", {}, t("backup.preview")),
      el("p", {}, t("backup.of", { version: answer.version, time: answer.time ? stamp(answer.time) : "–" }), " ", asIs(answer.name, "strong")),
      rows.length ? facts(rows) : el("p", {}, t("backup.nothing")), ...advice(answer.items),
      answer.leftOut.length ? el("p", { class: "hint" }, lacks(answer.leftOut)) : "",
      rows.length ? apply : "");
    // The passphrase's field has a name of its own: a browser would fill in that of the form above.
  }, () => ({}), (pointer) => pointer.replace("/passphrase", "/opening"));
  return [look, shown];
}

/** A row for each kind that changes: how many, and which. */
function changes(items) {
  return KINDS.map((kind) => {
    const all = items.filter((one) => one.kind === kind), some = all.filter((one) => one.change !== "same");
    const names = some.map((one) => el("li", {}, kind === "setting" ? code("setting", one.name) : asIs(one.name), one.value ? [": ", asIs(one.value)] : "", ` · ${t(`backup.change.${one.change}`)}`));
    const rest = all.length - some.length;
    return some.length ? [plural(`backup.kind.${kind}`, some.length), el("ul", {}, names, rest ? el("li", { class: "quiet" }, plural("backup.same", rest)) : null)] : null;
  }).filter(Boolean);
}

const advice = (items) => items.filter((one) => one.next).map((one) => el("p", { class: "hint" }, asIs(one.name, "strong"), " ", quoted(one.next)));

function base64(file) {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => fail(reader.error);
    reader.readAsDataURL(file);
  });
}

// MARK: What was measured before, by another program: a file in pieces, what it would bring, and the import itself

const PIECE_PATIENCE = 60000;
const IMPORTS = ["roost", "periods", "sensor-community", "safecast"];
const megabytes = (bytes) => `${number(bytes / 1048576, 0)} MiB`;

/** The part of the page *Back up and restore*. */
async function importPart({ api }) {
  const [{ limitBytes }] = await Promise.all([api.get("/import"), loadMore("import")]);
  const file = field("file", t("import.file"), { type: "file", required: true, accept: ".csv,.json,.ndjson,.log,.txt,.db,.sqlite", hint: t("import.limit", { size: megabytes(limitBytes) }) });
  const kind = field("kind", t("import.kind"), { control: el("select", { name: "kind" }, el("option", { value: "" }, t("import.kind.known")), IMPORTS.map((one) => el("option", { value: one }, t(`import.kind.${one}`)))) });
  const source = field("source", t("import.source"), { maxlength: "64", autocomplete: "off", autocapitalize: "none", spellcheck: "false", hint: t("import.source.hint") });
  const zone = field("utcOffsetSeconds", t("import.zone"), { placeholder: "+01:00", autocomplete: "off", hint: t("import.zone.hint") });
  const more = Object.assign(fold(t("import.more"), kind, source, zone), { fields: [kind, source, zone] });
  const bar = el("progress", { max: 100, hidden: true, "aria-label": t("import.sending") }), shown = el("div", { class: "form", role: "status" });
  for (const one of [file, kind, source, zone]) one.input.addEventListener("input", () => shown.replaceChildren());
  const look = form([file, more], t("import.look"), async (given) => {
    shown.replaceChildren();
    const chosen = file.input.files[0], id = Math.floor(Math.random() * 2 ** 31), wish = { bytes: chosen.size, file: id, isTrial: true, kind: given.kind || undefined, source: given.source.trim() || undefined, utcOffsetSeconds: seconds(given.utcOffsetSeconds) };
    try {
      await sendPieces(api, "/import/file", chosen, bar, { file: String(id) });
      bar.removeAttribute("value");
      drawTrial(shown, wish, await worked(api, wish, bar), api, bar, look);
    } finally { bar.hidden = true; }
  }, (given) => ({ file: wrongFile(file.input.files[0], limitBytes), utcOffsetSeconds: Number.isNaN(seconds(given.utcOffsetSeconds)) ? t("import.zone.wrong") : null }));
  return [el("p", {}, t("import.words")), look, bar, shown];
}

function wrongFile(file, limit) {
  if (!file) return t("form.empty");
  if (!file.size) return t("import.empty");
  return file.size > limit ? t("import.large", { size: megabytes(file.size), limit: megabytes(limit) }) : null;
}

/** `+01:00` in seconds; NaN for what is no zone. */
function seconds(text) {
  if (!text.trim()) return undefined;
  const [, sign, hours, minutes] = /^([+\-−])(\d{1,2}):?(\d\d)?$/.exec(text.trim()) ?? [];
  const all = Number(hours) * 3600 + Number(minutes ?? 0) * 60;
  return all <= 50400 ? (sign === "+" ? all : -all) : NaN;
}

/** Asks until the station is done with the file: it goes on only as long as it is asked. */
async function worked(api, wish, bar, isOver = () => !bar.isConnected) {
  bar.setAttribute("aria-label", t(wish.isTrial ? "import.looking" : "import.running"));
  for (;;) {
    const report = await api.send("POST", "/import", wish, { patience: PIECE_PATIENCE });
    if (report.part === undefined) return report;
    bar.value = 100 * report.part;
    if (isOver()) throw refusal(t(wish.isTrial ? "import.stopped" : "import.broke"));
  }
}

function drawTrial(shown, wish, report, api, bar, look) {
  const said = el("p", { role: "alert" });
  const start = (text, isBold) => {
    const node = button(text, null, { class: isBold ? "" : "first" });
    let isOver = false;
    const stop = button(t("do.cancel"), () => { isOver = true; if (!node.disabled) shown.replaceChildren(); });
    node.addEventListener("click", doing(node, said, async () => {
      // Another file now would end this import.
      [bar.hidden, isOver, look.inert] = [false, false, true];
      const done = await worked(api, { ...wish, isTrial: false, isBold }, bar, () => isOver || !bar.isConnected)
        .catch((problem) => { throw problem.status === 0 ? refusal(t("import.unknown")) : problem; })
        .finally(() => { [bar.hidden, look.inert] = [true, false]; });
      shown.replaceChildren(...importWords(done));
    }, t("import.stay")));
    return el("div", { class: "row" }, node, stop);
  };
  shown.replaceChildren(el("h3", {}, t("import.preview")), ...importWords(report), said,
    report.samples === 0 || report.refusal === "tooLarge" ? "" : start(t(report.refusal ? "import.bold" : "import.do"), Boolean(report.refusal)));
}

/** What a file brought, or would bring, in sentences. */
function importWords(report) {
  const { isTrial, samples, known, rows, badRows, problems, overwritten, share, from, to } = report, is = isTrial || report.refusal ? "would" : "did";
  const sentences = [
    report.isForeign ? t("import.foreign") : samples ? plural(`import.${is}`, samples) : t(known ? "import.all.known" : "import.nothing"),
    samples && known ? plural("import.known", known) : null,
    badRows ? plural("import.bad", badRows, { rows: number(rows, 0) }) : null,
    overwritten.length ? `${t(`import.over.${is}`)} ${overwritten.map((one) => `${one.device} (${number(one.samples, 0)})`).join(", ")}.` : null,
    report.refusal ? t(`import.refusal.${report.refusal}`, { share: number(share * 100, 0) }) : null,
    is === "did" && samples ? t("import.where") : null,
  ].filter(Boolean);
  const list = facts([[t("import.kind"), t(`import.kind.${report.kind}`)], [t("import.devices"), report.devices.length ? asIs(report.devices.join(", ")) : null],
    [t("import.span"), from ? `${stamp(from)} – ${stamp(to)}` : null], [t("import.room"), samples ? `${number(share * 100, 1)} %` : null]]);
  const bad = fold(t("import.problems"), el("ul", {}, problems.map((one) => el("li", {}, quoted(one)))));
  show(bad, problems.length > 0);
  return [...sentences.map((words) => el("p", { class: is === "did" && samples ? "done" : "" }, words)), list, bad];
}

// MARK: What was measured as a file, and a file of the owner's to the station in pieces

const COPY_PATIENCE = 600000, PIECE = 1048576;

/** Has the station make a copy of its history: where it is for an hour, and its size in words. */
export async function copyStore(api) {
  const { id, bytes } = await api.send("POST", "/copies", {}, { patience: COPY_PATIENCE });
  return { href: address(`/copies/${id}`), size: `${number(bytes / 1e6, 1)} MB` };
}

/** Sends a file in pieces; the station keeps them on its card until the file is whole. */
export async function sendPieces(api, path, file, bar, query) {
  bar.hidden = false;
  for (let at = 0; at < file.size; at += PIECE) {
    bar.value = (100 * at) / file.size;
    await api.send("POST", path, file.slice(at, at + PIECE), { query: { at: String(at), ...query }, patience: PIECE_PATIENCE });
  }
}
