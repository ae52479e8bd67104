/* Copies what stands in a box, also where the clipboard is kept from pages that are not secure; hands a picture and its
   text to the phone's share sheet, where there is one. Without this file the box is read, and the picture saved. */
const offer = () => document.querySelectorAll(navigator.share ? "[data-copy], [data-share]" : "[data-copy]").forEach((button) => {
  button.hidden = false;
});

async function copy(button) {
  const box = document.getElementById(button.dataset.copy);
  box.select();
  if (navigator.clipboard) await navigator.clipboard.writeText(box.value);
  else document.execCommand("copy");
  button.setAttribute("data-done", "");
}

/* The sheet opens only right after a tap: the picture is fetched before it. */
async function fetched(picture) {
  if (!picture || !navigator.canShare) return [];
  const response = await fetch(picture.src);
  const files = [new File([await response.blob()], picture.dataset.file, { type: "image/png" })];
  return response.ok && navigator.canShare({ files }) ? files : [];
}

const pictures = fetched(document.querySelector("#picture")).catch(() => []);

async function share(button) {
  const text = document.getElementById(button.dataset.share).value;
  const files = await pictures;
  await navigator.share(files.length ? { files, text } : { text }).catch(() => {}); // nobody was chosen
}

document.addEventListener("htmx:afterSettle", offer);
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-copy], [data-share]");
  if (button) (button.dataset.copy ? copy : share)(button);
});
offer();
