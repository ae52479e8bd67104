/* Highlights what was just played for a moment. */

import { onSettle } from "./swap-events.js";

let tapped = "";
export const getTappedCard = () => tapped;

document.addEventListener("click", (event) => {
  const card = event.target.closest?.("#board .card");
  if (card) tapped = card.id;
});
onSettle("table", () => {
  document.querySelector(`#${CSS.escape(tapped || "none")}.laid`)?.classList.add("fresh");
  queueMicrotask(() => { tapped = ""; }); // once the focus is back
});
