// The few helpers that stand in for a framework. Text reaches the page as text, never as markup.
const SVG = "http://www.w3.org/2000/svg";

/** Makes an element: `on…` props are listeners, the others attributes; `false` and null leave out. */
export const el = (tag, props, ...children) => fill(document.createElement(tag), props, children);

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2).toLowerCase(), value);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const svg = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

/** Gives way to the browser between two pieces of work, so that it draws what is there and takes a tap. */
export const nextFrame = () => new Promise((next) => (document.hidden ? setTimeout(next) : requestAnimationFrame(() => setTimeout(next))));

/** Runs something once a frame at most, however often it is asked for. */
export function onceAFrame(run) {
  let due = null;
  return () => (due ??= nextFrame().then(() => { due = null; run(); }));
}

/** An icon of the sprite in index.html. */
export const icon = (name, className = "icon") =>
  svg("svg", { class: className, "aria-hidden": "true" }, svg("use", { href: `#${name}` }));

/** The mark of a level: shape first, colour second. */
export function mark(level, className = "mark") {
  const known = ["good", "moderate", "poor", "fault"].includes(level) ? level : "unknown";
  return icon(`mark-${known}`, `${className} ${known}`);
}

/** A small mark in a place, changed only when the level differs. */
export function setMark(node, level) {
  if (node.dataset.level === level) return;
  node.dataset.level = level;
  node.replaceChildren(mark(level, "mark small"));
}

/** A drawing that says something by itself. */
export function labelled(node, words) {
  node.removeAttribute("aria-hidden");
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", words);
  return node;
}

/** Changes a text only when it differs, so that nothing is announced or laid out in vain. */
export function setText(node, value) {
  if (node.textContent !== value) node.textContent = value;
  return node;
}

export function show(node, isShown) {
  if (node.hidden === isShown) node.hidden = !isShown;
  return node;
}

/** Brings the children of `parent` in line with `items`, and keeps the nodes of equal keys. */
export function keyed(parent, items, key, make, update) {
  const old = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  let next = parent.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let node = old.get(name);
    if (node) old.delete(name);
    else {
      node = make(item);
      node.dataset.key = name;
    }
    update?.(node, item);
    if (node === next) next = next.nextElementSibling;
    else parent.insertBefore(node, next);
  }
  for (const node of old.values()) node.remove();
}

/** Replaces children only where they differ: a finger that is down keeps its button. Listeners that stay must look up what is shown now. */
export function renew(parent, ...children) {
  const next = children.flat(3).filter((child) => child !== null && child !== undefined && child !== false);
  next.forEach((child, index) => {
    const old = parent.childNodes[index];
    if (!old) parent.append(child); else if (!old.isEqualNode(child)) old.replaceWith(child);
  });
  while (parent.childNodes.length > next.length) parent.lastChild.remove();
}

/** What a server, the system or a part said, in its own words and language; nothing of a page is made of it. */
export const quoted = (text) => (text ? el("q", { lang: "en", translate: "no" }, text) : null);

/** A name or a text that a person or a device has given: it is the same in every language. */
export const asIs = (text, tag = "span", props = {}) => el(tag, { translate: "no", ...props }, text);

export const fold = (words, ...children) => el("details", {}, el("summary", {}, words), ...children);

/** A fold whose content is made when it is opened first. */
export function lateFold(summary, fill, props) {
  const node = el("details", props, summary);
  let isFull = false;
  const renew = () => {
    if (!node.open || isFull) return;
    isFull = true;
    node.append(...[fill()].flat());
  };
  node.addEventListener("toggle", renew);
  renew();
  return node;
}

export const choice = (options, chosen, props = {}) => el("select", props, options.map(([value, words]) => el("option", { value, selected: String(value) === String(chosen) }, words)));

/** Buttons of which one is chosen; `options` are names with their words. */
export const segments = (label, options, chosen, choose) => el("div", { class: "segments", role: "group", "aria-label": label },
  options.map(([name, words]) => button(words, () => choose(name), { "aria-pressed": String(name === chosen) })));

/** A row of a menu: its name, what it is for, and a mark before them. */
export const menuRow = (href, name, words, sign) => el("li", {}, el("a", { href }, sign, el("span", {}, el("strong", {}, name), el("span", { class: "quiet" }, words)), icon("icon-next")));

export const card = (title, ...children) => el("section", { class: "card" }, title ? el("h2", {}, title) : null, ...children);

export function facts(rows) {
  return el("dl", { class: "facts" }, rows.filter((row) => row && row[1] !== null && row[1] !== undefined && row[1] !== "")
    .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

export const button = (text, onclick, props = {}) => el("button", { type: "button", onclick, ...props }, text);

/** A table under its name, in a box that may scroll sideways. */
export function table(caption, heads, rows) {
  return el("div", {}, el("p", { class: "quiet" }, caption), el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption }, el("table", { "aria-label": caption },
    el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, index) =>
      el(index === 0 ? "th" : "td", index === 0 ? { scope: "row" } : {}, cell ?? "–"))))))));
}

/** A dialog that closes with Escape, its button if it has one, or a tap beside it; it leaves the page when closed. One without a title needs a name. */
export function dialog(title, closeText, ...children) {
  const before = document.activeElement;
  const id = `d${Math.round(performance.now())}`;
  const node = el("dialog", { "aria-labelledby": title === null ? null : id }, title === null ? null : el("h2", { id }, title), ...children,
    el("div", { class: "row end" }, closeText ? button(closeText, () => node.close()) : null));
  node.addEventListener("click", (event) => { if (event.target === node) node.close(); });
  node.addEventListener("close", () => { node.remove(); before?.focus?.(); });
  document.body.append(node);
  node.showModal();
  return node;
}
