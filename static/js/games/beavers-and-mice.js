/* A card of the row is picked only where one is given for another: whoever thinks better of it has picked none. */
document.addEventListener("change", ({ target }) => {
  if (target.name !== "kind" || !target.form || "picksSlot" in target.dataset) return;
  target.form.querySelectorAll("[name=slot]").forEach((slot) => { slot.checked = false; });
});

/* A card that is corrected comes in words; in its box a special is the sign on its key. */
const SIGNS = { "two-chances>": "②", "exchange>": "⇄", "peek>": "◉" };
for (const box of document.querySelectorAll(".boxes.four .box")) {
  for (const [word, sign] of Object.entries(SIGNS)) box.value = box.value.replaceAll(word, sign);
}

/* A special waits for its number: the next key is added to it, even where the box was left and entered again. */
function wait(box) {
  if (!box?.matches(".boxes.four .box") || !/^[⇄◉②]+$/.test(box.value)) return;
  box.setSelectionRange(box.value.length, box.value.length);
  box.dispatchEvent(new Event("input", { bubbles: true })); // as if it had just been typed
}
document.addEventListener("focusin", ({ target }) => wait(target));
wait(document.activeElement);

/* What is corrected is marked as it was entered. */
const was = document.querySelector(".ways[data-card]");
if (was) {
  document.getElementById(`card-${was.dataset.card}`)?.setAttribute("aria-current", "true");
  const slot = was.querySelector("[data-picks-slot]:checked") && document.querySelector(`.slot [value="${was.dataset.slot}"]`);
  if (slot) slot.checked = true;
}
