// QR codes, by the library of Debian's package node-qrcode-generator, which the station serves beside the pages.
import { svg } from "./dom.js";

const EDGE = 4, LIBRARY = "/qrcode.js";
let library = null;

/** Asks for the library once; it offers itself to the function `define`. */
const load = () => (library ??= (async () => {
  const before = globalThis.define;
  let given = null;
  globalThis.define = Object.assign((names, make) => { given = make(); }, { amd: true });
  try { await import(LIBRARY); } catch {
    library = null;
  } finally {
    globalThis.define = before;
  }
  return given;
})());

/** A drawing of a text, dark on white in every theme; null where the station has no library for it. */
export async function qrCode(text, label) {
  const make = await load();
  if (!make) return null;
  const code = make(0, "M");
  code.addData(text);
  code.make();
  const count = code.getModuleCount(), size = count + 2 * EDGE, parts = [];
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) if (code.isDark(row, column)) parts.push(`M${column + EDGE} ${row + EDGE}h1v1h-1z`);
  }
  return svg("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
    svg("rect", { width: size, height: size, fill: "#FFF" }), svg("path", { d: parts.join(""), fill: "#000" }));
}
