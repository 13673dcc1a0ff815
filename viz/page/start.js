// What a page does when it is opened.

import { keepPlace, start } from "../page.js";

if (document.querySelector('script[type="application/json"]')) start();
keepPlace();
