// Real paths: Back, reload and sharing restore a view. Swaps pages and moves the focus to their h1.
import { api, asked } from "./api.js";
import { button, card, el, nextFrame, quoted, setText, show } from "./dom.js";
import { code, loadMore, t } from "./i18n.js";
import { live } from "./live.js";
import { isOffered, PAGES } from "./navigation.js";
import { may } from "./roles.js";
import { confirmed, say } from "./words.js";

let current = null, turn = 0, me = null, header;

export const context = {
  get me() { return me; },
  may: (least) => may(me, least),
  /** The pages that exist here for this account. */
  get pages() { return PAGES.filter((page) => isOffered(page, me)); },
  api,
  /** A page's first sentence as its title; where it stands in the page, the header shows only the station. */
  setTitle(words, isSentence = current?.page?.name !== "now") {
    // Now says itself what was, and a page's name was and is.
    if (isSentence) say(header.title, words); else { delete header.title.dataset.says; setText(header.title, words); }
    document.title = [words, header.station.textContent || "Roost"].join(" – ");
  },
  go, reload: () => render(current?.query ?? new URLSearchParams(), { keepsPlace: true }),
  /** Asks for a change, and draws the page as it is then; given to a button or a form, it says that it is done. */
  async change(...given) {
    await api.send(...given);
    await context.reload();
  },
  /** Puts what the page shows into its address, without a new page. */
  setQuery(pairs) {
    const query = new URLSearchParams(location.search), present = Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]));
    history.pushState({}, "", asked(location.pathname, { ...present, ...pairs }));
    return open(location.pathname, { keepsPlace: true });
  },
};

export function startRouter(parts, account) {
  header = parts;
  me = account;
  history.scrollRestoration = "manual";
  addEventListener("popstate", (event) => open(location.pathname, { scroll: event.state?.scroll ?? 0, keepsFocus: true }));
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const url = new URL(link.href);
    if (url.origin !== location.origin || link.hasAttribute("download") || link.target || url.pathname.startsWith("/api/")) return;
    if (!PAGES.some((page) => page.path === url.pathname) || (url.hash && url.pathname === location.pathname)) return;
    event.preventDefault();
    const leave = () => go(url.pathname + url.search), typed = url.pathname !== location.pathname && header.main.querySelector("form.typed");
    if (typed) confirmed(t("form.leave"), t("form.leave.do"), leave)(); else leave();
  });
  live.on((kind, data) => {
    const view = current?.view;
    if (kind === "connection") for (const node of document.querySelectorAll("[data-says]")) say(node, node.dataset.says);
    if (kind === "return" && view) {
      // What a person has opened, loaded or typed stays; she asks herself.
      if (!view.keeps?.() && !document.querySelector("dialog[open], form.typed")) return void context.reload();
      if (!header.main.querySelector(":scope > .missed")) header.main.prepend(el("p", { class: "row missed", role: "status" }, t("page.missed"), button(t("page.refresh"), () => context.reload(), { class: "small" })));
    }
    // What failed without an answer is asked for again once there is one.
    if (kind === "station" && current?.isWaiting && live.state === "live" && !header.main.querySelector("form.typed")) return void context.reload();
    if (!view) return;
    if (kind === "tick") view.tick?.();
    else view.live?.(kind, data);
  });
}

function go(address, { replaces } = {}) {
  history.replaceState({ ...history.state, scroll: scrollY }, "");
  if (replaces) history.replaceState({}, "", address); else history.pushState({}, "", address);
  return open(location.pathname, {});
}

