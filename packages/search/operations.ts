// SPDX-License-Identifier: MIT

import { ServiceError } from "@reading-list/core/errors.ts";
import type { CopiedIndex } from "@reading-list/core/ports.ts";

type Result<Method> = Method extends (...args: infer Args) => Promise<infer Value> ? (...args: Args) => Value : never;

/** The work on the files: the methods of `CopiedIndex`, one at a time. */
export type Operations = { [Name in keyof CopiedIndex]: Result<CopiedIndex[Name]> };

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
  new ServiceError("busy", "search: the index is made anew; try again", { retryAfter: 1 });

/** The indexes by their operations. */
export const indexesBy = (run: Run): CopiedIndex => ({
  state: (...args) => run("state", ...args),
  setState: (...args) => run("setState", ...args),
  putPages: (...args) => run("putPages", ...args),
  putContents: (...args) => run("putContents", ...args),
  remove: (...args) => run("remove", ...args),
  findResized: (...args) => run("findResized", ...args),
  find: (...args) => run("find", ...args),
  cutSnippets: (...args) => run("cutSnippets", ...args),
  compact: (...args) => run("compact", ...args),
  drop: (...args) => run("drop", ...args),
  owners: () => run("owners"),
  size: (...args) => run("size", ...args),
  exportFile: (...args) => run("exportFile", ...args),
  importFile: (...args) => run("importFile", ...args),
});
