/* What is in view after a swap. */

import { onSwap } from "../events.js";
import { isComplete } from "../pad/fields.js";

/* After an own entry the next empty box; at the end of a round, the top. */
function scrollAfterEntry() {
  if (document.querySelector("main > .verdict")) return scrollTo(0, 0);
  const boxes = [...document.querySelectorAll("#board .boxes [data-keypad]")];
  const empty = boxes.find((box) => !box.value && box.offsetParent);
  empty?.closest("fieldset").scrollIntoView({ block: "nearest" });
}

/* The box that a notice is about: the first one that is empty or incomplete. */
const isUnfinished = (box) => !box.value || (box.dataset.whole && !isComplete(box));
function scrollBelowNotice(notice) {
  const slip = notice.firstElementChild;
  document.documentElement.style.scrollPaddingTop = slip ? `${notice.offsetHeight + 12}px` : "";
  const boxes = [...document.getElementsByName(slip?.dataset.field || "none")];
  boxes.find((box) => isUnfinished(box) && box.offsetParent)?.focus({ preventScroll: true });
  document.querySelector("#board [data-active]")?.scrollIntoView({ block: "nearest" });
}

onSwap("table", ({ requestConfig }) => requestConfig.isNews || scrollAfterEntry());
onSwap("notice", ({ target }) => scrollBelowNotice(target));
