/* Refuse a file that is too large before uploading it; the server would refuse it as well. */
const box = document.querySelector("[data-most]");

box.addEventListener("change", () => {
  const isTooLarge = [...box.files].some(({ size }) => size > Number(box.dataset.most));
  document.getElementById("too-large").hidden = !isTooLarge;
  box.form.querySelector("button").disabled = isTooLarge;
});
