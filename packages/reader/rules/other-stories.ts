import { type DomElement, visibleText } from "../document/dom.ts";
import type { ArticleRule } from "./rule.ts";

/**
 * Removes the elements `article` whose only heading is a link: they introduce other stories. If they are more than half of
 * the text, the page is a list of stories, and they stay.
 */
export const otherStories: ArticleRule = {
  name: "other-stories",
  apply(article) {
    const stories = [...article.querySelectorAll("article")].filter(isIntroduction);
    const size = stories.reduce((sum, story) => sum + visibleText(story).length, 0);
    if (size <= visibleText(article).length * mostOfAll) for (const story of stories) story.remove();
  },
};

const mostOfAll = 0.5;

function isIntroduction(story: DomElement): boolean {
  const [heading, ...others] = story.querySelectorAll("h1,h2,h3,h4,h5,h6");
  if (heading === undefined || others.length > 0) return false;
  const link = heading.querySelector("a[href]") ?? heading.closest("a[href]");
  return link !== null && visibleText(link).startsWith(visibleText(heading));
}
