/* When a notice goes, and what is said when a request fails. */

import { onClick } from "../events.js";
import { restoreFocus } from "./focus.js";
import { showMessage } from "./notice.js";

/* Close a notice without loading a page. */
onClick(".slip .shut", (button, event) => {
  event.preventDefault();
  button.closest(".slip").remove();
  restoreFocus();
});

/* Once the input is being corrected, the notice goes, and remaining problems are shown above the keys. */
document.addEventListener("input", ({ target, detail }) => {
  if (detail !== "kept" && target.name?.includes(".")) document.querySelector("#notice .slip:not(.clash)")?.remove();
});

/* Requests that nobody waits for fail silently: they are made again. */
const SILENT = "#preview, #news, #outbox";
for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
  document.addEventListener(name, ({ detail: { elt, requestConfig } }) => {
    if (elt.matches(SILENT) || (elt.id === "table" && !requestConfig.triggeringEvent)) return;
    showMessage(document.getElementById("outbox")?.dataset.lost);
  });
}
