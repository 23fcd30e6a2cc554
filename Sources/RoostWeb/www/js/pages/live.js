// The camera's live picture, while this page is visible and the viewer wants it.
import { address } from "../api.js";
import { button, el, quoted, setText, show } from "../dom.js";
import { code, plural, t } from "../i18n.js";
import { say } from "../words.js";

/** Seconds between questions about the camera: while watching, and while not. */
const WATCHING = 2, IDLE = 5;
/** Seconds until a picture that ended, or never came, is asked for again. */
const AGAIN = 5;
const UP = ["starting", "running"];

export const load = (api) => api.get("/camera");

export function make(root, { api, may, setTitle }) {
  const state = el("p", { class: "big", role: "status" }), why = el("p", { class: "wrong" }), facts = el("p", { class: "number" });
  const frame = el("div", { class: "frame wide" }), words = el("p", { class: "quiet" });
  const start = button(t("livepicture.start"), () => { isWanted = true; open(); draw(); }, { class: "first" });
  const stop = button(t("livepicture.stop"), () => { isWanted = false; close(); draw(); });
  root.append(el("section", { class: "card" }, state, why, frame, el("div", { class: "row" }, start, stop, el("a", { class: "button", href: "/records" }, t("records.title")), may("owner") ? el("a", { class: "button", href: "/camera" }, t("camera.link")) : null), facts, words));
  let shown = null, isWanted = false, image = null, age = 0, seconds = 0, turn = 0;

  function open() {
    close();
    age = 0;
    image = el("img", { alt: t("livepicture.alt"), src: address("/camera/live", { turn: (turn += 1) }) });
    frame.append(image);
  }

  /** Without its address an image lets go of the stream. */
  function close() {
    image?.removeAttribute("src");
    image?.remove();
    image = null;
  }

  function draw() {
    const { mayLook } = shown, isSeen = Boolean(image?.naturalWidth);
    const name = shown.camera === "on" ? shown.state : shown.camera;
    const sentence = isSeen && UP.includes(name) ? t("livepicture.running") : isWanted && name === "ready" ? t("livepicture.starting") : code("livepicture", name);
    say(state, sentence);
    setTitle(sentence);
    if (why.textContent !== (shown.why ?? "")) why.replaceChildren(...[quoted(shown.why)].filter(Boolean));
    show(why, Boolean(shown.why) && name !== "masked");
    show(frame, isSeen);
    show(start, mayLook && !isWanted && !["off", "stopped"].includes(name));
    show(stop, isWanted);
    setText(facts, shown.width ? [t("livepicture.size", { width: shown.width, height: shown.height, n: shown.framesPerSecond }), shown.viewers ? plural("livepicture.viewers", shown.viewers) : ""].filter(Boolean).join(" · ") : "");
    setText(words, t(name === "off" ? "livepicture.off.words" : mayLook ? "livepicture.audit" : "livepicture.members"));
  }

  async function ask() {
    try { shown = await api.get("/camera"); } catch { return; }
    if (!isWanted) return draw();
    const isUp = UP.includes(shown.state);
    if (image && !isUp && age > AGAIN) close();
    if (!image && !document.hidden && (shown.state === "ready" || shown.state === "gone" && age > 2 * AGAIN)) open();
    draw();
  }

  function seen() {
    if (document.hidden) close(); else if (isWanted) { open(); draw(); }
  }
  document.addEventListener("visibilitychange", seen);

  return {
    update(data) { shown = data; draw(); },
    tick() {
      age += 1;
      if (image) draw();
      if ((seconds += 1) % (isWanted ? WATCHING : IDLE) === 0) ask();
    },
    leave() { document.removeEventListener("visibilitychange", seen); close(); },
  };
}
