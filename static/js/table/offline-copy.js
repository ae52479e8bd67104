/* The service worker's copy of a page, for when there is no network. */

/* Without a part it visits the page itself. */
export function keepOfflineCopy(url, part) {
  navigator.serviceWorker?.controller?.postMessage({ keep: url, part });
}
