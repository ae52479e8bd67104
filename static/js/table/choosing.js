/* Whether somebody is choosing or typing on the board, which is not replaced under their finger. */

import { onClick } from "../events.js";
import { getInput, isTickable } from "../pad/fields.js";

let isFingerDown = false;
let touchedAt = Date.now();
export function resetIdleTime() {
  touchedAt = Date.now();
}

/* Milliseconds between polls: more on a phone that nobody has touched for five minutes. */
export const getPollInterval = (idleTime = Date.now() - touchedAt) => (idleTime > 5 * 60_000 ? 10_000 : 1_500);

for (const name of ["pointerdown", "pointerup", "pointercancel", "keydown"]) {
  document.addEventListener(name, () => {
    isFingerDown = name === "pointerdown";
    resetIdleTime();
  });
}
onClick("#table summary", (summary) => summary.parentElement.setAttribute("data-by-hand", ""));

function isChosen(control) {
  const { name, value } = control;
  if (name.includes(".")) return getInput(control);
  if (name === "seat") return false; // whose board is looked at
  return isTickable(control) ? control.checked !== control.defaultChecked : value && value !== control.defaultValue;
}

const OPEN_PARTS = "#notice .slip:is(:not(.info), :has(form)), #help .slip, #table details[data-by-hand][open], "
  + "#board [aria-pressed=true]";

/* After an own entry ignore the boxes of its pad: the open ones are filled in again. */
export function isChoosing(isOwn = false) {
  const focused = document.activeElement;
  const isBox = focused.matches("#table :is([type=text], textarea, select)");
  const isBoxInUse = isBox && !isOwn && (focused.value || !("keypad" in focused.dataset));
  const counts = isOwn ? ":not([name*='.'])" : "";
  const controls = document.querySelectorAll(`#table :is(input:not([type=hidden]), textarea, select)${counts}`);
  return isFingerDown || document.querySelector(OPEN_PARTS) || isBoxInUse || [...controls].some(isChosen);
}
