/* What a page of a table needs, shipped as one file (companion/storage.py). */
import "./phone.js";
import "./keypad.js";
import "./table.js";
import "./outbox.js";
