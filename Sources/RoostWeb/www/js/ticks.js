// Where an axis has its marks. Pure: no page, no canvas.
import { fromWall, offset } from "./format.js";

const STEPS = [1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800];

/** Round local times of `zone`; months and years are counted in the calendar. */
export function timeTicks(from, to, wanted, zone) {
  const rough = (to - from) / wanted, ticks = [];
  if (rough > 604800) return monthTicks(from, to, rough, zone);
  const step = STEPS.find((size) => size >= rough) ?? 604800;
  // Whole weeks begin on Mondays; 1970 began on a Thursday.
  const shift = step === 604800 ? 345600 : 0;
  for (let wall = Math.ceil((from + offset(from, zone) - shift) / step) * step + shift; ; wall += step) {
    const at = fromWall(wall, zone);
    if (at > to) return ticks;
    if (at >= from && at !== ticks.at(-1)) ticks.push(at);
  }
}

function monthTicks(from, to, rough, zone) {
  const months = [1, 2, 3, 6, 12, 24, 60].find((count) => count * 2629746 >= rough) ?? 120;
  const start = new Date((from + offset(from, zone)) * 1000);
  const ticks = [];
  let month = start.getUTCFullYear() * 12 + Math.floor(start.getUTCMonth() / months) * months;
  for (; ; month += months) {
    const at = fromWall(Date.UTC(Math.floor(month / 12), month % 12, 1) / 1000, zone);
    if (at > to) return ticks;
    if (at >= from) ticks.push(at);
  }
}

/** 1-2-5 steps that reach from `least` to `most`. */
export function valueTicks(least, most, wanted) {
  const reach = most - least || 1;
  const power = 10 ** Math.floor(Math.log10(reach / wanted));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= reach / wanted);
  const first = Math.floor(least / step), last = Math.ceil((least + reach) / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(9)));
}

export function tickOptions(reach) {
  if (reach > 4e7) return { month: "short", year: "2-digit" };
  if (reach > 6e6) return { month: "short" };
  if (reach > 200000) return { day: "numeric", month: "short" };
  if (reach > 600) return { hour: "2-digit", minute: "2-digit" };
  return { hour: "2-digit", minute: "2-digit", second: "2-digit" };
}
