/* Detects what works on this phone; the page has the texts. */

const DATABASE = "can-this-phone-keep";

function detectStorage() {
  return new Promise((resolve) => {
    setTimeout(resolve, 2000, "no");
    try {
      const request = indexedDB.open(DATABASE);
      request.onerror = () => resolve("no");
      request.onsuccess = () => {
        request.result.close();
        indexedDB.deleteDatabase(DATABASE);
        resolve("yes");
      };
    } catch {
      resolve("no");
    }
  });
}

function detectInstallation() {
  if (matchMedia("(display-mode: standalone)").matches || navigator.standalone) return "yes";
  return isSecureContext ? "can" : "no";
}

async function detectWakeLock() {
  if (!isSecureContext) return "no";
  if (!navigator.wakeLock) return "unable";
  const lock = await navigator.wakeLock.request("screen").catch(() => null);
  lock?.release();
  return lock ? "yes" : "refused";
}

async function detectOfflineReading() {
  if (!isSecureContext) return "no";
  if (!navigator.serviceWorker) return "unable";
  return (await navigator.serviceWorker.getRegistration())?.active ? "yes" : "later";
}

function detectSharing() {
  if (!isSecureContext) return "no";
  return navigator.share ? "yes" : "copies";
}

const DETECTORS = {
  waiting: detectStorage,
  install: detectInstallation,
  awake: detectWakeLock,
  reading: detectOfflineReading,
  sharing: detectSharing,
};
const GOOD = ["yes", "can", "copies"];

function showAbility(name, state) {
  const row = document.querySelector(`[data-ability="${name}"]`);
  if (GOOD.includes(state)) row.className = "yes";
  else row.className = state === "later" ? "later" : "no";
  for (const text of row.querySelectorAll("[data-is]")) text.hidden = text.dataset.is !== state;
}

document.querySelector("[data-unknown]").hidden = true;
for (const [name, detect] of Object.entries(DETECTORS)) {
  Promise.resolve(detect()).catch(() => "unable").then((state) => showAbility(name, state));
}
document.querySelector("ul.abilities").hidden = false;
