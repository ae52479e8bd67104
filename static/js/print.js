/* Print button for the browser's own print dialog. A link ending in #print prints at once. */
document.querySelectorAll("[data-print]").forEach((button) => {
  button.hidden = false;
  button.addEventListener("click", () => print());
});
if (location.hash === "#print") {
  history.replaceState(null, "", location.pathname + location.search);
  addEventListener("load", () => document.fonts.ready.then(() => print()));
}
