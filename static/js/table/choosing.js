/* Whether somebody is choosing or typing on the board, which is not replaced under their finger. */

import { isTickable } from "../pad/fields.js";

let isFingerDown = false;
let touchedAt = Date.now();
export const getIdleTime = () => Date.now() - touchedAt;
export function resetIdleTime() {
  touchedAt = Date.now();
}

const TOUCHES = { pointerdown: true, pointerup: false, pointercancel: false, keydown: false };
for (const [name, isDown] of Object.entries(TOUCHES)) {
  document.addEventListener(name, () => {
    isFingerDown = isDown;
    resetIdleTime();
  });
}
document.addEventListener("click", ({ target }) => {
  target.closest?.("#table summary")?.parentElement.setAttribute("data-by-hand", "");
});

function isChosen(control) {
  if (control.name.includes(".")) return isTickable(control) ? control.checked : control.value;
  if (control.name === "seat") return false; // whose board is looked at
  if (isTickable(control)) return control.checked !== control.defaultChecked;
  return control.value && control.value !== control.defaultValue;
}

const OPEN_PARTS = "#notice .slip:is(:not(.info), :has(form)), #help .slip, #table details[data-by-hand][open], "
  + "#board [aria-pressed=true]";

/* After an own entry ignore the boxes of its pad: the open ones are filled in again. */
export function isChoosing(isOwn = false) {
  const focused = document.activeElement;
  const isBox = focused.matches("#table :is([type=text], textarea, select)");
  const isBoxInUse = isBox && (focused.value || !("keypad" in focused.dataset));
  const counts = isOwn ? ":not([name*='.'])" : "";
  const controls = document.querySelectorAll(`#table :is(input:not([type=hidden]), textarea, select)${counts}`);
  return isFingerDown || document.querySelector(OPEN_PARTS) || (isBoxInUse && !isOwn) || [...controls].some(isChosen);
}
