import { type DomDocument, type DomElement, visibleText } from "./dom.ts";

/**
 * Resolves lazily loaded images: sets the `src` of each image from `data-src` and similar attributes, `srcset`, its
 * `<picture>` element, or a `<noscript>` copy next to it.
 */
export function resolveImages(document: DomDocument): void {
  for (const noscript of document.querySelectorAll("noscript")) unwrapImage(noscript, document.baseURI);
  for (const image of document.querySelectorAll("img,amp-img")) {
    const source = sourceOf(image, document.baseURI);
    for (const name of lazyAttributes) image.removeAttribute(name);
    if (source !== undefined) image.setAttribute("src", source);
    else image.removeAttribute("src");
  }
  dropRepeated(document);
}

/** Removes an image with the same URL as the image before it in the same block. */
function dropRepeated(document: DomDocument): void {
  let previous: DomElement | undefined;
  for (const image of document.querySelectorAll("img,amp-img")) {
    const source = image.getAttribute("src");
    const isNeighbour = previous !== undefined && source !== null && source === previous.getAttribute("src");
    if (isNeighbour && visibleTextBetween(previous, image) === "") image.remove();
    else previous = image;
  }
}

/** The text of the nearest common block of two images; the caption of one also belongs to the other. */
function visibleTextBetween(one: DomElement | undefined, other: DomElement): string {
  let around = other.parentElement;
  while (around !== null && one !== undefined && !around.contains(one)) around = around.parentElement;
  const caption = around?.querySelector("figcaption");
  return around === null
    ? ""
    : visibleText(around)
        .replace(caption ? visibleText(caption) : "", "")
        .trim();
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
  const url = value ? URL.parse(value.trim(), baseUrl) : null;
  return url?.protocol === "http:" || url?.protocol === "https:" ? url.href : undefined;
}

/** The URL of the `srcset` candidate with the largest width or density. */
function largestOf(srcset: string | null | undefined): string | undefined {
  let best: string | undefined;
  let bestSize = 0;
  for (const candidate of (srcset ?? "").split(/,\s+/)) {
    const [url, size = "1x"] = candidate.trim().split(/\s+/);
    const number = Number.parseFloat(size);
    if (url && number > bestSize) {
      best = url;
      bestSize = number;
    }
  }
  return best;
}
