/* What a phone does around the pages: the last known standing without network, a new version offered. Each part needs only
   itself; where the page is not secure the first is missing, and nothing else changes. */
const root = document.documentElement;
const { serviceWorker: worker } = navigator;
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
