/* A card that fits several rows highlights them, and one tapped before it is known who starts asks for that: the next
   tap chooses. */

let picked = null;

function highlightRows(form, rows) {
  for (const radio of form.querySelectorAll("[name=row]")) {
    radio.closest("label").classList.toggle("lit", rows.includes(radio.value) && radio.value !== "");
  }
}

document.addEventListener("click", (event) => {
  const card = event.target.closest?.("#board .card");
  if (!card?.form) return;
  const rows = card.dataset.rows?.split(" ") ?? [];
  const starters = card.form.querySelector(".begins:not(:has(:checked))");
  picked?.removeAttribute("aria-pressed");
  picked = null;
  highlightRows(card.form, []);
  if (!starters && (rows.length < 2 || card.form.querySelector("[name=row]:checked")?.value)) return;
  event.preventDefault();
  picked = card;
  card.setAttribute("aria-pressed", "true");
  if (starters) starters.scrollIntoView({ block: "center" });
  else highlightRows(card.form, rows);
});

document.addEventListener("change", ({ target: { name, value } }) => {
  if (picked?.isConnected && (name === "row" ? value : name === "seat")) picked.click();
});
