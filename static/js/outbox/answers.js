/* What the server's answer to an entry means. */

import { getText, joinTexts } from "./labels.js";

export const parsePage = (html) => new DOMParser().parseFromString(html, "text/html");

/* `recorded` and `refused` are definite. After `failed` and `lost` the entry is sent again. */
export function classifyAnswer({ status, html }) {
  if (status === 200 && html.includes('id="table"')) return "recorded";
  if (/^4(0[0349]|13|22)$/.test(status) && /id="notice"|class="lost"/.test(html)) return "refused";
  return status === 500 ? "failed" : "lost";
}

/* The page was loaded before the browser got another cookie. */
export const isTokenExpired = ({ status, html }) => status === 403 && !html.includes('id="notice"');

export function readReason({ status, html }, texts) {
  if (status === 404) return texts.gone;
  const parts = [...parsePage(html).querySelectorAll(".slip > p, .two-values span")];
  return joinTexts(parts.map(getText)) || texts.failed;
}

export function getState(entry) {
  if (entry.isRefused) return /class="slip\s+info"/.test(entry.html) ? "asked" : "refused";
  return entry.isHeld ? "held" : "waiting";
}
