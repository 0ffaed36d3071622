// SPDX-License-Identifier: MIT

import {
  type DomDocument,
  type DomElement,
  elementsThat,
  newElement,
  visibleText,
  withChildrenOf,
} from "../document/dom.ts";
import { linkTarget } from "../document/link-target.ts";
import type { Page } from "../document/page.ts";
import { proseLength } from "../document/prose.ts";

/**
 * The posts of a forum thread or of a question with its answers, as one article: for each post its author, if known,
 * and its text; before them the page that the thread is about. Undefined if the page has no posts of a known board, or
 * only one post, which may be something else.
 */
export function threadArticle(page: Page): DomElement | undefined {
  if (!hasBoard(page.document)) return undefined;
  const bodies = postsOf(page) ?? [];
  const link = linkOfStory(page.document, bodies.length === 0);
  return bodies.length === 0 && link === undefined ? undefined : articleOf(bodies, link, page.document);
}

/** The title, the author and the date of the first post of a thread; undefined where the page has none. */
export function startOfThread(page: Page) {
  const { document } = page;
  if (!hasBoard(document)) return undefined;
  const story = document.body.querySelector(stories);
  const first = story ?? postsOf(page)?.[0];
  if (first === undefined) return undefined;
  const title = story && (story.getAttribute("post-title") ?? visibleText(story));
  const around =
    first.closest("shreddit-post,.thing,.fatitem,.topic-body,.question,.react-issue-body,.timeline-comment") ??
    first.closest("article,li,tr") ??
    first;
  const time = around.querySelector("time[datetime],relative-time[datetime],[title].age,[title].relativetime");
  const date =
    around.getAttribute("created-timestamp") ?? time?.getAttribute("datetime") ?? time?.getAttribute("title");
  return {
    title: title ?? undefined,
    author: authorOf(first, [first]) || undefined,
    date: date?.split(" ")[0]?.replace(/(\d\d)([+-]\d\d)(\d\d)$/, "$1$2:$3"),
  };
}

/** The page, or the question, that the posts are about, on boards that show it as a link. */
const stories = "shreddit-post[post-title],.thing.link a.title,.fatitem .titleline a";

/** Nearly all pages have no post of any board. To find that out by the selectors would cost ten times as much. */
function hasBoard(document: DomDocument): boolean {
  const found = known.get(document) ?? elementsThat(document.body, mayBePost).length > 0;
  known.set(document, found);
  return found;
}

const known = new WeakMap<DomDocument, boolean>();

function postsOf(page: Page): DomElement[] | undefined {
  for (const selector of [...surePosts, ...postBodies]) {
    const found = [...page.document.body.querySelectorAll(selector)];
    const bodies = found.filter((body) => !found.some((other) => other !== body && other.contains(body)));
    if (surePosts.includes(selector) && bodies.length > 0) return bodies;
    const prose = bodies.reduce((sum, body) => sum + proseLength(body), 0);
    if (bodies.length >= minPosts && prose >= proseLength(page.main) * minShare) return bodies;
  }
  return undefined;
}

const minPosts = 2;
/** Share of the main container's prose that posts have at least: comments below an article have less. */
const minShare = 1 / 3;

const mayBePost = (element: DomElement) =>
  element.localName.startsWith("shreddit-") ||
  postAttributes.some((name) => board.test(element.getAttributeNode(name)?.value ?? ""));
const postAttributes = ["class", "id", "itemtype", "data-role", "component"];
/** A part of the selectors of each board. */
const board =
  /topic-body|topic-post|crawler-post|js-post-body|message-body|messageText|postbody|^post_message_|js-post__content-text|commentContent|post\/content|postmsg|userContent|post_body|^msg_|bbp-reply-content|Post-body|^text-\d{4}|^comment_body_|postBody|commtext|titleline|usertext-body|comment-body|^react-issue-|\/QAPage|\/DiscussionForumPosting/;

/** The text of a post, by the software of boards whose names nothing else has: a question without answers is a thread, too. */
const surePosts = [
  // Reddit, new and old
  "shreddit-post [slot=text-body],shreddit-comment [slot=comment]",
  ".thing .entry .usertext-body .md",
  // Stack Exchange
  ".js-post-body",
  // Hacker News
  ".toptext,.commtext",
  // GitHub's issues
  ".react-issue-body .markdown-body,.react-issue-comment .markdown-body",
  // Discourse, with and without its script
  ".topic-body .post,.topic-post .cooked,.crawler-post .post",
];

/** The text of a post, by board software. */
const postBodies = [
  // XenForo, new and old
  ".message-body .bbWrapper",
  ".message .messageText",
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
  // GitHub's pull requests
  ".comment-body.markdown-body",
  "[itemtype$='/QAPage'] [itemprop=text]",
  "[itemtype$='/DiscussionForumPosting'] [itemprop=text],[itemtype$='/DiscussionForumPosting'] [itemprop=articleBody]",
];

function articleOf(bodies: readonly DomElement[], link: DomElement | undefined, document: DomDocument): DomElement {
  const posts = bodies.map((body) => {
    const author = authorOf(body, bodies);
    const name = author === "" ? [] : [newElement(document, "h4", [document.createTextNode(author)])];
    return newElement(document, "section", [...name, withChildrenOf(body, "div")]);
  });
  return newElement(document, "div", link ? [newElement(document, "p", [link]), ...posts] : posts);
}

/** A link to the page of another site that the posts are about. Its text is its address, or the title if that would be all. */
function linkOfStory(document: DomDocument, isAlone: boolean): DomElement | undefined {
  const story = document.body.querySelector(stories);
  const target = linkTarget(story?.getAttribute("content-href") ?? story?.getAttribute("href"), document.baseURI);
  if (target === undefined || new URL(target).host === new URL(document.baseURI).host) return undefined;
  const title = story?.getAttribute("post-title") ?? (story ? visibleText(story) : "");
  const link = newElement(document, "a", [document.createTextNode(isAlone && title !== "" ? title : target)]);
  link.setAttribute("href", target);
  return link;
}

const authors = [
  "[itemprop=author] [itemprop=name]",
  "[itemprop=creator] [itemprop=name]",
  ".user-details a",
  ".username",
  ".Username",
  ".bbp-author-name",
  ".ipsEntry__username",
  ".cAuthorPane_author",
  ".ipsComment_author a",
  // Older phpBB: "Postby NAME » date".
  "[itemprop=author]",
  "p.author strong",
  ".author",
  ".creator",
  ".hnuser",
  ".bigusername",
  "[class*='__authorLoginLink']",
  "[class*='__AuthorLink']",
];
const maxNameLength = 60;
/** The number or time of a post, which some boards show in a line that they call "author". */
const timeOrNumber = /#\d|\d{4}-\d\d/;

/** The name in the smallest element around a post that contains no other post. */
function authorOf(body: DomElement, bodies: readonly DomElement[]): string {
  const given = body.closest(
    "shreddit-post[author],shreddit-comment[author],.thing[data-author],.message[data-author]",
  );
  if (given !== null) return given.getAttribute("author") ?? given.getAttribute("data-author") ?? "";
  let post = body;
  for (let around = body.parentElement; around !== null; around = around.parentElement) {
    if (bodies.some((other) => other !== body && around.contains(other))) break;
    post = around;
    for (const selector of authors) {
      const author = post.querySelector(selector);
      if (author === null || body.contains(author)) continue;
      const name = author.getAttribute("content") ?? visibleText(author);
      if (name !== "" && name.length <= maxNameLength && !timeOrNumber.test(name)) return name;
    }
  }
  return "";
}
