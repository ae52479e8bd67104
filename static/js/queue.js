/* Queue of unsent entries in IndexedDB, with a fallback in memory where storage fails or is too slow. */

export const hex = (bytes) => [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
let tab = hex(8);
try {
  tab = sessionStorage.tab ??= tab; // the same after a reload
} catch { /* no storage */ }


const opened = new Promise((resolve, reject) => {
  const request = indexedDB.open("companion", 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("entries", { keyPath: "id", autoIncrement: true });
    request.result.createObjectStore("lease");
  };
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
opened.catch(() => {});
let memory = [];
let isHung = false;
export const list = []; // all entries that are here, as last read
export const storage = { isForgetful: false };

function run(store, mode, work, durability = "relaxed") {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => { isHung = true; reject(new Error("storage hangs")); }, isHung ? 0 : 1_000);
    const done = opened.then((db) => new Promise((kept, failed) => {
      const deal = db.transaction(store, mode, { durability });
      const request = work(deal.objectStore(store));
      deal.oncomplete = () => kept(request?.result);
      deal.onerror = deal.onabort = () => failed(deal.error);
    }));
    done.then((result) => { isHung = false; resolve(result); }, reject).finally(() => clearTimeout(late));
  });
}
export async function rows() {
  const stored = await run("entries", "readonly", (store) => store.getAll()).catch(() => { storage.isForgetful = true; return []; });
  list.splice(0, list.length, ...stored, ...memory.filter(({ key }) => !stored.some((row) => row.key === key)));
  list.forEach((row, at) => {
    row.isHeld = isOrdered(row) && list.slice(0, at).some((own) => own.url === row.url && holdsUp(own, row));
  });
  return list;
}
export async function save(row, durability) {
  try {
    row.id = await run("entries", "readwrite", (store) => store.put(row), durability);
    memory = memory.filter(({ key }) => key !== row.key);
    storage.isForgetful = false;
  } catch {
    if (!memory.includes(row)) memory.push(row);
    storage.isForgetful = true;
  }
}
/* Replace one entry in the queue by another. */
export function replace(old, row) {
  Object.assign(row, old.id && { id: old.id });
  memory = memory.map((own) => (own.key === old.key ? row : own));
}
export async function forget(row) {
  list.splice(0, list.length, ...list.filter(({ key }) => key !== row.key));
  memory = memory.filter(({ key }) => key !== row.key);
  if (row.id) await run("entries", "readwrite", (store) => store.delete(row.id)).catch(() => {});
}
/* One tab sends at a time; a suspended one blocks the others for at most ten seconds. */
export async function hold(milliseconds) {
  let isOurs = true;
  await run("lease", "readwrite", (store) => {
    const held = store.get("sender");
    held.onsuccess = () => {
      const { tab: other, until = 0 } = held.result ?? {};
      isOurs = other === tab || until < Date.now() || until > Date.now() + 20_000;
      if (isOurs) store.put({ tab, until: Date.now() + milliseconds }, "sender");
    };
  }).catch(() => {});
  return isOurs;
}

/* Plays tapped after an entry with an open answer wait for it: they were meant for another state. Counts and
   corrections have their own slots; what was tapped after a refusal was shown is meant for what was visible. */
export const get = (row, wanted) => row.body.find(([name]) => name === wanted)?.[1];
const isCount = (row) => row.body.some(([name]) => name.includes("."));
const isOrdered = (row) => !isCount(row) && !get(row, "amend") && !["undo", "redo", "strike", "insist"].includes(get(row, "kind"));
export const isPlay = (row) => isOrdered(row) && get(row, "place") && !["confirm", "close", "reopen"].includes(get(row, "kind"));
const holdsUp = (row, later) => row.isHeld || (row.isRefused && row.status !== 404 && row.refusedAt > later.at);
