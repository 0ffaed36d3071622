// SPDX-License-Identifier: MIT

import {
  type DomDocument,
  type DomElement,
  elementsThat,
  findClosest,
  findElements,
  isAlone,
  newElement,
  visibleText,
} from "./dom.ts";
import { readClass } from "./element-names.ts";
import { decodeUrlPart } from "./link-target.ts";
import { isHidden } from "./visibility.ts";

/** Marks the link to embedded media. */
export const embedAttribute = "data-embed";

/** Replaces embedded media and posts, which no view contains, by a figure with a link to each. */
export function linkEmbeds(document: DomDocument): void {
  const shown = new Set<string>();
  for (const embed of elementsThat(document.body, isEmbed)) {
    const target = findMediaPage(embed, document.baseURI);
    const isCopy = shown.has(target?.href ?? "") && findClosest(embed, "noscript") !== null;
    if (target === undefined || isCopy) continue;
    shown.add(target.href);
    const link = newElement(document, "a", [document.createTextNode(titleEmbed(embed, target))]);
    link.setAttribute("href", target.href);
    link.setAttribute(embedAttribute, "");
    if (embed.closest("figure") !== null) findOutermostBox(embed).replaceWith(link);
    else findOutermostBox(embed).replaceWith(newElement(document, "figure", [link]));
  }
}

const embeds = new Set("iframe,embed,video,audio,script,lite-youtube,amp-youtube".split(","));
const postName = /(?:^|\s)fb-(?:post|video)(?:\s|$)/;
const quotedName = /(?:^|\s)instagram-media(?:\s|$)/;

function isEmbed(element: DomElement): boolean {
  const { localName } = element;
  if (embeds.has(localName)) return localName !== "script" || element.hasAttribute("src");
  const name = readClass(element);
  return postName.test(name) || (localName === "blockquote" && quotedName.test(name));
}

/** The outermost box with nothing but the embed. Readability removes boxes that contain only a link. */
function findOutermostBox(embed: DomElement): DomElement {
  let box = embed;
  while (box.parentElement !== null && boxes.has(box.parentElement.localName) && isAlone(box)) box = box.parentElement;
  return box;
}

const boxes = new Set(["div", "p", "span", "center", "section", "noscript"]);

/** Hosts whose frames are media or posts, and not advertisements or buttons. */
const mediaHost =
  /(?:^|\.)(?:youtube(?:-nocookie)?\.com|youtu\.be|vimeo\.com|dailymotion\.com|twitch\.tv|ted\.com|soundcloud\.com|spotify\.com|bandcamp\.com|mixcloud\.com|(?:podcasts|music)\.apple\.com|facebook\.com|instagram\.com|twitter\.com|x\.com|tiktok\.com|reddit(?:media)?\.com|bsky\.app|codepen\.io|jsfiddle\.net|codesandbox\.io|stackblitz\.com|slideshare\.net|speakerdeck\.com|datawrapper\.de|dwcdn\.net|flourish\.studio|infogram\.com|archive\.org|loom\.com|wistia\.(?:com|net)|brightcove\.net|streamable\.com|acast\.com|megaphone\.fm|simplecast\.com|buzzsprout\.com|libsyn\.com|gist\.github\.com)$/;
const button = /\/plugins\/(?!post|video)|\/widgets?\/|button|videoseries/;

