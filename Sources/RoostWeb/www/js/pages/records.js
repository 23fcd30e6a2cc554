// Motions as a wall of pictures by day, newest first, and how the camera is.
import { button, el, quoted, show } from "../dom.js";
import { bytes, number } from "../format.js";
import { plural, t } from "../i18n.js";
import { action, confirmed } from "../words.js";
import { key, wall } from "./wall.js";

const LIMIT = 48;

export async function load(api) { return api.get("/records", { limit: LIMIT }); }

export function make(root, context) {
  const state = el("section", { class: "card" }), list = el("div", { class: "page" });
  const newer = button("", () => context.reload(), { class: "first", hidden: true });
  const more = action(t("events.more"), () => at.more());
  root.append(state, newer, list, more);
  let shown = null, waiting = 0;
  const at = {
    context, gone,
    get items() { return shown.items.filter((one) => one.number); },
    get next() { return shown.next; },
    get isOff() { return shown.camera === "off"; },
    get mayDelete() { return shown.mayDelete && shown.camera !== "stopped"; },
    async more() {
      const page = await context.api.get("/records", { limit: LIMIT, cursor: shown.next });
      const known = new Set(shown.items.map(key));
      shown.items.push(...page.items.filter((one) => !known.has(key(one))));
      shown.next = page.next;
      draw();
      return "";
    },
  };

  /** The motion of a picture that was deleted stays. */
  function gone(one) {
    Object.assign(one, { hasPicture: false, number: undefined });
    shown.items = shown.items.filter((one) => one.event || one.number);
    shown.pictureCount -= 1;
    draw();
  }

  function draw() {
    state.replaceChildren(...stateCard(shown, context));
    list.replaceChildren(...(shown.items.length ? wall(shown.items, at) : [el("section", { class: "card" }, el("p", { class: "big" }, t("records.none")), el("p", { class: "quiet" }, t("records.none.words")))]));
    show(more, Boolean(shown.next));
  }

  return {
    update(data) { shown = data; waiting = 0; show(newer, false); draw(); },
    live(kind, event) {
      if (kind !== "event" || event.kind !== "motion") return;
      newer.textContent = plural("records.newer", (waiting += 1));
      show(newer, true);
    },
  };
}

function stateCard(data, { api, may, reload }) {
  const { camera, pictureCount, room, ringBytes, retentionDays, trouble, stationTrouble } = data;
  const facts = [
    (pictureCount ?? null) !== null && (room ? t("records.kept", { n: number(pictureCount), room: number(room) }) : plural("records.pictures", pictureCount)),
    retentionDays && plural("records.days", retentionDays), ringBytes && t("records.room", { size: bytes(ringBytes) })].filter(Boolean).join(" · ");
  const all = data.mayDelete && camera !== "stopped" && pictureCount > 0 ? button(t("records.deleteAll"), confirmed(plural("records.deleteAll.sure", pictureCount), t("records.deleteAll"), async () => {
    await api.send("POST", "/records/delete", { upTo: data.newest }, { patience: 70000 });
    await reload();
  }), { class: "small" }) : null;
  const link = (href, words) => el("a", { class: "button small", href }, words);
  return [
    el("p", { class: "big" }, t(`records.camera.${camera}`)),
    facts ? el("p", { class: "number" }, facts) : null,
    trouble ? el("p", { class: "wrong" }, t("records.trouble"), " ", quoted(trouble)) : null,
    stationTrouble ? el("p", { class: "wrong" }, t("records.stationTrouble")) : null,
    el("p", { class: "quiet" }, camera === "off" ? t("records.off.words") : [t("records.privacy"), data.mayLook ? t("records.audit") : t("records.members")].join(" ")),
    el("div", { class: "row" }, camera === "on" ? link("/live", t("livepicture.title")) : null, may("owner") ? link("/camera", t("camera.link")) : null, all),
  ].filter(Boolean);
}
