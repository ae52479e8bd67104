/* Offline the pad moves on by itself: a round whose counts are all waiting makes room for the next, and comes back when
   one of them is withdrawn. */

import { listFields, restoreDraft } from "./drafts.js";
import { enterBox, getActiveBox, listBoxes, PAD } from "./keypad.js";

const pads = new Map(); // by round, as they were left
let upcoming; // what the page says of the next round

function getPadOfRound(round) {
  if (!pads.has(round)) {
    const pad = document.importNode(upcoming.content.querySelector(PAD), true);
    pad.elements.round.value = round;
    pads.set(round, pad);
  }
  return pads.get(round);
}

const getGroup = (name) => name.slice(0, Math.max(0, name.lastIndexOf(".")));
function isCounted(pad, waiting) {
  const ofRound = waiting.filter(({ round }) => round === pad.elements.round.value);
  const filled = ofRound.flatMap(({ body }) => body.filter(([, value]) => value).map(([name]) => getGroup(name)));
  const open = listFields(pad).map(({ name }) => getGroup(name)).filter(Boolean);
  return open.length && open.every((group) => filled.includes(group));
}

function showRound(round) {
  const pad = getPadOfRound(round);
  if (pad.isConnected) return;
  document.querySelector(PAD).replaceWith(pad);
  document.querySelector(".where span").textContent = upcoming.dataset.title.replace(upcoming.dataset.round, round);
  htmx.process(pad);
  restoreDraft();
  htmx.trigger(pad, "htmx:afterSettle", { elt: pad });
  const isElsewhere = getActiveBox() && !pad.contains(document.activeElement);
  const empty = isElsewhere && listBoxes(pad).find((box) => !box.value);
  if (empty) enterBox(empty);
}

document.addEventListener("outbox:waiting", ({ detail: waiting }) => {
  const shown = document.querySelector(PAD);
  const next = shown && document.getElementById("next-round");
  if (!next) return;
  if (next !== upcoming) {
    pads.clear();
    pads.set(next.dataset.round - 1, shown);
    upcoming = next;
  }
  let round = Number(shown.elements.round.value);
  while (round < next.dataset.last && isCounted(getPadOfRound(round), waiting)) round += 1;
  showRound(round);
});
document.addEventListener("outbox:restore", ({ detail: { round } }) => {
  if (upcoming?.isConnected && round >= upcoming.dataset.round - 1) showRound(Number(round));
});
