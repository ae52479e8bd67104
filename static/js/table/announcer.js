/* Tells screen readers what was recorded and whose turn it is, in a live region that survives swaps. */

import { onSettle } from "../events.js";
import { getText } from "../outbox/labels.js";

onSettle("table", () => {
  const entry = document.querySelector(".log li p")?.cloneNode(true);
  entry?.querySelector("time")?.remove();
  const texts = [entry, ...document.querySelectorAll(".verdict, .turn-line")].map(getText);
  document.getElementById("said").textContent = texts.filter(Boolean).join(". ");
});
