import { type DomDocument, type DomElement, type DomNode, isElement, textNode, visibleText } from "./dom.ts";
import { fileKeyOf } from "./lead-image.ts";

/**
 * Resolves lazily loaded images: sets the `src` of each image from `data-src` and similar attributes, `srcset`, its
 * `<picture>` element, or a `<noscript>` copy next to it.
 */
export function resolveImages(document: DomDocument): void {
  for (const noscript of document.querySelectorAll("noscript")) unwrapImage(noscript, document.baseURI);
  for (const image of document.querySelectorAll("img,amp-img")) {
    const source = sourceOf(image, document.baseURI);
    for (const name of lazyAttributes) image.removeAttribute(name);
    if (isPixel(image)) image.remove();
    else if (source !== undefined) image.setAttribute("src", source);
    else image.removeAttribute("src");
  }
  dropRepeated(document);
}

/** An image that counts visits. */
function isPixel(image: DomElement): boolean {
  return ["width", "height"].every((side) => /^\s*[012](?:px)?\s*$/.test(image.getAttribute(side) ?? ""));
}

/** Removes an image that shows the same file as the image before it, with only a caption between them; the larger size stays. */
function dropRepeated(document: DomDocument): void {
  let previous: DomElement | undefined;
  for (const image of document.querySelectorAll("img,amp-img")) {
    const source = image.getAttribute("src");
    const key = fileKeyOf(source ?? "");
    const before = previous?.getAttribute("src") ?? "";
    const isSame = source !== null && (source === before || (key.length >= leastKey && key === fileKeyOf(before)));
    if (previous === undefined || source === null || !isSame || !isNext(previous, image)) previous = image;
    else if (source !== before && sizeOf(source) > sizeOf(before)) {
      previous.remove();
      previous = image;
    } else image.remove();
  }
}

/** Letters of a file name that two pictures do not share by chance, as they share "image". */
const leastKey = 8;

/** The largest number of 2 to 4 digits in a URL, which is nearly always the width of a scaled picture; else infinity. */
function sizeOf(url: string): number {
  const sizes = [...url.matchAll(/(?<!\d)\d{2,4}(?!\d)/g)].map(Number);
  return sizes.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...sizes);
}

/** Whether nothing but white space and captions is between two images in the order of the document. */
function isNext(one: DomElement, other: DomElement): boolean {
  let node: DomNode | null = one;
  while (node !== null && node !== other) {
    const isCaption: boolean = isElement(node) && node.localName === "figcaption";
    if (node.nodeType === textNode && visibleText(node) !== "") return false;
    let next: DomNode | null = isCaption ? null : node.firstChild;
    for (let up: DomNode | null = node; next === null && up !== null; up = up.parentElement) next = up.nextSibling;
    node = next;
  }
  return node === other;
}

const lazyAttributes = [
  ...["data-src", "data-original", "data-lazy-src", "data-lazy", "data-url", "data-hi-res-src", "data-full-src"],
  ...["data-original-src", "data-actualsrc", "data-srcset", "data-lazy-srcset", "srcset"],
];

/** File names of placeholder images. */
const placeholder =
  /(?:^|[/_-])(?:blank|spacer|placeholder|transparent|pixel|1x1|lazy|loading|grey|gray)[\w-]*\.(?:gif|png|svg|jpe?g|webp)/i;

/** Replaces the placeholder image before or after a `<noscript>` by the image inside it. */
function unwrapImage(noscript: DomElement, baseUrl: string): void {
  const images = noscript.querySelectorAll("img");
  const [image] = images;
  if (images.length !== 1 || image === undefined || visibleText(noscript) !== "") return;
  const { previousElementSibling: before, nextElementSibling: after } = noscript;
  const source = sourceOf(image, baseUrl);
  if (before?.localName === "img") before.remove();
  else if (after?.localName === "img" && isPlaceholderOf(after, source, baseUrl)) after.remove();
  noscript.replaceWith(image);
}

/** Whether an image has no URL of its own, or the same one as its `<noscript>` copy. */
function isPlaceholderOf(image: DomElement, source: string | undefined, baseUrl: string): boolean {
  const own = sourceOf(image, baseUrl);
  return own === undefined || placeholder.test(own) || own === source;
}

function sourceOf(image: DomElement, baseUrl: string): string | undefined {
  const own = webUrl(image.getAttribute("src"), baseUrl);
  if (own !== undefined && !placeholder.test(own)) return own;
  for (const name of lazyAttributes) {
    const value = image.getAttribute(name);
    const url = webUrl(name.endsWith("srcset") ? largestOf(value) : value, baseUrl);
    if (url !== undefined) return url;
  }
  for (const source of image.closest("picture")?.querySelectorAll("source") ?? []) {
    const url = webUrl(largestOf(source.getAttribute("srcset") ?? source.getAttribute("data-srcset")), baseUrl);
    if (url !== undefined) return url;
  }
  return own;
}

function webUrl(value: string | null | undefined, baseUrl: string): string | undefined {
  const url = value && /[./]/.test(value) ? URL.parse(value.trim(), baseUrl) : null;
  return url?.protocol === "http:" || url?.protocol === "https:" ? url.href : undefined;
}

/** The URL of the `srcset` candidate with the largest width or density. */
function largestOf(srcset: string | null | undefined): string | undefined {
  let best: string | undefined;
  let bestSize = 0;
  for (const candidate of (srcset ?? "").split(/,\s+|(?<=\s\d[\d.]*[wx]),/)) {
    const [url, size = "1x"] = candidate.trim().split(/\s+/);
    const number = Number.parseFloat(size);
    if (url && number > bestSize) {
      best = url;
      bestSize = number;
    }
  }
  return best;
}
