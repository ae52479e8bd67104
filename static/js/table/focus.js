/* After a swap: what was just played is highlighted, and the focus goes where it was, or on the next box to fill in. */

import { onClick, onSettle } from "../events.js";

let tapped; // the card, which another element replaces
let focused = "";
onClick("#board .card", ({ id }) => { tapped = `#${CSS.escape(id)}`; });

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (!detail.shouldSwap) return;
  const { name, value = "", form } = document.activeElement ?? {};
  if (name) focused = `[name="${name}"][value="${CSS.escape(value)}"]`;
  else focused = form?.id ? `[form="${form.id}"]` : "none";
});

export function restoreFocus() {
  if (document.activeElement !== document.body) return;
  const find = (selector) => selector && document.querySelector(`main ${selector}`);
  const next = find(focused) || find(tapped) || find(".box:placeholder-shown");
  (next || document.querySelector("main")).focus({ preventScroll: true });
}

/* News leaves the focus alone if there was none, unless somebody asked for it. */
onSettle("table", ({ requestConfig: { isNews, triggeringEvent } }) => {
  if (tapped) document.querySelector(`${tapped}.laid`)?.classList.add("fresh");
  if (!isNews || triggeringEvent || focused !== "none") restoreFocus();
  tapped = null;
});
