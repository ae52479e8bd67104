/* Unsent entries in IndexedDB, with a fallback in memory where storage fails or is too slow. */

import { markHeldEntries } from "./entry.js";

export function createKey(length) {
  const bytes = [...crypto.getRandomValues(new Uint8Array(length))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

let tab = createKey(8);
try {
  tab = sessionStorage.tab ??= tab; // the same after a reload
} catch { /* no storage */ }

const opening = new Promise((resolve, reject) => {
  const request = indexedDB.open("companion", 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("entries", { keyPath: "id", autoIncrement: true });
    request.result.createObjectStore("lease");
  };
  request.onsuccess = () => resolve(request.result);
  request.onerror = reject;
});
opening.catch(() => {});
let inMemory = [];
let isHanging = false;

/* All entries on this phone, in order, as last read. */
export const entries = [];
export let isFailing = false;

function runTransaction(store, mode, work, durability = "relaxed") {
  let timeout;
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      isHanging = true;
      reject();
    };
    timeout = setTimeout(giveUp, isHanging ? 0 : 1_000);
    opening.then((database) => {
      const transaction = database.transaction(store, mode, { durability });
      const request = work(transaction.objectStore(store));
      transaction.onerror = transaction.onabort = reject;
      transaction.oncomplete = () => {
        isHanging = false;
        resolve(request?.result);
      };
    }).catch(reject);
  }).finally(() => clearTimeout(timeout));
}

export async function readEntries() {
  const stored = await runTransaction("entries", "readonly", (store) => store.getAll()).catch(() => {
    isFailing = true;
    return [];
  });
  const unstored = inMemory.filter(({ key }) => !stored.some((entry) => entry.key === key));
  entries.splice(0, Infinity, ...stored, ...unstored);
  markHeldEntries(entries);
  return entries;
}

export async function saveEntry(entry, durability) {
  try {
    entry.id = await runTransaction("entries", "readwrite", (store) => store.put(entry), durability);
    inMemory = inMemory.filter(({ key }) => key !== entry.key);
    isFailing = false;
  } catch {
    if (!inMemory.includes(entry)) inMemory.push(entry);
    isFailing = true;
  }
}

/* The new entry takes the place of the old one in the queue, once it is saved. */
export function replaceEntry(old, entry) {
  Object.assign(entry, old.id && { id: old.id });
  inMemory = inMemory.map((other) => (other.key === old.key ? entry : other));
}

export async function deleteEntry(entry) {
  const isOther = ({ key }) => key !== entry.key;
  entries.splice(0, Infinity, ...entries.filter(isOther));
  inMemory = inMemory.filter(isOther);
  if (entry.id) await runTransaction("entries", "readwrite", (store) => store.delete(entry.id)).catch(() => {});
}

/* One tab sends at a time; a suspended one blocks the others for at most ten seconds. */
export async function claimLease(milliseconds) {
  let isOurs = true;
  await runTransaction("lease", "readwrite", (store) => {
    const request = store.get("sender");
    request.onsuccess = () => {
      const { tab: holder, until = 0 } = request.result ?? {};
      isOurs = holder === tab || until < Date.now() || until > Date.now() + 20_000;
      if (isOurs) store.put({ tab, until: Date.now() + milliseconds }, "sender");
    };
  }).catch(() => {});
  return isOurs;
}
