// How one target or receiver stands: shared by the pages Outbox and Alerts.
import { button, el, facts, mark, setText, show } from "../dom.js";
import { ago, bytes, clock, countdown, number, rfc3339, stamp } from "../format.js";
import { code, plural, t } from "../i18n.js";
import { may } from "../navigation.js";
import { action, confirmed } from "../words.js";

const MARKS = { idle: "good", waiting: "good", later: "moderate", held: "fault", broken: "fault" };

/** An item of a list, with `renew(report)` and `tick()`. */
export function standing(first, { me, api }, changed) {
  const sign = el("span"), state = el("strong"), why = el("p"), next = el("p", { class: "quiet" }), sums = el("div"), acts = el("div", { class: "row" });
  const node = el("li", { class: "finding" }, sign, el("div", {}, el("p", {}, el("strong", {}, first.id), el("span", { class: "chip" }, first.type)), el("p", { role: "status" }, state), why, next, sums, acts));
  const post = (what, body) => async () => { await api.send("POST", `/outbox/${first.id}/${what}`, body); await changed(); };
  let report = null, heardAt = 0;

  node.tick = () => {
    const left = report.nextTrySeconds, wait = left === undefined || left === null ? null : left - (performance.now() - heardAt) / 1000;
    setText(next, wait === null ? "" : t("outbox.next", { time: countdown(wait) }));
    show(next, wait !== null && report.state !== "paused");
  };
  node.renew = (given) => {
    const was = report?.state;
    report = given;
    heardAt = performance.now();
    if (was !== report.state) {
      sign.replaceChildren(mark(MARKS[report.state] ?? "unknown", "mark small"));
      const isPaused = report.state === "paused", isSender = Boolean(report.samples);
      acts.replaceChildren(...(may(me, "member") ? [
        isPaused || report.state === "idle" ? "" : action(t("outbox.flush"), post("flush"), { class: "small" }),
        action(t(isPaused ? "outbox.resume" : "outbox.pause"), post(isPaused ? "resume" : "pause"), { class: "small" }),
        isSender && may(me, "owner") ? button(t("outbox.drop"), confirmed(t("outbox.drop.sure", { name: report.id }), t("outbox.drop"), post("drop", { before: rfc3339(Date.now() / 1000) })), { class: "small" }) : ""] : []));
    }
    setText(state, code("outbox.state", report.state));
    setText(why, report.why ?? "");
    show(why, Boolean(report.why));
    sums.replaceChildren(facts(rows(report)));
    node.tick();
  };
  node.renew(first);
  return node;
}

function rows({ samples, notices, oldestWaiting, lastDeliverySeconds, fileCount, requestCount, byteCount, proof }) {
  const left = Object.entries(samples?.leftOut ?? {}).filter(([, count]) => count);
  return [
    samples ? [t("outbox.delivered"), plural("outbox.samples", samples.delivered)] : null,
    samples ? [t("outbox.waiting"), `${plural("outbox.samples", samples.waiting)}${oldestWaiting ? `, ${t("outbox.oldest", { time: stamp(oldestWaiting) })}` : ""}`] : null,
    left.length ? [t("outbox.leftOut"), left.map(([name, count]) => `${code("leftOut", name)}: ${number(count)}`).join(", ")] : null,
    samples ? [t("outbox.recorded"), number(samples.delivered + samples.waiting + left.reduce((sum, [, count]) => sum + count, 0))] : null,
    notices ? [t("outbox.notices"), t("outbox.notices.sum", { sent: number(notices.sent), waiting: number(notices.waiting) })] : null,
    fileCount ? [t("outbox.files"), number(fileCount)] : null,
    [t("outbox.last"), lastDeliverySeconds === undefined ? t("outbox.never") : lastDeliverySeconds < 120 ? ago(lastDeliverySeconds) : clock(Date.now() / 1000 - lastDeliverySeconds)],
    requestCount ? [t("outbox.traffic"), `${plural("outbox.requests", requestCount)}, ${bytes(byteCount)}`] : null,
    proof ? [t("outbox.proof"), proof] : null,
  ];
}
