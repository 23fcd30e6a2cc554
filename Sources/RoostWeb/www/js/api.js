// The only module that asks the server.
const BASE = "/api/v1";
const PATIENCE = 15000;
/** A slow card needs seconds to keep a change. */
export const KEEPING = 25000;

/** An answer that is no success: RFC 9457, or a made-up one when no answer came at all. */
class Problem extends Error {
  constructor(status, body, retryAfter) {
    super(body.detail ?? body.title ?? String(status));
    const type = (body.type ?? "").replace(/^.*\//, "");
    const { title, detail, errors = [], reason } = body;
    Object.assign(this, { status, type, title, detail, errors, reason, retryAfter });
  }

  /** Whether this station does not have the route. */
  get isMissing() { return this.status === 404 || this.status === 501 || this.status === 405; }
}

let onUnauthorized = () => {};

export function whenUnauthorized(action) { onUnauthorized = action; }

/** Adds to a path what has a value; of a list, each. */
export function asked(path, query) {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of [value].flat()) if (one !== null && one !== undefined && one !== "") pairs.append(name, one);
  }
  const text = pairs.toString().replaceAll("%2F", "/").replaceAll("%3A", ":");
  return path + (text ? `?${text}` : "");
}

export const address = (path, query) => asked(BASE + path, query);

async function request(method, path, { query, body, etag, isQuiet, patience = PATIENCE } = {}) {
  const control = new AbortController();
  const timer = setTimeout(() => control.abort(), patience);
  let answer, data = null;
  try {
    answer = await fetch(address(path, query), {
      method, signal: control.signal, credentials: "same-origin",
      headers: { Accept: "application/json", ...(body ? { "Content-Type": body instanceof Blob ? "application/octet-stream" : "application/json" } : {}), ...(etag ? { "If-Match": etag } : {}) },
      body: !body || body instanceof Blob ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    if (/json/.test(answer.headers.get("Content-Type") ?? "") && text) data = JSON.parse(text);
  } catch {
    throw new Problem(0, { type: "offline" });
  } finally {
    clearTimeout(timer);
  }
  if (answer.ok) return { data, etag: answer.headers.get("ETag"), savedAt: answer.headers.get("X-Saved-At") };
  const problem = new Problem(answer.status, data ?? {}, Number(answer.headers.get("Retry-After")) || null);
  if (problem.reason) await api.explain?.().catch(() => {});
  if (answer.status === 401 && !isQuiet) onUnauthorized(problem);
  throw problem;
}

/** What is refused is said in its place. */
export const orProblem = (answer) => answer.catch((problem) => { if (problem.status === 401) throw problem; return { problem }; });

export const api = {
  get: async (path, query, options) => (await request("GET", path, { query, ...options })).data,
  getTagged: (path) => request("GET", path),
  send: async (method, path, body = {}, options = {}) =>
    (await api.sendTagged(method, path, body, options)).data,
  /** The same with the tag of what is there then. */
  sendTagged: (method, path, body = {}, options = {}) => request(method, path, { body: method === "DELETE" ? undefined : body, ...options }),
  /** Null instead of a problem, for what a page can do without. */
  maybe: (path, query) => api.get(path, query).catch((problem) => { if (problem.status === 401) throw problem; return null; }),
  /** What became of each interval of a channel, or why that is not said. */
  ledger: (query) => orProblem(api.get("/ledger", query).then(({ items }) => items[0])),
  /** A file beside this module: catalogues. */
  asset: async (path) => (await fetch(new URL(path, import.meta.url)).catch(() => { throw new Problem(0, { type: "offline" }); })).json(),
};
