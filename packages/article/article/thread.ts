// SPDX-License-Identifier: MIT

import { type DomDocument, type DomElement, newElement, visibleText, withChildrenOf } from "../document/dom.ts";
import type { Page } from "../document/page.ts";
import { proseLength } from "../document/prose.ts";

/**
 * The posts of a forum thread or of a question with its answers, as one article: for each post its author, if known, and
 * its text. Undefined if the page has no posts of a known board, or only one.
 */
export function threadArticle(page: Page): DomElement | undefined {
  // Nearly all pages have no post of any board. To find that out by the selectors would cost ten times as much.
  if (![...page.document.body.querySelectorAll("*")].some(mayBePost)) return undefined;
  for (const selector of postBodies) {
    const found = [...page.document.body.querySelectorAll(selector)];
    const bodies = found.filter((body) => !found.some((other) => other !== body && other.contains(body)));
    if (bodies.length < minPosts) continue;
    const prose = bodies.reduce((sum, body) => sum + proseLength(body), 0);
    if (prose >= proseLength(page.main) * minShare) return articleOf(bodies, page.document);
  }
  return undefined;
}

const minPosts = 2;
/** Share of the main container's prose that posts have at least: comments below an article have less. */
const minShare = 1 / 3;

const mayBePost = (element: DomElement) =>
  postAttributes.some((name) => board.test(element.getAttributeNode(name)?.value ?? ""));
const postAttributes = ["class", "id", "itemtype", "data-role", "component"];
/** A part of the selectors of each board. */
const board =
  /topic-body|topic-post|crawler-post|js-post-body|message-body|postbody|^post_message_|js-post__content-text|commentContent|post\/content|postmsg|userContent|post_body|^msg_|bbp-reply-content|Post-body|^text-\d{4}|^comment_body_|postBody|commtext|comment-body|\/QAPage|\/DiscussionForumPosting/;

/** The text of a post, by board software. */
const postBodies = [
  // Discourse, with and without its script
  ".topic-body .post,.topic-post .cooked,.crawler-post .post",
  // Stack Exchange
  ".js-post-body",
  // XenForo
  ".message-body .bbWrapper",
  // phpBB
  ".postbody .content",
  // vBulletin
  "[id^=post_message_],.js-post__content-text",
  // Invision Community
  "[data-role=commentContent]",
  // NodeBB
  "[component='post/content']",
  // FluxBB and PunBB
  ".postmsg",
  // Vanilla
  ".Message.userContent,.Message .userContent",
  // MyBB
  ".post_body",
  // SMF
  ".inner[id^=msg_]",
  // bbPress
  ".bbp-reply-content",
  // Flarum
  ".Post-body",
  // Slashdot: the story and its comments
  "[id^=text-].p,[id^=comment_body_]",
  // Tripadvisor
  ".postBody",
  // Hacker News
  ".commtext",
  // GitHub issues
  ".comment-body.markdown-body",
  "[itemtype$='/QAPage'] [itemprop=text]",
  "[itemtype$='/DiscussionForumPosting'] [itemtype$='/Comment'] [itemprop=text]",
];

function articleOf(bodies: readonly DomElement[], document: DomDocument): DomElement {
  const posts = bodies.map((body) => {
    const author = authorOf(body, bodies);
    const name = author === "" ? [] : [newElement(document, "h4", [document.createTextNode(author)])];
    return newElement(document, "section", [...name, withChildrenOf(body, "div")]);
  });
  return newElement(document, "div", posts);
}

const authors = [
  ...["[itemprop=author] [itemprop=name]", "[itemprop=creator] [itemprop=name]", ".user-details a", ".username"],
  ...[".Username", ".bbp-author-name", ".ipsEntry__username", ".cAuthorPane_author", ".ipsComment_author a"],
  ...["[itemprop=author]", ".author", ".creator", ".hnuser", ".bigusername"],
];
const maxNameLength = 60;

/** The name in the smallest element around a post that contains no other post. */
function authorOf(body: DomElement, bodies: readonly DomElement[]): string {
  let post = body;
  for (let around = body.parentElement; around !== null; around = around.parentElement) {
    if (bodies.some((other) => other !== body && around.contains(other))) break;
    post = around;
    for (const selector of authors) {
      const author = post.querySelector(selector);
      if (author === null || body.contains(author)) continue;
      const name = author.getAttribute("content") ?? visibleText(author);
      if (name !== "" && name.length <= maxNameLength) return name;
    }
  }
  return "";
}
