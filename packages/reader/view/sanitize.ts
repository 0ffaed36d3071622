import { articleAttributes, articleElements } from "@reading-list/core/domain/article-markup.ts";
import sanitizeHtml from "sanitize-html";

/**
 * The last step of every view: rewrites a fragment with only the elements, attributes and URL schemes that are allowed
 * here. No earlier step is trusted to remove anything dangerous.
 */
export function sanitize(html: string, options: { baseUrl: string; images: boolean }): string {
  const { baseUrl, images } = options;
  return sanitizeHtml(html, {
    allowedTags: [...articleElements, ...(images ? ["img"] : [])],
    allowedAttributes: articleAttributes,
    allowedSchemes: ["http", "https", "mailto"],
    allowedSchemesAppliedToAttributes: ["href", "src"],
    allowProtocolRelative: false,
    allowedClasses: {},
    nonTextTags,
    enforceHtmlBoundary: false,
    transformTags: {
      a: (_tag, { href, title }) => {
        const target = absoluteUrl(href, baseUrl, linkSchemes);
        return target === undefined ? unwrapped : { tagName: "a", attribs: { href: target, ...(title && { title }) } };
      },
      img: (_tag, { src, alt = "" }) => {
        const source = absoluteUrl(src, baseUrl, webSchemes);
        return source === undefined ? unwrapped : { tagName: "img", attribs: { src: source, alt } };
      },
    },
  }).trim();
}

/** Elements that are removed together with their content. */
const nonTextTags = [
  ...[
    "script",
    "style",
    "noscript",
    "template",
    "textarea",
    "select",
    "option",
    "button",
    "iframe",
    "frame",
    "frameset",
  ],
  ...["object", "embed", "applet", "xmp", "noembed", "noframes", "plaintext", "title", "svg", "math", "audio", "video"],
  ...["canvas", "map", "datalist", "dialog", "head"],
];

const webSchemes = ["http:", "https:"];
const linkSchemes = [...webSchemes, "mailto:"];

/** `span` is not allowed, so sanitize-html removes the element and keeps its content. */
const unwrapped = { tagName: "span", attribs: {} };

function absoluteUrl(value: string | undefined, baseUrl: string, schemes: readonly string[]): string | undefined {
  const url = value === undefined ? null : URL.parse(value, baseUrl);
  return url !== null && schemes.includes(url.protocol) ? url.href : undefined;
}
