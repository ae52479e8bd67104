/* Copies the content of a box, also on plain http, where the clipboard API is missing; passes a picture and its text to
   the phone's share sheet if there is one. */

import { onClick } from "./events.js";

function showButtons() {
  const buttons = document.querySelectorAll(navigator.share ? "[data-copy], [data-share]" : "[data-copy]");
  buttons.forEach((button) => { button.hidden = false; });
}

async function copyText(button) {
  const box = document.getElementById(button.dataset.copy);
  box.select();
  if (navigator.clipboard) await navigator.clipboard.writeText(box.value);
  else document.execCommand("copy");
  button.setAttribute("data-done", "");
}

/* The share sheet only opens right after a tap, so the picture is fetched beforehand. */
async function fetchPicture(picture) {
  if (!picture || !navigator.canShare) return [];
  const response = await fetch(picture.src);
  const files = [new File([await response.blob()], picture.dataset.file, { type: "image/png" })];
  return response.ok && navigator.canShare({ files }) ? files : [];
}
const fetchedFiles = fetchPicture(document.querySelector("#picture")).catch(() => []);

async function openShareSheet(button) {
  const text = document.getElementById(button.dataset.share).value;
  const files = await fetchedFiles;
  await navigator.share(files.length ? { files, text } : { text }).catch(() => {}); // nobody was chosen
}

document.addEventListener("htmx:afterSettle", showButtons);
onClick("[data-copy]", copyText);
onClick("[data-share]", openShareSheet);
showButtons();
