/* What a page of a table needs. The three are shipped as one file (companion/storage.py). */
import "./keypad.js";
import "./table.js";
import "./outbox.js";
