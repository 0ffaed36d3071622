// SPDX-License-Identifier: MIT

import { ServiceError } from "@reading-list/core/errors.ts";
import type { CopiedIndex, PageContent, Snippet } from "@reading-list/core/ports/search.ts";
import { isDamage, pathOfIndex, readResultCode } from "./damage.ts";
import type { Evaluators } from "./evaluators.ts";
import { writeStatements } from "./statements.ts";

type Result<Method> = Method extends (...args: infer Args) => Promise<infer Value> ? (...args: Args) => Value : never;

/** The work on the files: the methods of `CopiedIndex` but `find`, one at a time. */
export type Operations = { [Name in Exclude<keyof CopiedIndex, "find">]: Result<CopiedIndex[Name]> };

/** SQLite's code for a file that is not there: nothing is indexed yet. */
const cannotOpen = 14;

export interface Request {
  id: number;
  name: keyof Operations;
  args: readonly unknown[];
}

export interface Answer {
  id: number;
  result?: unknown;
  error?: { isDamaged: boolean; stack: string };
}

/** Does an operation, wherever the files are. */
export type Run = <Name extends keyof Operations>(
  name: Name,
  ...args: Parameters<Operations[Name]>
) => Promise<ReturnType<Operations[Name]>>;

export const beingMadeAnew = () =>
  new ServiceError("busy", "search: the index is being rebuilt; try again", { retryAfter: 1 });

/** UTF-16 units of HTML that are cut at once: some 50 ms of the thread. */
const unitsAtOnce = 500_000;

/** Most pages of a long list have no text to cut, which costs no message to the thread. */
const hasText = ({ html, note, author }: PageContent) => html !== "" || note !== "" || author !== "";
const noSnippet: Snippet = { snippet: "", marks: [] };

function splitIntoParts(pages: readonly PageContent[]): PageContent[][] {
  const parts: PageContent[][] = [];
  let units = 0;
  for (const page of pages) {
    units += page.html.length;
    const part = parts.at(-1);
    if (part && units <= unitsAtOnce) {
      part.push(page);
      continue;
    }
    parts.push([page]);
    units = page.html.length;
  }
  return parts;
}

/** The indexes in a folder by their operations, whose searches are evaluated in other processes. */
export const indexesBy = (run: Run, folder: string, evaluators: Evaluators): CopiedIndex => ({
  state: (...args) => run("state", ...args),
  setState: (...args) => run("setState", ...args),
  putPages: (...args) => run("putPages", ...args),
  putContents: (...args) => run("putContents", ...args),
  remove: (...args) => run("remove", ...args),
  findResized: (...args) => run("findResized", ...args),
  find: async (userId, query, order) => {
    const { counting, finding } = writeStatements(query, order);
    try {
      const [counts, found] = await evaluators.evaluate(userId, pathOfIndex(folder, userId), [counting, finding]);
      return { total: Number(counts?.[0]?.n ?? 0), itemIds: (found ?? []).map((row) => String(row.item_id)) };
    } catch (error) {
      if (readResultCode(error) === cannotOpen) return { total: 0, itemIds: [] };
      if (!isDamage(error)) throw error;
      await run("drop", userId);
      throw beingMadeAnew();
    }
  },
  cutSnippets: async (userId, query, pages) => {
    const snippets: Snippet[] = [];
    const withTexts = pages.filter(hasText);
    // In parts, between which other users have their turn.
    for (const part of splitIntoParts(withTexts)) snippets.push(...(await run("cutSnippets", userId, query, part)));
    return pages.map((page) => (hasText(page) && snippets.shift()) || noSnippet);
  },
  compact: (...args) => run("compact", ...args),
  drop: (...args) => run("drop", ...args),
  owners: () => run("owners"),
  size: (...args) => run("size", ...args),
  exportFile: (...args) => run("exportFile", ...args),
  importFile: (...args) => run("importFile", ...args),
});
