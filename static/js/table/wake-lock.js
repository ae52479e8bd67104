/* Keeps the screen on while a table page is visible. */

const { wakeLock } = navigator;
let lock = null;

function requestLock() {
  if (document.hidden || lock) return;
  const forgetLock = () => { lock = null; };
  lock = wakeLock.request("screen");
  lock.then((sentinel) => sentinel.addEventListener("release", forgetLock), forgetLock);
}

if (wakeLock && document.body.dataset.game && document.getElementById("table")) {
  requestLock();
  addEventListener("pageshow", requestLock);
  addEventListener("pagehide", () => lock?.then((sentinel) => sentinel.release()));
  document.addEventListener("visibilitychange", requestLock);
}
