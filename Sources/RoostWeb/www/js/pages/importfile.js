// What was measured before, by another program: a file in pieces, what it would bring, and the import itself.
import { asIs, button, el, facts, fold, quoted, show } from "../dom.js";
import { number, stamp } from "../format.js";
import { field, form } from "../form.js";
import { loadMore, plural, t } from "../i18n.js";
import { problemWords, refusal } from "../words.js";
import { sendPieces } from "./copy.js";

const PATIENCE = 60000;
const KINDS = ["roost", "periods", "sensor-community", "safecast"];
const megabytes = (bytes) => `${number(bytes / 1048576, 0)} MiB`;

/** The part of the page *Back up and restore*. */
export async function importPart({ api }) {
  const [{ limitBytes }] = await Promise.all([api.get("/import"), loadMore("import")]);
  const file = field("file", t("import.file"), { type: "file", required: true, accept: ".csv,.json,.ndjson,.log,.txt,.db,.sqlite", hint: t("import.limit", { size: megabytes(limitBytes) }) });
  const kind = field("kind", t("import.kind"), { control: el("select", { name: "kind" }, el("option", { value: "" }, t("import.kind.known")), KINDS.map((one) => el("option", { value: one }, t(`import.kind.${one}`)))) });
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
    const report = await api.send("POST", "/import", wish, { patience: PATIENCE });
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
    node.addEventListener("click", async () => {
      // Another file now would end this import.
      [node.disabled, bar.hidden, isOver, look.inert] = [true, false, false, true];
      said.className = "quiet";
      said.textContent = t("import.stay");
      try {
        const done = await worked(api, { ...wish, isTrial: false, isBold }, bar, () => isOver || !bar.isConnected);
        shown.replaceChildren(...summary(done));
      } catch (problem) {
        said.className = "wrong";
        said.replaceChildren(...problemWords(problem.status === 0 ? refusal(t("import.unknown")) : problem));
        node.disabled = false;
      } finally { [bar.hidden, look.inert] = [true, false]; }
    });
    return el("div", { class: "row" }, node, stop);
  };
  shown.replaceChildren(el("h3", {}, t("import.preview")), ...summary(report), said,
    report.samples === 0 || report.refusal === "tooLarge" ? "" : start(t(report.refusal ? "import.bold" : "import.do"), Boolean(report.refusal)));
}

/** What a file brought, or would bring, in sentences. */
function summary(report) {
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