/** The page that shows only the media; undefined if the element contains no media. */
function findMediaPage(embed: DomElement, baseUrl: string): URL | undefined {
  // A video without sound, or with autoplay, is a background if it has no controls.
  const isSilent = embed.hasAttribute("muted") || embed.hasAttribute("autoplay");
  if (isSilent && !embed.hasAttribute("controls")) return undefined;
  const videoId = embed.getAttribute("videoid") ?? embed.getAttribute("data-videoid");
  const source = sources.map((name) => embed.getAttribute(name) ?? "").find((value) => /[./]/.test(value));
  const inner =
    findElements(embed, "source")[0]?.getAttribute("src") || findElements(embed, "a")[0]?.getAttribute("href");
  const video = videoId && `https://www.youtube.com/embed/${videoId}`;
  const url = URL.parse(video || source || inner || "about:blank", baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (embed.localName === "video" || embed.localName === "audio") return url;
  if (button.test(url.pathname)) return undefined;
  if (!mediaHost.test(url.hostname)) return isNamedFrame(embed) || isLargeFrame(embed, url) ? url : undefined;
  const [, id = ""] = /\/(?:embed|video|v)\/([\w-]+)$/.exec(url.pathname) ?? [];
  if (id !== "" && /youtube/.test(url.hostname)) return new URL(`https://www.youtube.com/watch?v=${id}`);
  if (id !== "" && /vimeo/.test(url.hostname)) return new URL(`https://vimeo.com/${id}`);
  if (url.hostname === "gist.github.com") return new URL(url.href.replace(/^([^?]*)\.js(?:\?.*)?$/, "$1"));
  return URL.parse(url.searchParams.get("href") ?? "") ?? url;
}

/** Whether the title of a frame of an unknown host describes its content, such as a player or a map. */
function isNamedFrame(embed: DomElement): boolean {
  const title = embed.getAttribute("title") ?? "";
  return embed.localName === "iframe" && title.includes(" ") && !notMedia.test(title);
}

/** Whether a frame of an unknown host is shown like a player or a map, and not like an advertisement. */
function isLargeFrame(embed: DomElement, { href }: URL): boolean {
  if (!/^(?:iframe|embed)$/.test(embed.localName) || isHidden(embed)) return false;
  const names = ["title", "id", "name", "class"].map((name) => embed.getAttribute(name) ?? "").join(" ");
  if (notMedia.test(names.replaceAll(/[_-]/g, " ")) || otherFrame.test(href)) return false;
  const [width = 0, height = 0] = readSides(embed);
  if (sizesOfAds.has(`${width}x${height}`)) return false;
  return embed.hasAttribute("allowfullscreen") || (width >= minSide && height >= minSide);
}

/** The width and height of a frame, in pixels. */
function readSides(embed: DomElement): number[] {
  const style = embed.getAttribute("style") ?? "";
  const styled = [/(?:^|[;\s])width\s*:\s*([\d.]+(?:px|%))/i, /(?:^|[;\s])height\s*:\s*([\d.]+(?:px|%))/i];
  return ["width", "height"].map((name, side) => {
    const declared = styled[side]?.exec(style)?.[1] ?? embed.getAttribute(name) ?? "";
    return declared === "100%" ? fullWidth : declared.endsWith("%") ? 0 : Number.parseInt(declared, 10);
  });
}

const fullWidth = 1000;
const minSide = 120;
const sizesOfAds = new Set([
  "300x250",
  "336x280",
  "250x250",
  "200x200",
  "180x150",
  "300x600",
  "160x600",
  "120x600",
  "970x250",
]);
/** Addresses of frames with advertisements, forms, comments and other parts of a site. */
const otherFrame =
  /doubleclick|syndication|tagmanager|adservice|adsystem|adnxs|taboola|outbrain|criteo|teads|disqus|captcha|addthis|sharethis|substack\.com\/embed|mailchimp|list-manage|convertkit|beehiiv|hsforms|hubspot|surveymonkey|docs\.google\.com\/forms|consent|cookie|newsletter|subscri|comments?\b|log-?in|sign-?up|[/.](?:ads?|adserver|banners?|track(?:ing|er)?|pixel)[/.?]/i;

const notMedia =
  /\b(?:advert|sponsor|subscri|(?:ads?|captcha|recaptcha|cookies?|consent|newsletter|sign[ -]?up|login|log in|comments?|disqus|share|like button|tracking|pixel|chat|3rd party|third party)\b)/i;

/** The attributes with the URL. Consent managers and scripts that load lazily rename `src`. */
const sources = [
  "data-instgrm-permalink",
  "data-href",
  "src",
  "data-src",
  "data-lazy-src",
  "data-litespeed-src",
  "data-cmp-src",
  "data-cookieblock-src",
  "data-consent-src",
];

function titleEmbed(embed: DomElement, { hostname, pathname }: URL): string {
  const quoted = embed.localName === "blockquote" ? visibleText(embed) : "";
  const title = embed.getAttribute("title") || embed.getAttribute("aria-label") || quoted;
  const host = hostname.replace(/^(?:www|player|open|w)\./, "");
  if (title !== "" && !playerTitle.test(title)) return title;
  if (embed.localName === "audio" || embed.localName === "video") return pathname.split("/").at(-1) || host;
  return /\.pdf$/i.test(pathname) ? decodeUrlPart(pathname.split("/").at(-1) ?? host) : host;
}

const playerTitle = /player|^(?:embed(?:ded)?|iframe|video|audio|content)\b/i;
