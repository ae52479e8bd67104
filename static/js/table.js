/* Small comforts of the table pages; every one of them works without this file, only less smoothly. */

/* A slip is put away without a new page. */
document.addEventListener("click", (event) => {
  const shut = event.target.closest?.(".slip .shut");
  if (!shut) return;
  event.preventDefault();
  shut.closest(".slip").remove();
  keepFocus();
});

/* What was wrong is being mended: the slip goes, and what is still wrong is said above the keys. */
document.addEventListener("input", ({ target }) => {
  if (target.name?.includes(".")) document.querySelector("#notice .slip:not(.clash)")?.remove();
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
document.addEventListener("htmx:afterSettle", ({ detail }) => {
  if (detail.elt.id !== "table") return;
  document.querySelector(`#${CSS.escape(tapped || "none")}.laid`)?.classList.add("fresh");
  keepFocus();
  tell();
  tapped = "";
});

/* Whoever uses keys stays where they were when a part of the page is replaced; else at the next box to fill in. */
let inUse = "";
document.addEventListener("htmx:beforeSwap", () => {
  const { name, value, form } = document.activeElement ?? {};
  inUse = name ? `[name="${name}"][value="${CSS.escape(value)}"]` : form?.id ? `[form="${form.id}"]` : "none";
});
function keepFocus() {
  if (document.activeElement !== document.body) return;
  const find = (selector) => document.querySelector(`main ${selector}`);
  const next = find(inUse) || (tapped && find(`#${tapped}`)) || find(".box:placeholder-shown") || document.querySelector("main");
  next.focus({ preventScroll: true });
}

/* Screen readers hear what was recorded and whose turn it is: a part that stays on the page says so. */
function tell() {
  const line = document.querySelector(".log li p")?.cloneNode(true);
  line?.querySelector("time")?.remove();
  const words = [line, ...document.querySelectorAll(".verdict, .turn-line")].map((part) => part?.textContent.trim());
  document.getElementById("said").textContent = words.filter(Boolean).join(". ");
}

/* After a count is saved, the next empty box comes into sight. */
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id !== "table") return;
  const empty = [...document.querySelectorAll("#board .boxes [data-keypad]")].find((box) => !box.value && box.offsetParent);
  const seen = document.querySelector("main > .verdict") ?? empty?.closest("fieldset");
  seen?.scrollIntoView({ block: "nearest" });
});

/* A slip leaves the box that it speaks of in sight: the first that is empty, or holds but a part, where one is missing. */
const isOpen = ({ value, dataset }) => !value || (dataset.whole && !new RegExp(`^(?:${dataset.whole})$`).test(value));
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id !== "notice") return;
  const slip = detail.target.firstElementChild;
  document.documentElement.style.scrollPaddingTop = slip ? `${detail.target.offsetHeight + 12}px` : "";
  const named = [...document.getElementsByName(slip?.dataset.field || "none")];
  named.find((box) => isOpen(box) && box.offsetParent)?.focus({ preventScroll: true });
  document.querySelector("#board [data-active]")?.scrollIntoView({ block: "nearest" });
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

/* A number that is an option is tapped up and down; the usual one is the same as none. */
document.querySelectorAll("[data-step]").forEach((button) => { button.hidden = false; });
document.addEventListener("click", ({ target }) => {
  const input = target.closest?.("[data-step]")?.parentElement.querySelector("input");
  if (!input) return;
  const number = Math.min(99, Math.max(1, Number(input.value || input.placeholder) + Number(target.dataset.step)));
  input.value = number === Number(input.placeholder) ? "" : number;
  input.dispatchEvent(new Event("change", { bubbles: true }));
});

/* Where a choice changes the form itself, it does so at once. */
const live = document.querySelector("[data-live]");
if (live) {
  const button = live.querySelector(".acts button");
  button.hidden = true;
  live.addEventListener("change", () => button.form.requestSubmit(button));
}

/* Names are tapped in their order; a second tap takes a name, and those after it, back. */
const selects = (group) => [...group.querySelectorAll("select")];
const order = (group) => selects(group).map((select) => select.value).filter(Boolean);
function drawOrder(group) {
  const places = order(group);
  group.querySelector(".picks").hidden = false;
  group.querySelector(".boxes").hidden = true;
  for (const button of group.querySelectorAll("[data-seat]")) {
    const place = places.indexOf(button.dataset.seat);
    button.setAttribute("aria-pressed", String(place >= 0));
    button.querySelector(".place").textContent = place >= 0 ? place + 1 : "";
  }
}
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-tap-order] [data-seat]");
  if (!button) return;
  const group = button.closest("[data-tap-order]");
  const places = order(group);
  const at = places.indexOf(button.dataset.seat);
  const now = at >= 0 ? places.slice(0, at) : [...places, button.dataset.seat];
  selects(group).forEach((select, index) => { select.value = now[index] ?? ""; });
  group.querySelector("select").dispatchEvent(new Event("input", { bubbles: true }));
});
document.addEventListener("input", ({ target }) => {
  if (target.matches("[data-tap-order] select")) drawOrder(target.closest("[data-tap-order]"));
});
const drawOrders = () => document.querySelectorAll("[data-tap-order]").forEach(drawOrder);
document.addEventListener("htmx:afterSettle", drawOrders);
drawOrders();
