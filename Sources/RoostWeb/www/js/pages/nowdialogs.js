// The dialogs of Now: which channels it shows, and which device is muted.
import { asIs, button, dialog, el, keyed, show } from "../dom.js";
import { form } from "../form.js";
import { duration } from "../format.js";
import { loadMore, t } from "../i18n.js";
import { live, refresh } from "../live.js";
import { action, channelName, deviceOf, deviceTitle, isNeverMeasured } from "../words.js";

const KEYS = { first: "nowFirst", hidden: "nowHidden" };

/** Which channels are first and which are hidden, for everyone who opens Now; `said()` gets the way back. */
export async function choice({ api, reload }, said) {
  const [{ data: { values, origins }, etag }] = await Promise.all([api.getTagged("/settings"), loadMore("now")]);
  const isLocked = (place) => origins[KEYS[place]] === "file", idsOf = (place) => values[KEYS[place]]?.split(", ") ?? [];
  const channels = new Map(live.station.channels.filter((one) => !isNeverMeasured(one)).map((one) => [one.id, one]));
  // What is away keeps its place, and can be given another.
  const rows = [...new Set([...idsOf("first"), ...channels.keys(), ...idsOf("hidden")])];
  const places = new Map(Object.keys(KEYS).reverse().flatMap((place) => idsOf(place).map((id) => [id, place])));
  const list = el("ul", { class: "list" }), idsAt = (place) => rows.filter((id) => places.get(id) === place);

  function make(id) {
    const given = places.get(id) ?? "", channel = channels.get(id);
    const select = el("select", { "aria-labelledby": id, disabled: isLocked(given), onchange: () => { places.set(id, select.value); draw(); } },
      ["", ...Object.keys(KEYS)].map((place) => el("option", { value: place, selected: place === given, disabled: isLocked(place) }, t(`choice.${place || "usual"}`))));
    const up = button("↑", () => {
      rows.splice(rows.indexOf(idsAt("first")[idsAt("first").indexOf(id) - 1]), 0, ...rows.splice(rows.indexOf(id), 1));
      draw();
      (up.hidden ? select : up).focus();
    }, { class: "small", "aria-label": t("choice.up"), "aria-describedby": id });
    return Object.assign(el("li", { class: "split" }, el("span", { id }, channel ? channelName(channel) : [asIs(id), ` · ${t("choice.away")}`]), el("span", { class: "row" }, up, select)), { up });
  }

  const draw = () => keyed(list, rows, (id) => id, make, (node, id) => show(node.up, !isLocked("first") && idsAt("first").indexOf(id) > 0));

  /** Puts texts in use, null takes one back. */
  async function keep(body, before, tag) {
    const answer = await api.sendTagged("PATCH", "/settings", body, { etag: tag });
    await refresh();
    said().replaceChildren(t("do.saved"), action(t("do.undo"), () => keep(before, body, answer.etag), { class: "small" }));
    reload();
  }

  draw();
  const box = dialog(t("choice.do"), t("do.cancel"), el("p", {}, t("choice.words")), Object.keys(KEYS).some(isLocked) ? el("p", { class: "hint" }, t("settings.locked")) : null,
    form([list], t("do.save"), async () => {
      const body = {}, before = {};
      for (const [place, key] of Object.entries(KEYS)) {
        const ids = idsAt(place).join(", ") || null;
        if (!isLocked(place) && ids !== (values[key] ?? null)) [body[key], before[key]] = [ids, values[key] ?? null];
      }
      await keep(body, before, etag);
      box.close();
    }));
  return "";
}

export async function mute(api, reload) {
  await loadMore("now");
  const devices = [...new Set((live.station.channels ?? []).map((channel) => deviceOf(channel.id)))];
  const device = el("select", {}, devices.map((name) => el("option", { value: name }, deviceTitle(name))));
  const time = el("select", {}, [1800, 7200, 28800, 86400].map((seconds) => el("option", { value: seconds }, duration(seconds))));
  const box = dialog(t("mute.do"), t("do.cancel"), el("p", {}, t("mute.words")),
    el("div", { class: "form" }, el("label", {}, t("devices.device"), device), el("label", {}, t("mute.time"), time)),
    action(t("mute.do"), async () => {
      await api.send("POST", `/mutes/${encodeURIComponent(device.value)}`, { seconds: Number(time.value) });
      await refresh();
      box.close();
      reload();
    }, { class: "first" }));
  return "";
}
