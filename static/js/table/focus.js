/* Keyboard focus after a swap: where it was, or on the next box to fill in. */

import { getTappedCard } from "./highlight.js";
import { onSettle } from "./swap-events.js";

let focused = "";
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (!detail.shouldSwap) return;
  const { name, value = "", form } = document.activeElement ?? {};
  if (name) focused = `[name="${name}"][value="${CSS.escape(value)}"]`;
  else focused = form?.id ? `[form="${form.id}"]` : "none";
});

export function restoreFocus() {
  if (document.activeElement !== document.body) return;
  const find = (selector) => document.querySelector(`main ${selector}`);
  const card = getTappedCard();
  const next = find(focused) || (card && find(`#${card}`)) || find(".box:placeholder-shown");
  (next || document.querySelector("main")).focus({ preventScroll: true });
}

/* News leaves the focus alone if there was none, unless somebody asked for it. */
onSettle("table", ({ requestConfig: { isNews, triggeringEvent } }) => {
  if (!isNews || triggeringEvent || focused !== "none") restoreFocus();
});
