/* What has been entered into the fields of a form. */

export const isTickable = ({ type }) => type === "checkbox" || type === "radio";
export const getInput = (field) => (isTickable(field) ? field.checked && field.value : field.value);

/* Whether a box with a known form, such as two digits, needs no further input. */
export const isComplete = ({ value, dataset: { whole } }) => new RegExp(`^(?:${whole})$`).test(value);
