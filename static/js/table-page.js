/* Bundle of the table pages, shipped as one file (companion/web/static_storage.py). */
import "./pwa.js";
import "./keypad.js";
import "./table.js";
import "./outbox.js";
