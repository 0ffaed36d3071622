import type { PageRule } from "./rule.ts";

/**
 * Removes labels for screen readers, such as "opens in a new window", by the class names of common style sheets. Headings
 * and boxes with headings, paragraphs or lists stay.
 */
export const screenReaderText: PageRule = {
  name: "screen-reader-text",
  apply(document) {
    for (const element of document.body.querySelectorAll("[class]")) {
      if (!names.test(element.className) || /^h[1-6]$/i.test(element.localName)) continue;
      if (element.querySelector("h1,h2,h3,h4,h5,h6,p,li") === null) element.remove();
    }
  },
};

const names =
  /(?:^|\s)(?:sr-only|(?:u-|is-)?visually-?hidden|hidden-visually|hide-visually|screen-?reader(?:-text|-only)?|assistive-text|clipped|a?-?off-?screen|show-for-sr|element-invisible|elementor-screen-only|accessib(?:ility|le)-hid(?:den|e)|aural)(?:\s|$)/i;
