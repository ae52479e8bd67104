/* Names are tapped in order; a second tap removes a name and those after it. */

import { onClick } from "../events.js";

const listSelects = (group) => [...group.querySelectorAll("select")];
const listSeats = (group) => listSelects(group).map((select) => select.value).filter(Boolean);

function drawOrder(group) {
  const seats = listSeats(group);
  group.querySelector(".picks").hidden = false;
  group.querySelector(".boxes").hidden = true;
  for (const button of group.querySelectorAll("[data-seat]")) {
    const index = seats.indexOf(button.dataset.seat);
    button.setAttribute("aria-pressed", String(index >= 0));
    button.querySelector(".place").textContent = index >= 0 ? index + 1 : "";
  }
}
const drawOrders = () => document.querySelectorAll("[data-tap-order]").forEach(drawOrder);

onClick("[data-tap-order] [data-seat]", (button) => {
  const group = button.closest("[data-tap-order]");
  const seats = listSeats(group);
  const index = seats.indexOf(button.dataset.seat);
  const chosen = index >= 0 ? seats.slice(0, index) : [...seats, button.dataset.seat];
  listSelects(group).forEach((select, place) => { select.value = chosen[place] ?? ""; });
  group.querySelector("select").dispatchEvent(new Event("input", { bubbles: true }));
});
document.addEventListener("input", ({ target }) => {
  if (target.matches("[data-tap-order] select")) drawOrder(target.closest("[data-tap-order]"));
});
document.addEventListener("htmx:afterSettle", drawOrders);
drawOrders();
