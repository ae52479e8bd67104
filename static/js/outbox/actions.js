/* Taps in the list of queued entries, and on the notice of the one that is being mended. */

import { endMending, getMendedEntry, mendEntry } from "./mending.js";
import { discardEntry, retryEntry } from "./queue.js";
import { isOfThisTable, outbox } from "./state.js";
import { entries } from "./storage.js";

const OTHERS_VALUE = ".two-values a";

outbox.addEventListener("click", (event) => {
  const item = event.target.closest("li");
  const entry = entries.find(({ key }) => key === item?.dataset.key);
  if (!entry) return;
  const [show, retry, discard] = item.lastElementChild.children;
  const button = event.target.closest("a, button");
  const canMend = isOfThisTable(entry) && item.querySelector(".slip") && document.getElementById("notice");
  const isOthersValue = button?.matches(OTHERS_VALUE);
  if (isOthersValue || (button === show && canMend)) event.preventDefault();
  if (button === retry) retryEntry(entry);
  else if (button === discard || isOthersValue) discardEntry(entry);
  else if (button === show && canMend) mendEntry(entry);
});

document.addEventListener("click", ({ target }) => {
  const mended = getMendedEntry();
  if (mended && target.closest?.(`#notice ${OTHERS_VALUE}`)) discardEntry(mended);
  if (target.closest?.("#notice a")) endMending();
});
