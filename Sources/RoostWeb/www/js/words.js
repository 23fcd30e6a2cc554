// How channels, levels and reasons are called: codes of the server in the page's language.
import { button, dialog, el, quoted, setText } from "./dom.js";
import { clock, duration, isKnown, moment, number, stamp, value } from "./format.js";
import { code, has, plural, t } from "./i18n.js";
import { live } from "./live.js";

export const quantityOf = (id) => id.split("/").slice(1).join("/");
export const deviceOf = (id) => id.split("/")[0];
/** What people call a device: its title, or its name. */
export const deviceTitle = (name) => live.station?.titles?.[name] ?? name;
/** The name of a quantity without the version of the graph that computes it. */
export const plainQuantity = (quantity) => quantity.split("@")[0];
export const quantityName = (quantity, given) => code("quantity", plainQuantity(quantity), given ?? quantity);
export const channelName = (channel) => channel.isEarlier ? channel.name : `${quantityName(quantityOf(channel.id), channel.name)} · ${deviceTitle(deviceOf(channel.id))}`;
/** The mean that a channel's level comes from, with its time; nothing where each value is judged. */
const levelMean = ({ levelMean: mean, levelMeanSeconds: seconds, decimals }) =>
  (seconds && isKnown(mean) ? { mean: value(mean, decimals), time: duration(seconds) } : null);
export const measured = (channel) => `${value(channel.value, channel.decimals)} ${channel.unit ?? ""}`.trim();

/** Why there is no value; a gap's cause and a sample's reason share one list. */
export const reason = (name, words) => code("cause", { replyTimeout: "silent", stopped: "driverStopped" }[name] ?? name, words);
/** Why the mean of an alert has no value: a reason, or the flags of its values. */
export const blindReason = (name) => reason(name, flags(name.split(", ")));

export const flags = (quality) => (quality ?? []).map((flag) => code("flag", flag)).join(", ");

export const FLAGS = ["ceiling", "inconsistent", "unchanging", "outOfRange", "humid", "jump", "disagrees", "zero", "estimated"];
export const flagWords = (bits) => flags(FLAGS.filter((_, index) => bits & (1 << index)));

/** A moment, with its date once that is another day's. */
export const atOf = (time) => (live.now - moment(time) / 1000 > 72000 ? stamp : clock)(time);

/** The first sentence of the dashboard; the server's own English where the catalogue has none. */
export function verdictWords(station) {
  const { verdict: given } = station;
  if (!given) return t("verdict.none");
  // With its time where that is known: a moment, which stays the same while the page counts on.
  const at = live.answeredAt;
  const times = [isKnown(given.sinceSeconds) ? "since" : "", isKnown(given.leftSeconds) ? "left" : ""];
  const key = [...(given.level === "unknown" ? [`verdict.${given.code}.none`] : []), ...times.map((time) => `verdict.${given.code}.${time}`), `verdict.${given.code}`].find(has) ?? `verdict.${given.code}`;
  const sentence = t(key, {
    ...given, ...(given.device ? { device: deviceTitle(given.device) } : {}), cause: given.cause ? reason(given.cause) : "",
    level: t(`level.${given.level ?? "unknown"}`),
    since: isKnown(given.sinceSeconds) ? atOf(at - given.sinceSeconds) : "",
    until: isKnown(given.leftSeconds) ? clock(at + given.leftSeconds) : "",
  });
  if (!has(key) || /\{\w+\}/.test(sentence)) return given.sentence ?? given.code;
  return given.doubts?.length ? t("verdict.doubtful", { words: sentence, flags: flags(given.doubts) }) : sentence;
}

/** The same sentence once nothing is heard any more: what was, and when. */
export function pastWords(station) {
  const { verdict } = station, time = atOf(live.savedAt ?? live.lostAt ?? live.now);
  return verdict?.code?.startsWith("level.") && has(`past.${verdict.code}`) ? t(`past.${verdict.code}`, { time }) : t("past.other", { time, words: verdictWords(station) });
}

/** Puts a page's first sentence into a node; the router makes it what was, once nothing is heard any more. */
export const say = (node, words) => setText(node, asHeard(node.dataset.says = words));
export const asHeard = (words) => (["lost", "saved"].includes(live.state) ? t("past.other", { time: atOf(live.savedAt ?? live.lostAt), words }) : words);

const RANKS = ["good", "moderate", "poor"];
/** The limit at which the level of a channel begins; none below the first one. */
const limitOf = ({ limits, level }) => limits?.findLast((one) => one.level === level);

/**
 * The reading to name beside the verdict, null without one: of those that decide it and of all others at its level or a worse one the
 * poorest, by its level, then by how far it is beyond its limit. The lamp goes by one device; another may be worse.
 */
export function poorest({ verdict, channels = [] }) {
  const decides = ({ id }) => verdict?.because?.includes(id);
  const rank = RANKS.indexOf(verdict?.level), isSeen = (one) => !one.isStale && one.place !== "hidden";
  const isAlike = (one) => rank >= 0 && RANKS.indexOf(one.level) >= rank && isSeen(one);
  const share = (one) => (one.levelMean ?? one.value) / ((limitOf(one) ?? one.limits?.[0])?.from || Infinity);
  return channels.filter((one) => isKnown(one.value) && (decides(one) || isAlike(one)))
    .sort((one, other) => RANKS.indexOf(other.level) - RANKS.indexOf(one.level) || share(other) - share(one))[0] ?? null;
}

