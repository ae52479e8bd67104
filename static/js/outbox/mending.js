/* A refused or withdrawn entry back on the board: boxes filled in, with the server's notice and its buttons. */

import { showNotice } from "../table/notice.js";
import { closeOutbox } from "./list.js";

let mended = null;
export const getMendedEntry = () => mended;

export function mendEntry(entry) {
  closeOutbox();
  fillBoard(entry);
  showNotice(entry.html, entry.url);
  mended = entry;
}

export function fillBoard(entry) {
  document.dispatchEvent(new CustomEvent("outbox:restore", { detail: entry }));
  const round = document.querySelector("#board [name=round]")?.value;
  const values = round === entry.round ? [...entry.body] : [];
  for (const box of document.querySelectorAll("#board [name*='.']:not([type=hidden])")) {
    const index = values.findIndex(([name]) => name === box.name);
    if (index >= 0 && !box.value) [[, box.value]] = values.splice(index, 1);
  }
}

export function endMending() {
  mended = null;
}

export function putAway(entry) {
  if (mended?.key !== entry.key) return;
  endMending();
  document.querySelector("#notice .slip")?.remove();
}
