// The shell of this version, and the last answers for a page without a connection.
const SHELL = "shell-@HASH@", DATA = "data", ROOT = "/a/@HASH@/", MOST = 50, PATIENCE = 4000;
const FILES = ["css/roost.css", "js/roost.js", "icon.svg"];
const KEPT = /^\/api\/v1\/(me|station|channels|series|ledger)$/;

self.addEventListener("install", (event) => event.waitUntil((async () => {
  const shell = await caches.open(SHELL);
  await shell.addAll(["/", ...FILES.map((file) => ROOT + file)]);
  await self.skipWaiting();
})()));

self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name !== SHELL && name !== DATA) await caches.delete(name);
  await self.clients.claim();
})()));

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (KEPT.test(url.pathname)) event.respondWith(fresh(event.request));
  else if (url.pathname.startsWith(ROOT)) event.respondWith(shell(event.request));
  else if (event.request.mode === "navigate") event.respondWith(fetch(event.request).catch(() => caches.match("/")));
});

async function shell(request) {
  const kept = await caches.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) (await caches.open(SHELL)).put(request, answer.clone());
  return answer;
}

/** The network first; the last answer with its time when it fails, or is silent for longer than a station may hang. */
async function fresh(request) {
  const cache = await caches.open(DATA), kept = await cache.match(request);
  const asked = fetch(request).then(async (answer) => {
    if (answer.ok && !/no-store/.test(answer.headers.get("Cache-Control") ?? "")) await keep(cache, request, answer.clone());
    return answer;
  });
  if (!kept) return asked;
  return Promise.race([asked.catch(() => kept), new Promise((done) => setTimeout(() => done(kept), PATIENCE))]);
}

async function keep(cache, request, answer) {
  const headers = new Headers(answer.headers);
  headers.set("X-Saved-At", new Date().toISOString());
  headers.delete("Content-Encoding");
  await cache.put(request, new Response(await answer.blob(), { status: 200, headers }));
  const keys = await cache.keys();
  for (const key of keys.slice(0, Math.max(0, keys.length - MOST))) await cache.delete(key);
}
