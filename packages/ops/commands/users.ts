import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, renameSync, rmSync } from "node:fs";
import type { Writable } from "node:stream";
import * as fields from "@reading-list/core/contract/fields.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { createPasswordHasher } from "@reading-list/functions/compose/password-hasher.ts";
import type { Table } from "@reading-list/store/client.ts";
import { walkItems } from "@reading-list/store/items.ts";
import {
  beginDeletion,
  deleteGuesses,
  deleteItems,
  endDeletion,
  findUserRecord,
  setPasswordHash,
} from "@reading-list/store/user-records.ts";
import type { UserRecord } from "@reading-list/store/users.ts";
import { type Command, InvalidArgumentError } from "commander";
import { CommandFailure } from "../failures.ts";
import { createProgress } from "../progress.ts";
import { alignPairs, countOf, showNumber, showTime } from "../report.ts";
import type { Run } from "../run-command.ts";
import { confirm, readPassword } from "../terminal.ts";

function parseUsername(value: string): string {
  const result = fields.username.safeParse(value);
  if (!result.success) throw new InvalidArgumentError(`It ${result.error.issues[0]?.message}.`);
  return value;
}

/** As long as a password may be: 120 random bits. */
const newPassword = () => randomBytes(15).toString("base64url");

/** `readinglist users …` */
export function addUsersCommands(program: Command, run: Run): void {
  const users = program.command("users").description("look after users and their lists");

  users
    .command("show")
    .description("show what is known of a user, without the list")
    .argument("<username>", "whom", parseUsername)
    .action((username: string) =>
      run(async ({ table }) => {
        const user = await findUser(table, username);
        const pairs: [string, string][] = [
          ["Username", user.username],
          ["User since", showTime(user.userSince)],
          ["Unread items", showNumber(user.countUnread)],
          ["Read items", showNumber(user.countRead)],
          ["Last change", user.changedAt === 0 ? "never" : showTime(user.changedAt)],
          ["Last sync", user.lastSince === 0 ? "never" : showTime(user.lastSince)],
          [
            "Calls",
            user.calls === 0 ? "none" : `${showNumber(user.calls)} in the window from ${showTime(user.windowStart)}`,
          ],
        ];
        if (user.deletingSince !== undefined) {
          pairs.push(["Being deleted", `since ${showTime(user.deletingSince)}; end it with users delete`]);
        }
        const { userSince, countUnread, countRead, changedAt, lastSince, windowStart, calls } = user;
        const deletingSince = user.deletingSince ?? null;
        const data = { username, userSince, countUnread, countRead, changedAt, lastSince, windowStart, calls };
        return { data: { ...data, deletingSince }, text: alignPairs(pairs) };
      }),
    );

  users
    .command("delete")
    .description("delete a user with every record of theirs; goes on where it was interrupted")
    .argument("<username>", "whom", parseUsername)
    .addHelpText("after", "\nExample:\n  readinglist users delete ann --yes --json")
    .action((username: string) =>
      run(async ({ table, now, isAgreed }) => {
        const { countUnread, countRead, deletingSince } = await findUser(table, username);
        const total = countUnread + countRead;
        const what = deletingSince === undefined ? `Delete ${username}` : `Go on deleting ${username}`;
        await confirm(`${what} and the list of ${countOf(total, "item")}, which nothing brings back?`, isAgreed);
        if (!(await beginDeletion(table, username, now))) throw unknownUser(username);
        const items = await countDeleted(deleteItems(table, username), `deleting the items of ${username}`, total);
        const guesses = await countDeleted(deleteGuesses(table, username), "deleting records of wrong passwords", 0);
        await endDeletion(table, username);
        const records = items + guesses + 1;
        const parts = `the user, ${countOf(items, "item")}, ${countOf(guesses, "record")} of wrong passwords`;
        return {
          data: { username, deleted: { users: 1, items, guesses, records } },
          text: `Deleted ${username}: ${countOf(records, "record")} (${parts}).`,
        };
      }),
    );

  users
    .command("reset-password")
    .description("give a user a new password, a random one that is shown once unless --ask is given")
    .argument("<username>", "whom", parseUsername)
    .option("--ask", "type the password, or give it as a line of standard input")
    .addHelpText(
      "after",
      "\nExamples:\n  readinglist users reset-password ann\n  readinglist users reset-password ann --ask",
    )
    .action((username: string, { ask = false }: { ask?: boolean }) =>
      run(async ({ table, isAgreed }) => {
        const { deletingSince } = await findUser(table, username);
        if (deletingSince !== undefined) throw beingDeleted(username);
        await confirm(`Replace the password of ${username}? The old one stops working at once.`, isAgreed);
        const password = ask ? await readPassword() : newPassword();
        const { error } = fields.password.safeParse(password === "" ? undefined : password);
        if (error) throw new CommandFailure(`the password ${error.issues[0]?.message}; nothing was changed`);
        const hash = await createPasswordHasher().hash(password);
        if (!(await setPasswordHash(table, username, hash))) throw unknownUser(username);
        // Whoever tried the forgotten one too often may use the new one at once.
        for await (const _ of deleteGuesses(table, username));
        return {
          data: { username, ...(!ask && { password }) },
          text: ask
            ? `The password of ${username} was replaced.`
            : `${alignPairs([
                ["Username", username],
                ["Password", password],
              ])}\n\nKeep the password now: it is not shown again.`,
        };
      }),
    );

  users
    .command("export")
    .description("write a user and all items as JSON, without the password's hash")
    .argument("<username>", "whom", parseUsername)
    .option("--out <file>", "write to a file in place of standard output")
    .addHelpText("after", "\nExample:\n  readinglist users export ann --out ann.json")
    .action((username: string, { out }: { out?: string }) =>
      run(async ({ table }) => {
        const user = await findUser(table, username);
        if (user.deletingSince !== undefined) throw beingDeleted(username);
        if (out === undefined) {
          await writeExport(table, user, process.stdout);
          return undefined;
        }
        const items = await writeFile(out, (file) => writeExport(table, user, file));
        return {
          data: { username, items, file: out },
          text: `Exported ${username} to ${out}: ${countOf(items, "item")}.`,
        };
      }),
    );
}

