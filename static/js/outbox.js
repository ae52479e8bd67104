/* Entries on their way: each is stored on this phone before it is sent, and forgotten only when the server has said what
   became of it. What an answer changes on the page is left to table.js. Without this file forms are posted as any other. */

const outbox = document.getElementById("outbox");
const words = outbox.dataset;
const hex = (bytes) => [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
let tab = hex(8);
try {
  tab = sessionStorage.tab ??= tab; // the same after a reload
} catch { /* a browser that keeps nothing */ }

/* ---- storage: what it refuses or is too slow to take waits in memory, and the page says so ---- */
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
let list = []; // all entries that are here, as last read
let isForgetful = false;
let isHung = false;

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
async function rows() {
  const stored = await run("entries", "readonly", (store) => store.getAll()).catch(() => { isForgetful = true; return []; });
  list = [...stored, ...memory.filter(({ key }) => !stored.some((row) => row.key === key))];
  return list;
}
async function save(row, durability) {
  try {
    row.id = await run("entries", "readwrite", (store) => store.put(row), durability);
    memory = memory.filter(({ key }) => key !== row.key);
    isForgetful = false;
  } catch {
    if (!memory.includes(row)) memory.push(row);
    isForgetful = true;
  }
}
async function forget(row) {
  memory = memory.filter(({ key }) => key !== row.key);
  if (row.id) await run("entries", "readwrite", (store) => store.delete(row.id)).catch(() => {});
}
/* One tab sends at a time; one that has gone to sleep holds the others up for ten seconds. */
async function hold(milliseconds) {
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
const tabs = self.BroadcastChannel && new BroadcastChannel("companion");
tabs?.addEventListener("message", () => draw().then(flush));
const changed = () => { tabs?.postMessage(""); return draw(); };

/* ---- sending ---- */
const fresh = new Map(); // what was entered here and has been neither answered nor found to wait, by key
const mine = new Set();
let last = {};
let isFlushing = false;
let isAgain = false;
let pause = 1_000;
let timer;

async function send(row) {
  const stop = new AbortController();
  const late = setTimeout(() => stop.abort(), 8_000);
  const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
  try {
    const body = new URLSearchParams([...row.body, ["csrfmiddlewaretoken", token]]);
    const answer = await fetch(row.url, { method: "POST", headers: { "HX-Request": "true" }, body, redirect: "error", signal: stop.signal });
    return { status: answer.status, html: await answer.text() };
  } catch {
    return { status: 0, html: "" };
  } finally {
    clearTimeout(late);
  }
}
const read = (html) => new DOMParser().parseFromString(html, "text/html");
async function newToken() {
  const page = read(await (await fetch(location.href)).text());
  const token = page.querySelector("[name=csrfmiddlewaretoken]")?.value;
  if (token) document.querySelectorAll("[name=csrfmiddlewaretoken]").forEach((input) => { input.value = token; });
}
/* What has become of an entry: true once that is certain. Anything that is not this server's own word leaves it waiting. */
async function deliver(row) {
  const wasOnline = navigator.onLine;
  if (wasOnline && !row.isTried) await save(Object.assign(row, { isTried: true }));
  let { status, html } = await send(row);
  if (status === 403 && !html.includes('id="notice"')) {
    await newToken().catch(() => {});
    ({ status, html } = await send(row));
  }
  const isFresh = fresh.has(row.key);
  const detail = { html, url: row.url, isFresh, isMine: mine.has(row.key) };
  if (status === 200 && html.includes('id="table"')) {
    await settle(row);
    tell("entry:recorded", detail);
    return true;
  }
  row.failures = (row.failures ?? 0) + (status === 500);
  const isRefused = [400, 403, 404, 409, 413, 422].includes(status) && /id="notice"|class="lost"/.test(html);
  const isLast = fresh.size === 1; // the answer to what was tapped since would take the reason away
  if (isFresh && isLast && isRefused && status !== 404) {
    await settle(row);
    last = {}; // nothing was entered that a second tap could enter twice
    tell("entry:refused", detail);
  } else if (isRefused || row.failures > 2) {
    fresh.delete(row.key);
    await save(Object.assign(row, { isRefused: true, status, html, why: reason(status, html) }));
  } else {
    row.isTried ||= navigator.onLine;
    await save(row);
    last.waits = true;
    fresh.clear();
    return false;
  }
  return true;
}
async function settle(row) {
  await forget(row);
  fresh.delete(row.key);
  pause = 1_000;
}
const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));
function reason(status, html) {
  if (status === 404) return words.gone;
  const said = [...read(html).querySelectorAll(".slip > p, .two-values span")].map((part) => part.textContent.trim());
  return said.join(" · ") || words.failed;
}
const isWaiting = (row) => !row.isRefused;
async function flush() {
  isAgain = isFlushing;
  if (isFlushing || !(await rows()).some(isWaiting) || isFlushing) return;
  isFlushing = true;
  clearTimeout(timer);
  let isDone = true;
  let row;
  while (isDone && (row = (await rows()).find(isWaiting))) {
    isDone = (await hold(10_000)) && (await deliver(row));
    if (isDone) await changed();
  }
  await hold(0);
  if (!isDone) {
    fresh.clear();
    await changed();
    timer = setTimeout(flush, pause * (0.7 + Math.random() * 0.6));
    pause = Math.min(pause * 2, 30_000);
  }
  isFlushing = false;
  if (isAgain) flush();
}
function wake() {
  pause = 1_000;
  if (!document.hidden) draw().then(flush);
}
for (const name of ["online", "pageshow", "focus"]) addEventListener(name, wake);
document.addEventListener("visibilitychange", wake);

