// The meaning of the numbers, with the limits and today's figures beside them.
import { card, el, mark, quoted, table } from "../dom.js";
import { number, over, percent, value } from "../format.js";
import { has, loadMore, t } from "../i18n.js";
import { live, refresh } from "../live.js";
import { deviceTitle, FLAGS, measured, plainQuantity, quantityName, quantityOf } from "../words.js";

const ALWAYS = ["pm25", "pm10"];
// The six colours of the US index appear here and nowhere else.
const AQI = [["good", "0–50"], ["moderate", "51–100"], ["sensitive", "101–150"], ["unhealthy", "151–200"], ["very", "201–300"], ["hazardous", "301+"]];

export async function load(api) {
  await Promise.all([live.station ? null : refresh(), loadMore("explain")]);
  const present = (live.station.channels ?? []).map((channel) => quantityOf(channel.id));
  const quantities = [...new Set([...ALWAYS, ...present])].filter((name) => has(`explain.${name}`) || present.includes(name));
  const [rules, ...figures] = await Promise.all([api.maybe("/rules"), ...quantities.map((name) => api.maybe(`/explain/${name}`))]);
  return { station: live.station, rules: rules?.items ?? [], quantities: quantities.map((name, index) => ({ name, figures: figures[index] })) };
}

export function make(root) {
  let isFirst = true;
  return { update({ station, rules, quantities }) {
    root.replaceChildren(...quantities.map((one) => quantityCard(one, station)), lampCard(rules, station), flagsCard(), aqiCard());
    if (isFirst && location.hash.length > 1) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
    isFirst = false;
  } };
}

function quantityCard({ name, figures }, station) {
  const channels = (station.channels ?? []).filter((channel) => quantityOf(channel.id) === name);
  const means = figures?.means ?? [], plain = plainQuantity(name);
  return el("section", { class: "card", id: name }, el("h2", {}, quantityName(name)),
    el("p", {}, has(`explain.${plain}`) ? t(`explain.${plain}`) : quoted(figures?.words)),
    has(`explain.${plain}.sources`) ? el("p", { class: "quiet" }, t(`explain.${plain}.sources`)) : null,
    channels.length ? el("p", {}, channels.map((channel) => t("numbers.now", { device: deviceTitle(channel.id.split("/")[0]), value: measured(channel) })).join(" · ")) : null,
    means.length ? table(`${t("numbers.means")}${figures.channel ? `: ${deviceTitle(figures.channel.split("/")[0])}` : ""}`, [t("numbers.over"), t("history.mean"), t("numbers.limit"), t("numbers.state")], means.map((mean) => [
      over(mean.averagingSeconds), value(mean.mean, 1), mean.limit ? number(mean.limit, 1, 0) : "–",
      mean.enough === false || mean.mean === null || mean.isMet === undefined || mean.isMet === null ? (mean.coverage !== undefined && mean.coverage !== null ? t("numbers.little", { share: percent(mean.coverage, 0) }) : "") : t(mean.isMet ? "numbers.met" : "numbers.exceeded")])) : null);
}

function lampCard(rules, station) {
  const rule = rules.find((one) => one.isLamp) ?? rules[0];
  const limits = rule?.limits ?? (station.channels ?? []).flatMap((channel) => (channel.limits ?? []).map((limit) => ({ ...limit, quantity: quantityOf(channel.id), unit: channel.unit })));
  return card(t("numbers.lamp"), el("p", {}, t(rule?.averagingSeconds ? "numbers.lamp.mean" : "numbers.lamp.words")), el("ul", { class: "swatches" },
    limits.map((limit) => el("li", {}, mark(limit.level, "mark small"), `${t(`level.${limit.level}`)}: ${t("numbers.from", { name: quantityName(limit.quantity), value: number(limit.from, 1, 0), unit: limit.unit ?? "" })}`)),
    el("li", {}, mark("good", "mark small"), t("numbers.lamp.good")), el("li", {}, mark("unknown", "mark small"), t("numbers.lamp.unknown"))));
}

function flagsCard() {
  return card(t("numbers.flags"), el("dl", { class: "flags" }, FLAGS.map((flag) =>
    el("div", {}, el("dt", {}, el("strong", {}, t(`flag.${flag}`))), el("dd", { class: "quiet" }, t(`flag.${flag}.words`))))));
}

function aqiCard() {
  return card(t("numbers.aqi"), el("p", {}, t("numbers.aqi.words")), el("ul", { class: "swatches" },
    AQI.map(([name, range]) => el("li", {}, el("span", { class: `aqi aqi-${name}`, "aria-hidden": "true" }), el("span", { class: "number" }, range), t(`aqi.${name}`)))));
}
