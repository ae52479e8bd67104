/* Marks on the board: forms that are being sent, and parts whose entries wait. */

import { isWaiting } from "./entry.js";
import { isOfThisTable, texts, unanswered } from "./state.js";
import { entries } from "./storage.js";

export function markBusyForms() {
  for (const form of document.querySelectorAll("form[action$='/entries/']")) {
    if (unanswered.size) form.setAttribute("aria-busy", "true");
    else form.removeAttribute("aria-busy");
  }
}

export function markBoard() {
  for (const part of document.querySelectorAll("[data-waits]")) {
    delete part.dataset.waits;
    part.title = "";
  }
  const round = document.querySelector("#board [name=round]")?.value;
  const waiting = entries.filter((entry) => isWaiting(entry) && !unanswered.has(entry.key) && isOfThisTable(entry));
  for (const { marks } of waiting.filter((entry) => [undefined, entry.round].includes(round))) {
    for (const id of marks) {
      const part = document.getElementById(id);
      if (part) part.dataset.waits = part.title = texts.unsent;
    }
  }
  markBusyForms();
  document.dispatchEvent(new CustomEvent("outbox:waiting", { detail: waiting }));
}
document.addEventListener("htmx:afterSettle", markBoard);
