// SPDX-License-Identifier: MIT

import {
  closestThat,
  type DomDocument,
  type DomElement,
  elementsThat,
  moveChildren,
  newElement,
  visibleText,
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
  if (findBoards(page.document).length === 0) return undefined;
  const bodies = findPosts(page) ?? [];
  const link = findStoryLink(page.document, bodies.length === 0);
  return bodies.length === 0 && link === undefined ? undefined : joinPosts(bodies, link, page.document);
}

/** The title, the author and the date of the first post of a thread; undefined where the page has none. */
export function readThreadStart(page: Page) {
  const { document } = page;
  if (findBoards(document).length === 0) return undefined;
  const story = document.body.querySelector(stories);
  const first = story ?? findPosts(page)?.[0];
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
    author: findAuthor(first, authorsIn(document), new Map()) || undefined,
    date: date?.split(" ")[0]?.replace(/(\d\d)([+-]\d\d)(\d\d)$/, "$1$2:$3"),
  };
}

/** The page, or the question, that the posts are about, on boards that show it as a link. */
const stories = "shreddit-post[post-title],.thing.link a.title,.fatitem .titleline a";

/** The boards whose signs a page has. Nearly all pages have none: to find that out by the selectors would cost ten times as much. */
function findBoards(document: DomDocument): readonly Board[] {
  let found = known.get(document);
  if (found === undefined) {
    const signs = [...new Set(elementsThat(document.body, hasSign).flatMap(readSigns))];
    found = boards.filter(({ sign }) => signs.some((value) => sign.test(value)));
    known.set(document, found);
  }
  return found;
}

const known = new WeakMap<DomDocument, readonly Board[]>();

function findPosts(page: Page): DomElement[] | undefined {
  for (const { posts, isSure } of findBoards(page.document)) {
    const found = new Set(page.document.body.querySelectorAll(posts));
    const bodies = [...found].filter((body) => closestThat(body.parentElement, (box) => found.has(box)) === null);
    if (isSure && bodies.length > 0) return bodies;
    const prose = bodies.reduce((sum, body) => sum + proseLength(body), 0);
    if (bodies.length >= minPosts && prose >= proseLength(page.main) * minShare) return bodies;
  }
  return undefined;
}

const minPosts = 2;
/** Share of the main container's prose that posts have at least: comments below an article have less. */
const minShare = 1 / 3;

/** A software of boards. */
interface Board {
  /** A name or value of an element that a page with its posts has. */
  sign: RegExp;
  /** The selector of the text of a post. */
  posts: string;
  /** Whether nothing else has these names: a question without answers is a thread, too. */
  isSure?: true;
}

