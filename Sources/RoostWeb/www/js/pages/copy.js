// What was measured as a file, and a file of the owner's to the station in pieces.
import { address } from "../api.js";
import { number } from "../format.js";

const PATIENCE = 600000, PIECE = 1048576, PIECE_PATIENCE = 60000;

/** Has the station make a copy of its history: where it is for an hour, and its size in words. */
export async function copyStore(api) {
  const { id, bytes } = await api.send("POST", "/copies", {}, { patience: PATIENCE });
  return { href: address(`/copies/${id}`), size: `${number(bytes / 1e6, 1)} MB` };
}

/** Sends a file in pieces; the station keeps them on its card until the file is whole. */
export async function sendPieces(api, path, file, bar, query) {
  bar.hidden = false;
  for (let at = 0; at < file.size; at += PIECE) {
    bar.value = (100 * at) / file.size;
    await api.send("POST", path, file.slice(at, at + PIECE), { query: { at: String(at), ...query }, patience: PIECE_PATIENCE });
  }
}
