// SPDX-License-Identifier: MIT

import { setTimeout as pause } from "node:timers/promises";
import { findStop, pagesOfDay } from "@reading-list/core/domain/kept-page.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { unixTime } from "@reading-list/core/ports/clock.ts";
import type { OperatorStore } from "@reading-list/core/ports/operator.ts";
import type { ClosedUser } from "@reading-list/core/ports/users.ts";
import { askForPages } from "@reading-list/core/use-cases/articles/ask-for-pages.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import type { Command } from "commander";
import { UsageError } from "../failures.ts";
import { findWholeUser } from "../find-user.ts";
import { parseUsername } from "../parse-options.ts";
import { createProgress } from "../progress.ts";
import { type Report, showCount, showNumber } from "../report.ts";
import type { Context, Run } from "../run-command.ts";

/** Items whose records are written at a time. */
const itemsAtOnce = 200;
/** Milliseconds between two looks, and after which the command ends if nothing was read: pages may wait for a next try. */
const lookMs = 1000;
const patienceMs = 120_000;

/** `readinglist articles …` */
export function addArticleCommands(program: Command, run: Run): void {
  const articles = program.command("articles").description("save copies of the pages of a list");
  articles
    .command("keep")
    .description("make the service save a copy of each page without one, and show the progress")
    .argument("[usernames...]", "users whose pages to save", (name: string, before: string[] = []) => [
      ...before,
      parseUsername(name),
    ])
    .option("--all", "save the pages of all users")
    .option("--no-wait", "exit without waiting for the copies")
    .addHelpText(
      "after",
      `
The running service reads the pages, one page of a site at a time, and at most ${pagesOfDay} pages of each user a
day. You can stop the command and run it again. The kept endpoint says why a page could not be read.

Examples:
  readinglist articles keep ann
  readinglist articles keep --all --no-wait`,
    )
    .action((usernames: string[], options: { all?: boolean; wait: boolean }) =>
      run(async (context) => {
        if ((usernames.length === 0) !== (options.all === true)) throw new UsageError("give usernames, or --all");
        const users = await findUsers(context.store, usernames);
        let asked = 0;
        for (const user of users) asked += await askForList(context, user);
        return options.wait && asked > 0 ? watch(context, users, asked) : showAsked(asked);
      }),
    );
}

async function findUsers(store: OperatorStore, usernames: readonly string[]): Promise<ClosedUser[]> {
  if (usernames.length > 0) return Promise.all(usernames.map((name) => findWholeUser(store, name)));
  const users: ClosedUser[] = [];
  for await (const records of store.walkUsers())
    users.push(...records.filter(({ deletingSince, moving }) => deletingSince === undefined && !moving));
  return users;
}

async function askForList({ store, now }: Context, user: ClosedUser): Promise<number> {
  let asked = 0;
  for await (const items of store.walkItems(user.username)) {
    for (const part of splitList(items, itemsAtOnce)) asked += await askForPages(store.keptPages, user, part, now);
  }
  return asked;
}

const showAsked = (asked: number): Report => ({
  data: { asked },
  text: asked === 0 ? "All pages have saved copies." : `Asked the service to save ${showCount(asked, "page")}.`,
});

/** Shows the progress until nothing waits, the service reads no more for now, or SIGINT. */
async function watch({ store, terminal }: Context, users: readonly ClosedUser[], asked: number): Promise<Report> {
  const { service } = readSettings(terminal.env);
  const progress = createProgress("keeping pages", terminal.stderr);
  const interrupt = new AbortController();
  const stop = () => interrupt.abort();
  process.once("SIGINT", stop);
  let waiting = asked;
  let failed = 0;
  let reason = "";
  try {
    for (let changedAt = performance.now(); ; await pause(lookMs, undefined, { signal: interrupt.signal })) {
      const counts = await Promise.all(users.map((user) => store.keptPages.counts(user)));
      const left = counts.reduce((sum, each) => sum + each.waiting, 0);
      failed = counts.reduce((sum, each) => sum + each.failed, 0);
      if (left !== waiting) changedAt = performance.now();
      waiting = left;
      progress.show(Math.max(0, asked - waiting), asked);
      if (waiting === 0) break;
      const stops = await Promise.all(users.map(({ username }) => findUserStop(store, username, service)));
      if (stops.every((each) => each !== undefined)) reason = describeStop(stops);
      else if (performance.now() - changedAt > patienceMs)
        reason =
          "no page was read for 2 minutes: either the service is not running, or the pages are waiting for a retry";
      if (reason !== "") break;
    }
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    reason = "the service continues";
  } finally {
    progress.end();
    process.off("SIGINT", stop);
  }
  const numbers = `${showNumber(Math.max(0, asked - waiting))} of ${showCount(asked, "page")} done, ${showNumber(failed)} could not be read`;
  return { data: { asked, waiting, failed }, text: `${numbers}${reason && `; ${reason}`}.` };
}

async function findUserStop(store: OperatorStore, username: string, service: Parameters<typeof findStop>[1]) {
  const user = await store.users.find(username);
  return user && findStop(user, service, unixTime(Date));
}

const describeStop = (stops: readonly (string | undefined)[]) =>
  stops.includes("day_full")
    ? `${pagesOfDay} pages were read today; the service continues tomorrow`
    : "the quota of saved copies is full";
