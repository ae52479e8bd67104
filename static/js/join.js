/* A join link carries its code or key after #: it is removed from the address, and only sent by a tap. */

const box = document.getElementById("code");
const SECTIONS = ["by-code", "by-key", "by-link"];

function getSection(secret) {
  if (secret.length <= 6) return "by-code";
  return secret.length === 33 ? "by-link" : "by-key";
}

function takeSecret() {
  const secret = decodeURIComponent(location.hash.slice(1));
  if (!secret) return;
  history.replaceState(null, "", location.pathname);
  box.value = secret;
  for (const id of SECTIONS) document.getElementById(id).hidden = id !== getSection(secret);
  document.querySelector("#join .slip")?.remove();
  document.querySelector("#join .go").focus();
}
addEventListener("hashchange", takeSecret);
takeSecret();
