/* Banners above the content must not move what is under a finger: the page is scrolled by their height before the next
   tap is handled, not only with the next frame. A page that opens with a banner opens at its top. */

const aloft = document.querySelector(".aloft");
let height = 0;
let isOpening = true; // until somebody has touched the page, or what waits has been drawn once

export function endOpening() {
  isOpening = false;
}

export function scrollByBanners() {
  const growth = aloft.offsetHeight - height;
  if (!growth) return;
  height += growth;
  document.documentElement.style.setProperty("--aloft", `${height}px`);
  if (!isOpening) scrollBy(0, growth);
}

for (const name of ["pointerdown", "click", "keydown"]) addEventListener(name, endOpening, true);
const changes = { subtree: true, childList: true, characterData: true, attributeFilter: ["hidden", "open"] };
new MutationObserver(scrollByBanners).observe(aloft, changes);
new ResizeObserver(scrollByBanners).observe(aloft);
