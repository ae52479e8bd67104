/* A link to join carries its code or key after #: it is taken out of the address, and sent by a tap only. */
const box = document.getElementById("code");

function take() {
  const secret = decodeURIComponent(location.hash.slice(1));
  if (!secret) return;
  history.replaceState(null, "", location.pathname);
  box.value = secret;
  document.getElementById("by-code").hidden = secret.length > 6;
  document.getElementById("by-key").hidden = secret.length <= 6;
  document.querySelector("#join .slip")?.remove();
  document.querySelector("#join .go").focus();
}
addEventListener("hashchange", take);
take();
