// A day of one channel as a small line: no axis, gaps as gaps.
import { runsOf } from "./chart.js";
import { svg } from "./dom.js";
import { isKnown } from "./format.js";
import { curveWords } from "./words.js";

const WIDTH = 240, HEIGHT = 28;

/** Null without two values. `series` as `/series` has it; a step without a value ends the line. */
export function curve(series, from, to) {
  const { t, mean, widthSeconds: width } = series, known = mean.filter(isKnown);
  if (known.length < 2) return null;
  const start = Math.min(Math.max(from, t[0]), to - 3600), least = Math.min(...known), reach = Math.max(...known) - least || 1;
  const x = (index) => ((t[index] + width / 2 - start) / (to - start)) * WIDTH, y = (index) => HEIGHT - 2 - ((mean[index] - least) / reach) * (HEIGHT - 4);
  const runs = runsOf(series, width * 1.5 + 1).map((run) => run.map((index) => `${x(index).toFixed(1)} ${y(index).toFixed(1)}`).join("L"));
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": curveWords(series, runs.length - 1) },
    svg("path", { d: `M${runs.join("M")}` }));
}
