/* Tapping cards of Sideboards: four colours from top to bottom (the fifth follows), then the drawers of the three
   handles. Taps fill the boxes in which cards are typed without this file. */

const HANDLES = "fsb";
const createCard = () => ({ colours: [], handles: ["", "", "", "", ""] });
const cardsInMaking = new WeakMap(); // the card that a maker is making
const liftedCards = new WeakMap(); // by maker: place and text of a card being edited, and the new card that waits
const getCard = (maker) => cardsInMaking.get(maker) ?? cardsInMaking.set(maker, createCard()).get(maker);
const formatCard = (card) => card.colours.map((colour, line) => colour + card.handles[line]).join("");
const findMissingHandle = (card) => [...HANDLES].find((handle) => !card.handles.includes(handle));
const isWhole = (card) => card.colours.length === 5 && !findMissingHandle(card);

function parseCard(text) {
  const drawers = [...text.matchAll(/([RTPOB])([fsb]?)/g)].slice(0, 5);
  const handles = createCard().handles.map((_none, line) => drawers[line]?.[2] ?? "");
  return { colours: drawers.map(([, colour]) => colour), handles };
}

/* The letter and name of a colour are on its button, in the page's language. */
function paintDrawer(drawer, maker, colour, handle) {
  const button = maker.querySelector(`[data-colour="${colour || "none"}"]`);
  drawer.className = `drawer ${colour || "room"} ${handle ?? ""}`.trim();
  drawer.textContent = button?.textContent ?? "";
}

const getColourName = (maker, colour) => maker.querySelector(`[data-colour="${colour}"]`).getAttribute("aria-label");
const describeCard = (maker, card) => card.colours.map((colour, line) => {
  const handle = card.handles[line];
  return getColourName(maker, colour) + (handle ? ` (${maker.querySelector(`.knob.${handle}`).title})` : "");
}).join(", ");

function drawMaker(maker) {
  const card = getCard(maker);
  const isColoured = card.colours.length === 5;
  maker.querySelectorAll("[data-slot]").forEach((slot, line) => {
    paintDrawer(slot, maker, card.colours[line], card.handles[line]);
    slot.disabled = !isColoured;
    slot.title = isColoured ? getColourName(maker, card.colours[line]) : "";
    slot.setAttribute("aria-pressed", String(Boolean(card.handles[line])));
  });
  for (const button of maker.querySelectorAll("[data-colour]")) {
    button.disabled = card.colours.includes(button.dataset.colour);
  }
  const isLifted = liftedCards.has(maker);
  const asked = isColoured ? findMissingHandle(card) ?? (isLifted ? "lifted" : "whole") : "colour";
  for (const line of maker.querySelectorAll("[data-ask]")) line.hidden = line.dataset.ask !== asked;
  maker.querySelector(".ask").classList.remove("look");
  maker.querySelector("[data-make=turn]").disabled = !isColoured;
  const scope = maker.closest("[data-layout], form");
  const isAsleep = !isWhole(card) || (isFull(scope) && !isLifted);
  for (const button of scope.querySelectorAll(".lay")) button.classList.toggle("asleep", isAsleep);
  const box = maker.closest("[data-layout]") ? null : scope.querySelector("[name=card]");
  if (box) box.value = formatCard(card);
}

function tapColour(maker, colour) {
  const { colours } = getCard(maker);
  if (!colours.includes(colour)) colours.push(colour);
  const all = [...maker.querySelectorAll("[data-colour]")].map((button) => button.dataset.colour);
  if (colours.length === 4) colours.push(all.find((other) => !colours.includes(other)));
}

/* A drawer takes the next handle; a second tap removes it. */
function tapSlot(maker, line) {
  const card = getCard(maker);
  card.handles[line] = card.handles[line] ? "" : findMissingHandle(card) ?? "";
}

function removeLast(card) {
  const held = [...HANDLES].reverse().find((handle) => card.handles.includes(handle));
  if (held) card.handles[card.handles.indexOf(held)] = "";
  else card.colours.splice(card.colours.length === 5 ? 3 : -1);
}

function turnCard(card) {
  if (card.colours.length < 5) return;
  card.colours.reverse();
  card.handles.reverse();
}

/* The eight cards of the pad; their boxes hold the notation, from left to right. */
const getMaker = (layout) => layout.querySelector("[data-maker]");
const listBoxes = (layout) => [...layout.querySelectorAll(".words input")];
const listCards = (layout) => listBoxes(layout).map((box) => box.value.trim()).filter(Boolean);
const isFull = (scope) => scope.matches("[data-layout]") && listCards(scope).length === listBoxes(scope).length;

