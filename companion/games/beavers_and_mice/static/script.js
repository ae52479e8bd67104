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

/* A special waits for its number: what is typed is added to it, even where the box was left and entered again. */
function wait(box) {
  if (!box?.matches(".boxes.four .box") || !/^[⇄◉②]+$/.test(box.value)) return;
  box.setSelectionRange(box.value.length, box.value.length);
}
document.addEventListener("focusin", ({ target }) => wait(target));
wait(document.activeElement);

/* The four cards that are being revealed are added up as soon as each has its number. */
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

/* What is corrected is marked as it was entered. */
const was = document.querySelector(".ways[data-card]");
if (was) {
  document.getElementById(`card-${was.dataset.card}`)?.setAttribute("aria-current", "true");
  const slot = was.querySelector("[data-picks-slot]:checked") && document.querySelector(`.slot [value="${was.dataset.slot}"]`);
  if (slot) slot.checked = true;
}

/* A question says for whom it is and what has been answered before, and the last answer can be taken back. */
const names = (seat) => document.querySelectorAll(".seats .name, nav.picks bdi")[seat];
const WORDS = { seat: names, slot: (slot) => document.querySelector(`.slot:has([value="${slot}"]) .sr`), other: names };
function retrace() {
  const form = document.querySelector("#notice .slip.info form");
  const given = Object.keys(WORDS).filter((name) => form?.elements[name]?.type === "hidden");
  if (!given.length || document.querySelector("#notice .trail")) return;
  const trail = document.createElement("p");
  trail.className = "soft trail";
  given.forEach((name, index) => {
    const word = document.createElement("bdi");
    word.textContent = WORDS[name](form.elements[name].value)?.textContent.trim();
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
document.addEventListener("htmx:afterSettle", retrace);
retrace();
