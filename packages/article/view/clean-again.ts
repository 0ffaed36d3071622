// SPDX-License-Identifier: MIT

import { idPrefix, linkWithin } from "../document/anchors.ts";
import { limitMarks } from "../document/combining-marks.ts";
import { sanitize } from "./sanitize.ts";

/**
 * Cleans a text view with images, of the page at `url`, from a file that anyone may have changed. An unchanged view
 * stays the same.
 */
export function cleanAgain(html: string, url: string): string {
  const asOfPage = html.replaceAll(` id="${idPrefix}`, ' id="').replaceAll(`href="#${idPrefix}`, 'href="#');
  return limitMarks(linkWithin(sanitize(asOfPage, { baseUrl: url, images: true }), url));
}
