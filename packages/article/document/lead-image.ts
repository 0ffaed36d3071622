// SPDX-License-Identifier: MIT

import { escapeHtml, escapeText } from "@reading-list/core/domain/escape.ts";
import { type DomElement, findElements, visibleText } from "./dom.ts";
import { decodeUrlPart } from "./link-target.ts";
import type { Page } from "./page.ts";

/**
 * The markup of the image that the page gives to social networks, if the page itself shows it outside of navigation and
 * side bars; else empty. Readability often loses it, because it is above the article's text.
 */
export function findLeadImage(page: Page): string {
  const { document } = page;
  const key = toFileKey(page.meta("og:image") || page.meta("og:image:url") || page.meta("twitter:image"));
  if (key === "") return "";
  for (const image of findElements(document.body, "img,amp-img")) {
    const source = image.getAttribute("src") ?? "";
    const isLogo = page.leadsHome(image.closest("a[href]"));
    if (toFileKey(source) === key && image.closest(elsewhere) === null && !isLogo) return writeFigure(image, source);
  }
  return "";
}

/** The markup of an article, with the lead image before it unless the article contains that image. */
export function withLeadImage(article: string, leadImage: string): string {
  const [key = ""] = fileKeysIn(leadImage);
  return leadImage === "" || fileKeysIn(article).includes(key) ? article : leadImage + article;
}

function fileKeysIn(html: string): string[] {
  const sources = [...html.matchAll(/<img[^<>]*\ssrc="([^"]*)"/g)].map(([, source = ""]) => source);
  return sources.map((source) => toFileKey(source.replaceAll("&amp;", "&")));
}

const elsewhere = "nav,aside,footer,[role=navigation],[class*=related i],[class*=recommend i],[class*=sidebar i]";
const minNameLength = 5;

/** The file name of an image without size and extension: sites show the same picture in several sizes. */
export function toFileKey(url: string): string {
  const parsed = URL.parse(url, "http://host.invalid");
  // Services that scale images take the URL of the original as a parameter.
  const original = [...(parsed?.searchParams.values() ?? [])].find((value) =>
    /^(?:https?:\/\/|\/)\S+\.(?:jpe?g|png|webp|gif|avif)\b/i.test(value),
  );
  const path = (original === undefined ? parsed : URL.parse(original, "http://host.invalid"))?.pathname ?? "";
  const name = decodeUrlPart(path.split("/").findLast((part) => part !== "") ?? "")
    .toLowerCase()
    .replace(/\.(?:jpe?g|png|webp|gif|avif)$/, "")
    .replace(/(?:[-_.@](?:\d{2,4}x\d{2,4}|\d{2,4}w|scaled|large|medium|small|\dx)){1,4}$/, "");
  return name.length < minNameLength ? "" : name;
}

function writeFigure(image: DomElement, source: string): string {
  const caption = image.closest("figure")?.querySelector("figcaption");
  const text = caption ? `<figcaption>${escapeText(visibleText(caption))}</figcaption>` : "";
  return `<figure><img src="${escapeHtml(source)}" alt="${escapeHtml(image.getAttribute("alt") ?? "")}">${text}</figure>`;
}
