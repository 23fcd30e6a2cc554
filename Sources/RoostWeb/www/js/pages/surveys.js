// A survey marks a stretch of time by a name; a note marks a moment.
import { address } from "../api.js";
import { asIs, card, el } from "../dom.js";
import { fromInput, rfc3339, stamp, toInput } from "../format.js";
import { t } from "../i18n.js";
import { live, refresh } from "../live.js";
import { field, form } from "../form.js";
import { action, channelName, deviceTitle } from "../words.js";
import { NOTE } from "./history.js";

export async function load(api) {
  const [surveys, notes] = await Promise.all([api.maybe("/surveys"), api.maybe("/notes"), refresh().catch(() => null)]);
  return { surveys: surveys?.items, notes: notes?.items, station: live.station };
}

export const draw = ({ surveys, notes, station }, context) => [context.me?.isRecord ? null : surveyCard(station, context), surveyList(surveys), noteCard(notes, context)];

function surveyCard(station, { may, change }) {
  const mode = station?.mode ?? {}, isMember = may("member");
  if (mode.mode === "survey") {
    return card(t("surveys.survey"), el("p", { class: "big" }, t("surveys.running", { name: mode.name ?? "" })), mode.isPrivate ? el("p", { class: "quiet" }, t("surveys.private")) : null,
      isMember ? action(t("surveys.end"), () => change("POST", "/mode", { mode: "normal" }), { class: "first" }) : null);
  }
  const fields = [field("name", t("surveys.name"), { required: true, maxlength: "64", autocomplete: "off" }), field("isPrivate", t("surveys.noUpload"), { type: "checkbox" })];
  return card(t("surveys.survey"), el("p", {}, t("surveys.words")), isMember ? form(fields, t("surveys.start"), ({ name, isPrivate }) => change("POST", "/mode", { mode: "survey", name: name.trim(), isPrivate })) : el("p", { class: "quiet" }, t("problem.member")));
}

function surveyList(surveys) {
  if (!surveys) return card(t("surveys.list"), el("p", { class: "quiet" }, t("problem.missing")));
  return card(t("surveys.list"), surveys.length ? el("ul", { class: "list" }, surveys.map((one) => el("li", { class: "split" },
    el("span", {}, asIs(one.name, "strong"), el("span", { class: "quiet" }, ` ${one.from ? stamp(one.from) : ""} – ${one.to ? stamp(one.to) : t("surveys.now")}${one.isPrivate ? ` · ${t("surveys.private")}` : ""}`)),
    el("a", { class: "button", download: "", href: address("/export", { format: "csv", ...(one.from ? { from: one.from, to: one.to } : { survey: one.name }) }) }, t("history.csv"))))) : el("p", { class: "quiet" }, t("surveys.none")));
}

function noteCard(notes, { may, change }) {
  const isMember = may("member");
  const list = !notes ? el("p", { class: "quiet" }, t("problem.missing")) : notes.length ? el("ul", { class: "list" }, notes.map((note) => el("li", { class: "split" },
    el("span", {}, el("span", { class: "quiet number" }, `${stamp(note.at)} `), asIs(note.text), asIs(` ${[note.author, note.channel?.includes("/") ? channelName({ id: note.channel }) : note.channel && deviceTitle(note.channel)].filter(Boolean).join(" · ")}`, "span", { class: "quiet" })))))
    : el("p", { class: "quiet" }, t("surveys.notes.none"));
  const when = field("at", t("surveys.when"), { type: "datetime-local", required: true, value: toInput(live.now) });
  return card(t("surveys.notes"), list, isMember && notes ? form([field("text", t("surveys.note"), NOTE), when], t("surveys.note.add"), (values) => change("POST", "/notes", { at: rfc3339(fromInput(values.at)), text: values.text.trim(), channel: null })) : null);
}