const boards: readonly Board[] = [
  // Reddit, new and old
  {
    sign: /^shreddit-/,
    posts: "shreddit-post [slot=text-body],shreddit-comment [slot=comment]",
    isSure: true,
  },
  { sign: /usertext-body/, posts: ".thing .entry .usertext-body .md", isSure: true },
  // Stack Exchange
  { sign: /js-post-body/, posts: ".js-post-body", isSure: true },
  // Hacker News
  { sign: /commtext|titleline/, posts: ".toptext,.commtext", isSure: true },
  // GitHub's issues
  {
    sign: /^react-issue-/,
    posts: ".react-issue-body .markdown-body,.react-issue-comment .markdown-body",
    isSure: true,
  },
  // Discourse, with and without its script
  {
    sign: /topic-body|topic-post|crawler-post/,
    posts: ".topic-body .post,.topic-post .cooked,.crawler-post .post",
    isSure: true,
  },
  // XenForo, new and old
  { sign: /message-body/, posts: ".message-body .bbWrapper" },
  { sign: /messageText/, posts: ".message .messageText" },
  // phpBB
  { sign: /postbody/, posts: ".postbody .content" },
  // vBulletin
  { sign: /^post_message_|js-post__content-text/, posts: "[id^=post_message_],.js-post__content-text" },
  // Invision Community
  { sign: /commentContent/, posts: "[data-role=commentContent]" },
  // NodeBB
  { sign: /post\/content/, posts: "[component='post/content']" },
  // FluxBB and PunBB
  { sign: /postmsg/, posts: ".postmsg" },
  // Vanilla
  { sign: /userContent/, posts: ".Message.userContent,.Message .userContent" },
  // MyBB
  { sign: /post_body/, posts: ".post_body" },
  // SMF
  { sign: /^msg_/, posts: ".inner[id^=msg_]" },
  // bbPress
  { sign: /bbp-reply-content/, posts: ".bbp-reply-content" },
  // Flarum
  { sign: /Post-body/, posts: ".Post-body" },
  // Slashdot: the story and its comments
  { sign: /^text-\d{4}|^comment_body_/, posts: "[id^=text-].p,[id^=comment_body_]" },
  // Tripadvisor
  { sign: /postBody/, posts: ".postBody" },
  // GitHub's pull requests
  { sign: /comment-body/, posts: ".comment-body.markdown-body" },
  { sign: /\/QAPage/, posts: "[itemtype$='/QAPage'] [itemprop=text]" },
  {
    sign: /\/DiscussionForumPosting/,
    posts:
      "[itemtype$='/DiscussionForumPosting'] [itemprop=text],[itemtype$='/DiscussionForumPosting'] [itemprop=articleBody]",
  },
];

const anySign = new RegExp(boards.map(({ sign }) => sign.source).join("|"));
const signAttributes = ["class", "id", "itemtype", "data-role", "component"];

const hasSign = (element: DomElement) =>
  element.localName.startsWith("shreddit-") ||
  signAttributes.some((name) => anySign.test(element.getAttributeNode(name)?.value ?? ""));

const readSigns = (element: DomElement) => [
  element.localName,
  ...signAttributes.map((name) => element.getAttributeNode(name)?.value ?? ""),
];

function joinPosts(bodies: readonly DomElement[], link: DomElement | undefined, document: DomDocument): DomElement {
  const inBox = new Map<DomElement, number>();
  for (const body of bodies)
    for (let box = body.parentElement; box !== null; box = box.parentElement) inBox.set(box, (inBox.get(box) ?? 0) + 1);
  const selectors = authorsIn(document);
  const posts = bodies.map((body) => {
    const author = findAuthor(body, selectors, inBox);
    const name = author === "" ? [] : [newElement(document, "h4", [document.createTextNode(author)])];
    return newElement(document, "section", [...name, moveChildren(body, "div")]);
  });
  return newElement(document, "div", link ? [newElement(document, "p", [link]), ...posts] : posts);
}

/** A link to the page of another site that the posts are about. Its text is its address, or the title if that would be all. */
function findStoryLink(document: DomDocument, isAlone: boolean): DomElement | undefined {
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

/** The selectors that a page has an element for: each is compiled again for each post and each element around it. */
const authorsIn = ({ body }: DomDocument) => authors.filter((selector) => body.querySelector(selector) !== null);

/** The name in the smallest element around a post that contains no other post; `posts` counts them by the elements around them. */
function findAuthor(body: DomElement, selectors: readonly string[], posts: ReadonlyMap<DomElement, number>): string {
  const given = body.closest(
    "shreddit-post[author],shreddit-comment[author],.thing[data-author],.message[data-author]",
  );
  if (given !== null) return given.getAttribute("author") ?? given.getAttribute("data-author") ?? "";
  let post = body;
  for (let around = body.parentElement; around !== null; around = around.parentElement) {
    if ((posts.get(around) ?? 0) > 1) break;
    post = around;
    for (const selector of selectors) {
      const author = post.querySelector(selector);
      if (author === null || body.contains(author)) continue;
      const name = author.getAttribute("content") ?? visibleText(author);
      if (name !== "" && name.length <= maxNameLength && !timeOrNumber.test(name)) return name;
    }
  }
  return "";
}
