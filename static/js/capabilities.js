/* Detects what works on this phone; the page has the texts. */

const DATABASE = "can-this-phone-keep";
const MISSING = isSecureContext ? "unable" : "no"; // browsers have most of this over https only

const detectStorage = () => new Promise((resolve, reject) => {
  setTimeout(reject, 2000);
  const request = indexedDB.open(DATABASE);
  request.onerror = reject;
  request.onsuccess = () => {
    request.result.close();
    indexedDB.deleteDatabase(DATABASE);
    resolve("yes");
  };
}).catch(() => "no");

function detectInstallation() {
  if (matchMedia("(display-mode: standalone)").matches || navigator.standalone) return "yes";
  return isSecureContext ? "can" : "no";
}

async function detectWakeLock() {
  if (!navigator.wakeLock) return MISSING;
  const lock = await navigator.wakeLock.request("screen").catch(() => null);
  lock?.release();
  return lock ? "yes" : "refused";
}

async function detectOfflineReading() {
  if (!navigator.serviceWorker) return MISSING;
  return (await navigator.serviceWorker.getRegistration())?.active ? "yes" : "later";
}

function detectSharing() {
  if (navigator.share) return "yes";
  return isSecureContext ? "copies" : "no";
}

const DETECTORS = {
  waiting: detectStorage,
  install: detectInstallation,
  awake: detectWakeLock,
  reading: detectOfflineReading,
  sharing: detectSharing,
};
const SIGNS = { yes: "yes", can: "yes", copies: "yes", later: "later" };

function showAbility(name, state) {
  const row = document.querySelector(`[data-ability="${name}"]`);
  row.className = SIGNS[state] ?? "no";
  for (const text of row.querySelectorAll("[data-is]")) text.hidden = text.dataset.is !== state;
}

document.querySelector("[data-unknown]").hidden = true;
for (const [name, detect] of Object.entries(DETECTORS)) {
  Promise.resolve(detect()).catch(() => "unable").then((state) => showAbility(name, state));
}
document.querySelector("ul.abilities").hidden = false;
