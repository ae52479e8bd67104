/* How long to wait between polls, in milliseconds. */

const IDLE = 5 * 60_000;
const LIVELY_INTERVAL = 1_500;
const IDLE_INTERVAL = 10_000;

export const getPollInterval = (idleTime) => (idleTime > IDLE ? IDLE_INTERVAL : LIVELY_INTERVAL);
