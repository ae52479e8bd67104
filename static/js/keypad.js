/* The number pad on the screen, for every form that holds `[data-keypad]` inputs.

   One listener each on the document, so that parts swapped in need no call. Without this file
   the boxes are ordinary number inputs and the pad stays hidden. */

const BOX = "input[data-keypad]";

let active = null;   // the box that the keys write into
let replaces = false; // the next digit replaces what the box held when it was entered

const boxes = (form) => [...form.querySelectorAll(BOX)].filter((box) => (
  box.offsetParent && !box.disabled && !box.closest("details:not([open])")
));

/* The focused box, found again by name after a swap. */
function current(form) {
  const all = boxes(form);
  return all.find((box) => box === active)
    || all.find((box) => active && box.name === active.name)
    || all.find((box) => box.value === "")
    || all[0];
}

function mark(box) {
  document.querySelectorAll(BOX + "[data-active]").forEach((other) => other !== box && other.removeAttribute("data-active"));
  box?.setAttribute("data-active", "");
  active = box;
}

function attach() {
  document.querySelectorAll(".keypad[hidden]").forEach((pad) => {
    if (pad.closest("form")?.querySelector(BOX)) pad.hidden = false;
  });
  document.querySelectorAll(BOX).forEach((box) => { box.inputMode = "none"; });
  const inUse = document.activeElement;
  if (inUse?.matches?.(BOX)) mark(inUse);
  goOn();
}

/* Restore focus and caret in the same box of the same round after a swap. */
let typing = null;
function goOn() {
  const box = document.getElementById(typing?.id);
  if (!box || box.form.elements.round.value !== typing.round) return;
  box.focus({ preventScroll: true });
  replaces = typing.replaces;
  typing = null;
}
document.addEventListener("htmx:beforeSwap", ({ target }) => {
  const { id, form } = document.activeElement;
  typing = target.id === "table" && form?.matches(PAD) ? { id, round: form.elements.round.value, replaces } : null;
});

function write(box, value) {
  if (box.maxLength > 0 && value.length > box.maxLength) return;
  box.value = value;
  box.scrollLeft = box.scrollWidth; // the end of a long sum, where it is typed
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

function enter(box) {
  box.focus({ preventScroll: true });
  box.scrollIntoView({ block: "nearest" });
}

function next(form, box) {
  box.dispatchEvent(new Event("change", { bubbles: true }));
  const all = boxes(form);
  const following = all[all.indexOf(box) + 1];
  if (following) return enter(following);
  box.removeAttribute("data-active");
  [...form.querySelectorAll("[type=submit]:not([formaction])")].find((button) => button.offsetParent)?.focus({ preventScroll: true });
}

function press(form, key) {
  const box = current(form);
  if (!box) return;
  if (box !== document.activeElement) enter(box);
  if (key === "next") return next(form, box);
  const old = box.value;
  const goesOn = key === "+" || (box.dataset.whole !== undefined && !isWhole(box)); // with what is there
  if (key === "back") write(box, old.slice(0, -1));
  else if (key === "minus") write(box, old.startsWith("-") ? old.slice(1) : "-" + old);
  else write(box, (replaces && !goesOn) || (box.pattern && old === "0") ? key : old + key); // no number begins with 0
  replaces = false;
  if (key !== "back" && isWhole(box)) next(form, box);
}

/* A box with a known maximum is finished as soon as it is full. */
function isWhole(box) {
  return box.dataset.whole !== undefined && new RegExp(`^(?:${box.dataset.whole})$`).test(box.value);
}

document.addEventListener("focusin", ({ target }) => {
  if (!target.matches(BOX)) return;
  replaces = true;
  mark(target);
  target.select();
});
document.addEventListener("input", ({ target }) => { if (target === active) replaces = false; });
document.addEventListener("keyup", ({ target, key }) => {
  if (key.length === 1 && target.matches(BOX) && isWhole(target)) next(target.form, target);
});
document.addEventListener("pointerdown", (event) => {
  if (event.target.closest("[data-key]")) event.preventDefault(); // the box keeps the focus
});
document.addEventListener("click", ({ target }) => {
  const key = target.closest("[data-key]");
  if (key?.form) press(key.form, key.dataset.key);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches(BOX)) return;
  event.preventDefault();
  next(event.target.form, event.target);
});
/* The pad grows with the message above its keys; keep the focused box visible. */
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id !== "preview") return;
  document.documentElement.style.scrollPaddingBottom = `${detail.target.closest(".thumb").offsetHeight + 16}px`;
  if (active === document.activeElement) active?.scrollIntoView({ block: "nearest" });
});
/* Unsaved input survives a look at the rules or a change of language. */
const PAD = "form#board[method=post]";
const shelves = (form) => `boxes ${location.pathname} ${form.elements.round?.value} `;
const shelf = (form) => shelves(form) + form.elements.place?.value;
const isTicked = (own) => own.type === "checkbox" || own.type === "radio";
const isOfBoard = (own) => own.type === "radio" && !own.name.includes("."); // a row or a way chosen for the next play
const fields = (form) => [...form.elements].filter((own) => isOfBoard(own) || (own.name.includes(".") && own.type !== "hidden"));
const held = (own) => (isTicked(own) ? own.checked && own.value : own.value);
function keep() {
  const form = document.querySelector(PAD);
  if (form) Object.keys(sessionStorage).filter((key) => key.startsWith(shelves(form)) && key !== shelf(form)).forEach((key) => sessionStorage.removeItem(key));
  const filled = form ? fields(form).map((own) => [own.name, held(own)]) : [];
  if (filled.some(([, value]) => value)) sessionStorage.setItem(shelf(form), JSON.stringify(filled));
  else if (form) sessionStorage.removeItem(shelf(form));
}
function refill() {
  const form = document.querySelector(PAD);
  const kept = form && !form.elements.target ? JSON.parse(sessionStorage.getItem(shelf(form)) ?? "[]") : [];
  const open = form ? fields(form) : [];
  for (const name of new Set(kept.map(([own]) => own))) {
    const values = kept.filter(([own]) => own === name).map(([, value]) => value);
    const boxes = open.filter((own) => own.name === name);
    if (boxes.every(isOfBoard) || !boxes.some(held)) boxes.forEach((own, index) => fill(own, values[index]));
  }
}
function fill(own, value) {
  if (!value) return;
  if (isTicked(own)) own.checked = true;
  else own.value = value;
  own.dispatchEvent(new CustomEvent("input", { bubbles: true, detail: "kept" }));
}
document.addEventListener("input", keep);
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id !== "table") return;
  refill();
  attach();
});
document.addEventListener("htmx:afterSettle", keep);