let isOwnChange = false; // whether the words are changed here, and not brought back by somebody else
function fillBoxes(layout, cards) {
  listBoxes(layout).forEach((box, place) => { box.value = cards[place] ?? ""; });
  for (const box of layout.closest("fieldset").querySelectorAll(".by-hand > :not(.always) input")) box.value = "";
  drawLayout(layout);
  isOwnChange = true;
  listBoxes(layout)[0].dispatchEvent(new Event("input", { bubbles: true }));
  isOwnChange = false;
}
document.addEventListener("input", ({ target }) => {
  const layout = !isOwnChange && target.closest?.(".words")?.closest("[data-layout]");
  if (!layout || getMaker(layout).hidden) return; // nothing is drawn where there are only the boxes
  layout.open = true;
  drawLayout(layout);
});

function drawLayout(layout) {
  const maker = getMaker(layout);
  const laid = layout.querySelector("[data-laid]");
  const inUse = [...laid.children].indexOf(document.activeElement);
  laid.replaceChildren(...listCards(layout).map((text, place) => {
    const column = document.createElement("button");
    column.type = "button";
    column.dataset.column = place;
    const card = parseCard(text);
    column.setAttribute("aria-label", describeCard(maker, card));
    column.setAttribute("aria-pressed", String(liftedCards.get(maker)?.place === place));
    column.append(...card.colours.map((colour, line) => {
      const drawer = document.createElement("span");
      paintDrawer(drawer, maker, colour, card.handles[line]);
      return drawer;
    }));
    return column;
  }));
  laid.classList.toggle("whole", isFull(layout) && !liftedCards.has(maker));
  markScoring(layout);
  laid.children[inUse]?.focus({ preventScroll: true });
  drawMaker(maker);
}

/* A complete sideboard shows the drawers rendered by the server, with what counts, once they arrive. */
function markScoring(layout) {
  const shelves = [...layout.querySelectorAll(".seen .shelf")];
  layout.querySelectorAll(".whole > button").forEach((column, place) => {
    const drawers = shelves.map((shelf) => shelf.children[place]);
    const isSame = drawers.every((drawer, line) => drawer.className.trim() === column.children[line].className.trim());
    if (drawers.length && isSame) column.replaceChildren(...drawers.map((drawer) => drawer.cloneNode(true)));
  });
}

function addCard(layout, end) {
  const maker = getMaker(layout);
  if (isFull(layout)) return;
  const text = formatCard(getCard(maker));
  cardsInMaking.set(maker, createCard());
  fillBoxes(layout, end === "left" ? [text, ...listCards(layout)] : [...listCards(layout), text]);
}

/* A laid card is edited in place; the new card being made waits meanwhile. */
function liftCard(layout, place) {
  const maker = getMaker(layout);
  const lifted = liftedCards.get(maker);
  if (lifted?.place === place) return putCardBack(layout);
  const original = listCards(layout)[place];
  liftedCards.set(maker, { place, original, newCard: lifted?.newCard ?? getCard(maker) });
  cardsInMaking.set(maker, parseCard(original));
  drawLayout(layout);
}

/* While it is complete, its box holds the edited card; otherwise the card as it was. */
function updateLifted(layout) {
  const maker = getMaker(layout);
  const { place, original } = liftedCards.get(maker);
  const text = isWhole(getCard(maker)) ? formatCard(getCard(maker)) : original;
  if (text === listCards(layout)[place]) drawMaker(maker);
  else fillBoxes(layout, listCards(layout).map((card, index) => (index === place ? text : card)));
}

function putCardBack(layout, isGone = false) {
  const maker = getMaker(layout);
  const { place, newCard } = liftedCards.get(maker);
  liftedCards.delete(maker);
  cardsInMaking.set(maker, newCard);
  if (isGone) fillBoxes(layout, listCards(layout).filter((_card, index) => index !== place));
  else drawLayout(layout);
  layout.querySelector(`[data-column="${place}"]`)?.focus({ preventScroll: true });
}

/* A disabled button shows which question is open. */
function pressButton(layout, button) {
  const { add: where, column } = button.dataset;
  if (column) liftCard(layout, Number(column));
  else if (button.matches(".asleep")) layout.querySelector(".ask").classList.add("look");
  else if (where === "left" || where === "right") addCard(layout, where);
  else if (where) putCardBack(layout, where === "away");
  layout.querySelector(".adds").scrollIntoView({ block: "nearest" });
}

