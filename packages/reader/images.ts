import { type DomDocument, type DomElement, visibleText } from "./dom.ts";

/**
 * Gives every image of a page the address that a script would have given it: from `data-src` and its kin, `srcset`, the
 * `<picture>` around it, or the `<noscript>` after it.
 */
export function resolveImages(document: DomDocument): void {
  for (const noscript of document.querySelectorAll("noscript")) unwrapImage(noscript);
  for (const image of document.querySelectorAll("img,amp-img")) {
    const source = sourceOf(image, document.baseURI);
    for (const name of lazyAttributes) image.removeAttribute(name);
    if (source !== undefined) image.setAttribute("src", source);
    else image.removeAttribute("src");
  }
}

const lazyAttributes = [
  ...["data-src", "data-original", "data-lazy-src", "data-lazy", "data-url", "data-hi-res-src", "data-full-src"],
  ...["data-original-src", "data-actualsrc", "data-srcset", "data-lazy-srcset", "srcset"],
];

/** Images that stand where a lazy one will come. */
const placeholder =
  /(?:^|[/_-])(?:blank|spacer|placeholder|transparent|pixel|1x1|lazy|loading|grey|gray)[\w-]*\.(?:gif|png|svg|jpe?g|webp)/i;

/** A `<noscript>` that holds nothing but an image takes the place of the empty image before it. */
function unwrapImage(noscript: DomElement): void {
  const images = noscript.querySelectorAll("img");
  const [image] = images;
  if (images.length !== 1 || image === undefined || visibleText(noscript) !== "") return;
  const before = noscript.previousElementSibling;
  if (before?.localName === "img") before.remove();
  noscript.replaceWith(image);
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

/** The candidate of a `srcset` with the largest width or density. */
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
