/* Changes to the queue: entries enter it, take another's place, are withdrawn or discarded. */

import { showMessage } from "../table/notice.js";
import { getField, isPlay, isWaiting, moveToPlace, omitWaitingCounts, placeBehind } from "./entry.js";
import { showChange } from "./list.js";
import { fillBoard, getMendedEntry, putAway } from "./mending.js";
import { sendQueue } from "./sender.js";
import { texts, unanswered } from "./state.js";
import { deleteEntry, entries, readEntries, replaceEntry, saveEntry } from "./storage.js";

const listWaiting = async (url) => (await readEntries()).filter((entry) => isWaiting(entry) && entry.url === url);

/* A corrected entry takes the refused one's place in the queue. */
export async function enqueueEntry(entry, isOfTurn, mended) {
  const waiting = await listWaiting(entry.url);
  entry.round = getField(entry, "round");
  entry.isTried = !waiting.length && navigator.onLine;
  if (isPlay(entry)) placeBehind(entry, mended ? [] : waiting, isOfTurn);
  entry.body = omitWaitingCounts(entry.body, waiting.filter(({ round }) => round === entry.round));
  if (mended) {
    replaceEntry(mended, Object.assign(entry, { isMended: true, isShown: mended === getMendedEntry() }));
    putAway(mended);
  }
  await saveEntry(entry, "strict");
  if (mended || (await readEntries()).some(({ key, isHeld }) => key === entry.key && isHeld)) await showChange();
  sendQueue();
}

/* Undo of an entry that was never sent simply removes it. */
export async function withdrawNewestEntry(undo) {
  const newest = (await listWaiting(undo.url)).at(-1);
  if (!newest) return enqueueEntry(undo);
  unanswered.delete(undo.key);
  if (newest.isTried || getField(newest, "kind") === "undo") showMessage(texts.unsure);
  else {
    await deleteEntry(newest);
    fillBoard(newest);
  }
  return showChange();
}

/* Plays after a withdrawn one move up, unless somebody else's has taken the slot. */
export async function discardEntry(entry) {
  putAway(entry);
  await deleteEntry(entry);
  const later = entries.filter(({ url, round, place }) => (
    url === entry.url && round === entry.round && place > entry.place
  ));
  for (const other of entry.status === 409 ? [] : later) {
    moveToPlace(other, other.place - 1);
    await saveEntry(other);
  }
  await showChange();
  sendQueue();
}

export async function retryEntry(entry) {
  await saveEntry(Object.assign(entry, { isRefused: false, failures: 0 }));
  await showChange();
  sendQueue();
}
