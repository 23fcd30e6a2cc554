// The ledger strip: quiet where values speak, hatched where they do not.
export const STRIP = 10;

/** Hatches a box; `step` is the distance of the lines. */
function hatch(g, left, top, width, height, colours) {
  g.fillStyle = colours.card;
  g.fillRect(left, top, width, height);
  g.save();
  g.beginPath();
  g.rect(left, top, width, height);
  g.clip();
  g.strokeStyle = colours.unknown;
  g.lineWidth = 1;
  g.beginPath();
  for (let x = left - height; x < left + width; x += 4) {
    g.moveTo(x, top + height);
    g.lineTo(x + height, top);
  }
  g.stroke();
  g.restore();
  g.strokeStyle = colours.unknown;
  g.strokeRect(left + 0.5, top + 0.5, Math.max(1, width - 1), height - 1);
}

/**
 * Draws one strip.
 *
 * A gap is at least 2 px wide, however short. `x` turns a time into a place.
 */
export function drawStrip(g, { from, to, left, right, top, x, stretches, since, until }, colours) {
  g.fillStyle = colours.hatch;
  // Nothing is claimed for the time before the record begins, nor for the future.
  const begin = Math.max(left, x(Math.max(from, since ?? from)));
  const end = Math.min(right, x(Math.min(to, until ?? to)));
  if (end > begin) g.fillRect(begin, top, Math.max(1, end - begin), STRIP);
  for (const [first, over] of stretches) {
    if (over < from || first > to) continue;
    const start = x(Math.max(first, from));
    hatch(g, start, top, Math.max(2, x(Math.min(over, to)) - start), STRIP, colours);
  }
}

/** The gap at a time, or the nearest within `slack` seconds. */
export function stretchAt(stretches, time, slack = 0) {
  let best = null, distance = Infinity;
  for (const stretch of stretches) {
    const away = Math.max(0, stretch[0] - time, time - stretch[1]);
    if (away <= slack && away < distance) [best, distance] = [stretch, away];
  }
  return best;
}