/* Cards and number pad share the same space: tapping cards closes the number pad. */
function closeKeypad() {
  document.querySelectorAll(".box[data-active]").forEach((box) => box.removeAttribute("data-active"));
}
document.addEventListener("toggle", ({ target }) => {
  if (target.matches("[data-layout][open]")) closeKeypad();
}, true);

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("button");
  const maker = button?.closest("[data-maker]");
  const layout = button?.closest("[data-layout]");
  if (layout) closeKeypad();
  if (maker) {
    const { colour, slot, make } = button.dataset;
    if (colour) tapColour(maker, colour);
    if (slot) tapSlot(maker, Number(slot));
    if (make === "back") removeLast(getCard(maker));
    if (make === "turn") turnCard(getCard(maker));
    if (liftedCards.has(maker)) updateLifted(layout); else drawMaker(maker);
  } else if (layout) pressButton(layout, button);
});

/* One goal at a time highlights its drawers on every sideboard, also after the table is replaced. */
let lit = "";
function highlightGoal() {
  document.querySelectorAll(".lit").forEach((box) => { box.checked = box.value === lit; });
}
document.addEventListener("change", ({ target }) => {
  if (!target.matches(".lit")) return;
  lit = target.checked ? target.value : "";
  highlightGoal();
});

/* Whoever enters one sideboard, each on their own phone, continues with it until it is full. */
let seat = "";
document.addEventListener("change", ({ target }) => {
  if (target.matches("#board [name=seat]")) seat = target.value;
});
function restoreSeat() {
  const chosen = seat && document.querySelector(`#board .pick:not(.full) > [name=seat][value="${seat}"]`);
  if (chosen) chosen.checked = true;
}

function attachMakers() {
  for (const maker of document.querySelectorAll("[data-maker][hidden]")) {
    maker.hidden = false;
    const layout = maker.closest("[data-layout]");
    for (const plain of (layout ?? maker.parentElement).querySelectorAll(".words, .typed")) plain.hidden = true;
    layout?.querySelectorAll("[data-laid], [data-adds]").forEach((part) => { part.hidden = false; });
    const typed = maker.parentElement.querySelector(".typed [name=card]");
    if (typed?.value) cardsInMaking.set(maker, parseCard(typed.value));
    if (layout && listCards(layout).length) layout.open = true;
    if (layout) drawLayout(layout); else drawMaker(maker);
  }
  document.querySelectorAll("[data-layout]").forEach(markScoring);
  highlightGoal();
  restoreSeat();
  const given = document.querySelector("[name$='row_goal']");
  if (given) offerFields(given.closest("[data-goal]"), given.value);
}
/* Scroll to what is still missing after an own entry. */
document.addEventListener("htmx:afterSettle", ({ detail }) => {
  attachMakers();
  if (detail.elt.id !== "table" || detail.requestConfig.isNews) return;
  document.querySelector(".goals > [open]")?.scrollIntoView({ block: "nearest" });
});
attachMakers();

/* An undrawn goal can be tapped wherever it appears. */
document.addEventListener("click", ({ target }) => {
  const goal = target.closest?.("a[href^='#goal-']")?.hash;
  document.querySelector(goal || "details.none")?.setAttribute("open", "");
});

/* Another goal has another pattern: the circle's saved one, or none yet. */
function chooseGoal(goal, number) {
  const kept = document.querySelector(`[data-kept="${goal.dataset.goal}-${number}"]`)?.dataset.words ?? "";
  const known = Object.fromEntries(kept.split(";").filter(Boolean).map((pair) => pair.split("=")));
  for (const box of goal.querySelectorAll("input[type=checkbox]")) {
    box.checked = (known[box.name.replace("option.", "")] ?? "").split(",").includes(box.value);
  }
  for (const box of goal.querySelectorAll("input[type=text], select[name$='row_of']")) {
    const value = known[box.name.replace("option.", "")] ?? box.dataset.usual;
    if (value) box.value = value;
  }
  const drawing = goal.querySelector("details");
  if (drawing && kept) drawing.open = true;
  offerFields(goal, number);
}

/* A goal that names a colour offers colours; one that names a handle, handles. */
function offerFields(goal, number) {
  for (const field of goal.querySelectorAll("[data-of]")) {
    field.hidden = field.disabled = field.dataset.of !== (number < 24 ? "colour" : "handle");
  }
}
/* Runs before the calculator's own listener, which need not know of every cell: no box changes with them. */
document.addEventListener("change", (event) => {
  const goal = event.target.closest?.("[data-goal]");
  if (!goal) return;
  if (event.target.name.endsWith("_goal")) chooseGoal(goal, event.target.value);
  else event.stopPropagation();
  const points = goal.querySelector("summary .num");
  if (points) points.textContent = goal.querySelector("input[type=text]").value;
  if (!event.isTrusted) event.target.dispatchEvent(new Event("input", { bubbles: true })); // tapped up or down
}, true);
