/* Everything that the pages of a table need. `swapping.js` decides before others hear of a swap. */

import "./pwa.js";
import "./table/swapping.js";
import "./pad/keypad.js";
import "./pad/drafts.js";
import "./pad/offline-rounds.js";
import "./table/notice-events.js";
import "./table/focus.js";
import "./table/announcer.js";
import "./table/scrolling.js";
import "./table/news.js";
import "./table/wake-lock.js";
import "./outbox/extension.js";
