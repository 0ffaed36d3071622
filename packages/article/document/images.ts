// SPDX-License-Identifier: MIT

import type { DomDocument, DomElement, DomNode } from "./dom.ts";
import {
  closestThat,
  contains,
  elementsWith,
  findClosest,
  findElements,
  hasText,
  isElement,
  listChildren,
  moveChildren,
  textNode,
  visibleText,
} from "./dom.ts";
import { readClass, removeNames } from "./element-names.ts";
import { toFileKey } from "./lead-image.ts";
import { isBetweenParagraphs } from "./lines.ts";
import { imageSource } from "./link-target.ts";
import { markedTex } from "./math.ts";
import { galleryName } from "./visibility.ts";

/**
 * Resolves lazily loaded images: sets the `src` of each image from `data-src` and similar attributes, `srcset`, its
 * `<picture>` element, or a `<noscript>` copy next to it.
 */
export function resolveImages(document: DomDocument): void {
  for (const button of findElements(document.body, "button,a,label")) freePictures(button);
  for (const box of elementsWith(document.body, "class,style"))
    if (isCopyOfSlide(box)) box.remove();
    else showBackground(box);
  for (const noscript of findElements(document.documentElement, "noscript")) unwrapImage(noscript, document.baseURI);
  for (const image of findElements(document.documentElement, "img,amp-img")) {
    const source = findSource(image, document.baseURI);
    for (const name of lazyAttributes) image.removeAttribute(name);
    if (isPixel(image) || (placeholder.test(source ?? "") && !isDeclaredLarge(image))) image.remove();
    else if (source !== undefined) image.setAttribute("src", source);
    else image.removeAttribute("src");
  }
  dropRepeated(document);
  const seen = new Set<DomElement>();
  for (const image of findElements(document.body, "img")) if (isPicture(image)) hideNames(image, seen);
  keepGalleries(document);
}

/**
 * Replaces a button that enlarges a picture by the picture, because no view writes buttons, and removes the label from a link
 * to a larger picture, such as its size.
 */
