/* Registers the service worker and offers new versions. On plain http there is no service worker, and nothing else
   changes. */

const root = document.documentElement;
const { serviceWorker: worker } = navigator;
const copyTemplate = (id) => document.getElementById(id).content.cloneNode(true).firstElementChild;

/* A new version waits for a tap: nothing reloads by itself in the middle of a round. */
let bar;
function offerVersion() {
  if (bar) return;
  bar = copyTemplate("new-version");
  document.body.append(bar);
  const [load, later] = bar.querySelectorAll("button");
  later.onclick = () => bar.remove();
  load.onclick = async () => {
    const waiting = (await worker?.getRegistration())?.waiting;
    if (!waiting) return location.reload();
    worker.oncontrollerchange = () => location.reload();
    waiting.postMessage({ now: true });
  };
}
document.addEventListener("companion:release", offerVersion); // the answers at a table say which version the server has

/* A page from the cache says so, with its date, and follows the phone's current theme. */
const { kept: date, theme = "", text = "" } = root.dataset;
const isCached = date !== undefined;
try {
  if (isCached) Object.assign(root.dataset, JSON.parse(localStorage.look ?? "{}"));
  else if (worker) localStorage.look = JSON.stringify({ theme, text });
} catch { /* no storage */ }
if (isCached && !location.pathname.includes("/rules/")) {
  const line = copyTemplate("last-known");
  document.querySelector("main").prepend(line);
  const format = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  line.querySelector("time").textContent = new Date(date).toLocaleString(root.lang, format);
}

async function registerWorker() {
  const isControlled = worker.controller;
  const registration = await worker.register("/sw.js");
  const sendRelease = () => registration.waiting?.postMessage({ release: root.dataset.release });
  const watchInstallation = () => {
    registration.installing?.addEventListener("statechange", sendRelease);
    sendRelease(); // it may be installed before a busy page hears of it
  };
  registration.addEventListener("updatefound", watchInstallation);
  watchInstallation(); // one may have begun while this page was loading
  if (!isControlled) (await worker.ready).active.postMessage({ keep: location.href });
}
if (worker) {
  worker.addEventListener("message", offerVersion);
  addEventListener("load", () => (window.requestIdleCallback ?? setTimeout)(() => registerWorker().catch(() => {})));
}
