/* A card of the row is only picked to be exchanged: picking another kind of play unpicks it. */
document.addEventListener("change", ({ target }) => {
  if (target.name !== "kind" || !target.form || "picksSlot" in target.dataset) return;
  target.form.querySelectorAll("[name=slot]").forEach((slot) => { slot.checked = false; });
});

/* A corrected card arrives as notation; in its box a special is the symbol on its key. */
const SIGNS = { "two-chances>": "②", "exchange>": "⇄", "peek>": "◉" };
for (const box of document.querySelectorAll(".boxes.four .box")) {
  for (const [word, sign] of Object.entries(SIGNS)) box.value = box.value.replaceAll(word, sign);
}

/* A special waits for its number: typing appends to it, even after leaving the box and coming back. */
function waitForNumber(box) {
  if (!box?.matches(".boxes.four .box") || !/^[⇄◉②]+$/.test(box.value)) return;
  box.setSelectionRange(box.value.length, box.value.length);
}
document.addEventListener("focusin", ({ target }) => waitForNumber(target));
waitForNumber(document.activeElement);

/* Add up the four revealed cards as soon as each has its number. */
function addUp() {
  const sum = document.getElementById("sum-reveal");
  if (!sum) return;
  const points = [...sum.form.querySelectorAll(".boxes.four .box")].map((box) => parseInt(box.value.at(-1), 10));
  const total = points.reduce((one, other) => one + other);
  sum.textContent = Number.isNaN(total) ? "" : `= ${total}`;
}
document.addEventListener("input", addUp);
document.addEventListener("htmx:afterSettle", addUp);
addUp();

/* Mark what is being corrected as it was entered. */
const corrected = document.querySelector(".ways[data-card]");
if (corrected) {
  document.getElementById(`card-${corrected.dataset.card}`)?.setAttribute("aria-current", "true");
  const picksSlot = corrected.querySelector("[data-picks-slot]:checked");
  const slot = picksSlot && document.querySelector(`.slot [value="${corrected.dataset.slot}"]`);
  if (slot) slot.checked = true;
}

/* A question shows whom it is for and the earlier answers; the last one can be taken back. */
const getName = (seat) => document.querySelectorAll(".seats .name, nav.picks bdi")[seat];
const getSlot = (slot) => document.querySelector(`.slot:has([value="${slot}"]) .sr`);
const LABELS = { seat: getName, slot: getSlot, other: getName };
function showTrail() {
  const form = document.querySelector("#notice .slip.info form");
  const given = Object.keys(LABELS).filter((name) => form?.elements[name]?.type === "hidden");
  if (!given.length || document.querySelector("#notice .trail")) return;
  const trail = document.createElement("p");
  trail.className = "soft trail";
  given.forEach((name, index) => {
    const word = document.createElement("bdi");
    word.textContent = LABELS[name](form.elements[name].value)?.textContent.trim();
    trail.append(index ? " · " : "", word);
  });
  form.parentElement.prepend(trail);
  const last = given.at(-1);
  if (last === "seat") return;
  const back = document.getElementById("step-back").content.firstElementChild.cloneNode(true);
  back.addEventListener("click", () => {
    form.elements[last].remove();
    form.requestSubmit();
  });
  form.querySelector(".acts").append(back);
}
document.addEventListener("htmx:afterSettle", showTrail);
showTrail();
