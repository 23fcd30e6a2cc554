// A day of one channel as a small line: no axis, gaps as gaps.
import { svg } from "./dom.js";
import { curveWords } from "./words.js";

const WIDTH = 240, HEIGHT = 28;

/** Null without two values. `series` as `/series` has it; a step without a value ends the line. */
export function curve(series, from, to) {
  const { t, mean, widthSeconds: width } = series;
  const known = mean.filter((one) => one !== null && one !== undefined);
  if (known.length < 2) return null;
  const start = Math.min(Math.max(from, t[0]), to - 3600), least = Math.min(...known), reach = Math.max(...known) - least || 1;
  let path = "", isIn = false, last = 0;
  t.forEach((time, index) => {
    if (mean[index] === null || mean[index] === undefined) { isIn = false; return; }
    const joins = isIn && time - last <= width * 1.5 + 1;
    path += `${joins ? "L" : "M"}${(((time + width / 2 - start) / (to - start)) * WIDTH).toFixed(1)} ${(HEIGHT - 2 - ((mean[index] - least) / reach) * (HEIGHT - 4)).toFixed(1)}`;
    [isIn, last] = [true, time];
  });
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": curveWords(series, path.split("M").length - 2) }, svg("path", { d: path }));
}
