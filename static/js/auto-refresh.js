/* Refreshes parts of a page that others change, such as who has joined, while the page is visible. A part that is being
   used stays as it is. */

const isInUse = (part) => part.querySelector(":active, :focus-visible");

async function refreshParts() {
  const parts = [...document.querySelectorAll("[data-follows]")];
  if (document.hidden || !parts.length) return;
  const response = await fetch(parts[0].dataset.follows, { cache: "no-store" });
  if (response.status === 404) return location.reload(); // it says what has become of the page
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const part of parts) {
    const newPart = page.getElementById(part.id);
    if (newPart && newPart.textContent !== part.textContent && !isInUse(part)) part.replaceWith(newPart);
  }
}
const tryRefresh = () => refreshParts().catch(() => {}); // without network the page stays as it was

setInterval(tryRefresh, 3_000);
document.addEventListener("visibilitychange", tryRefresh);
