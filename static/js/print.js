/* The browser's own print, one tap away; without this file its menu has it. */
const offer = () => document.querySelectorAll("[data-print]").forEach((button) => { button.hidden = false; });
document.addEventListener("htmx:afterSettle", offer);
document.addEventListener("click", ({ target }) => { if (target.closest?.("[data-print]")) print(); });
offer();
