/* Other tabs hear of every change to the queue. */

import { drawOutbox } from "./list.js";

const channel = self.BroadcastChannel && new BroadcastChannel("companion");

export function listenToTabs(listener) {
  channel?.addEventListener("message", listener);
}

export function showChange() {
  channel?.postMessage("");
  return drawOutbox();
}
