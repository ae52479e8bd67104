/* Outbox: every entry is stored on the phone before it is sent, and deleted only after a definite answer of the server.
   table.js updates the page. Without this file forms are posted as usual. */

import { endOpening, level } from "./banners.js";
import { forget, get, hex, hold, isPlay, list, replace, rows, save, storage } from "./queue.js";

const outbox = document.getElementById("outbox");
const words = outbox.dataset;
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
/* Handles the response to an entry; returns whether the outcome is definite. Anything but the server's own answer leaves
   the entry waiting. */
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
    navigator.serviceWorker?.controller?.postMessage({ keep: row.url.replace(/entries\/$/, ""), part: html });
    tell("entry:recorded", detail);
    return true;
  }
  row.failures = (row.failures ?? 0) + (status === 500);
  const isRefused = /^4(0[0349]|13|22)/.test(status) && /id="notice"|class="lost"/.test(html);
  const isLast = fresh.size === 1; // the answer to what was tapped since would take the reason away
  if (isFresh && isLast && isRefused && status !== 404 && !row.isMended) {
    await settle(row);
    last = {}; // nothing was entered that a second tap could enter twice
    tell("entry:refused", detail);
  } else if (isRefused || row.failures > 2) {
    fresh.delete(row.key);
    await save(Object.assign(row, { isRefused: true, refusedAt: Date.now(), status, html, why: reason(status, html) }));
    if (isFresh && row.isShown) mend(row);
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
const isNext = (row) => isWaiting(row) && !row.isHeld;
async function flush() {
  isAgain = isFlushing;
  if (isFlushing || !(await rows()).some(isNext) || isFlushing) return;
  isFlushing = true;
  clearTimeout(timer);
  let isDone = true;
  let row;
  while (isDone && (row = (await rows()).find(isNext))) {
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
  const mended = list.find((own) => own.key === form.closest("#outbox li")?.dataset.key) ?? (isUndo ? null : shown);
  queue = queue.then(() => (isUndo ? takeBack(row) : enter(row, form.matches(TURN), mended)));
}, true);

const TURN = "[data-turn], :has([data-turn])"; // its seat is whoever's turn it is, and nobody's choice for long
const TWIN = 350; // milliseconds within which a second tap is none of its own
/* What a double tap would repeat: not the key, the slot or the turn. */
function said(form, data) {
  const skipped = ["key", "csrfmiddlewaretoken", "place", "seen", ...(form.matches(TURN) ? ["seat"] : [])];
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
/* What the list shows of an entry, and what it marks on the board. */
function told(form, submitter, data) {
  const boxes = [...form.elements].filter((own) => own.name.includes(".") && own.type !== "hidden" && own.value);
  const groups = [...new Set(boxes.map((box) => box.closest("fieldset")).filter(Boolean))];
  const text = (part) => (part?.ariaLabel || part?.textContent || "").replace(/\s+/g, " ").trim();
  const counted = groups.map((group) => `${text(group.querySelector("legend"))}: ${boxes.filter((box) => group.contains(box)).map((box) => box.value).join(", ")}`);
  const chosen = [...form.querySelectorAll(":checked")].map((own) => text(own.closest("label") ?? own));
  const parts = counted.length ? counted : [...chosen, text(submitter)];
  if (form.closest("#notice, #outbox")) parts.unshift(data.get("card"), data.get("row"));
  return {
    what: parts.filter(Boolean).join(" · "),
    title: ["h1", ".where span"].map((part) => text(document.querySelector(part))).filter(Boolean).join(" · "),
    marks: [...groups.map((group) => group.id), submitter?.id].filter(Boolean),
  };
}
/* A corrected entry takes the refused one's place in the queue. */
async function enter(row, isOfTurn, mended) {
  const waiting = (await rows()).filter((own) => isWaiting(own) && own.url === row.url);
  row.round = get(row, "round");
  row.isTried = !waiting.length && navigator.onLine;
  if (isPlay(row)) {
    const own = Number(get(row, "place"));
    const rest = mended ? [] : waiting.filter(({ place, round }) => place && round === row.round);
    move(row, Math.max(own, ...rest.map(({ place }) => place + 1)));
    // the board has not moved on, so the server decides whose turn it is
    if (row.place > own && isOfTurn) row.body = row.body.filter(([name]) => name !== "seat");
  }
  row.body = unsaid(row.body, waiting.filter(({ round }) => round === row.round));
  if (mended) {
    replace(mended, Object.assign(row, { isMended: true, isShown: mended === shown }));
    putAway(mended);
  }
  await save(row, "strict");
  if (mended || (await rows()).some((own) => own.key === row.key && own.isHeld)) await changed();
  flush();
}
function move(row, place) {
  row.place = place;
  row.body = row.body.map(([name, word]) => [name, name === "place" ? String(place) : word]);
}
/* Plays after a withdrawn one move up, unless somebody else's has taken the slot. */
async function discard(row) {
  putAway(row);
  await forget(row);
  for (const own of list.filter(({ url, round, place }) => url === row.url && round === row.round && place > row.place)) {
    if (row.status === 409) break;
    move(own, own.place - 1);
    await save(own);
  }
  await changed();
  flush();
}
/* A pad posts all its boxes; leave out counts that are already waiting. */
function unsaid(body, waiting) {
  const there = new Set(waiting.flatMap((own) => own.body.map(String)));
  const group = ([name]) => name.includes(".") && name.slice(0, name.lastIndexOf("."));
  const changed = new Set(body.filter((pair) => !there.has(String(pair))).map(group));
  return body.filter((pair) => !group(pair) || changed.has(group(pair)));
}
/* An entry that was never sent is simply removed. */
async function takeBack(row) {
  const waiting = (await rows()).filter((own) => isWaiting(own) && own.url === row.url);
  const newest = waiting.at(-1);
  if (!newest) return enter(row);
  fresh.delete(row.key);
  if (newest.isTried || get(newest, "kind") === "undo") tell("entry:said", words.unsure);
  else {
    await forget(newest);
    fillIn(newest);
  }
  return changed();
}

/* ---- showing ---- */
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
  (await rows()).forEach((row) => row.isHeld && fresh.delete(row.key));
  const seen = list.filter((row) => !fresh.has(row.key));
  const count = (state) => seen.filter((row) => stateOf(row) === state).length;
  const texts = ["waiting", "asked", "refused", "held"].map((state) => many(count(state), words[`${state}One`], words[`${state}Many`]));
  const text = texts.filter(Boolean).join(" · ");
  if (details.firstElementChild.textContent !== text) {
    details.firstElementChild.textContent = outbox.querySelector("[role=status]").textContent = text;
  }
  details.hidden = !text;
  details.open &&= Boolean(text);
  outbox.querySelector(".strip").hidden = !storage.isForgetful;
  const now = JSON.stringify(details.open && seen.map((row) => [row.key, stateOf(row), row.why]));
  if (now !== drawn) outbox.querySelector("ol").replaceChildren(...(details.open ? seen.map(item) : []));
  drawn = now;
  mark();
  level();
  endOpening();
}
function stateOf(row) {
  if (row.isRefused) return /class="slip\s+info"/.test(row.html) ? "asked" : "refused";
  return row.isHeld ? "held" : "waiting";
}
function item(row) {
  const own = outbox.querySelector("template").content.firstElementChild.cloneNode(true);
  const slip = row.isRefused ? read(row.html).querySelector("#notice .slip") : null;
  const [show, again, drop] = own.lastElementChild.children;
  own.dataset.key = row.key;
  own.querySelector(".tag").textContent = words[stateOf(row)];
  own.querySelector("bdi").textContent = row.what;
  own.querySelector("time").textContent = `${row.title} · ${clock(row)}`;
  own.querySelector(".why").append(slip || row.why || "");
  own.querySelector(".shut")?.remove();
  own.lastElementChild.hidden = !row.isRefused;
  show.href = row.url.replace(/entries\/$/, "");
  const isReady = isHere(row) && slip && document.getElementById("notice");
  show.addEventListener("click", (event) => { if (isReady) { event.preventDefault(); mend(row); } });
  again.hidden = Boolean(slip?.querySelector("form"));
  again.addEventListener("click", () => save(Object.assign(row, { isRefused: false, failures: 0 })).then(changed).then(flush));
  drop.addEventListener("click", () => discard(row));
  own.addEventListener("click", (event) => {
    if (!event.target.closest(".two-values a")) return;
    event.preventDefault();
    discard(row);
  });
  return own;
}
/* Show a refused entry as if it had just been entered: boxes filled in, with the server's notice and its buttons. */
function mend(row) {
  details.open = false;
  fillIn(row);
  tell("entry:refused", row);
  shown = row;
}
const roundOf = () => document.querySelector("#board [name=round]")?.value;
function fillIn(row) {
  tell("entry:back", row);
  const values = roundOf() === row.round ? [...row.body] : [];
  for (const box of document.querySelectorAll("#board [name*='.']:not([type=hidden])")) {
    const at = values.findIndex(([name]) => name === box.name);
    if (at >= 0 && !box.value) [[, box.value]] = values.splice(at, 1);
  }
}
function putAway(row) {
  if (shown?.key !== row.key) return;
  shown = null;
  document.querySelector("#notice .slip")?.remove();
}
document.addEventListener("click", ({ target }) => {
  if (shown && target.closest?.("#notice .two-values a")) discard(shown);
  if (target.closest?.("#notice a")) shown = null;
});
function mark() {
  document.querySelectorAll("[data-waits]").forEach((part) => {
    delete part.dataset.waits;
    part.removeAttribute("title");
  });
  const here = list.filter((own) => isWaiting(own) && !fresh.has(own.key) && isHere(own));
  for (const row of here.filter(({ round }) => [undefined, round].includes(roundOf()))) {
    for (const part of row.marks.map((id) => document.getElementById(id)).filter(Boolean)) part.dataset.waits = part.title = words.unsent;
  }
  busy();
  tell("entry:waiting", here);
}
for (const name of ["htmx:afterSwap", "htmx:afterSettle"]) document.addEventListener(name, mark);

outbox.querySelector("[data-as-text]").addEventListener("click", async () => {
  const box = outbox.querySelector("textarea") ?? document.createElement("textarea");
  box.value = list.map((row) => [clock(row), row.title, row.what, words[stateOf(row)], row.why].filter(Boolean).join(" · ")).join("\n");
  box.readOnly = true;
  box.ariaLabel = outbox.ariaLabel;
  details.append(box);
  details.ontoggle = () => details.open || box.remove();
  box.select();
  if (navigator.clipboard) await navigator.clipboard.writeText(box.value).catch(() => {});
  else document.execCommand("copy");
});

wake();
