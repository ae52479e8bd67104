/* Conveniences for the forms of new tables and the calculator, which work without this file. */

/* Number options have plus and minus buttons; the default value is submitted as blank. */
document.querySelectorAll("[data-step]").forEach((button) => { button.hidden = false; });
document.addEventListener("click", ({ target }) => {
  const input = target.closest?.("[data-step]")?.parentElement.querySelector("input");
  if (!input) return;
  const number = Math.min(99, Math.max(1, Number(input.value || input.placeholder) + Number(target.dataset.step)));
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
