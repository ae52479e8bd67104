/* Tapping cards of Sideboards: four colours from top to bottom (the fifth follows), then the drawers of the three
   handles. Taps fill the boxes in which cards are typed without this file. */

const HANDLES = "fsb";
const EMPTY = () => ({ colours: [], handles: ["", "", "", "", ""] });
const made = new WeakMap(); // the card that a maker is making
const lifted = new WeakMap(); // of a maker with a card that lies: its place, how it lay, and the new card that waits
const cardOf = (maker) => made.get(maker) ?? made.set(maker, EMPTY()).get(maker);
const word = (card) => card.colours.map((colour, line) => colour + card.handles[line]).join("");
const missing = (card) => [...HANDLES].find((handle) => !card.handles.includes(handle));
const isWhole = (card) => card.colours.length === 5 && !missing(card);

function read(text) {
  const drawers = [...text.matchAll(/([RTPOB])([fsb]?)/g)].slice(0, 5);
  return { colours: drawers.map((own) => own[1]), handles: EMPTY().handles.map((_none, line) => drawers[line]?.[2] ?? "") };
}

/* The letter and name of a colour are on its button, in the page's language. */
function paint(drawer, maker, colour, handle) {
  const button = maker.querySelector(`[data-colour="${colour || "none"}"]`);
  drawer.className = `drawer ${colour || "room"} ${handle ?? ""}`.trim();
  drawer.textContent = button?.textContent ?? "";
}

const nameOf = (maker, colour) => maker.querySelector(`[data-colour="${colour}"]`).getAttribute("aria-label");
const inWords = (maker, card) => card.colours.map((colour, line) => {
  const handle = card.handles[line];
  return nameOf(maker, colour) + (handle ? ` (${maker.querySelector(`.knob.${handle}`).title})` : "");
}).join(", ");

function draw(maker) {
  const card = cardOf(maker);
  const isColoured = card.colours.length === 5;
  maker.querySelectorAll("[data-slot]").forEach((slot, line) => {
    paint(slot, maker, card.colours[line], card.handles[line]);
    slot.disabled = !isColoured;
    slot.title = isColoured ? nameOf(maker, card.colours[line]) : "";
    slot.setAttribute("aria-pressed", String(Boolean(card.handles[line])));
  });
  for (const button of maker.querySelectorAll("[data-colour]")) button.disabled = card.colours.includes(button.dataset.colour);
  const isLifted = lifted.has(maker);
  const asked = isColoured ? missing(card) ?? (isLifted ? "lifted" : "whole") : "colour";
  for (const line of maker.querySelectorAll("[data-ask]")) line.hidden = line.dataset.ask !== asked;
  maker.querySelector(".ask").classList.remove("look");
  maker.querySelector("[data-make=turn]").disabled = !isColoured;
  const scope = maker.closest("[data-layout], form");
  for (const lay of scope.querySelectorAll(".lay")) lay.classList.toggle("asleep", !isWhole(card) || (isFull(scope) && !isLifted));
  const box = maker.closest("[data-layout]") ? null : scope.querySelector("[name=card]");
  if (box) box.value = word(card);
}

function tapColour(maker, colour) {
  const { colours } = cardOf(maker);
  if (!colours.includes(colour)) colours.push(colour);
  if (colours.length === 4) colours.push([...maker.querySelectorAll("[data-colour]")].map((own) => own.dataset.colour).find((own) => !colours.includes(own)));
}

/* A drawer takes the next handle; a second tap removes it. */
function tapSlot(maker, line) {
  const card = cardOf(maker);
  card.handles[line] = card.handles[line] ? "" : missing(card) ?? "";
}

function back(card) {
  const held = [...HANDLES].reverse().find((handle) => card.handles.includes(handle));
  if (held) card.handles[card.handles.indexOf(held)] = "";
  else card.colours.splice(card.colours.length === 5 ? 3 : -1);
}

function turn(card) {
  if (card.colours.length < 5) return;
  card.colours.reverse();
  card.handles.reverse();
}

