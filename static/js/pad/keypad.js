/* The number pad on the screen, for every form that holds `[data-keypad]` inputs.

   One listener each on the document, so that parts swapped in need no call. Without this file the boxes are ordinary
   number inputs and the pad stays hidden. */

import { onClick, onSwap } from "../events.js";
import { isComplete } from "./fields.js";

const BOX = "input[data-keypad]";
export const PAD = "form#board[method=post]";

let active = null; // the box that the keys write into
let replaces = false; // the next digit replaces what the box held when it was entered
let typing = null; // the box in use before a swap

export const getActiveBox = () => active;
export const listBoxes = (form) => [...form.querySelectorAll(BOX)].filter((box) => (
  box.offsetParent && !box.disabled && !box.closest("details:not([open])")
));

/* The focused box, found again by name after a swap. */
function getCurrentBox(form) {
  const boxes = listBoxes(form);
  return boxes.find((box) => box === active)
    || boxes.find((box) => active && box.name === active.name)
    || boxes.find((box) => box.value === "")
    || boxes[0];
}

function markActive(box) {
  document.querySelectorAll(BOX).forEach((other) => other.toggleAttribute("data-active", other === box));
  active = box;
}

export function attachKeypad() {
  for (const pad of document.querySelectorAll(`form:has(${BOX}) .keypad`)) pad.hidden = false;
  for (const box of document.querySelectorAll(BOX)) box.inputMode = "none";
  if (document.activeElement?.matches(BOX)) markActive(document.activeElement);
  resumeTyping();
}

/* Restore focus and caret in the same box of the same round after a swap. */
function resumeTyping() {
  const box = document.getElementById(typing?.id);
  if (!box || box.form.elements.round.value !== typing.round) return;
  box.focus({ preventScroll: true });
  replaces = typing.replaces;
  typing = null;
}
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const { id, form } = document.activeElement;
  const isTyping = detail.shouldSwap && detail.target.id === "table" && form?.matches(PAD);
  typing = isTyping ? { id, round: form.elements.round.value, replaces } : null;
});

function writeValue(box, value) {
  if (box.maxLength > 0 && value.length > box.maxLength) return;
  box.value = value;
  box.scrollLeft = box.scrollWidth; // the end of a long sum, where it is typed
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

export function enterBox(box) {
  box.focus({ preventScroll: true });
  box.scrollIntoView({ block: "nearest" });
}

function leaveBox(form, box) {
  box.dispatchEvent(new Event("change", { bubbles: true }));
  const boxes = listBoxes(form);
  const following = boxes[boxes.indexOf(box) + 1];
  if (following) return enterBox(following);
  box.removeAttribute("data-active");
  const buttons = [...form.querySelectorAll("[type=submit]:not([formaction])")];
  buttons.find((button) => button.offsetParent)?.focus({ preventScroll: true });
}

/* A box with a known maximum is finished as soon as it is full. */
const isFull = (box) => box.dataset.whole !== undefined && isComplete(box);

function pressKey(form, key) {
  const box = getCurrentBox(form);
  if (!box) return;
  if (box !== document.activeElement) enterBox(box);
  if (key === "next") return leaveBox(form, box);
  const old = box.value;
  const continues = key === "+" || (box.dataset.whole !== undefined && !isFull(box)); // what is there
  if (key === "back") writeValue(box, old.slice(0, -1));
  else if (key === "minus") writeValue(box, old.startsWith("-") ? old.slice(1) : `-${old}`);
  else if ((replaces && !continues) || (box.pattern && old === "0")) writeValue(box, key); // no number begins with 0
  else writeValue(box, old + key);
  replaces = false;
  if (key !== "back" && isFull(box)) leaveBox(form, box);
}

document.addEventListener("focusin", ({ target }) => {
  if (!target.matches(BOX)) return;
  replaces = true;
  markActive(target);
  target.select();
});
document.addEventListener("input", ({ target }) => {
  if (target === active) replaces = false;
});
document.addEventListener("keyup", ({ target, key }) => {
  if (key.length === 1 && target.matches(BOX) && isFull(target)) leaveBox(target.form, target);
});
document.addEventListener("pointerdown", (event) => {
  if (event.target.closest("[data-key]")) event.preventDefault(); // the box keeps the focus
});
onClick("form [data-key]", (key) => pressKey(key.form, key.dataset.key));
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches(BOX)) return;
  event.preventDefault();
  leaveBox(event.target.form, event.target);
});

/* The pad grows with the message above its keys; keep the focused box visible. */
onSwap("preview", ({ target }) => {
  document.documentElement.style.scrollPaddingBottom = `${target.closest(".thumb").offsetHeight + 16}px`;
  if (active === document.activeElement) active?.scrollIntoView({ block: "nearest" });
});

document.addEventListener("htmx:afterSettle", attachKeypad);
attachKeypad();
replaces = Boolean(active); // a box that had the focus before this file was here
