/* Sends queued entries by htmx, one after the other, and forgets each only after a definite answer. */

import { keepOfflineCopy } from "../table/offline-copy.js";
import { classifyAnswer, isTokenExpired, parsePage, readReason } from "./answers.js";
import { forgetTap, markTapUnanswered } from "./double-taps.js";
import { findNextEntry } from "./entry.js";
import { channel, drawOutbox, showChange } from "./list.js";
import { mendEntry } from "./mending.js";
import { getNextPause, resetPause } from "./retry.js";
import { getTableUrl, outbox, ownKeys, texts, unanswered } from "./state.js";
import { claimLease, deleteEntry, readEntries, saveEntry } from "./storage.js";

const LEASE = 10_000;
const MOST_FAILURES = 2;
let isSending = false;
let isAskedAgain = false;
let timer;
let onItsWay; // the entry that is being sent
let sent; // the answer to it

export async function sendQueue() {
  isAskedAgain = isSending;
  if (isSending || !findNextEntry(await readEntries()) || isSending) return;
  isSending = true;
  clearTimeout(timer);
  let isDelivered = true;
  let entry;
  while (isDelivered && (entry = findNextEntry(await readEntries()))) {
    isDelivered = (await claimLease(LEASE)) && (await deliverEntry(entry));
    if (isDelivered) await showChange();
  }
  await claimLease(0);
  if (!isDelivered) {
    unanswered.clear();
    await showChange();
    timer = setTimeout(sendQueue, getNextPause());
  }
  isSending = false;
  if (isAskedAgain) sendQueue();
}

/* Returns whether the answer is definite. Anything but the server's own answer leaves the entry waiting. */
async function deliverEntry(entry) {
  if (navigator.onLine && !entry.isTried) await saveEntry(Object.assign(entry, { isTried: true }));
  await postEntry(entry);
  if (isTokenExpired(sent)) {
    await renewToken().catch(() => {});
    await postEntry(entry, true);
  }
  if (sent.settled) await sent.settled;
  else if (sent.outcome === "refused" || isGivenUp(entry)) await keepRefused(entry);
  else return keepWaiting(entry);
  if (sent.outcome === "recorded") showRecorded(entry);
  return true;
}

/* The fields are those that were stored; only the token is the page's. */
async function postEntry(entry, isRepeated = false) {
  onItsWay = entry;
  sent = { isRepeated, status: 0, html: "", outcome: "lost" };
  const values = new FormData();
  for (const [name, value] of entry.body) values.append(name, value);
  values.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
  const target = document.getElementById("table") ?? outbox;
  await htmx.ajax("POST", entry.url, { source: outbox, target, values }).catch(() => {}); // there is no answer
}

/* Lets htmx swap an answer that belongs on this page. */
export function receiveAnswer(event) {
  const { xhr, pathInfo, requestConfig } = event.detail;
  const entry = onItsWay;
  sent.isFresh = unanswered.has(entry.key);
  if (pathInfo.responsePath === entry.url) Object.assign(sent, { status: xhr.status, html: xhr.responseText });
  if (sent.isRepeated || !isTokenExpired(sent)) sent.outcome = classifyAnswer(sent);
  Object.assign(requestConfig, { isNews: !sent.isFresh, isOwn: ownKeys.has(entry.key) });
  const isRecorded = sent.outcome === "recorded";
  if (isRecorded || isRefusalShown(entry)) sent.settled = settleEntry(entry);
  const isOfPage = document.getElementById("table") && entry.url.startsWith(location.pathname);
  if (isRecorded ? !isOfPage : !sent.settled) event.preventDefault();
}

/* The notice of what was refused is shown unless something was tapped since, whose answer would take it away. */
function isRefusalShown({ isMended }) {
  const isLatest = sent.isFresh && unanswered.size === 1 && !isMended;
  return isLatest && sent.outcome === "refused" && sent.status !== 404 && document.getElementById("notice");
}

function settleEntry(entry) {
  unanswered.delete(entry.key);
  resetPause();
  if (sent.outcome === "refused") forgetTap(); // nothing was entered that a second tap could enter twice
  return deleteEntry(entry);
}

function showRecorded(entry) {
  const url = getTableUrl(entry);
  keepOfflineCopy(url, sent.html);
  if (ownKeys.has(entry.key) && !document.getElementById("table")) location.assign(url);
}

function isGivenUp(entry) {
  entry.failures = (entry.failures ?? 0) + (sent.outcome === "failed");
  return entry.failures > MOST_FAILURES;
}

async function keepRefused(entry) {
  const { status, html } = sent;
  unanswered.delete(entry.key);
  Object.assign(entry, { isRefused: true, refusedAt: Date.now(), status, html, why: readReason(sent, texts) });
  await saveEntry(entry);
  if (sent.isFresh && entry.isShown) mendEntry(entry);
}

async function keepWaiting(entry) {
  entry.isTried ||= navigator.onLine;
  await saveEntry(entry);
  markTapUnanswered();
  unanswered.clear();
  return false;
}

/* Only a value of the page is wanted, so there is nothing for htmx to swap. */
async function renewToken() {
  const page = parsePage(await (await fetch(location.href)).text());
  const token = page.querySelector("[name=csrfmiddlewaretoken]")?.value;
  if (token) document.querySelectorAll("[name=csrfmiddlewaretoken]").forEach((input) => { input.value = token; });
}

const drawAndSend = () => drawOutbox().then(sendQueue);
function wakeUp() {
  resetPause();
  if (!document.hidden) drawAndSend();
}
for (const name of ["online", "pageshow", "focus"]) addEventListener(name, wakeUp);
document.addEventListener("visibilitychange", wakeUp);
channel?.addEventListener("message", drawAndSend);
wakeUp();
