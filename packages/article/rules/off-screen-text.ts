// SPDX-License-Identifier: MIT

import { isAlone } from "../document/dom.ts";
import { classOf } from "../document/element-names.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes text that a browser does not show: labels for screen readers, such as "opens in a new window", lines for printers
 * and names of icons, by the class names of common style sheets. Labels that are headings or contain headings, paragraphs or lists stay.
 */
export const offScreenText: Rule = {
  name: "off-screen-text",
  *apply(body) {
    for (const element of body.querySelectorAll("[class]")) {
      if (forPrinters.test(classOf(element)) && element.querySelector("h1,article,main") === null) yield element;
      // Alone, such as in a table of features, the name has a meaning.
      if (iconFont.test(classOf(element)) && !isAlone(element)) yield element;
      if (!forScreenReaders.test(classOf(element)) || /^h[1-6]$/i.test(element.localName)) continue;
      if (element.querySelector("h1,h2,h3,h4,h5,h6,p,li") === null) yield element;
    }
  },
};

const iconFont = /(?:^|\s)material-(?:icons|symbols)/;

const forScreenReaders =
  /(?:^|\s)(?:sr-only|(?:u-|is-)?visually-?hidden|hidden-visually|hide-visually|screen-?reader(?:-text|-only)?|assistive-text|clipped|a?-?off-?screen|show-for-sr|element-invisible|elementor-screen-only|accessib(?:ility|le)-hid(?:den|e)|aural)(?:\s|$)/i;

const forPrinters =
  /(?:^|\s)(?:print-?(?:only|header|footer|logo|title|url)|(?:only|show-for|show-on)-print|visible-print(?:-block|-inline|-inline-block)?|d-none\s(?:\S+\s)*d-print-\S+)(?:\s|$)/i;
