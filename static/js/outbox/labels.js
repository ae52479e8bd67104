/* What the list of queued entries says about an entry, and which parts of the board it marks. */

export const getText = (part) => (part?.ariaLabel || part?.textContent || "").replace(/\s+/g, " ").trim();
export const joinTexts = (texts) => texts.filter(Boolean).join(" · ");

export function describeEntry(form, submitter, data) {
  const boxes = [...form.elements].filter(({ name, type, value }) => name.includes(".") && type !== "hidden" && value);
  const groups = [...new Set(boxes.map((box) => box.closest("fieldset")).filter(Boolean))];
  const counts = groups.map((group) => {
    const values = boxes.filter((box) => group.contains(box)).map((box) => box.value);
    return `${getText(group.querySelector("legend"))}: ${values.join(", ")}`;
  });
  const chosen = [...form.querySelectorAll(":checked")].map((option) => getText(option.closest("label") ?? option));
  const parts = counts.length ? counts : [...chosen, getText(submitter)];
  if (form.closest("#notice, #outbox")) parts.unshift(data.get("card"), data.get("row"));
  return {
    what: joinTexts(parts),
    title: joinTexts(["h1", ".where span"].map((selector) => getText(document.querySelector(selector)))),
    marks: [...groups.map((group) => group.id), submitter?.id].filter(Boolean),
  };
}
