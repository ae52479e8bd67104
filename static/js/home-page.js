/* Entries that wait are sent from the home page, too. */

import "./outbox/extension.js";
