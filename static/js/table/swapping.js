/* When an answer may replace the table: never an older one, and no news while somebody is choosing. */

import { isChoosing } from "./choosing.js";
import { keepOfflineCopy } from "./offline-copy.js";
import { onSwap } from "./swap-events.js";

export const isPosting = () => document.querySelector("form[aria-busy]");
export const getVersion = (html) => html.match(/id="table"\s+data-version="(\d+)"/)?.[1];

export const isOlder = (html, shownVersion) => !(Number(getVersion(html)) >= Number(shownVersion));

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
onSwap("table", ({ requestConfig }) => requestConfig.isNews || forgetRound());
function forgetRound() {
  const query = new URLSearchParams(location.search);
  if (!query.has("round") || query.get("round") === document.querySelector("#board [name=round]")?.value) return;
  query.delete("round");
  history.replaceState(null, "", `${location.pathname}?${query}`);
}
