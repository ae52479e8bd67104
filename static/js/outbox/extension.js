/* htmx extension: what a form would post as an entry is stored on the phone first, then sent, and sent again until
   there is a definite answer. Without scripts the browser posts the form. */

import "./actions.js";
import { describeEntry } from "./labels.js";
import { getContent, isRepeatedTap, OF_TURN } from "./double-taps.js";
import { markBusyForms } from "./marks.js";
import { getMendedEntry } from "./mending.js";
import { enqueueEntry, withdrawNewestEntry } from "./queue.js";
import { receiveAnswer } from "./sender.js";
import { outbox, ownKeys, unanswered } from "./state.js";
import { createKey, entries } from "./storage.js";

let entering = Promise.resolve(); // in the order of the taps

function enterEntry(form, submitter) {
  const data = new FormData(form, submitter);
  const isUndo = data.get("kind") === "undo";
  if (isUndo) document.querySelectorAll("#board .box").forEach((box) => data.append(box.name, box.value));
  const now = Date.now();
  const content = getContent(form, data);
  if (isRepeatedTap(content, now, [...unanswered.values()], entries)) return;
  const key = createKey(16);
  data.set("key", key);
  data.delete("csrfmiddlewaretoken");
  const url = form.getAttribute("action");
  const entry = { key, same: content, at: now, url, body: [...data], ...describeEntry(form, submitter, data) };
  unanswered.set(key, entry);
  ownKeys.add(key);
  markBusyForms();
  const listed = entries.find((other) => other.key === form.closest("#outbox li")?.dataset.key);
  const mended = listed ?? (isUndo ? null : getMendedEntry());
  const isOfTurn = form.matches(OF_TURN);
  entering = entering.then(() => (isUndo ? withdrawNewestEntry(entry) : enqueueEntry(entry, isOfTurn, mended)));
}

htmx.defineExtension("outbox", {
  onEvent(name, event) {
    const { elt, path, triggeringEvent } = event.detail;
    if (name === "htmx:beforeOnLoad" && elt === outbox) receiveAnswer(event);
    if (name !== "htmx:confirm" || !elt.matches("form") || !path.endsWith("/entries/")) return;
    event.preventDefault();
    enterEntry(elt, triggeringEvent.submitter);
  },
});