export function becauseWords(station) {
  const channel = poorest(station), limit = channel && limitOf(channel), mean = channel && levelMean(channel);
  if (!channel) return "";
  const words = mean ? t("now.mean.value", { value: `${mean.mean} ${channel.unit ?? ""}`.trim(), time: mean.time }) : measured(channel);
  const params = { name: channelName(channel), value: words, limit: limit ? number(limit.from, 1, 0) : "", level: t(`level.${channel.level ?? "unknown"}`) };
  const { level } = station.verdict, isWorse = RANKS.includes(level) && RANKS.indexOf(channel.level) > RANKS.indexOf(level);
  return t(!limit ? "now.because" : isWorse ? "now.because.worse" : "now.because.limit", params);
}

const GROUPS = ["air", "climate", "motion", "radiation", "other", "detail"];
/** Channels of a history in the order of what people ask for, as the station sends its own. */
export const byGroup = (one, other) => GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group);

export const bandsOf = ({ limits }) => ({
  bands: (limits ?? []).map((limit) => ({ ...limit, label: t("history.limit", { level: t(`level.${limit.level}`), value: number(limit.from, 1, 0) }) })), lowest: t("level.good"),
});

/** A curve as words: how far it goes, its last value, and its gaps. */
export function curveWords({ mean, least = mean, most = mean, decimals }, gaps) {
  const known = (all) => all.filter((one) => one !== null && one !== undefined), shown = (given) => value(given, decimals);
  if (!known(mean).length) return t("cause.none");
  const range = t("now.day.range", { least: shown(Math.min(...known(least))), most: shown(Math.max(...known(most))), last: shown(known(mean).at(-1)) });
  return gaps ? `${range}, ${plural("now.day.gaps", gaps)}` : range;
}

/** The strip's data from a ledger: gaps, and start and end of the record; without a ledger nothing is claimed. */
export function recorded(ledger) {
  if (!ledger || ledger.problem) return { stretches: [], since: Infinity };
  return { stretches: ledger.stretches ?? [], since: Date.parse(ledger.from) / 1000 || undefined, until: Date.parse(ledger.to) / 1000 || undefined };
}

/** Devices that measure now: of what a file says and what is unplugged or silent, nothing is measured. */
export const measuring = (devices) => devices.filter((one) => one.intervalSeconds && !["unplugged", "unusable", "silent", "not answering", "muted", "stopped"].includes(one.state));
/** Whether the station has a channel of its history now; true while it does not say. */
export const isPresent = ({ id, isImported }) => isImported || live.station?.daemon?.state !== "up" || (live.station.channels?.some((one) => one.id === id) ?? true);

/** Whether a part has no such value: said on Devices, and nothing that is missing. */
export const isNeverMeasured = (channel) => channel.noData === "notMeasured" && (channel.ageSeconds ?? null) === null;

export const until = (seconds) => clock(live.now + seconds);

/** Runs something, and puts into a place why it failed. */
export async function orWhy(place, run) {
  try { await run(); } catch (problem) { place.replaceChildren(...problemWords(problem)); }
}

/** Runs what a button asks for, and says beside it what came of it. */
export function doing(node, said, action, running = t("do.running")) {
  return async (event) => {
    event?.preventDefault?.();
    node.disabled = true;
    said.className = "quiet";
    said.textContent = running;
    try {
      const words = await action();
      said.className = "done";
      said.textContent = words ?? t("do.done");
    } catch (problem) {
      said.className = "wrong";
      said.replaceChildren(...problemWords(problem));
    } finally {
      node.disabled = false;
    }
  };
}

/** Why something was refused: a sentence for its type, and the server's words where they say more. */
export function problemWords(problem) {
  // A mistake of the page itself, and no answer of a server.
  if (problem.status === undefined) console.error(problem);
  if (problem.words) return [problem.words];
  if (has(`refusal.${problem.reason}`)) return [t(`refusal.${problem.reason}`)];
  if (problem.status === 0) return [t("problem.offline.words")];
  if (problem.isMissing && !problem.detail) return [t("problem.missing")];
  if (problem.type === "rate-limited" && problem.retryAfter) return [t("problem.rate-limited.after", { time: duration(problem.retryAfter) })];
  const words = has(`problem.${problem.type}.short`) ? t(`problem.${problem.type}.short`) : code("problem", problem.type, t("problem.internal"));
  // Another person was quicker: nothing was overwritten.
  if (problem.type === "precondition") return [words, " ", button(t("do.look"), () => location.reload(), { class: "small", type: "button" })];
  return problem.detail ? [words, " ", quoted(problem.detail)] : [words];
}

/** What a page itself has against a request. */
export const refusal = (words) => Object.assign(new Error(words), { status: 400, words });

export function action(text, run, props) {
  const said = el("span", { class: "quiet", role: "status" });
  const node = button(text, null, props);
  node.addEventListener("click", doing(node, said, run));
  return el("span", { class: "row" }, node, said);
}

/** Copies a text; only an encrypted page may. */
export const copyAction = (text, props) => (navigator.clipboard
  ? action(t("do.copy"), async () => { await navigator.clipboard.writeText(text()); return t("do.copied"); }, props) : null);

/** Asks before something that cannot be undone. */
export const confirmed = (words, yes, run) => () => {
  const said = el("p", { role: "status" }), sure = button(yes, null, { class: "first" });
  const box = dialog(null, t("do.cancel"), el("p", {}, words), said);
  box.setAttribute("aria-label", words);
  box.lastChild.prepend(sure);
  sure.addEventListener("click", doing(sure, said, async () => { await run(); box.close(); }));
  sure.focus();
};
