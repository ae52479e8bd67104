/* Banners above the content must not move what is under a finger: the page is scrolled by their height before the next
   tap is handled, not only with the next frame. A page that opens with a banner opens at its top. */
const aloft = document.querySelector(".aloft");
let height = 0;
let isOpening = true; // until somebody has touched the page, or what waits has been drawn once
export const endOpening = () => { isOpening = false; };
export function level() {
  const grown = aloft.offsetHeight - height;
  if (!grown) return;
  height += grown;
  document.documentElement.style.setProperty("--aloft", `${height}px`);
  if (!isOpening) scrollBy(0, grown);
}
for (const name of ["pointerdown", "click", "keydown"]) addEventListener(name, endOpening, true);
new MutationObserver(level).observe(aloft, { subtree: true, childList: true, characterData: true, attributeFilter: ["hidden", "open"] });
new ResizeObserver(level).observe(aloft);
