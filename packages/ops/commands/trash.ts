// SPDX-License-Identifier: MIT

import * as fields from "@reading-list/core/contract/fields.ts";
import { planWrite } from "@reading-list/core/domain/changes.ts";
import { isInTrash, itemsIn, trashKeptSeconds } from "@reading-list/core/domain/item.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { type WritableList, writesAtOnce } from "@reading-list/core/ports/items.ts";
import type { ClosedUser } from "@reading-list/core/ports/users.ts";
import { eraseByIds } from "@reading-list/core/use-cases/lists/erase-trash.ts";
import { writeItems } from "@reading-list/core/use-cases/lists/write-items.ts";
import { type Command, InvalidArgumentError } from "commander";
import { UsageError } from "../failures.ts";
import { findWholeUser, unknownUser } from "../find-user.ts";
import { parseUsername } from "../parse-options.ts";
import { alignColumns, showCount, showTime } from "../report.ts";
import type { Context, Run } from "../run-command.ts";
import { confirm } from "../terminal.ts";

/** Collects arguments. */
function parseUrl(value: string, before: string[] = []): string[] {
  const { error } = fields.webUrl.safeParse(value);
  if (error) throw new InvalidArgumentError(`It ${error.issues[0]?.message}.`);
  return [...before, value];
}

/** `readinglist trash …` */
export function addTrashCommands(program: Command, run: Run): void {
  const trash = program.command("trash").description("show, restore and erase the deleted pages of a user");
  addList(trash, run);
  addRestore(trash, run);
  addPurge(trash, run);
}

const readTrash = ({ store, now }: Context, user: ClosedUser, after = now - trashKeptSeconds) =>
  itemsIn(store.trash.walk(user, { after, order: "newestFirst" }));

function addList(trash: Command, run: Run): void {
  trash
    .command("list")
    .description("list the deleted pages, most recently deleted first")
    .argument("<username>", "name of the user", parseUsername)
    .action((username: string) =>
      run(async (context) => {
        const items = await readTrash(context, await findWholeUser(context.store, username));
        const rows = items.map(({ url, title, timeUpdated }) => [showTime(timeUpdated), url, title]);
        return {
          data: items.map(({ url, title, timeUpdated }) => ({ url, title, timeDeleted: timeUpdated })),
          text: alignColumns(["DELETED", "URL", "TITLE"], rows, "The trash is empty."),
        };
      }),
    );
}

function addRestore(trash: Command, run: Run): void {
  trash
    .command("restore")
    .description("restore deleted pages with their tags, saved copy and reading progress")
    .argument("<username>", "name of the user", parseUsername)
    .argument("[urls...]", "pages to restore", parseUrl)
    .option("--all", "restore all deleted pages")
    .addHelpText("after", "\nExample:\n  readinglist trash restore ann https://example.com/ --stage production")
    .action((username: string, urls: string[] | undefined, { all }: { all?: boolean }) =>
      run(async (context) => {
        const { store, now } = context;
        const ids = await chooseItems(context, await findWholeUser(store, username), { urls, all });
        const found = await store.users.find(username);
        if (!found) throw unknownUser(username);
        let list: WritableList = found;
        let restored = 0;
        for (const part of splitList(ids, writesAtOnce)) {
          const written = await writeItems({ items: store.items, clock: Date }, list, part, (existing) => ({
            writes: part.flatMap(
              (itemId) => planWrite(existing.get(itemId), [{ kind: "restore", itemId }], "", now) ?? [],
            ),
          }));
          list = written.list;
          restored += written.plan.writes.length;
        }
        return { data: { restored }, text: `Restored ${showCount(restored, "page")}.` };
      }),
    );
}

function addPurge(trash: Command, run: Run): void {
  trash
    .command("purge")
    .description("erase deleted pages and their saved copies for good")
    .argument("<username>", "name of the user", parseUsername)
    .argument("[urls...]", "pages to erase", parseUrl)
    .option("--all", "erase all deleted pages")
    .addHelpText("after", "\nExample:\n  readinglist trash purge ann --all --yes")
    .action((username: string, urls: string[] | undefined, { all }: { all?: boolean }) =>
      run(async (context) => {
        const { store, terminal, isAgreed } = context;
        const user = await findWholeUser(store, username);
        // Including pages that the schedule should have erased.
        const ids = await chooseItems(context, user, { urls, all, after: 0 });
        await confirm(terminal, `Erase ${showCount(ids.length, "page")} for good?`, isAgreed);
        await eraseByIds({ ...store, clock: Date }, user, ids);
        return { data: { erased: ids.length }, text: `Erased ${showCount(ids.length, "page")}.` };
      }),
    );
}

/** The ids of the named pages that are in the trash, or of all. Throws a UsageError unless one of both is given. */
async function chooseItems(
  context: Context,
  user: ClosedUser,
  { urls = [], all = false, after }: { urls: string[] | undefined; all: boolean | undefined; after?: number },
): Promise<string[]> {
  if (urls.length > 0 === all) throw new UsageError("give pages, or --all");
  if (all) return (await readTrash(context, user, after)).map(({ itemId }) => itemId);
  const found = await context.store.items.find(user.username, [...new Set(urls.map(toItemId))]);
  return [...found.values()].filter((item) => isInTrash(item, context.now)).map(({ itemId }) => itemId);
}
