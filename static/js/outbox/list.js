/* The list of queued entries above the board. */

import { endOpening, scrollByBanners } from "../banners.js";
import { getState, parsePage } from "./answers.js";
import { joinTexts } from "./labels.js";
import { markBoard } from "./marks.js";
import { getTableUrl, outbox, texts, unanswered } from "./state.js";
import { entries, isFailing, readEntries } from "./storage.js";

const details = outbox.querySelector("details");
const summary = details.firstElementChild;
const template = outbox.querySelector("template").content.firstElementChild;
const STATES = ["waiting", "asked", "refused", "held"];
let drawn = "";

function formatTime({ at }) {
  const format = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  return new Date(at).toLocaleTimeString(document.documentElement.lang, format);
}
function formatSummary(states) {
  const parts = STATES.map((state) => {
    const number = states.filter((other) => other === state).length;
    return number && texts[state + (number === 1 ? "One" : "Many")].replace("{n}", number);
  });
  return joinTexts(parts);
}

export async function drawOutbox() {
  for (const entry of await readEntries()) if (entry.isHeld) unanswered.delete(entry.key);
  const shown = entries.filter((entry) => !unanswered.has(entry.key));
  const text = formatSummary(shown.map(getState));
  if (summary.textContent !== text) summary.textContent = outbox.querySelector("[role=status]").textContent = text;
  details.hidden = !text;
  details.open &&= Boolean(text);
  outbox.querySelector(".strip").hidden = !isFailing;
  drawItems(details.open ? shown : []);
  markBoard();
  scrollByBanners();
  endOpening();
}
details.addEventListener("toggle", drawOutbox);

export function closeOutbox() {
  details.open = false;
}

/* Other tabs hear of every change to the queue. */
export const channel = self.BroadcastChannel && new BroadcastChannel("companion");
export function showChange() {
  channel?.postMessage("");
  return drawOutbox();
}

function drawItems(shown) {
  const state = JSON.stringify(shown.map((entry) => [entry.key, getState(entry), entry.why]));
  if (state !== drawn) outbox.querySelector("ol").replaceChildren(...shown.map(drawItem));
  drawn = state;
}

function drawItem(entry) {
  const item = template.cloneNode(true);
  const slip = entry.isRefused ? parsePage(entry.html).querySelector("#notice .slip") : null;
  const [show, retry] = item.lastElementChild.children;
  item.dataset.key = entry.key;
  item.querySelector(".tag").textContent = texts[getState(entry)];
  item.querySelector("bdi").textContent = entry.what;
  item.querySelector("time").textContent = `${entry.title} · ${formatTime(entry)}`;
  item.querySelector(".why").append(slip || entry.why || "");
  item.querySelector(".shut")?.remove();
  item.lastElementChild.hidden = !entry.isRefused;
  show.href = getTableUrl(entry);
  retry.hidden = Boolean(slip?.querySelector("form"));
  htmx.process(item);
  return item;
}

const formatEntry = (entry) => joinTexts(
  [formatTime(entry), entry.title, entry.what, texts[getState(entry)], entry.why],
);
outbox.querySelector("[data-as-text]").addEventListener("click", async () => {
  const box = outbox.querySelector("textarea") ?? document.createElement("textarea");
  box.value = entries.map(formatEntry).join("\n");
  box.readOnly = true;
  box.ariaLabel = outbox.ariaLabel;
  details.append(box);
  details.ontoggle = () => details.open || box.remove();
  box.select();
  if (navigator.clipboard) await navigator.clipboard.writeText(box.value).catch(() => {});
  else document.execCommand("copy");
});
