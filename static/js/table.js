/* Conveniences for the table pages, which work without this file, only less smoothly. */

/* Close a notice without loading a page. */
document.addEventListener("click", (event) => {
  const shut = event.target.closest?.(".slip .shut");
  if (!shut) return;
  event.preventDefault();
  shut.closest(".slip").remove();
  keepFocus();
});

/* Once the input is being corrected, the notice goes, and remaining problems are shown above the keys. */
document.addEventListener("input", ({ target, detail }) => {
  if (detail !== "kept" && target.name?.includes(".")) document.querySelector("#notice .slip:not(.clash)")?.remove();
});

/* Highlight what was just played for a moment. */
let tapped = "";
document.addEventListener("click", (event) => {
  const card = event.target.closest?.("#board .card");
  if (card) tapped = card.id;
});
document.addEventListener("htmx:afterSettle", ({ detail }) => {
  if (detail.elt.id !== "table") return;
  document.querySelector(`#${CSS.escape(tapped || "none")}.laid`)?.classList.add("fresh");
  if (!detail.isNews || inUse !== "none") keepFocus();
  tell();
  tapped = "";
});

/* Restore keyboard focus after a swap, or focus the next box to fill in. */
let inUse = "";
document.addEventListener("htmx:beforeSwap", () => {
  const { name, value = "", form } = document.activeElement ?? {};
  inUse = name ? `[name="${name}"][value="${CSS.escape(value)}"]` : form?.id ? `[form="${form.id}"]` : "none";
});
function keepFocus() {
  if (document.activeElement !== document.body) return;
  const find = (selector) => document.querySelector(`main ${selector}`);
  const next = find(inUse) || (tapped && find(`#${tapped}`)) || find(".box:placeholder-shown") || document.querySelector("main");
  next.focus({ preventScroll: true });
}

/* Announce to screen readers what was recorded and whose turn it is, in a live region that survives swaps. */
function tell() {
  const line = document.querySelector(".log li p")?.cloneNode(true);
  line?.querySelector("time")?.remove();
  const words = [line, ...document.querySelectorAll(".verdict, .turn-line")].map((part) => part?.textContent.trim());
  document.getElementById("said").textContent = words.filter(Boolean).join(". ");
}

/* After saving a count scroll to the next empty box; at the end of a round, to the top. */
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id !== "table" || event.detail.isNews) return;
  if (document.querySelector("main > .verdict")) return scrollTo(0, 0);
  const empty = [...document.querySelectorAll("#board .boxes [data-keypad]")].find((box) => !box.value && box.offsetParent);
  empty?.closest("fieldset").scrollIntoView({ block: "nearest" });
});

/* Keep the box that a notice is about visible: the first one that is empty or incomplete. */
const isOpen = ({ value, dataset }) => !value || (dataset.whole && !new RegExp(`^(?:${dataset.whole})$`).test(value));
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id !== "notice") return;
  const slip = detail.target.firstElementChild;
  document.documentElement.style.scrollPaddingTop = slip ? `${detail.target.offsetHeight + 12}px` : "";
  const named = [...document.getElementsByName(slip?.dataset.field || "none")];
  named.find((box) => isOpen(box) && box.offsetParent)?.focus({ preventScroll: true });
  document.querySelector("#board [data-active]")?.scrollIntoView({ block: "nearest" });
});

