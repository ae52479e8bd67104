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

/* A card that several rows take lights them up, and lies where the next tap says. */
let picked = null;
function light(form, rows) {
  for (const radio of form.querySelectorAll("[name=row]")) {
    radio.closest("label").classList.toggle("lit", rows.includes(radio.value) && radio.value !== "");
  }
}
document.addEventListener("click", (event) => {
  const card = event.target.closest?.("#board [data-rows]");
  if (!card) return;
  const rows = card.dataset.rows.split(" ");
  const chosen = card.form.querySelector("[name=row]:checked");
  const isAsked = card.form.querySelector("[name=seat][type=radio]:not(:checked)") && !card.form.querySelector("[name=seat]:checked");
  picked?.removeAttribute("aria-pressed");
  picked = null;
  light(card.form, []);
  if (rows.length < 2 || chosen?.value || isAsked) return;
  event.preventDefault();
  picked = card;
  card.setAttribute("aria-pressed", "true");
  light(card.form, rows);
});
document.addEventListener("change", (event) => {
  if (event.target.name !== "row" || !picked?.isConnected || !event.target.value) return;
  picked.click(); // not requestSubmit: htmx forgets the button once the focus has left it
});

/* Where a choice changes the form itself, it does so at once. */
const live = document.querySelector("[data-live]");
if (live) {
  const button = live.querySelector("button");
  button.hidden = true;
  live.addEventListener("change", () => button.form.requestSubmit(button));
}