const unknownUser = (username: string) =>
  new CommandFailure(`there is no user ${username}; check the name, and the stage or database`);
const beingDeleted = (username: string) =>
  new CommandFailure(`${username} is being deleted; end that with readinglist users delete ${username}`);

async function findUser(table: Table, username: string): Promise<UserRecord> {
  const user = await findUserRecord(table, username);
  if (!user) throw unknownUser(username);
  return user;
}

/** Deletes what `batches` gives, and shows how far that has come. */
async function countDeleted(batches: AsyncGenerator<number>, what: string, total: number): Promise<number> {
  const progress = createProgress(what, process.stderr);
  let deleted = 0;
  for await (const batch of batches) {
    deleted += batch;
    progress.show(deleted, total);
  }
  progress.end();
  return deleted;
}

/** An item under the names that `get` gives its fields. */
const exportedItem = (item: Item) => ({
  item_id: item.itemId,
  url: item.url,
  title: item.title,
  tags: item.tags,
  state: item.state,
  time_added: item.timeAdded,
  time_updated: item.timeUpdated,
  application_id: item.applicationId,
  ref_id: item.refId,
});

/** Writes a user as one JSON document, an item a line; says how many items that were. */
async function writeExport(table: Table, user: UserRecord, to: Writable): Promise<number> {
  const write = async (text: string) => {
    if (!to.write(text)) await once(to, "drain");
  };
  const { username, userSince, countUnread, countRead } = user;
  const head = { username, user_since: userSince, count_unread: countUnread, count_read: countRead };
  const progress = createProgress(`exporting ${username}`, process.stderr);
  await write(`${JSON.stringify(head).slice(0, -1)},"items":[`);
  let written = 0;
  for await (const items of walkItems(table, username)) {
    for (const item of items) await write(`${written++ === 0 ? "" : ","}\n${JSON.stringify(exportedItem(item))}`);
    progress.show(written, countUnread + countRead);
  }
  await write("\n]}\n");
  progress.end();
  return written;
}

/** Writes a file that only its owner reads; where it fails half-way there is none. */
async function writeFile(name: string, write: (file: Writable) => Promise<number>): Promise<number> {
  const draft = `${name}.unfinished`;
  const file = createWriteStream(draft, { mode: 0o600 });
  try {
    await once(file, "open");
    const count = await write(file);
    file.end();
    await once(file, "close");
    renameSync(draft, name);
    return count;
  } catch (error) {
    file.destroy();
    rmSync(draft, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    const isOfFiles = ["ENOENT", "EACCES", "EISDIR", "ENOTDIR", "EROFS", "ENOSPC", "EPERM"].includes(code ?? "");
    throw isOfFiles ? new CommandFailure(`${name} cannot be written (${code}); name another file`) : error;
  }
}
