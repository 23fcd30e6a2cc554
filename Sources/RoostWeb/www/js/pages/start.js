// First steps of an owner, one at a time: sensors, name and place, who is told, where values go. Each is found again elsewhere.
import { card, el, mark, menuRow, setText } from "../dom.js";
import { loadMore, t } from "../i18n.js";

/** Each step with the page that changes the same later, and the module of its cards. */
const STEPS = [
  { name: "sensors", page: "devices", module: () => import("./startsensors.js") },
  { name: "place", page: "settings", module: () => import("./startplace.js") },
  { name: "told", page: "alerts", module: () => import("./starttold.js") },
  { name: "sent", page: "outbox", module: () => import("./startsent.js") },
];

/** The step that an address names; one beyond the last is the end. */
const stepOf = (query) => Math.min(Math.max(Math.trunc(Number(query.get("step"))) || 1, 1), STEPS.length + 1);

export async function load(api, query, context) {
  const number = stepOf(query), shown = STEPS[number - 1] ? [STEPS[number - 1]] : STEPS;
  const modules = await Promise.all(shown.map((step) => step.module()));
  await Promise.all([loadMore("start"), loadMore("devices"), ...(STEPS[number - 1]?.name === "sent" ? [loadMore("entries")] : [])]);
  const data = await Promise.all(modules.map((module) => module.load(api, query, context)));
  return { number, modules, data };
}

export function make(root, context) {
  let view = null, shown = null;
  return {
    update({ number, modules, data }, query) {
      const key = `${number} ${query.get("add")} ${query.get("change")}`;
      if (shown !== key) {
        shown = key;
        view?.leave?.();
        view = null;
        if (number > STEPS.length) return root.replaceChildren(progress(number), ...ending(modules, data));
        const step = STEPS[number - 1], body = el("div", { class: "page" }), on = el("a", { class: "button", href: `/start?step=${number + 1}` });
        const heading = el("h2", { class: "big" }), words = el("p", { class: "quiet" }, t(`start.${step.name}.words`));
        root.replaceChildren(progress(number), el("div", {}, heading, words),
          body, el("div", { class: "row end" }, on));
        const next = () => context.go(`/start?step=${number + 1}`);
        // What is there already is said before what could be done.
        const done = (isDone, said) => {
          setText(heading, said ?? t(`start.${step.name}.title`));
          setText(words, t(`start.${step.name}.${said ? "more" : "words"}`));
          on.textContent = t(isDone ? "start.on" : "start.later");
          on.classList.toggle("first", isDone);
        };
        done(false);
        view = modules[0].make(body, { ...context, next, done, query });
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

function ending(modules, data) {
  const rows = STEPS.map(({ name, page }, index) => {
    const words = modules[index].summary(data[index]), doubt = modules[index].doubt?.(data[index]);
    return menuRow(`/${page}`, t(`start.${name}.short`), doubt ?? words ?? t("start.skipped", { page: t(`${page}.title`) }), mark(doubt ? "moderate" : words ? "good" : "unknown", "mark small"));
  });
  return [el("div", {}, el("h2", { class: "big" }, t("start.done.title")), el("p", { class: "quiet" }, t("start.done.words"))),
    card(null, el("ul", { class: "menu" }, rows)), el("div", { class: "row end" }, el("a", { class: "button first", href: "/" }, t("start.done.now")))];
}
