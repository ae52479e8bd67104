/* Small comforts of the table pages; every one of them works without this file, only less smoothly. */

/* A slip is put away without a new page. */
document.addEventListener("click", (event) => {
  const shut = event.target.closest?.(".slip .shut");
  if (!shut) return;
  event.preventDefault();
  shut.closest(".slip").remove();
});

/* No answer from the server: say so, and keep what was entered. */
for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
  document.addEventListener(name, (event) => {
    const words = document.getElementById("not-saved");
    const notice = document.getElementById("notice");
    if (event.detail.elt?.id === "preview" || !words || !notice) return;
    notice.replaceChildren(words.content.cloneNode(true));
  });
}

/* What was just played is marked for a moment. */
let tapped = "";
document.addEventListener("click", (event) => {
  const card = event.target.closest?.("#board .card");
  if (card) tapped = card.id;
});
document.addEventListener("htmx:afterSettle", () => {
  document.querySelector(`#${CSS.escape(tapped || "none")}.laid`)?.classList.add("fresh");
  tapped = "";
});
