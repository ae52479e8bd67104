/* Unsaved input of the pad survives a look at the rules or a change of language. */

import { onSwap } from "../events.js";
import { getInput, isTickable } from "./fields.js";
import { attachKeypad, PAD } from "./keypad.js";

const getPad = () => document.querySelector(PAD);
const getRoundKey = (form) => `boxes ${location.pathname} ${form.elements.round?.value} `;
const getKey = (form) => getRoundKey(form) + form.elements.place?.value;
const isOfBoard = ({ type, name }) => type === "radio" && !name.includes("."); // a row or a way for the next play

export const listFields = (form) => [...form.elements].filter((field) => (
  isOfBoard(field) || (field.name.includes(".") && field.type !== "hidden")
));

function saveDraft() {
  const form = getPad();
  if (!form) return;
  const isOld = (key) => key.startsWith(getRoundKey(form)) && key !== getKey(form);
  Object.keys(sessionStorage).filter(isOld).forEach((key) => sessionStorage.removeItem(key));
  const values = listFields(form).map((field) => [field.name, getInput(field)]);
  if (values.some(([, value]) => value)) sessionStorage.setItem(getKey(form), JSON.stringify(values));
  else sessionStorage.removeItem(getKey(form));
}

export function restoreDraft() {
  const form = getPad();
  if (!form || form.elements.target) return;
  const saved = JSON.parse(sessionStorage.getItem(getKey(form)) ?? "[]");
  const open = listFields(form);
  for (const name of new Set(saved.map(([field]) => field))) {
    const values = saved.filter(([field]) => field === name).map(([, value]) => value);
    const fields = open.filter((field) => field.name === name);
    const isUntouched = fields.every(isOfBoard) || !fields.some(getInput);
    if (isUntouched) fields.forEach((field, index) => fillField(field, values[index]));
  }
}

function fillField(field, value) {
  if (!value) return;
  if (isTickable(field)) field.checked = true;
  else field.value = value;
  field.dispatchEvent(new CustomEvent("input", { bubbles: true, detail: "kept" }));
}

document.addEventListener("input", saveDraft);
onSwap("table", () => {
  restoreDraft();
  attachKeypad();
});
document.addEventListener("htmx:afterSettle", saveDraft);
addEventListener("load", restoreDraft); // when htmx is there to preview it
