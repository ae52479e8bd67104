/* What a phone does around the pages: awake at a table, the last known standing without network, a new version offered,
   nothing pushed away under a finger. Each part needs only itself; where the page is not secure the first two are
   missing, and nothing else changes. */
const root = document.documentElement;
const { serviceWorker: worker, wakeLock } = navigator;
const copyOf = (id) => document.getElementById(id).content.cloneNode(true).firstElementChild;
const again = () => location.reload();

/* A new version waits until somebody wants it: nothing is loaded by itself in the middle of a round. */
let bar;
function offer() {
  if (bar) return;
  bar = copyOf("new-version");
  document.body.append(bar);
  const [load, later] = bar.querySelectorAll("button");
  later.onclick = () => bar.remove();
  load.onclick = async () => {
    const waiting = (await worker?.getRegistration())?.waiting;
    if (!waiting) return again();
    worker.oncontrollerchange = again;
    waiting.postMessage({ now: true });
  };
}
document.addEventListener("companion:release", offer); // the answers at a table say which version the server has

/* A page that comes from the phone itself says so, and from when it is; it looks as this phone likes it now. */
const { kept, theme = "", text = "" } = root.dataset;
try {
  if (kept !== undefined) Object.assign(root.dataset, JSON.parse(localStorage.look ?? "{}"));
  else if (worker) localStorage.look = JSON.stringify({ theme, text });
} catch {} // a browser that keeps nothing
if (kept !== undefined && !location.pathname.includes("/rules/")) {
  const line = copyOf("last-known");
  document.querySelector("main").prepend(line);
  const form = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  line.querySelector("time").textContent = new Date(kept).toLocaleString(root.lang, form);
  line.querySelector("button").onclick = again;
}
document.querySelector("[data-again]")?.addEventListener("click", again);

async function register() {
  const isKept = worker.controller;
  const registration = await worker.register("/sw.js");
  const ask = () => registration.waiting?.postMessage({ release: root.dataset.release });
  const watch = () => {
    registration.installing?.addEventListener("statechange", ask);
    ask(); // it may be installed before a busy page hears of it
  };
  registration.addEventListener("updatefound", watch);
  watch(); // one may have begun while this page was loading
  if (!isKept) (await worker.ready).active.postMessage({ keep: location.href });
}
if (worker) {
  worker.addEventListener("message", offer);
  addEventListener("load", () => (window.requestIdleCallback ?? setTimeout)(() => register().catch(() => {})));
}

/* The screen stays on at a table, as long as the page is in sight. */
let lock = null;
function wake() {
  if (document.hidden || lock) return;
  const none = () => { lock = null; };
  lock = wakeLock.request("screen");
  lock.then((own) => own.addEventListener("release", none), none);
}
if (wakeLock && document.body.dataset.game && document.getElementById("table")) {
  wake();
  addEventListener("pageshow", wake);
  addEventListener("pagehide", () => lock?.then((own) => own.release()));
  document.addEventListener("visibilitychange", wake);
}
/* What lies above the content pushes nothing under a finger away: the page is scrolled by as much as it grows, before
   the next tap is looked at and not only with the next picture. A page that opens with it opens at its top. */
const aloft = document.querySelector(".aloft");
let height = 0;
let isOpening = true; // until somebody has touched the page, or what waits has been drawn once
function level() {
  const grown = aloft.offsetHeight - height;
  height += grown;
  if (grown) document.body.style.setProperty("--aloft", `${height}px`);
  if (grown && !isOpening) scrollBy(0, grown);
  isOpening &&= !aloft.querySelector("[data-drawn]");
}
if (aloft) {
  for (const name of ["pointerdown", "click", "keydown"]) addEventListener(name, () => { isOpening = false; }, true);
  new MutationObserver(level).observe(aloft, { subtree: true, childList: true, characterData: true, attributeFilter: ["hidden", "open", "data-drawn"] });
  new ResizeObserver(level).observe(aloft);
}
