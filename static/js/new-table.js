/* Conveniences for the forms of new tables and the calculator, which work without this file. */

import { onClick } from "./events.js";

/* Number options have plus and minus buttons; the default value is submitted as blank. */
document.querySelectorAll("[data-step]").forEach((button) => { button.hidden = false; });
onClick("[data-step]", (button) => {
  const input = button.parentElement.querySelector("input");
  const number = Math.min(99, Math.max(1, Number(input.value || input.placeholder) + Number(button.dataset.step)));
  input.value = number === Number(input.placeholder) ? "" : number;
  input.dispatchEvent(new Event("change", { bubbles: true }));
});

/* Choices that change the form itself are applied at once. */
const live = document.querySelector("[data-live]");
if (live) {
  const button = live.querySelector(".acts button");
  button.hidden = true;
  live.addEventListener("change", () => button.form.requestSubmit(button));
}
