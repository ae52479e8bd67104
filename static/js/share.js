/* Copies an address; also where the clipboard is kept from pages that are not secure. Without this file the box is read. */
const offer = () => document.querySelectorAll("[data-copy]").forEach((button) => { button.hidden = false; });

async function copy(button) {
  const box = document.getElementById(button.dataset.copy);
  box.select();
  if (navigator.clipboard) await navigator.clipboard.writeText(box.value);
  else document.execCommand("copy");
  button.setAttribute("data-done", "");
}

document.addEventListener("htmx:afterSettle", offer);
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-copy]");
  if (button) copy(button);
});
offer();
