/* Repeated taps: what was tapped a moment ago is not entered again. */

import { isWaiting } from "./entry.js";

export const OF_TURN = "[data-turn], :has([data-turn])"; // its seat is the player whose turn it is, not a choice
const TWIN = 350; // milliseconds within which a second tap is part of the first
let last = {};

export function forgetTap() {
  last = {};
}

/* Until the next tap, a repetition is recognized for longer: nothing on the page shows that this one was entered. */
export function markTapUnanswered() {
  last.isUnanswered = true;
}

/* What a double tap would repeat: not the key, the slot or the turn. */
export function getContent(form, data) {
  const skipped = ["key", "csrfmiddlewaretoken", "place", "seen", ...(form.matches(OF_TURN) ? ["seat"] : [])];
  if (["undo", "redo"].includes(data.get("kind"))) skipped.push("target");
  return JSON.stringify([form.getAttribute("action"), ...[...data].filter(([name]) => !skipped.includes(name))]);
}

/* Takes note of the tap; returns whether it repeats one before it. */
export function isRepeatedTap(content, now, unanswered, entries) {
  const isBeingSent = unanswered.some((entry) => now - entry.at < TWIN || entry.same === content);
  const isSame = last.content === content;
  const isTwin = isSame && (now - last.tappedAt < TWIN || (last.isUnanswered && now - last.at < 1_000));
  if (isSame) last.tappedAt = now;
  const isQueuedCount = content.includes(".") && entries.some((entry) => isWaiting(entry) && entry.same === content);
  if (isBeingSent || isTwin || isQueuedCount) return true;
  last = { content, at: now, tappedAt: now };
  return false;
}
