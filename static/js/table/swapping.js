/* When an answer may replace the table: never an older one, and no news while somebody is choosing. */

import { onSwap } from "../events.js";
import { isChoosing } from "./choosing.js";
import { keepOfflineCopy } from "./offline-copy.js";

export const isPosting = () => document.querySelector("form[aria-busy]");

/* Whether the page shows an older version of the table, or none. */
export function isOlder(html, shownVersion) {
  const version = html.match(/id="table"\s+data-version="(\d+)"/)?.[1];
  return !(Number(version) >= Number(shownVersion));
}

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const { target, requestConfig: config, serverResponse } = detail;
  if (target.id !== "table" || !detail.shouldSwap) return;
  const isRefresh = config.verb === "get";
  config.isNews ??= isRefresh;
  const isUnwanted = config.isNews && !config.triggeringEvent && isChoosing(config.isOwn);
  if (isUnwanted || (isRefresh && isPosting())) detail.shouldSwap = false;
  else if (isRefresh) keepOfflineCopy(location.pathname, serverResponse);
  detail.shouldSwap &&= !isOlder(serverResponse, target.dataset.version);
});

/* Once a play has been made, the address no longer names the round that it corrected. */
onSwap("table", ({ requestConfig }) => {
  const query = new URLSearchParams(location.search);
  const round = query.get("round");
  if (requestConfig.isNews || !round || round === document.querySelector("#board [name=round]")?.value) return;
  query.delete("round");
  history.replaceState(null, "", `${location.pathname}?${query}`);
});