/* Show the response to an entry: the table, or the notice with the reason, keeping the selection. */
function swap(html, path, isNews = false) {
  const table = document.getElementById("table");
  const version = html.match(/<main id="table"\s+data-version="(\d+)"/)?.[1];
  if (!version || Number(version) < Number(table.dataset.version)) return; // never backwards
  htmx.trigger(table, "htmx:beforeSwap");
  htmx.swap(table, html, { swapStyle: "outerHTML" }, { eventInfo: { target: table, isNews, requestConfig: { path } } });
  if (!isNews) forgetRound();
}
/* Drop the query once its play has been made. */
function forgetRound() {
  const query = new URLSearchParams(location.search);
  if (!query.has("round") || query.get("round") === document.querySelector("#board [name=round]")?.value) return;
  query.delete("round");
  history.replaceState(null, "", `${location.pathname}?${query}`);
}
function notify(html, path = "") {
  const target = document.getElementById("notice");
  htmx.trigger(target, "htmx:beforeSwap");
  htmx.swap(target, html, {}, { select: "#notice > *", eventInfo: { target, requestConfig: { path } } });
}
document.addEventListener("entry:recorded", ({ detail: { html, url, isMine, isFresh } }) => {
  if (document.getElementById("table")) {
    if (url.startsWith(location.pathname) && (isFresh || !isChoosing(isMine))) swap(html, url, !isFresh);
  } else if (isMine) location.assign(url.replace(/entries\/$/, ""));
});
document.addEventListener("entry:refused", ({ detail: { html, url } }) => notify(html, url));
const say = (text) => document.getElementById("notice")?.replaceChildren(slip(text));
function slip(text) {
  const own = document.createElement("div");
  own.className = "slip info";
  own.append(document.createElement("p"));
  own.firstChild.textContent = text;
  return own;
}
document.addEventListener("entry:said", ({ detail }) => say(detail));
for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
  document.addEventListener(name, ({ detail }) => detail.elt?.id !== "preview" && say(document.getElementById("outbox")?.dataset.lost));
}

/* A card that fits several rows highlights them; the next tap chooses one. */
let picked = null;
function light(form, rows) {
  for (const radio of form.querySelectorAll("[name=row]")) {
    radio.closest("label").classList.toggle("lit", rows.includes(radio.value) && radio.value !== "");
  }
}
/* A card tapped before it is known who starts waits for the answer. */
document.addEventListener("click", (event) => {
  const card = event.target.closest?.("#board .card");
  if (!card?.form) return;
  const rows = card.dataset.rows?.split(" ") ?? [];
  const begins = card.form.querySelector(".begins:not(:has(:checked))");
  picked?.removeAttribute("aria-pressed");
  picked = null;
  light(card.form, []);
  if (!begins && (rows.length < 2 || card.form.querySelector("[name=row]:checked")?.value)) return;
  event.preventDefault();
  picked = card;
  card.setAttribute("aria-pressed", "true");
  if (begins) begins.scrollIntoView({ block: "center" });
  else light(card.form, rows);
});
document.addEventListener("change", ({ target: { name, value } }) => {
  if (!picked?.isConnected || !(name === "row" ? value : name === "seat")) return;
  picked.click(); // not requestSubmit: htmx forgets the button once the focus has left it
});

/* Names are tapped in order; a second tap removes a name and those after it. */
const selects = (group) => [...group.querySelectorAll("select")];
const order = (group) => selects(group).map((select) => select.value).filter(Boolean);
function drawOrder(group) {
  const places = order(group);
  group.querySelector(".picks").hidden = false;
  group.querySelector(".boxes").hidden = true;
  for (const button of group.querySelectorAll("[data-seat]")) {
    const place = places.indexOf(button.dataset.seat);
    button.setAttribute("aria-pressed", String(place >= 0));
    button.querySelector(".place").textContent = place >= 0 ? place + 1 : "";
  }
}
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-tap-order] [data-seat]");
  if (!button) return;
  const group = button.closest("[data-tap-order]");
  const places = order(group);
  const at = places.indexOf(button.dataset.seat);
  const now = at >= 0 ? places.slice(0, at) : [...places, button.dataset.seat];
  selects(group).forEach((select, index) => { select.value = now[index] ?? ""; });
  group.querySelector("select").dispatchEvent(new Event("input", { bubbles: true }));
});
document.addEventListener("input", ({ target }) => {
  if (target.matches("[data-tap-order] select")) drawOrder(target.closest("[data-tap-order]"));
});
const drawOrders = () => document.querySelectorAll("[data-tap-order]").forEach(drawOrder);
document.addEventListener("htmx:afterSettle", drawOrders);
drawOrders();

/* Poll for entries of others and show them, or a line that announces them while somebody is choosing. */
const news = document.getElementById("news");
const IDLE = 5 * 60_000;
let finger = false;
let lively = Date.now();
let asking = false;
let isWatched = Boolean(news);
let isCutOff = false;
let next;

