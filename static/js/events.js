/* Listeners for clicks on elements, and for what htmx swaps. */

/* Calls the listener with the clicked element that matches, or that the click was inside of. */
export function onClick(selector, listener) {
  document.addEventListener("click", (event) => {
    const element = event.target.closest?.(selector);
    if (element) listener(element, event);
  });
}

/* Calls the listener for the part with the id. */
const listenTo = (name, property) => (id, listener) => document.addEventListener(name, ({ detail }) => {
  if (detail[property].id === id) listener(detail);
});
export const onSwap = listenTo("htmx:afterSwap", "target");
export const onSettle = listenTo("htmx:afterSettle", "elt");
