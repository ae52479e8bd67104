/* Names of the ranking are tapped in order. */

import "../../js/controls/name-order.js";
