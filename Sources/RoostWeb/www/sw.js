// The shell of this version, and the last answers for a page without a connection.
const SHELL = "shell-@HASH@", DATA = "data", ROOT = "/a/@HASH@/", MOST = 50, BYTES = 2 << 20, PATIENCE = 4000;
const FILES = ["css/roost.css", "js/roost.js", "icon.svg", "strings/en.json"];
const KEPT = /^\/api\/v1\/(station|channels|series)$/;

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
  if (KEPT.test(url.pathname)) event.respondWith(fresh(event));
  else if (url.pathname.startsWith(ROOT)) event.respondWith(shell(event.request));
  else if (event.request.mode === "navigate") event.respondWith(page(event.request));
});

/** The network, or what was kept when it fails or is silent for longer than a station may hang. */
async function first(asked, kept) {
  if (!kept) return asked;
  return Promise.race([asked.catch(() => kept), new Promise((done) => setTimeout(() => done(kept), PATIENCE))]);
}

/** Kept when a page asks for them: catalogues of one language besides English, the pictures of parts, and the scripts of more pages, whose address counts the tries. */
async function shell(request) {
  const cache = await caches.open(SHELL), kept = await cache.match(request, { ignoreSearch: true });
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok && /\/strings\/|later|parts/.test(request.url)) await cache.put(request, answer.clone());
  return answer;
}

/** Every page is the same file, and its script knows which one it is. */
async function page(request) {
  const kept = await (await caches.open(SHELL)).match("/");
  return first(fetch(request), /^\/(ca\.|map$)/.test(new URL(request.url).pathname) ? null : kept);
}

async function fresh(event, request = event.request) {
  const asked = fetch(request);
  event.waitUntil(asked.then((answer) => keep(request, answer)).catch(() => {}));
  return first(asked, await (await caches.open(DATA)).match(request));
}

/** Keeps an answer with its time; the oldest ones leave when there are too many, or too large ones. */
async function keep(request, given) {
  // The session has ended, perhaps on another device: nothing stays here either.
  if (given.status === 401) return caches.delete(DATA);
  if (!given.ok || /no-store/.test(given.headers.get("Cache-Control") ?? "")) return false;
  const answer = given.clone(), cache = await caches.open(DATA), body = await answer.blob(), headers = new Headers(answer.headers);
  headers.set("X-Saved-At", new Date().toISOString());
  headers.set("X-Bytes", String(body.size));
  headers.delete("Content-Encoding");
  if (body.size <= BYTES) await cache.put(request, new Response(body, { status: 200, headers }));
  let [count, bytes] = [0, 0];
  for (const key of (await cache.keys()).reverse()) {
    bytes += Number((await cache.match(key))?.headers.get("X-Bytes") ?? 0);
    if ((count += 1) > MOST || bytes > BYTES) await cache.delete(key);
  }
  return true;
}

// A notice that came while no page was open.
self.addEventListener("push", (event) => {
  let notice = {};
  try { notice = event.data?.json() ?? {}; } catch { /* Then it has no words. */ }
  event.waitUntil(self.registration.showNotification(notice.title ?? "Roost", { body: notice.body, tag: notice.tag, icon: "/icon-192.png" }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow("/alerts"));
});
