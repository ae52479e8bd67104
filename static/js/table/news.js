/* News of the table: htmx asks for it, and what is new is shown, or announced while somebody is choosing. */

import { onSwap } from "../events.js";
import { getPollInterval, isChoosing, resetIdleTime } from "./choosing.js";
import { keepOfflineCopy } from "./offline-copy.js";
import { isPosting } from "./swapping.js";

const news = document.getElementById("news");
let isWatching = Boolean(news);
let isRefreshing = false;
let isCutOff = false;
let timer;

const getShownVersion = () => Number((document.getElementById("table") ?? news).dataset.version);

function schedulePoll() {
  clearTimeout(timer);
  timer = setTimeout(() => htmx.trigger(news, "poll"), getPollInterval());
}

/* Nothing is asked while the page is hidden; returning to it asks at once. */
function confirmPoll(event) {
  if (event.detail.elt !== news) return;
  clearTimeout(timer);
  const isBusy = isPosting() || isRefreshing;
  if (!isWatching || document.hidden || isBusy) event.preventDefault();
  if (isWatching && isBusy) schedulePoll();
}

function readAnswer(xhr) {
  if (xhr.status === 404) return endWatch();
  const release = xhr.getResponseHeader("X-Release");
  if (!release) return; // not the server's answer
  if (isCutOff) dispatchEvent(new Event("online")); // for whoever waits for the network
  isCutOff = false;
  if (release !== document.documentElement.dataset.release) document.dispatchEvent(new Event("companion:release"));
  document.querySelector(".last-known")?.remove();
  if (isPosting()) return;
  const { version, text, more } = xhr.status === 200 ? JSON.parse(xhr.responseText) : {};
  if (!(version > getShownVersion())) return news.replaceChildren();
  resetIdleTime();
  if (document.getElementById("table") && !isChoosing()) return refreshTable();
  drawLine(text, more);
}

function endWatch() {
  isWatching = false;
  keepOfflineCopy(location.href); // there is none any more
  drawLine(news.dataset.gone);
}

function drawLine(text, more) {
  const line = document.getElementById("news-line").content.cloneNode(true);
  line.querySelector("bdi").textContent = text;
  line.querySelector("small").textContent = more ? news.dataset.more.replace("{n}", more) : "";
  line.querySelector("button").hidden = !isWatching;
  if (line.textContent !== news.textContent) news.replaceChildren(line);
}

/* The event is the tap of somebody who asked for it, and sees it even while choosing. */
async function refreshTable(event) {
  const table = document.getElementById("table");
  if (!table) return location.reload();
  isRefreshing = true;
  const url = location.pathname + location.search;
  const swap = { source: table, target: table, swap: "outerHTML", event };
  await htmx.ajax("GET", url, swap).catch(() => {}); // it is asked for again
  isRefreshing = false;
}

if (news) {
  news.addEventListener("htmx:confirm", confirmPoll);
  news.addEventListener("htmx:configRequest", ({ detail }) => {
    detail.headers["If-None-Match"] = `"${getShownVersion()}"`;
  });
  news.addEventListener("htmx:beforeOnLoad", (event) => {
    event.preventDefault(); // there is nothing to swap
    readAnswer(event.detail.xhr);
  });
  news.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (!detail.xhr.status) isCutOff = true;
    schedulePoll();
  });
  news.addEventListener("click", (event) => event.target.closest("button") && refreshTable(event));
  onSwap("table", () => news.replaceChildren());
  schedulePoll();
}
