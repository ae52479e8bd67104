/* Registers the service worker and offers new versions. On plain http there is no service worker, and nothing else
   changes. */
const root = document.documentElement;
const { serviceWorker: worker } = navigator;
const copyOf = (id) => document.getElementById(id).content.cloneNode(true).firstElementChild;
const again = () => location.reload();

/* A new version waits for a tap: nothing reloads by itself in the middle of a round. */
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

/* A page from the cache says so, with its date, and follows the phone's current theme. */
const { kept, theme = "", text = "" } = root.dataset;
try {
  if (kept !== undefined) Object.assign(root.dataset, JSON.parse(localStorage.look ?? "{}"));
  else if (worker) localStorage.look = JSON.stringify({ theme, text });
} catch {} // no storage
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