function freePictures(button: DomElement): void {
  const target = button.getAttribute("href") ?? "";
  // A link within the page is a button.
  const isLink = button.localName === "a" && !/^(?:#|javascript:)/i.test(target);
  if (isLink && !imageFile.test(target)) return;
  const images = findElements(button, "img,amp-img");
  if (!images.some(isPicture)) return;
  const captions = findCaptions(button);
  const label = visibleText(button).length - measureText(captions);
  if (label > maxButtonLabel || (isLink && label === 0)) return;
  const shown = [...findElements(button, "picture,noscript,img,amp-img"), ...captions];
  const parts = outermost(shown);
  if (!isLink) button.replaceWith(...parts);
  else {
    for (const child of listChildren(button)) child.remove();
    for (const part of parts) button.appendChild(part);
  }
}

/** Writes the background of a box that its role or its figure makes a picture as an image. */
function showBackground(box: DomElement): void {
  const [, url] =
    /\bbackground(?:-image)?\s*:[^;]{0,40}?url\(\s*["']?([^"')]{1,2000})/i.exec(box.getAttribute("style") ?? "") ?? [];
  if (url === undefined || hasText(box) || contains(box, "img,amp-img,video")) return;
  const figure = findClosest(box, "figure");
  const isOnly = figure !== null && !contains(figure, "img,amp-img,video,iframe");
  if (box.getAttribute("role") !== "img" && !isOnly) return;
  const image = box.ownerDocument.createElement("img");
  image.setAttribute("src", url);
  image.setAttribute("alt", box.getAttribute("aria-label") ?? box.getAttribute("title") ?? "");
  box.replaceWith(image);
}

/** The captions in a box, by element or class. */
const findCaptions = (box: DomElement): DomElement[] => {
  const captions = findElements(box, "figcaption,div,p,span").filter(
    (one) => one.localName === "figcaption" || captionName.test(readClass(one)),
  );
  return outermost(captions).filter((one) => !contains(one, "img"));
};

const measureText = (boxes: readonly DomElement[]) => boxes.reduce((sum, one) => sum + visibleText(one).length, 0);

function outermost(elements: readonly DomElement[]): DomElement[] {
  const all = new Set(elements);
  return elements.filter((element) => closestThat(element.parentElement, (around) => all.has(around)) === null);
}

/** Characters, such as "View full size" for screen readers. */
const maxButtonLabel = 40;

/** Whether an image is a picture by its file, names and declared sizes: no drawing, icon, logo or portrait. */
export function isPicture(image: DomElement): boolean {
  const sides = ["width", "height"].map((side) => Number.parseFloat(image.getAttribute(side) ?? ""));
  if (sides.some((side) => side < minPictureSide)) return false;
  const file = image.getAttribute("src") ?? "";
  return !isIcon(image) && !designName.test(`${readClass(image)} ${image.id}`) && !/\.svg(?:$|[?#])/i.test(file);
}

/** Pixels. */
const minPictureSide = 100;
const designName = /(?:^|[\s_-])(?:icon|logo|avatar|badge|sprite|emoji|author|pixel)s?(?:$|[\s_-])/i;

/**
 * Removes class and id of a picture and of the boxes that hold only it and its caption, unless it leads to another page: Readability
 * and rules remove elements by names such as "share" and "related".
 */
function hideNames(image: DomElement, seen: Set<DomElement>): void {
  const link = findClosest(image, "a");
  if (link !== null && !imageFile.test(link.getAttribute("href") ?? "")) return;
  removeNames(image);
  for (let box = image.parentElement; box !== null && pictureBoxes.has(box.localName); box = box.parentElement) {
    // A box that another picture has reached holds two.
    if (seen.has(box)) return;
    seen.add(box);
    const caption = measureText(findCaptions(box));
    if (visibleText(box).length > caption + maxBetween || findElements(box, "img").length > 1) return;
    const isBox = box.localName === "div";
    if (isBox && advertises.test(readClass(box))) return;
    if (!isBox || caption > 0 || isBetweenParagraphs(box)) removeNames(box);
    for (const part of caption > 0 ? findElements(box, "div") : [])
      if (hasText(part) && !captionName.test(readClass(part))) removeNames(part);
  }
}

/** Characters between a caption and its credit. */
const maxBetween = 4;
const captionName = /caption|credit/i;
const pictureBoxes = new Set(["picture", "figure", "p", "span", "a", "div"]);
const advertises = /(?:^|[\s_-])(?:ads?|advert\w*|sponsor\w*)(?:$|[\s_-])/i;

/**
 * Makes a figure of each box of two or more pictures with at most short captions, such as a gallery or slide show,
 * because Readability removes a box with more pictures than paragraphs. Pictures that link to other pages are not a
 * gallery.
 */
function keepGalleries(document: DomDocument): void {
  const pictures = new Map<DomElement, number>();
  for (const image of findElements(document.body, "img,amp-img"))
    for (let box = image.parentElement; box !== null; box = box.parentElement)
      pictures.set(box, (pictures.get(box) ?? 0) + 1);
  for (const box of pictures.size === 0 ? [] : findElements(document.body, "div")) {
    const count = pictures.get(box) ?? 0;
    if (count < 2 || count > maxPictures) continue;
    if (findClosest(box, "figure,nav,footer,aside,table") !== null || !isGallery(box)) continue;
    const figure = moveChildren(box, "figure");
    if (!galleryName.test(readClass(box))) figure.className = readClass(box);
    box.replaceWith(figure);
  }
}

/** Whether an element is a copy that the script of a slide show has made of a slide beside it. */
function isCopyOfSlide(slide: DomElement): boolean {
  if (!copiedSlide.test(readClass(slide)) || !contains(slide, "img,amp-img")) return false;
  const beside = [slide.previousElementSibling, slide.nextElementSibling];
  return beside.some((other) => other !== null && contains(other, "img,amp-img"));
}

const copiedSlide = /(?:^|[\s_-])(?:cloned?|slide-duplicate)(?:$|\s)/i;

/** Characters of captions for each picture. */
const maxCaption = 80;
const maxPictures = 100;

function isGallery(box: DomElement): boolean {
  const images = findElements(box, "img,amp-img");
  if (!images.every(isPicture) || contains(box, noPictures)) return false;
  if (visibleText(box).length > images.length * maxCaption) return false;
  // WordPress links each picture to a page of its own.
  const isNamed = /(?:^|\s)(?:wp-block-)?gallery(?:$|\s)/.test(readClass(box));
  const leadsToFile = (link: DomElement) => imageFile.test(link.getAttribute("href") ?? "");
  return findElements(box, "a").every((link) => contains(link, "img") && (isNamed || leadsToFile(link)));
}

/** Elements that a gallery does not contain. Its pictures may be items of a list. */
const noPictures = new Set("h1,h2,h3,h4,h5,h6,input,form,iframe,article,table,pre,blockquote,section".split(","));

/**
 * Replaces small images within text, such as emoji, icons and drawn formulas, by their alternative text: the view has no
 * sizes, and a reader shows an image as a block.
 */
export function writeOutIcons(document: DomDocument): void {
  for (const image of findElements(document.body, "img")) {
    if (!isIcon(image) || visibleText(image.closest(textBlocks) ?? image) === "") continue;
    const alt = image.getAttribute("alt")?.trim() ?? "";
    const isDrawing = image.getAttribute("aria-hidden") === "true" || iconAlt.test(alt.slice(0, maxIconTextLength));
    const isFormula = formulaName.test(image.className);
    const text = isDrawing && !isFormula && findClosest(image, "td,th") === null ? "" : alt;
    if (isFormula || text.length <= maxIconTextLength) {
      image.replaceWith(document.createTextNode(isFormula && text !== "" ? markedTex(text, false) : text));
    }
  }
}

const textBlocks = "p,li,td,th,dd,dt,h1,h2,h3,h4,h5,h6,blockquote,figcaption";
const maxIconTextLength = 20;

/** The name of an icon instead of a meaning. */
const iconAlt = /^(?=[a-z]+(?:[-_ ][a-z]+)*$)(?:.*[-_ ])?(?:chevron|arrow|caret|bullet|icon|circle)(?![a-z])/i;
const iconName = /(?:^|[\s_-])(?:emoji|emoticon|smiley|smilie|twemoji|icon)(?:$|[\s_-])/i;
const emojiFile = /(?:smil(?:ies|eys)|emojis?|joypixels)\//i;
const formulaName = /(?:^|[\s_-])(?:latex|math)(?:$|[\s_-])/i;
const smallSide = /^\s*(?:[3-9]|[12]\d|3[0-2])(?:px)?\s*$/;
const lineHeight = /(?:^|[;\s])(?:height|width)\s*:\s*(?:1(?:\.\d+)?r?em|[3-9]px|[12]\dpx)/i;

function isIcon(image: DomElement): boolean {
  if (iconName.test(image.className) || formulaName.test(image.className)) return true;
  if (emojiFile.test(image.getAttribute("src") ?? "")) return true;
  // A wide formula is a picture.
  const isWide = Number.parseFloat(image.getAttribute("width") ?? "") >= minPictureSide;
  const isSmall = !isWide && ["width", "height"].some((side) => smallSide.test(image.getAttribute(side) ?? ""));
  return isSmall || lineHeight.test(image.getAttribute("style") ?? "");
}

/** A declared size says more than the name of a file. */
const isDeclaredLarge = (image: DomElement) =>
  lazyAttributes.every((name) => !image.hasAttribute(name)) &&
  !/lazy/i.test(`${readClass(image)} ${image.getAttribute("src")}`) &&
  ["width", "height"].every((side) => declaredSide(image, side) >= minPictureSide);

/** Pixels of a side by its attribute or style; 0 if neither says it. */
function declaredSide(image: DomElement, side: string): number {
  // bounded: the process that reads a page is ended after a fixed time
  const styled = /(?:^|[;\s])(width|height)\s*:\s*([\d.]+)px/gi;
  const ofStyle = [...(image.getAttribute("style") ?? "").matchAll(styled)].find(([, name]) => name === side)?.[2];
  return Number.parseFloat(image.getAttribute(side) ?? ofStyle ?? "") || 0;
}

const counter =
  /^(?:https?:)?\/\/(?:[\w.-]*\.)?(?:scorecardresearch\.com|facebook\.com\/tr\b|doubleclick\.net|quantserve\.com|mc\.yandex\.ru|bat\.bing\.com|google-analytics\.com|px\.ads\.linkedin\.com|analytics\.twitter\.com)/i;

/** An image that counts visits. */
function isPixel(image: DomElement): boolean {
  const isTiny = ["width", "height"].every((side) => /^\s*[012](?:px)?\s*$/.test(image.getAttribute(side) ?? ""));
  return isTiny || counter.test(image.getAttribute("src") ?? "");
}

/**
 * Removes an image that shows the same file as the image before it, or has the same alternative text, with only a caption
 * between them; the larger size stays.
 */
function dropRepeated(document: DomDocument): void {
  let previous: DomElement | undefined;
  // The end of what was read after the previous image: a long row of copies is read once.
  let read: DomNode | null = null;
  for (const image of findElements(document.documentElement, "img,amp-img")) {
    const source = image.getAttribute("src");
    const key = toFileKey(source ?? "");
    const before = previous?.getAttribute("src") ?? "";
    const alt = image.getAttribute("alt") ?? "";
    const isNamesake = alt.length >= minKeyLength && alt === previous?.getAttribute("alt");
    const isSameFile = source === before || (key.length >= minKeyLength && key === toFileKey(before));
    const isSame = source !== null && (isNamesake || isSameFile);
    const isRepeated = previous !== undefined && isSame && isNext(read, image);
    read = image;
    if (!isRepeated) previous = image;
    else if (source !== before && readSize(source ?? "") > readSize(before)) {
      previous?.remove();
      previous = image;
    } else {
      read = nodeAfter(image);
      image.remove();
    }
  }
}

/** Letters of a file name or alternative text that two pictures do not share by chance, as they share "image". */
const minKeyLength = 8;

/** The largest number of 2 to 4 digits in a URL, which is nearly always the width of a scaled picture; else 0. */
const widthIn = (url: string) => Math.max(0, ...[...url.matchAll(/(?<!\d)\d{2,4}(?!\d)/g)].map(Number));

/** The width in the name of a file and its query. */
const widthInName = (url: string) => widthIn(url.slice(url.replace(/\?[\s\S]*/, "").lastIndexOf("/")));

/** A picture without a width is the original. */
const readSize = (url: string) => widthIn(url) || Number.POSITIVE_INFINITY;

/** Whether nothing but white space and captions is from a node to an image after it, in the order of the document. */
function isNext(start: DomNode | null, image: DomElement): boolean {
  let node = start;
  while (node !== null && node !== image) {
    const isCaption = isElement(node) && node.localName === "figcaption";
    if (node.nodeType === textNode && visibleText(node) !== "") return false;
    node = (isCaption ? null : node.firstChild) ?? nodeAfter(node);
  }
  return node === image;
}

/** The next node in the order of the document that is not in this one. */
function nodeAfter(node: DomNode): DomNode | null {
  let next = node.nextSibling;
  for (let up = node.parentElement; next === null && up !== null; up = up.parentElement) next = up.nextSibling;
  return next;
}

const lazyAttributes = [
  "data-src",
  "data-original",
  "data-lazy-src",
  "data-lazy",
  "data-url",
  "data-hi-res-src",
  "data-full-src",
  "data-original-src",
  "data-actualsrc",
];

/** File names of placeholder images. */
const placeholder =
  /(?:\/(?:blank|spacer|transparent|empty|pixel|1x1|lazy|gr[ae]y)|[/_-](?:placeholder|(?:pre)?load(?:er|ing)|spinner))(?:[\dx_-]|big|small|image|img)*\.(?:gif|png|svg|jpe?g|webp)(?:$|\?)/i;

/** Replaces the placeholder image before or after a `<noscript>` by the image inside it. */
function unwrapImage(noscript: DomElement, baseUrl: string): void {
  const [image, ...others] = findElements(noscript, "img");
  if (image === undefined || others.length > 0 || visibleText(noscript) !== "") return;
  const { previousElementSibling: before, nextElementSibling: after } = noscript;
  if (before?.localName === "img") before.remove();
  else if (after?.localName === "img") {
    const shown = findSource(after, baseUrl);
    if (shown === undefined || placeholder.test(shown) || shown === findSource(image, baseUrl)) after.remove();
  }
  noscript.replaceWith(image);
}

/**
 * The URL of an image: the largest of `src`, `srcset` and `<picture>` whose size is known. Otherwise the first of the
 * attributes from which scripts load it, because `src` is a placeholder then. Otherwise `src` or, if that is a
 * placeholder, the image to which it links, or the image in another `data-` attribute.
 */
function findSource(image: DomElement, baseUrl: string): string | undefined {
  const own = webUrl(image.getAttribute("src"), baseUrl);
  const sources = [...(image.closest("picture")?.querySelectorAll("source") ?? [])].filter(isWidelyShown);
  const sets = [image, ...sources].flatMap((element) =>
    ["srcset", "data-srcset", "data-lazy-srcset"].map((name) => element.getAttribute(name) ?? ""),
  );
  const offered = sets.flatMap((set) => readCandidates(set, baseUrl)).filter(({ width }) => width <= maxWidth);
  const [largest] = offered.toSorted((one, other) => other.width - one.width);
  const lazy = lazyAttributes.map((name) => webUrl(image.getAttribute(name), baseUrl)).find((url) => url !== undefined);
  const isPlaceholder = own === undefined || placeholder.test(own);
  const ownWidth = offered.find(({ url }) => url === own)?.width ?? widthInName(own ?? "");
  if (largest !== undefined && (isPlaceholder || lazy !== undefined || largest.width > ownWidth)) return largest.url;
  if (lazy !== undefined || !isPlaceholder) return lazy ?? own;
  const data = image.getAttributeNames().filter((name) => name.startsWith("data-"));
  const others = [findClosest(image, "a")?.getAttribute("href"), ...data.map((name) => image.getAttribute(name))];
  return others.map((value) => webUrl(value, baseUrl)).find((url) => url !== undefined && imageFile.test(url)) ?? own;
}

const imageFile = /\.(?:jpe?g|png|webp|gif)(?:$|\?)/i;

/** Pixels. A wider image is for zooming. */
const maxWidth = 2600;
const isWidelyShown = (source: DomElement) => !/avif|jxl/.test(source.getAttribute("type") ?? "");

function webUrl(value: string | null | undefined, baseUrl: string): string | undefined {
  // Scripts replace the braces in `photo_{width}.jpg`.
  return value && /[./]/.test(value) && !value.includes("{") ? imageSource(value.trim(), baseUrl) : undefined;
}

/** The URLs of a `srcset`, each with its width in pixels or its density of at most 4. */
function readCandidates(srcset: string, baseUrl: string): { url: string; width: number }[] {
  return srcset.split(/,\s+|(?<=\s\d[\d.]*[wx]),/).flatMap((candidate) => {
    const [address, size] = candidate.trim().split(/\s+/);
    const url = webUrl(address, baseUrl);
    return url === undefined ? [] : [{ url, width: size === undefined ? widthInName(url) : Number.parseFloat(size) }];
  });
}
