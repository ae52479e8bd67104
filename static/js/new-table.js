/* Small comforts of the forms that open a table or count without one; they work without this file, too. */

/* A number that is an option is tapped up and down; the usual one is the same as none. */
document.querySelectorAll("[data-step]").forEach((button) => { button.hidden = false; });
document.addEventListener("click", ({ target }) => {
  const input = target.closest?.("[data-step]")?.parentElement.querySelector("input");
  if (!input) return;
  const number = Math.min(99, Math.max(1, Number(input.value || input.placeholder) + Number(target.dataset.step)));
  input.value = number === Number(input.placeholder) ? "" : number;
  input.dispatchEvent(new Event("change", { bubbles: true }));
});

/* Where a choice changes the form itself, it does so at once. */
const live = document.querySelector("[data-live]");
if (live) {
  const button = live.querySelector(".acts button");
  button.hidden = true;
  live.addEventListener("change", () => button.form.requestSubmit(button));
}
