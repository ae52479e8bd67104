/* Notices above the board. */

/* Shows the notice of a stored answer. */
export function showNotice(html, path) {
  const target = document.getElementById("notice");
  const eventInfo = { target, shouldSwap: true, requestConfig: { path } };
  htmx.trigger(target, "htmx:beforeSwap", eventInfo);
  htmx.swap(target, html, { swapStyle: "innerHTML" }, { select: "#notice > *", eventInfo });
}

export function showMessage(text) {
  const slip = document.createElement("div");
  slip.className = "slip info";
  slip.append(document.createElement("p"));
  slip.firstChild.textContent = text;
  document.getElementById("notice")?.replaceChildren(slip);
}
