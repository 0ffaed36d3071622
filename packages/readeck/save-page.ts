import { setTimeout as pause } from "node:timers/promises";
import type { Change } from "@reading-list/core/domain/changes.ts";
import { applyChanges } from "@reading-list/core/use-cases/apply-changes.ts";
import { type ArticleAnswer, keepHtml, readArticle } from "@reading-list/core/use-cases/keep-article.ts";
import type { UseCase } from "@reading-list/core/use-cases/use-case.ts";

/** A page to save; `html` if the client has sent it. */
interface SavedPage {
  url: string;
  itemId: string;
  title: string | undefined;
  labels: readonly string[];
  html: string | undefined;
}

/** Milliseconds for which a call that saves a page waits for its article. Clients time out after 10 s. */
const articleWaitMs = 5000;

/**
 * Adds a page and its labels, and keeps its article, of which it takes the title if the client has sent none. An article
 * that fails, or takes long, is read again when a client asks for it.
 */
export const savePage: UseCase<SavedPage, void> = {
  begin: (deps, page) => async (caller) => {
    const { url, itemId, title, labels, html } = page;
    const additions: Change[] = [
      { kind: "add", itemId, url, title, tags: undefined, refId: undefined, timeAdded: undefined },
      { kind: "retag", itemId, add: labels, remove: [] },
    ];
    await applyChanges(deps, caller, additions);
    const reading = html === undefined ? readArticle(deps, caller, { url }) : keepHtml(deps, caller, { url, html });
    const article = await Promise.race([
      reading.catch((): ArticleAnswer | undefined => undefined),
      pause(articleWaitMs, undefined, { ref: false }),
    ]);
    if (title !== undefined || !article?.title) return;
    const item = (await deps.items.find(caller.user.username, [itemId])).get(itemId);
    if (item?.title === item?.url) {
      await applyChanges(deps, caller, [{ kind: "title", itemId, title: article.title.slice(0, 500) }]);
    }
  },
};

/** The HTML of an uploaded resource if it is that of the page: a line of JSON with its URL and headers comes first. */
export function htmlOf(data: Buffer, url: string): string | undefined {
  const end = data.indexOf("\n");
  try {
    const head = JSON.parse(data.toString("utf8", 0, end)) as { url?: string; headers?: Record<string, string> };
    const isHtml = /^text\/html\b/.test(head.headers?.["content-type"] ?? "text/html");
    return head.url === url && isHtml ? data.toString("utf8", end + 1) : undefined;
  } catch {
    return undefined;
  }
}
