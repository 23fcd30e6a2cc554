// Forms that name their errors at the field, and keep what was typed.
import { button, el, quoted } from "./dom.js";
import { t } from "./i18n.js";
import { problemWords } from "./words.js";

let count = 0;

/** A labelled input with a hint and a place for its error. */
export function field(name, label, { hint, control, ...props } = {}) {
  const id = `f${(count += 1)}`;
  const input = control ?? el("input", { name, ...props });
  input.id = id;
  const wrong = el("p", { class: "wrong", id: `${id}w` }), note = hint ? el("p", { class: "hint", id: `${id}h` }, hint) : null;
  input.setAttribute("aria-describedby", [hint ? `${id}h` : "", `${id}w`].join(" ").trim());
  const node = el("div", { class: "field" }, el("label", { for: id }, label),
    props.type === "password" ? el("div", { class: "secret" }, input, eye(input, props.autocomplete === "new-password")) : input, note, wrong);
  // What is wrong is said until it is changed.
  input.addEventListener("input", () => node.fail());
  return Object.assign(node, {
    input, name,
    fail(words) {
      wrong.replaceChildren(...[words ?? ""].flat());
      if (words) input.setAttribute("aria-invalid", "true"); else input.removeAttribute("aria-invalid");
      // What is folded is seen when it is wrong.
      if (words) node.closest("details")?.setAttribute("open", "");
    },
  });
}

/** A new secret is shown while it is typed, so that it is typed once; a known one is hidden. */
function eye(input, isNew) {
  const node = button("", () => show(input.type !== "text"), { class: "small" });
  const show = (isShown) => {
    input.type = isShown ? "text" : "password";
    node.textContent = t(isShown ? "form.hide" : "form.show");
  };
  // What is shown is read along by no speller that asks a server, and by no keyboard that learns.
  for (const [name, off] of [["spellcheck", "false"], ["autocapitalize", "none"], ["autocorrect", "off"]]) input.setAttribute(name, off);
  show(isNew);
  return node;
}

/** Whether something was typed in place of a number: its value is empty then. */
export const isNoNumber = (one) => one.input.type === "number" && one.input.validity.badInput;

/** What no field of one line takes; a paste can bring it. */
const isUnseen = (one) => one.input.tagName === "INPUT" && /[\u0000-\u001f\u007f-\u009f]/.test(one.input.value);

/** Why a name that is part of an address cannot begin so: the browser takes dots for folders. */
export const nameProblem = (name) => (/^[.-]/.test(name) ? t("form.name") : null);

/** Of a password's form: whose it is, so that browsers fill in the right one. */
export const whose = (email) =>
  el("input", { type: "email", autocomplete: "username", value: email ?? "", hidden: true, "aria-hidden": "true", tabindex: "-1" });

/**
 * A form of fields and nodes with `fields`; `send(values, button)` may throw a problem. The pointers of its errors find their
 * fields: `/name`, or what `placed` makes of them.
 */
export function form(fields, submit, send, check = () => ({}), placed = (pointer) => pointer) {
  const said = el("p", { role: "alert" });
  const first = el("button", { class: "first", type: "submit" }, submit);
  const node = el("form", { class: "form", novalidate: true }, fields, said, el("div", { class: "row" }, first));
  // A form with something typed is not left by a tap beside it.
  node.addEventListener("input", () => node.classList.add("typed"));
  node.addEventListener("submit", async (event) => {
    event.preventDefault();
    const known = fields.flatMap((one) => one.fields ?? one).filter((one) => one.input);
    const values = Object.fromEntries(known.map((one) => [one.name, one.input.type === "checkbox" ? one.input.checked : one.input.value]));
    const wrong = Object.fromEntries(known.map((one) => [one.name, isNoNumber(one) ? t("form.number") : isUnseen(one) ? t("form.unseen") : new TextEncoder().encode(one.input.value.trim()).length > one.input.dataset.bytes ? t("form.long") : one.input.required && !one.input.value.trim() && t("form.empty")]).filter(([, words]) => words));
    Object.assign(wrong, Object.fromEntries(Object.entries(check(values)).filter(([name, words]) => words && !wrong[name])));
    for (const one of known) one.fail(wrong[one.name]);
    said.className = "wrong";
    said.textContent = "";
    if (Object.keys(wrong).length) return known.find((one) => wrong[one.name])?.input.focus();
    first.disabled = true;
    try {
      const words = await send(values, event.submitter);
      if (event.submitter === first) node.classList.remove("typed");
      said.className = "done";
      said.textContent = words ?? "";
    } catch (problem) {
      const errors = new Map((problem.errors ?? []).map((error) => [placed(error.pointer ?? ""), error.detail]));
      const named = known.filter((one) => errors.has(`/${one.name}`));
      const words = ({ name }) => (problem.reason ? problemWords(problem) : [t("form.refused"), " ", quoted(errors.get(`/${name}`))]);
      for (const one of named) one.fail(words(one));
      said.replaceChildren(...(named.length ? [] : problemWords(problem)));
      named[0]?.input.focus();
    } finally {
      first.disabled = false;
    }
  });
  return node;
}

/** How good a password is, in words; the server has the last say. */
function passwordWords(text, least) {
  if (!text) return "";
  if (text.length < least) return t("password.short", { n: least - text.length });
  if (/^(.)\1+$/.test(text) || new Set(text).size < 5) return t("password.same");
  return t(text.length >= least + 4 || /\s/.test(text) ? "password.good" : "password.fair");
}

export function newPassword(name, label, least) {
  const first = field(name, label, { type: "password", autocomplete: "new-password", required: true, hint: t("password.rule", { n: least }) });
  const bar = el("i"), words = el("p", { class: "hint", role: "status" });
  first.append(el("div", { class: "meter", "aria-hidden": "true" }, bar), words);
  const { fail } = first;
  // A refusal and the meter do not contradict each other.
  first.fail = (said) => { fail(said); if (said) words.textContent = bar.style.width = ""; };
  first.input.addEventListener("input", () => {
    fail();
    bar.style.width = `${Math.min(100, (first.input.value.length / (least + 4)) * 100)}%`;
    words.textContent = passwordWords(first.input.value, least);
  });
  return { field: first, check: (values) => ({ [name]: values[name].length < least ? t("password.short", { n: least - values[name].length }) : null }) };
}