/* ---- entering ---- */
const BARE = ["undo", "redo", "strike", "insist", "confirm", "close", "reopen"]; // they say all with a target or a round
let queue = Promise.resolve();
let shown = null; // the refused entry that is being mended

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (!form.getAttribute("action")?.endsWith("/entries/")) return;
  event.preventDefault();
  const data = new FormData(form, submitter);
  const now = Date.now();
  const isUndo = data.get("kind") === "undo";
  if (isUndo) document.querySelectorAll("#board .box").forEach((box) => data.append(box.name, box.value));
  const same = said(form, data);
  if (isDoubled(same, now)) return;
  last = { same, at: now, tap: now };
  const key = hex(16);
  data.set("key", key);
  data.delete("csrfmiddlewaretoken");
  const row = { key, same, at: now, url: form.getAttribute("action"), body: [...data], ...told(form, submitter, data) };
  fresh.set(key, row);
  mine.add(key);
  busy();
  queue = queue.then(() => (isUndo ? takeBack(row) : enter(row, form.hasAttribute("data-turn"))));
}, true);

const TWIN = 350; // milliseconds within which a second tap is none of its own
/* What a second tap by the same finger would say again: neither keys nor places, nor whose turn it is. */
function said(form, data) {
  const skipped = ["key", "csrfmiddlewaretoken", "place", "seen", ...(form.hasAttribute("data-turn") ? ["seat"] : [])];
  if (["undo", "redo"].includes(data.get("kind"))) skipped.push("target");
  return JSON.stringify([form.getAttribute("action"), ...[...data].filter(([name]) => !skipped.includes(name))]);
}
function isDoubled(same, now) {
  const isSent = [...fresh.values()].some((row) => now - row.at < TWIN || row.same === same);
  const isTwin = last.same === same && (now - last.tap < TWIN || (last.waits && now - last.at < 1_000));
  if (last.same === same) last.tap = now;
  const isKept = same.includes(".") && // a count, which nobody enters twice
    list.some((row) => isWaiting(row) && row.same === same);
  return isSent || isTwin || isKept;
}
/* What the list shows of an entry, and where it is marked on the board. */
function told(form, submitter, data) {
  const boxes = [...form.elements].filter((own) => own.name.includes(".") && own.type !== "hidden" && own.value);
  const groups = [...new Set(boxes.map((box) => box.closest("fieldset")).filter(Boolean))];
  const text = (part) => (part?.ariaLabel || part?.textContent || "").replace(/\s+/g, " ").trim();
  const counted = groups.map((group) => `${text(group.querySelector("legend"))}: ${boxes.filter((box) => group.contains(box)).map((box) => box.value).join(", ")}`);
  const chosen = [...form.querySelectorAll(":checked")].map((own) => text(own.closest("label") ?? own));
  const parts = counted.length ? counted : [...chosen, text(submitter)];
  if (form.closest("#notice")) parts.unshift(...["card", "row"].map((name) => data.get(name)));
  return {
    what: parts.filter(Boolean).join(" · "),
    title: text(document.querySelector("h1")),
    marks: [...groups.map((group) => group.id), submitter?.id].filter(Boolean),
  };
}
async function enter(row, isOfTurn) {
  const waiting = (await rows()).filter((own) => isWaiting(own) && own.url === row.url);
  const get = (name) => row.body.find(([own]) => own === name)?.[1];
  row.round = get("round");
  row.isTried = !waiting.length && navigator.onLine;
  if (get("place") && !get("amend") && !BARE.includes(get("kind")) && !row.body.some(([name]) => name.includes("."))) {
    const place = Math.max(get("place"), ...waiting.filter((own) => own.place && own.round === row.round).map((own) => own.place + 1));
    const isLater = place > get("place"); // the board has not moved on: whose turn it is, the server will know
    row.place = place;
    row.body = row.body.filter(([name]) => !(isLater && isOfTurn && name === "seat")).map(([name, word]) => [name, name === "place" ? String(place) : word]);
  }
  row.body = unsaid(row.body, waiting);
  await save(row, "strict");
  if (shown) await forget(shown);
  shown = null;
  flush();
}
/* A pad sends what is in all its boxes: those of a player that wait already are not sent again. */
function unsaid(body, waiting) {
  const there = new Set(waiting.flatMap((own) => own.body.map(String)));
  const group = ([name]) => name.includes(".") && name.slice(0, name.lastIndexOf("."));
  const changed = new Set(body.filter((pair) => !there.has(String(pair))).map(group));
  return body.filter((pair) => !group(pair) || changed.has(group(pair)));
}
/* What waits and has never left this phone is simply taken back. */
async function takeBack(row) {
  const waiting = (await rows()).filter((own) => isWaiting(own) && own.url === row.url);
  const newest = waiting.at(-1);
  if (!newest) return enter(row);
  fresh.delete(row.key);
  if (newest.isTried || newest.body.some(([name, word]) => name === "kind" && word === "undo")) tell("entry:said", words.unsure);
  else await forget(newest);
  return changed();
}

