/* Pauses between attempts to send: doubled up to half a minute, and scattered so that phones do not try in step. */

const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;
let pause = FIRST_PAUSE;

export function resetPause() {
  pause = FIRST_PAUSE;
}

export function getNextPause() {
  const scattered = pause * (0.7 + Math.random() * 0.6);
  pause = Math.min(pause * 2, LONGEST_PAUSE);
  return scattered;
}
