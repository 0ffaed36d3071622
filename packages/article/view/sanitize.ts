// SPDX-License-Identifier: MIT

import {
  articleAttributes,
  articleElements,
  mathAttributes,
  mathElements,
} from "@reading-list/core/domain/article-markup.ts";
import { isDrawingSource } from "@reading-list/core/domain/drawing.ts";
import sanitizeHtml from "sanitize-html";
import { idPrefix, linkWithin } from "../document/anchors.ts";
import { limitMarks } from "../document/combining-marks.ts";
import { imageSource, linkTarget } from "../document/link-target.ts";

/**
 * The last step of every view: rewrites a fragment with only the elements, attributes and URL schemes that are allowed
 * here. No earlier step is trusted to remove anything dangerous. A tag must not be renamed to a forbidden one: sanitize-html
 * 2.18.1 then renames the end tag of a later element.
 */
export function sanitize(html: string, { baseUrl, images }: { baseUrl: string; images: boolean }): string {
  return sanitizeHtml(html, {
    allowedTags: [...articleElements, ...mathElements, ...(images ? ["img"] : [])],
    allowedAttributes: {
      ...articleAttributes,
      ...attributesOfMath,
      "*": [...(articleAttributes["*"] ?? []), "id"],
    },
    allowedSchemes: ["http", "https", "mailto"],
    // `data:` only of a drawing, which is an image without scripts.
    allowedSchemesByTag: { img: ["http", "https", "data"] },
    allowedSchemesAppliedToAttributes: ["href", "src"],
    allowProtocolRelative: false,
    allowedClasses: {},
    nonTextTags,
    enforceHtmlBoundary: false,
    selfClosing: ["br", "hr", "img", "wbr"],
    transformTags: {
      "*": (tagName, { id, ...attribs }) => ({
        tagName,
        attribs: id === undefined || !plainId.test(id) ? attribs : { ...attribs, id: idPrefix + id },
      }),
      a: (_tag, { href, title, id }) => {
        const target = linkTarget(href, baseUrl);
        return {
          tagName: "a",
          attribs: target === undefined ? {} : { href: target, ...(title && { title }), ...(id && { id }) },
        };
      },
      img: (_tag, { src, alt = "" }) => {
        const source = isDrawingSource(src) ? src : imageSource(src, baseUrl);
        return { tagName: "img", attribs: source === undefined ? {} : { src: source, alt } };
      },
    },
    exclusiveFilter: ({ tag, attribs }) => tag === "img" && attribs.src === undefined,
  }).trim();
}

const attributesOfMath = Object.fromEntries(
  mathElements.map((name) => [name, [...(mathAttributes["*"] ?? []), ...(mathAttributes[name] ?? [])]]),
);

const plainId = /^[^\s"'<>&]{1,100}$/;

/** Elements that are removed together with their content. */
const nonTextTags = (
  "script style noscript template textarea select option button iframe frame frameset object embed " +
  "applet xmp noembed noframes plaintext title svg annotation annotation-xml mglyph malignmark audio video canvas map datalist dialog head"
).split(" ");

/**
 * Cleans a text view with images, of the page at `url`, from a file that anyone may have changed. An unchanged view
 * stays the same.
 */
export function cleanAgain(html: string, url: string): string {
  const asOfPage = html.replaceAll(` id="${idPrefix}`, ' id="').replaceAll(`href="#${idPrefix}`, 'href="#');
  return limitMarks(linkWithin(sanitize(asOfPage, { baseUrl: url, images: true }), url));
}