const isTicked = (own) => own.type === "checkbox" || own.type === "radio";
function isChosen(own) {
  if (own.name.includes(".")) return isTicked(own) ? own.checked : own.value;
  if (own.name === "seat") return false; // whose board is looked at
  return isTicked(own) ? own.checked !== own.defaultChecked : own.value && own.value !== own.defaultValue;
}
const CHOOSING = "#notice .slip:is(:not(.info), :has(form)), #help .slip, #table details[data-by-hand][open], #board [aria-pressed=true]";
/* After an own entry ignore the boxes of its pad: the open ones are filled in again. */
function isChoosing(isOwn = false) {
  const own = document.activeElement;
  const isBoxInUse = own.matches("#table :is([type=text], textarea, select)") && (own.value || !("keypad" in own.dataset));
  const boxes = document.querySelectorAll(`#table :is(input:not([type=hidden]), textarea, select)${isOwn ? ":not([name*='.'])" : ""}`);
  return finger || document.querySelector(CHOOSING) || (isBoxInUse && !isOwn) || [...boxes].some(isChosen);
}
for (const [name, isDown] of Object.entries({ pointerdown: true, pointerup: false, pointercancel: false, keydown: false })) {
  document.addEventListener(name, () => { finger = isDown; lively = Date.now(); });
}
document.addEventListener("click", ({ target }) => target.closest?.("#table summary")?.parentElement.setAttribute("data-by-hand", ""));

const isSending = () => document.querySelector("form[aria-busy]");
const version = () => Number((document.getElementById("table") ?? news).dataset.version);
const get = (url, headers) => fetch(url, { headers, cache: "no-store", signal: AbortSignal.timeout?.(8_000) });

async function ask() {
  clearTimeout(next);
  if (!isWatched || asking || document.hidden) return;
  asking = true;
  try {
    if (!isSending()) await hear(await get(news.dataset.url, { "If-None-Match": `"${version()}"` }));
  } catch { isCutOff = true; } // it is asked again soon
  asking = false;
  next = setTimeout(ask, Date.now() - lively > IDLE ? 10_000 : 1_500);
}
async function hear(answer) {
  if (answer.status === 404) {
    isWatched = false;
    navigator.serviceWorker?.controller?.postMessage({ keep: location.href }); // which finds nothing, and forgets it
    return line(news.dataset.gone);
  }
  if (!answer.ok && answer.status !== 304) return;
  if (isCutOff) dispatchEvent(new Event("online")); // for whoever waits for the network
  isCutOff = false;
  if (answer.headers.get("X-Release") !== document.documentElement.dataset.release) document.dispatchEvent(new Event("companion:release"));
  document.querySelector(".last-known")?.remove();
  const told = answer.ok ? await answer.json() : {};
  if (isSending()) return;
  if (!(told.version > version())) return news.replaceChildren();
  lively = Date.now();
  if (document.getElementById("table") && !isChoosing()) return show();
  line(told.text, told.more && news.dataset.more.replace("{n}", told.more));
}
function line(text, more = "") {
  const own = document.getElementById("news-line").content.cloneNode(true);
  own.querySelector("bdi").textContent = text;
  own.querySelector("small").textContent = more || "";
  own.querySelector("button").hidden = !isWatched;
  if (own.textContent !== news.textContent) news.replaceChildren(own);
}
async function show(isWished = false) {
  if (!document.getElementById("table")) return location.reload();
  const answer = await get(location.href, { "HX-Request": "true" });
  if (!answer.ok || (!isWished && isChoosing()) || isSending()) return;
  const part = await answer.text();
  navigator.serviceWorker?.controller?.postMessage({ keep: location.pathname, part });
  swap(part, location.pathname, true);
  news.replaceChildren();
  if (isWished) keepFocus();
}
if (news) {
  news.addEventListener("click", ({ target }) => target.closest("button") && show(true).catch(() => say(document.getElementById("outbox").dataset.lost)));
  for (const name of ["pageshow", "online", "focus"]) addEventListener(name, ask);
  document.addEventListener("visibilitychange", ask);
  next = setTimeout(ask, 1_500);
}

/* Keep the screen on while a table page is visible. */
const { wakeLock } = navigator;
let lock = null;
function wake() {
  if (document.hidden || lock) return;
  const none = () => { lock = null; };
  lock = wakeLock.request("screen");
  lock.then((own) => own.addEventListener("release", none), none);
}
if (wakeLock && document.body.dataset.game && document.getElementById("table")) {
  wake();
  addEventListener("pageshow", wake);
  addEventListener("pagehide", () => lock?.then((own) => own.release()));
  document.addEventListener("visibilitychange", wake);
}