/* ---- what is seen of it ---- */
const many = (number, one, other) => number && (number === 1 ? one : other).replace("{n}", number);
const clock = ({ at }) => new Date(at).toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const details = outbox.querySelector("details");
const isHere = (row) => row.url.startsWith(location.pathname) || location.pathname.startsWith(row.url);

function busy() {
  for (const form of document.querySelectorAll('form[action$="/entries/"]')) {
    if (fresh.size) form.setAttribute("aria-busy", "true");
    else form.removeAttribute("aria-busy");
  }
}
let drawn = "";
details.addEventListener("toggle", draw);
async function draw() {
  const seen = (await rows()).filter((row) => !fresh.has(row.key));
  const refused = seen.filter((row) => row.isRefused);
  const texts = [many(seen.length - refused.length, words.one, words.many), many(refused.length, words.refusedOne, words.refusedMany)];
  const text = texts.filter(Boolean).join(" · ");
  if (details.firstElementChild.textContent !== text) {
    details.firstElementChild.textContent = outbox.querySelector("[role=status]").textContent = text;
  }
  details.hidden = !text;
  details.open &&= Boolean(text);
  outbox.querySelector(".strip").hidden = !isForgetful;
  const now = JSON.stringify(details.open && seen.map((row) => [row.key, row.why]));
  if (now !== drawn) outbox.querySelector("ol").replaceChildren(...(details.open ? seen.map(item) : []));
  drawn = now;
  mark();
}
function item(row) {
  const own = outbox.querySelector("template").content.firstElementChild.cloneNode(true);
  own.querySelector(".tag").textContent = row.isRefused ? words.refused : words.waiting;
  own.querySelector("bdi").textContent = row.what;
  own.querySelector("time").textContent = `${row.title} · ${clock(row)}`;
  own.querySelector(".why").textContent = row.why ?? "";
  const [show, again, discard] = own.querySelector(".acts").children;
  own.querySelector(".acts").hidden = !row.isRefused;
  show.href = row.url.replace(/entries\/$/, "");
  const isReady = isHere(row) && document.getElementById("notice") && row.html?.includes('id="notice"');
  show.addEventListener("click", (event) => { if (isReady) { event.preventDefault(); mend(row); } });
  again.hidden = row.html?.includes('id="notice"');
  again.addEventListener("click", () => save(Object.assign(row, { isRefused: false, failures: 0 })).then(changed).then(flush));
  discard.addEventListener("click", () => forget(row).then(changed));
  return own;
}
/* A refused entry as if it had just been entered: its boxes filled in, and the server's own words with their buttons. */
function mend(row) {
  details.open = false;
  const values = [...row.body];
  for (const box of document.querySelectorAll("#board [name*='.']:not([type=hidden])")) {
    const at = values.findIndex(([name]) => name === box.name);
    if (at >= 0 && !box.value) [[, box.value]] = values.splice(at, 1);
  }
  tell("entry:refused", row);
  shown = row;
}
document.addEventListener("click", ({ target }) => {
  if (shown && target.closest?.("#notice .two-values a")) forget(shown);
  if (target.closest?.("#notice a")) shown = null;
});
function mark() {
  document.querySelectorAll("[data-waits]").forEach((part) => {
    delete part.dataset.waits;
    part.removeAttribute("title");
  });
  for (const row of list.filter((own) => isWaiting(own) && !fresh.has(own.key) && isHere(own))) {
    for (const part of row.marks.map((id) => document.getElementById(id)).filter(Boolean)) part.dataset.waits = part.title = words.unsent;
  }
  busy();
}
document.addEventListener("htmx:afterSettle", mark);

outbox.querySelector("[data-as-text]").addEventListener("click", async () => {
  const box = outbox.querySelector("textarea") ?? document.createElement("textarea");
  box.value = list.map((row) => [clock(row), row.title, row.what, row.isRefused ? words.refused : words.waiting, row.why].filter(Boolean).join(" · ")).join("\n");
  box.readOnly = true;
  box.ariaLabel = outbox.ariaLabel;
  details.append(box);
  details.ontoggle = () => details.open || box.remove();
  box.select();
  if (navigator.clipboard) await navigator.clipboard.writeText(box.value).catch(() => {});
  else document.execCommand("copy");
});

wake();
