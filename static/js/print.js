/* The browser's own print, one tap away; without this file its menu has it. A link ending in #print prints at once. */
document.querySelectorAll("[data-print]").forEach((button) => {
  button.hidden = false;
  button.addEventListener("click", () => print());
});
if (location.hash === "#print") {
  history.replaceState(null, "", location.pathname + location.search);
  addEventListener("load", () => document.fonts.ready.then(() => print()));
}
