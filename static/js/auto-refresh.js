/* Refreshes parts of a page that others change, such as who has joined, while the page is visible. A part that is being
   used stays as it is. */
const isUsed = (part) => part.querySelector(":active, :focus-visible");

async function follow() {
  const parts = [...document.querySelectorAll("[data-follows]")];
  if (document.hidden || !parts.length) return;
  const answer = await fetch(parts[0].dataset.follows, { cache: "no-store" });
  if (answer.status === 404) return location.reload(); // it says what has become of the page
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of parts) {
    const now = page.getElementById(part.id);
    if (now && now.textContent !== part.textContent && !isUsed(part)) part.replaceWith(now);
  }
}
setInterval(() => follow().catch(() => {}), 3_000); // without network the page stays as it was
document.addEventListener("visibilitychange", () => follow().catch(() => {}));