/* Offline the pad moves on by itself: a round whose counts are all waiting makes room for the next, and comes back when
   one of them is withdrawn. */
const pads = new Map(); // by round, as they were left
let upcoming; // what the page says of the next round
const group = (name) => name.slice(0, Math.max(0, name.lastIndexOf(".")));
function padOf(round) {
  if (!pads.has(round)) {
    pads.set(round, document.importNode(upcoming.content.querySelector(PAD), true));
    pads.get(round).elements.round.value = round;
  }
  return pads.get(round);
}
function isDone(pad, rows) {
  const waiting = rows.filter((row) => row.round === pad.elements.round.value).flatMap((row) => row.body.map(([name, word]) => word && group(name)));
  const open = fields(pad).map(({ name }) => group(name)).filter(Boolean);
  return open.length && open.every((own) => waiting.includes(own));
}
function turn(round) {
  const pad = padOf(round);
  if (pad.isConnected) return;
  document.querySelector(PAD).replaceWith(pad);
  document.querySelector(".where span").textContent = upcoming.dataset.title.replace(upcoming.dataset.round, round);
  htmx.process(pad);
  refill();
  htmx.trigger(pad, "htmx:afterSettle", { elt: pad });
  const empty = active && !pad.contains(document.activeElement) && boxes(pad).find((box) => !box.value);
  if (empty) enter(empty);
}
document.addEventListener("entry:waiting", ({ detail: rows }) => {
  const shown = document.querySelector(PAD);
  const next = shown && document.getElementById("next-round");
  if (!next) return;
  if (next !== upcoming) {
    pads.clear();
    pads.set(next.dataset.round - 1, shown);
    upcoming = next;
  }
  let round = Number(shown.elements.round.value);
  while (round < next.dataset.last && isDone(padOf(round), rows)) round += 1;
  turn(round);
});
document.addEventListener("entry:back", ({ detail: { round } }) => {
  if (upcoming?.isConnected && round >= upcoming.dataset.round - 1) turn(Number(round));
});

document.addEventListener("htmx:afterSettle", attach);
attach();
addEventListener("load", refill); // when htmx is there to say what the boxes come to
replaces = Boolean(active); // a box that had the focus before this file was here
