// Every page of the dashboard. A new page is one module and one line here. No page imports this: it gets the list as `context.pages`.
//
// `place`: `bar` is in the navigation, `more` on the page More, null on neither.
// `needs`: least role, and `hides`: no other sees it; `accounts` pages do not exist where nobody logs in.
// `texts`: it has a catalogue of its own, which comes with it.
// `asks` pages need a running station: a card's history has none.
import { may } from "./roles.js";

export const PAGES = [
  { path: "/", name: "now", place: "bar", load: () => import("./pages/now.js") },
  { path: "/history", name: "history", place: "bar", texts: true, load: () => import("./pages/history.js") },
  { path: "/events", name: "events", place: "bar", load: () => import("./pages/events.js") },
  { path: "/devices", name: "devices", place: "bar", texts: true, asks: true, load: () => import("./pages/devices.js") },
  { path: "/more", name: "more", place: "bar", load: () => import("./pages/more.js") },
  { path: "/alerts", name: "alerts", place: "more", asks: true, load: () => import("./pages/alerts.js") },
  { path: "/outbox", name: "outbox", place: "more", texts: true, asks: true, load: () => import("./pages/outbox.js") },
  { path: "/sites", name: "sites", place: "more", texts: true, load: () => import("./pages/sites.js") },
  { path: "/records", name: "records", place: "more", texts: true, load: () => import("./pages/records.js") },
  { path: "/live", name: "livepicture", place: "more", texts: true, asks: true, load: () => import("./pages/live.js") },
  { path: "/camera", name: "camera", place: "more", needs: "owner", asks: true, load: () => import("./pages/camera.js") },
  { path: "/dose", name: "dose", place: "more", texts: true, load: () => import("./pages/dose.js") },
  { path: "/measurements", name: "measurements", place: "more", texts: true, load: () => import("./pages/measurements.js") },
  { path: "/proof", name: "proof", place: "more", load: () => import("./pages/proof.js") },
  { path: "/health", name: "health", place: "more", texts: true, asks: true, load: () => import("./pages/health.js") },
  { path: "/numbers", name: "numbers", place: "more", load: () => import("./pages/numbers.js") },
  { path: "/surveys", name: "surveys", place: "more", texts: true, load: () => import("./pages/surveys.js") },
  { path: "/start", name: "start", place: "more", needs: "owner", hides: true, asks: true, load: () => import("./pages/start.js") },
  { path: "/settings", name: "settings", place: "more", needs: "owner", texts: true, load: () => import("./pages/settings.js") },
  { path: "/backup", name: "backup", place: "more", needs: "owner", accounts: true, asks: true, load: () => import("./pages/backup.js") },
  { path: "/network", name: "network", place: "more", needs: "owner", accounts: true, load: () => import("./pages/network.js") },
  { path: "/update", name: "update", place: "more", needs: "owner", texts: true, accounts: true, load: () => import("./pages/update.js") },
  { path: "/account", name: "account", place: "more", texts: true, accounts: true, load: () => import("./pages/account.js") },
  { path: "/trust", name: "trust", place: "more", texts: true, isOpen: true, load: () => import("./pages/trust.js") },
  { path: "/claim", name: "claim", place: null, texts: true, isOpen: true, isAlone: true, load: () => import("./pages/claim.js") },
  { path: "/login", name: "login", place: null, texts: true, isOpen: true, isAlone: true, load: () => import("./pages/login.js") },
];

/** Whether the page exists here: without accounts there is none to show, and a card has no settings. */
export const isOffered = (page, me) => (!page.hides || may(me, page.needs)) && (!me?.isOpen || (!(page.asks && me.isRecord) && !page.accounts && (!page.needs || may(me, page.needs))));
