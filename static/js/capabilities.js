/* Detects what works on this phone; the page has the texts. */
const isSecure = window.isSecureContext;

function waiting() {
  return new Promise((say) => {
    setTimeout(say, 2000, "no");
    try {
      const asked = indexedDB.open("can-this-phone-keep");
      asked.onerror = () => say("no");
      asked.onsuccess = () => {
        asked.result.close();
        indexedDB.deleteDatabase("can-this-phone-keep");
        say("yes");
      };
    } catch { say("no"); }
  });
}
function install() {
  if (matchMedia("(display-mode: standalone)").matches || navigator.standalone) return "yes";
  return isSecure ? "can" : "no";
}
async function awake() {
  if (!isSecure) return "no";
  if (!navigator.wakeLock) return "unable";
  const lock = await navigator.wakeLock.request("screen").catch(() => null);
  lock?.release();
  return lock ? "yes" : "refused";
}
async function reading() {
  if (!isSecure) return "no";
  if (!navigator.serviceWorker) return "unable";
  return (await navigator.serviceWorker.getRegistration())?.active ? "yes" : "later";
}
function sharing() {
  if (!isSecure) return "no";
  return navigator.share ? "yes" : "copies";
}

const GOOD = ["yes", "can", "copies"];
document.querySelector("[data-unknown]").hidden = true;
for (const [name, measure] of Object.entries({ waiting, install, awake, reading, sharing })) {
  const row = document.querySelector(`[data-ability="${name}"]`);
  Promise.resolve(measure()).catch(() => "unable").then((found) => {
    row.className = GOOD.includes(found) ? "yes" : found === "later" ? "later" : "no";
    for (const words of row.querySelectorAll("[data-is]")) words.hidden = words.dataset.is !== found;
  });
}
document.querySelector("ul.abilities").hidden = false;
