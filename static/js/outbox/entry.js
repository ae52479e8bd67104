/* Fields of queued entries, their order, and which of them wait for others. */

export const getField = (entry, name) => entry.body.find(([field]) => field === name)?.[1];
export const isWaiting = (entry) => !entry.isRefused;
export const findNextEntry = (entries) => entries.find((entry) => isWaiting(entry) && !entry.isHeld);

/* Counts and corrections have their own slots; all else has to arrive in order. */
const UNORDERED = ["undo", "redo", "strike", "insist"];
const isCount = (entry) => entry.body.some(([name]) => name.includes("."));
const isOrdered = (entry) => (
  !isCount(entry) && !getField(entry, "amend") && !UNORDERED.includes(getField(entry, "kind"))
);
const PLACELESS = ["confirm", "close", "reopen"];
export const isPlay = (entry) => (
  isOrdered(entry) && getField(entry, "place") && !PLACELESS.includes(getField(entry, "kind"))
);

/* What was tapped after an entry with an open answer was meant for another state, and waits for it; what was tapped
   after a refusal was shown is meant for what was visible. */
const holdsUp = (entry, later) => (
  entry.isHeld || (entry.isRefused && entry.status !== 404 && entry.refusedAt > later.at)
);
export function markHeldEntries(entries) {
  entries.forEach((entry, index) => {
    const earlier = entries.slice(0, index).filter(({ url }) => url === entry.url);
    entry.isHeld = isOrdered(entry) && earlier.some((other) => holdsUp(other, entry));
  });
}

export function moveToPlace(entry, place) {
  entry.place = place;
  entry.body = entry.body.map(([name, value]) => [name, name === "place" ? String(place) : value]);
}

/* A play goes behind those of its round that wait. The board has not moved on with them, so the server decides whose
   turn it is. */
export function placeBehind(entry, waiting, isOfTurn) {
  const place = Number(getField(entry, "place"));
  const earlier = waiting.filter((other) => other.place && other.round === entry.round);
  moveToPlace(entry, Math.max(place, ...earlier.map((other) => other.place + 1)));
  if (entry.place > place && isOfTurn) entry.body = entry.body.filter(([name]) => name !== "seat");
}

/* A pad posts all its boxes; leave out counts that are already waiting. */
export function omitWaitingCounts(body, waiting) {
  const queued = new Set(waiting.flatMap((entry) => entry.body.map(String)));
  const getCount = ([name]) => name.includes(".") && name.slice(0, name.lastIndexOf("."));
  const changed = new Set(body.filter((pair) => !queued.has(String(pair))).map(getCount));
  return body.filter((pair) => !getCount(pair) || changed.has(getCount(pair)));
}