export async function open(path, { scroll = 0, keepsFocus, keepsPlace, as } = {}) {
  turn += 1;
  const page = PAGES.find((one) => (as ? one.name === as : one.path === path));
  if (current && current.page === page && keepsPlace) return render(new URLSearchParams(location.search), { keepsPlace });
  current?.view?.leave?.();
  current = { page, view: null, isFirst: !current };
  document.body.classList.toggle("alone", Boolean(page?.isAlone));
  header.title.classList.toggle("unseen", ["now", "devices", "health", "proof", "records", "livepicture"].includes(page?.name));
  for (const link of header.links) {
    const isHere = link.dataset.page === page?.name || (link.dataset.page === "more" && page?.place === "more");
    if (isHere) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  context.setTitle(page ? t(`${page.name}.title`) : t("problem.noPage"), false);
  if (!page || !isOffered(page, me)) {
    header.main.removeAttribute("aria-busy");
    header.main.replaceChildren(card(null, el("p", {}, t(!page ? "problem.noPage.words" : me?.isOpen || may(me, page.needs) ? "problem.notHere" : "problem.forbidden.words")), el("p", {}, el("a", { href: "/" }, t("problem.toNow")))));
    return;
  }
  await render(new URLSearchParams(location.search), { scroll, keepsFocus });
}

async function render(query, { scroll = 0, keepsFocus, keepsPlace } = {}) {
  const mine = ++turn, { page } = current;
  Object.assign(current, { query, isWaiting: false });
  header.main.setAttribute("aria-busy", "true");
  const slow = keepsPlace ? null : setTimeout(() => header.main.replaceChildren(el("p", { class: "quiet" }, t("page.loading"))), 250);
  if (!keepsFocus && !keepsPlace && !current.isFirst) header.title.focus({ preventScroll: true });
  try {
    const [module] = await Promise.all([page.load().catch(unloaded), page.texts && loadMore(page.name)]);
    await nextFrame();
    const data = await module.load(api, query, context);
    if (mine !== turn) return;
    if (!current.view || !keepsPlace) {
      const root = el("div", { class: `page ${page.name}` });
      current.view?.leave?.();
      // A page without a state of its own is drawn anew from each answer.
      const here = current, own = { ...context, setTitle: (words) => { if (current === here) context.setTitle(words); } };
      current.view = module.make?.(root, own) ?? { update: (given) => root.replaceChildren(...module.draw(given, own).filter(Boolean)), keeps: () => root.querySelector("details[open]") };
      clearTimeout(slow);
      header.main.replaceChildren(...(page.name === "now" || page.isAlone ? [root, foot(page)] : [foot(page), root]));
    }
    for (const node of header.main.querySelectorAll(":scope > .problem, :scope > .missed")) node.remove();
    const drawn = current.view.update(data, query);
    // At once, so that no piece is seen elsewhere; a place farther down exists when all is drawn. The first page begins at its top.
    if (!keepsPlace && !current.isFirst) scrollTo(0, scroll);
    const place = scrollY;
    await drawn;
    // Not from under a person who has scrolled meanwhile.
    if (scroll && mine === turn && scrollY === place) scrollTo(0, scroll);
  } catch (problem) {
    if (mine === turn) fail(problem, page, keepsPlace);
  } finally {
    clearTimeout(slow);
    if (mine === turn) header.main.removeAttribute("aria-busy");
  }
}

function foot(page) {
  if (page.isAlone) return "";
  return el("div", { class: "about" }, el("p", {}, t(`${page.name}.purpose`)),
    ["more", "start", "trust"].includes(page.name) ? null : button(t("page.refresh"), () => { live.refresh().catch(() => {}); context.reload(); }, { class: "plain" }));
}

/** A file that does not come is a TypeError to every browser, and no mistake of the station. */
function unloaded(problem) {
  throw problem instanceof TypeError ? Object.assign(problem, { status: 0 }) : problem;
}

/** What a page has shown stays, below why it is not drawn anew: a rule that is being typed, or the last values. */
function fail(problem, page, keepsPlace) {
  if (problem.status === 401) return;
  if (problem.status === undefined) console.error(problem);
  current.isWaiting = [0, 503].includes(problem.status);
  if (!keepsPlace) { current.view?.leave?.(); current.view = null; }
  const key = problem.isMissing ? "missing" : problem.status === 0 ? "offline" : problem.type || "internal";
  const said = `${key} ${problem.detail}`, old = header.main.querySelector(":scope > .problem");
  // The same is not read aloud again and again.
  if (keepsPlace && old?.dataset.said === said) return;
  const node = el("section", { "data-said": said, class: "card problem", role: "alert" },
    el("h2", {}, code("problem", key, t("problem.internal"))),
    el("p", {}, code("problem", `${key}.words`, "")),
    problem.isMissing || !problem.detail ? null : el("p", { class: "quiet" }, quoted(problem.detail)),
    el("div", { class: "row" }, button(t("page.again"), () => context.reload())));
  old?.remove();
  if (current.view) header.main.prepend(node); else header.main.replaceChildren(foot(page), node);
  show(header.main, true);
}
