// SPDX-License-Identifier: MIT

import { escapeHtml, escapeText } from "@reading-list/core/domain/escape.ts";
import { toLetters } from "../document/dom.ts";
import { imageSource } from "../document/link-target.ts";
import type { Page } from "../document/page.ts";
import { writeParagraphs } from "../document/paragraphs.ts";
import type { PageSource } from "../document/parse-page.ts";
import { isElementNode, readAttribute, textIn, walkNodes } from "../document/source-tree.ts";
import { articleType, listTypes, parseJson } from "../document/structured-data.ts";

/** The video that a page is about. */
export interface Video {
  /** The page that contains only the player. */
  playerUrl: string;
  description: string;
}

/** The video of a page that declares to be one, and not an article with a video. */
export function findVideo(page: Page, source: PageSource): Video | undefined {
  const types = page.structuredData.flatMap(listTypes);
  const video = page.structuredData.find((thing) => listTypes(thing).includes("VideoObject"));
  const isVideo = /^video\b/.test(page.meta("og:type")) || (video && !types.some((type) => articleType.test(type)));
  if (!isVideo) return undefined;
  const members = ["embedUrl", "contentUrl"].map((name) => video?.[name]);
  const metas = ["og:video:secure_url", "og:video:url", "og:video", "twitter:player"].map((name) => page.meta(name));
  const players = [...metas, ...members].filter((url) => typeof url === "string" && url !== "") as string[];
  const playerUrl = players.map((url) => imageSource(url, page.document.baseURI)).find(Boolean) ?? page.url.href;
  const described = typeof video?.description === "string" ? video.description : "";
  const descriptions = [wholeDescription(source), described, page.meta("og:description"), page.meta("description")];
  return { playerUrl, description: descriptions.find((text) => text.trim() !== "") ?? "" };
}

/** YouTube's pages declare the start of a description; a script has all of it. */
function wholeDescription(source: PageSource): string {
  for (const node of walkNodes(source)) {
    if (!isElementNode(node) || node.tagName !== "script" || readAttribute(node, "src") !== "") continue;
    const [, text] = /"shortDescription":("(?:[^"\\]|\\.){0,20000}")/.exec(textIn(node)) ?? [];
    const description = text && parseJson(text);
    if (typeof description === "string") return description;
  }
  return "";
}

/** The article of a page with a video: the link to the player, the description, and the article that says more. */
export function withVideo(article: string, { playerUrl, description }: Video, { title, image }: Shown): string {
  const told = toLetters(article.replace(/<[^<>]*>/g, " "));
  const link = `<a href="${escapeHtml(playerUrl)}">${escapeText(title || new URL(playerUrl).hostname)}</a>`;
  const picture = image === undefined ? "" : `<img src="${escapeHtml(image)}" alt="">`;
  const player = `<figure>${picture}<figcaption>${link}</figcaption></figure>`;
  const start = toLetters(description).slice(0, comparedLetters);
  if (start !== "" && told.includes(start)) return player + article;
  const isMore = told.length > Math.max(minArticleLetters, 2 * toLetters(description).length);
  return player + writeParagraphs(description) + (isMore ? article : "");
}

interface Shown {
  title: string;
  /** Undefined if the view has no images. */
  image: string | undefined;
}

const comparedLetters = 60;
const minArticleLetters = 500;
