/* A file that is too large is refused before it is sent. Without this it is the server that refuses it. */
const box = document.querySelector("[data-most]");

box.addEventListener("change", () => {
  const isTooLarge = [...box.files].some(({ size }) => size > Number(box.dataset.most));
  document.getElementById("too-large").hidden = !isTooLarge;
  box.form.querySelector("button").disabled = isTooLarge;
});
