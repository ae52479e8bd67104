/* A join link carries its code or key after #: it is removed from the address, and only sent by a tap. */
const box = document.getElementById("code");

function take() {
  const secret = decodeURIComponent(location.hash.slice(1));
  if (!secret) return;
  history.replaceState(null, "", location.pathname);
  box.value = secret;
  const kind = secret.length <= 6 ? "by-code" : secret.length === 33 ? "by-link" : "by-key";
  for (const id of ["by-code", "by-key", "by-link"]) document.getElementById(id).hidden = id !== kind;
  document.querySelector("#join .slip")?.remove();
  document.querySelector("#join .go").focus();
}
addEventListener("hashchange", take);
take();