/* The eight cards of the pad; their boxes hold the notation, from left to right. */
const makerOf = (layout) => layout.querySelector("[data-maker]");
const boxes = (layout) => [...layout.querySelectorAll(".words input")];
const words = (layout) => boxes(layout).map((box) => box.value.trim()).filter(Boolean);
const isFull = (scope) => scope.matches("[data-layout]") && words(scope).length === boxes(scope).length;

let isOwn = false; // whether the words are changed here, and not brought back by somebody else
function fill(layout, cards) {
  boxes(layout).forEach((box, place) => { box.value = cards[place] ?? ""; });
  for (const box of layout.closest("fieldset").querySelectorAll(".by-hand > :not(.always) input")) box.value = "";
  show(layout);
  isOwn = true;
  boxes(layout)[0].dispatchEvent(new Event("input", { bubbles: true }));
  isOwn = false;
}
document.addEventListener("input", ({ target }) => {
  const layout = !isOwn && target.closest?.(".words")?.closest("[data-layout]");
  if (!layout || makerOf(layout).hidden) return; // nothing is drawn where there are only the boxes
  layout.open = true;
  show(layout);
});

function show(layout) {
  const maker = makerOf(layout);
  const laid = layout.querySelector("[data-laid]");
  const inUse = [...laid.children].indexOf(document.activeElement);
  laid.replaceChildren(...words(layout).map((text, place) => {
    const column = document.createElement("button");
    column.type = "button";
    column.dataset.column = place;
    const card = read(text);
    column.setAttribute("aria-label", inWords(maker, card));
    column.setAttribute("aria-pressed", String(lifted.get(maker)?.place === place));
    column.append(...card.colours.map((colour, line) => {
      const drawer = document.createElement("span");
      paint(drawer, maker, colour, card.handles[line]);
      return drawer;
    }));
    return column;
  }));
  laid.classList.toggle("whole", isFull(layout) && !lifted.has(maker));
  mark(layout);
  laid.children[inUse]?.focus({ preventScroll: true });
  draw(maker);
}

/* A complete sideboard shows the drawers rendered by the server, with what counts, once they arrive. */
function mark(layout) {
  const shelves = [...layout.querySelectorAll(".seen .shelf")];
  layout.querySelectorAll(".whole > button").forEach((column, place) => {
    const seen = shelves.map((shelf) => shelf.children[place]);
    const isSame = seen.every((own, line) => own.className.trim() === column.children[line].className.trim());
    if (seen.length && isSame) column.replaceChildren(...seen.map((own) => own.cloneNode(true)));
  });
}

function add(layout, end) {
  const maker = makerOf(layout);
  if (isFull(layout)) return;
  const text = word(cardOf(maker));
  made.set(maker, EMPTY());
  fill(layout, end === "left" ? [text, ...words(layout)] : [...words(layout), text]);
}

/* A laid card is edited in place; the new card being made waits meanwhile. */
function lift(layout, place) {
  const maker = makerOf(layout);
  const held = lifted.get(maker);
  if (held?.place === place) return putBack(layout);
  const lay = words(layout)[place];
  lifted.set(maker, { place, lay, waits: held?.waits ?? cardOf(maker) });
  made.set(maker, read(lay));
  show(layout);
}

/* While it is complete, its box holds the edited card; otherwise the card as it was. */
function mend(layout) {
  const maker = makerOf(layout);
  const { place, lay } = lifted.get(maker);
  const text = isWhole(cardOf(maker)) ? word(cardOf(maker)) : lay;
  if (text === words(layout)[place]) draw(maker);
  else fill(layout, words(layout).map((own, at) => (at === place ? text : own)));
}

function putBack(layout, isGone = false) {
  const maker = makerOf(layout);
  const { place, waits } = lifted.get(maker);
  lifted.delete(maker);
  made.set(maker, waits);
  if (isGone) fill(layout, words(layout).filter((_own, at) => at !== place));
  else show(layout);
  layout.querySelector(`[data-column="${place}"]`)?.focus({ preventScroll: true });
}

/* A disabled button shows which question is open. */
function press(layout, button) {
  const { add: where, column } = button.dataset;
  if (column) lift(layout, Number(column));
  else if (button.matches(".asleep")) layout.querySelector(".ask").classList.add("look");
  else if (where === "left" || where === "right") add(layout, where);
  else if (where) putBack(layout, where === "away");
  layout.querySelector(".adds").scrollIntoView({ block: "nearest" });
}

