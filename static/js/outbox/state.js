/* What the scripts of the outbox share: its part of the page, and what was entered here. */

export const outbox = document.getElementById("outbox");
export const texts = outbox.dataset;

/* Entries of this page that have been neither answered nor found to wait, by key. */
export const unanswered = new Map();

/* Keys of all entries of this page. */
export const ownKeys = new Set();

export const isOfThisTable = ({ url }) => url.startsWith(location.pathname) || location.pathname.startsWith(url);
export const getTableUrl = ({ url }) => url.replace(/entries\/$/, "");
