/* Listeners for what htmx swaps, by the id of the part. */

export function onSwap(id, listener) {
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target.id === id) listener(detail);
  });
}

export function onSettle(id, listener) {
  document.addEventListener("htmx:afterSettle", ({ detail }) => {
    if (detail.elt.id === id) listener(detail);
  });
}