/* Cards and number pad share the same space: tapping cards closes the number pad. */
const leaveNumbers = () => document.querySelectorAll(".box[data-active]").forEach((box) => box.removeAttribute("data-active"));
document.addEventListener("toggle", ({ target }) => {
  if (target.matches("[data-layout][open]")) leaveNumbers();
}, true);

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("button");
  const maker = button?.closest("[data-maker]");
  const layout = button?.closest("[data-layout]");
  if (layout) leaveNumbers();
  if (maker) {
    const { colour, slot, make } = button.dataset;
    if (colour) tapColour(maker, colour);
    if (slot) tapSlot(maker, Number(slot));
    if (make === "back") back(cardOf(maker));
    if (make === "turn") turn(cardOf(maker));
    if (lifted.has(maker)) mend(layout); else draw(maker);
  } else if (layout) press(layout, button);
});

/* One goal at a time highlights its drawers on every sideboard, also after the table is replaced. */
let lit = "";
const light = () => document.querySelectorAll(".lit").forEach((box) => { box.checked = box.value === lit; });
document.addEventListener("change", ({ target }) => {
  if (!target.matches(".lit")) return;
  lit = target.checked ? target.value : "";
  light();
});

/* Whoever enters one sideboard, each on their own phone, continues with it until it is full. */
let seat = "";
document.addEventListener("change", ({ target }) => {
  if (target.matches("#board [name=seat]")) seat = target.value;
});
function keepSeat() {
  const chosen = seat && document.querySelector(`#board .pick:not(.full) > [name=seat][value="${seat}"]`);
  if (chosen) chosen.checked = true;
}

function attach() {
  for (const maker of document.querySelectorAll("[data-maker][hidden]")) {
    maker.hidden = false;
    const layout = maker.closest("[data-layout]");
    for (const plain of (layout ?? maker.parentElement).querySelectorAll(".words, .typed")) plain.hidden = true;
    layout?.querySelectorAll("[data-laid], [data-adds]").forEach((part) => { part.hidden = false; });
    const typed = maker.parentElement.querySelector(".typed [name=card]");
    if (typed?.value) made.set(maker, read(typed.value));
    if (layout && words(layout).length) layout.open = true;
    if (layout) show(layout); else draw(maker);
  }
  document.querySelectorAll("[data-layout]").forEach(mark);
  light();
  keepSeat();
  const given = document.querySelector("[name$='row_goal']");
  if (given) offer(given.closest("[data-goal]"), given.value);
}
/* Scroll to what is still missing after an own entry. */
document.addEventListener("htmx:afterSettle", ({ detail }) => {
  attach();
  if (detail.elt.id === "table" && !detail.isNews) document.querySelector(".goals > [open]")?.scrollIntoView({ block: "nearest" });
});
attach();

/* An undrawn goal can be tapped wherever it appears. */
document.addEventListener("click", ({ target }) => {
  const goal = target.closest?.("a[href^='#goal-']")?.hash;
  document.querySelector(goal || "details.none")?.setAttribute("open", "");
});

/* Another goal has another pattern: the circle's saved one, or none yet. */
function choose(goal, number) {
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
  offer(goal, number);
}

/* A goal that names a colour offers colours; one that names a handle, handles. */
function offer(goal, number) {
  for (const own of goal.querySelectorAll("[data-of]")) {
    own.hidden = own.disabled = own.dataset.of !== (number < 24 ? "colour" : "handle");
  }
}
/* Runs before the calculator's own listener, which need not know of every cell: no box changes with them. */
document.addEventListener("change", (event) => {
  const goal = event.target.closest?.("[data-goal]");
  if (!goal) return;
  if (event.target.name.endsWith("_goal")) choose(goal, event.target.value);
  else event.stopPropagation();
  const points = goal.querySelector("summary .num");
  if (points) points.textContent = goal.querySelector("input[type=text]").value;
  if (!event.isTrusted) event.target.dispatchEvent(new Event("input", { bubbles: true })); // tapped up or down
}, true);
