/* Everything that the forms of new tables, preparation and the calculator need. */

import "./pad/keypad.js";
import "./pad/drafts.js";
import "./table/notice-events.js";
import "./table/focus.js";
import "./table/scrolling.js";
import "./new-table.js";
