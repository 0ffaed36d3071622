// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import * as fields from "@reading-list/core/contract/fields.ts";
import { pickTotals } from "@reading-list/core/domain/list-counts.ts";
import { daysOfLink } from "@reading-list/core/domain/operator-link.ts";
import { findExpiry, isTemporary } from "@reading-list/core/domain/sign-in.ts";
import type { ExaminedList, OperatorStore, UserRecord } from "@reading-list/core/ports/operator.ts";
import { deleteUser } from "@reading-list/core/use-cases/accounts/delete-user.ts";
import { endSignIns } from "@reading-list/core/use-cases/accounts/sign-in-apps.ts";
import { repairClock } from "@reading-list/core/use-cases/lists/repair-clock.ts";
import { createLink } from "@reading-list/core/use-cases/operator/links.ts";
import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import type { Command } from "commander";
import { CommandError, UsageError } from "../failures.ts";
import { findUser, findWholeUser, unknownUser } from "../find-user.ts";
import { parseDays, parseUsername } from "../parse-options.ts";
import { createProgress } from "../progress.ts";
import { alignColumns, alignPairs, listDrift, showCount, showNumber, showTime } from "../report.ts";
import type { Run } from "../run-command.ts";
import { confirm, readSecret, type Terminal } from "../terminal.ts";

/** 20 characters, the longest password: 120 random bits. */
const generatePassword = () => randomBytes(15).toString("base64url");

/** Reads a password from the operator. Throws a CommandError if no user may have it. */
async function readNewPassword(terminal: Terminal): Promise<string> {
  const password = await readSecret(terminal, "New password");
  const { error } = fields.password.safeParse(password === "" ? undefined : password);
  if (error) throw new CommandError(`the password ${error.issues[0]?.message}; nothing was changed`);
  return password;
}

/** `readinglist users …` */
export function addUsersCommands(program: Command, run: Run): void {
  const users = program.command("users").description("manage users and their lists");
  addList(users, run);
  addCreate(users, run);
  addShow(users, run);
  addRecount(users, run);
  addRepairClock(users, run);
  addAppPasswords(users, run);
  addShares(users, run);
  addEndSignIns(users, run);
  addOperator(users, run);
  addLinks(users, run);
  addDelete(users, run);
  addResetPassword(users, run);
}

const listHeads = ["USERNAME", "SINCE", "UNREAD", "READ", "ARTICLES", "MB", ""];

/** Bytes as megabytes with one decimal. */
const showMegabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);

const userData = (user: UserRecord) => {
  const { username, userSince, countUnread, countRead, articles, articleBytes, deletingSince = null, moving } = user;
  const counts = { countUnread, countRead, articles, articleBytes };
  return { username, userSince, ...counts, deletingSince, movingSince: moving?.since ?? null };
};

function addList(users: Command, run: Run): void {
  users
    .command("list")
    .description("list all users by name; reads the whole table")
    .action(() =>
      run(async ({ store }) => {
        const found: UserRecord[] = [];
        for await (const records of store.walkUsers()) found.push(...records);
        found.sort((one, other) => (one.username < other.username ? -1 : 1));
        const rows = found.map((user) => [
          user.username,
          showTime(user.userSince),
          showNumber(user.countUnread),
          showNumber(user.countRead),
          showNumber(user.articles),
          showMegabytes(user.articleBytes),
          ...(user.deletingSince === undefined ? [] : [`being deleted since ${showTime(user.deletingSince)}`]),
          ...(user.moving ? [`being moved here since ${showTime(user.moving.since)}`] : []),
        ]);
        return {
          data: found.map(userData),
          text: alignColumns(listHeads, rows, "There are no users."),
        };
      }),
    );
}

function addCreate(users: Command, run: Run): void {
  users
    .command("create")
    .description("create a user; type the password, or pass it as a line of standard input")
    .argument("<username>", "name of the new user", parseUsername)
    .addHelpText("after", "\nExamples:\n  readinglist users create ann\n  readinglist users create ann <password-file")
    .action((username: string) =>
      run(async ({ store, now, terminal }) => {
        const hash = await createPasswordHasher().hash(await readNewPassword(terminal));
        if (!(await store.users.create(username, hash, now))) {
          throw new CommandError(`the username ${username} is taken; choose another`);
        }
        return { data: { username, userSince: now }, text: `Registered ${username}.` };
      }),
    );
}

function addShow(users: Command, run: Run): void {
  users
    .command("show")
    .description("show a user's record, without the list")
    .argument("<username>", "name of the user", parseUsername)
    .action((username: string) =>
      run(async ({ store }) => {
        const user = await findUser(store, username);
        const pairs: [string, string][] = [
          ["Username", user.username],
          ["User since", showTime(user.userSince)],
          ["Unread items", showNumber(user.countUnread)],
          ["Read items", showNumber(user.countRead)],
          ["Kept articles", `${showNumber(user.articles)}, ${showMegabytes(user.articleBytes)} MB`],
          ["Last change", user.changedAt === 0 ? "never" : showTime(user.changedAt)],
          ["Last sync", user.lastSince === 0 ? "never" : showTime(user.lastSince)],
          [
            "Calls",
            user.calls === 0 ? "none" : `${showNumber(user.calls)} in the window from ${showTime(user.windowStart)}`,
          ],
        ];
        if (user.isSuspended) pairs.push(["Suspended", "by single sign-on; users reset-password restores access"]);
        if (user.deletingSince !== undefined) {
          pairs.push(["Being deleted", `since ${showTime(user.deletingSince)}; finish with users delete`]);
        }
        if (user.moving) {
          pairs.push(["Being moved here", `since ${showTime(user.moving.since)}; finish with readinglist move`]);
        }
        const { changedAt, lastSince, windowStart, calls, isSuspended = false } = user;
        return {
          data: { ...userData(user), changedAt, lastSince, windowStart, calls, isSuspended },
          text: alignPairs(pairs),
        };
      }),
    );
}

function addRecount(users: Command, run: Run): void {
  users
    .command("recount")
    .description("recount a user's items, saved copies and highlights, for example after a restore")
    .argument("[username]", "user whose list to count", parseUsername)
    .option("--all", "count the lists of all users; reads the whole table")
    .addHelpText("after", "\nExamples:\n  readinglist users recount ann\n  readinglist users recount --all")
    .action((username: string | undefined, { all = false }: { all?: boolean }) =>
      run(async ({ store }) => {
        if ((username === undefined) !== all) throw new UsageError("give a username, or --all");
        const names: string[] = [];
        if (username !== undefined) names.push(username);
        else for await (const { record } of store.findDriftedLists()) names.push(record.username);
        const corrected: ExaminedList[] = [];
        for (const name of names) {
          const examined = await store.recountList(name);
          if (!examined) throw await explainRecountFailure(store, name);
          if (examined.isDrifted) corrected.push(examined);
        }
        return {
          data: corrected.map(({ record, counts }) => ({
            username: record.username,
            before: pickTotals(record),
            after: counts,
          })),
          text: alignColumns(
            ["USERNAME", "COUNT", "BEFORE", "NOW"],
            corrected.flatMap(toRecountRows),
            "All counts are right.",
          ),
        };
      }),
    );
}

/** Seconds after which every process is in maintenance. */
const maintenanceDelay = 10;

function addRepairClock(users: Command, run: Run): void {
  users
    .command("repair-clock")
    .description("repair lists that were changed while the machine's clock was ahead; start maintenance first")
    .argument("[username]", "user whose list to repair", parseUsername)
    .option("--all", "repair all lists that are ahead of this machine's clock")
    .addHelpText(
      "after",
      `
Clients that synced meanwhile fetch the whole list once. If the service runs on one machine, restart it before you end
maintenance.

Example:
  readinglist maintenance on "Back in a few minutes"
  readinglist users repair-clock --all
  readinglist maintenance off`,
    )
    .action((username: string | undefined, { all = false }: { all?: boolean }) =>
      run(async ({ store, now }) => {
        if ((username === undefined) !== all) throw new UsageError("give a username, or --all");
        const maintenance = await store.findMaintenance();
        if (!maintenance) throw new CommandError("start maintenance first: readinglist maintenance on TEXT");
        if (now - (maintenance.since ?? 0) < maintenanceDelay) {
          throw new CommandError(`maintenance has just started; run the command again in ${maintenanceDelay} seconds`);
        }
        const repaired: string[] = [];
        const repair = async (name: string) => {
          if (await repairClock(store, name, now)) repaired.push(name);
        };
        if (username !== undefined) await findUser(store, username).then((user) => repair(user.username));
        else for await (const records of store.walkUsers()) for (const record of records) await repair(record.username);
        await store.forgetReservedTimes();
        return {
          data: repaired,
          text:
            repaired.length === 0
              ? "No list is ahead of this machine's clock."
              : `Repaired ${showCount(repaired.length, "list")}: ${repaired.join(", ")}.`,
        };
      }),
    );
}

function addAppPasswords(users: Command, run: Run): void {
  users
    .command("app-passwords")
    .description("list a user's app passwords and signed-in apps, or revoke one")
    .argument("<username>", "name of the user", parseUsername)
    .option("--revoke <id>", "revoke the app password with this id; the others stay signed in")
    .addHelpText(
      "after",
      "\nExamples:\n  readinglist users app-passwords ann\n  readinglist users app-passwords ann --revoke k3v5qmz2ah",
    )
    .action((username: string, { revoke }: { revoke?: string }) =>
      run(async ({ store }) => {
        await findUser(store, username);
        if (revoke !== undefined) {
          if (!(await store.signIns.remove(username, revoke))) {
            throw new CommandError(
              `${username} has no app password ${revoke}; run the command without --revoke to list them`,
            );
          }
          return { data: { username, revoked: revoke }, text: `Revoked ${revoke} of ${username}.` };
        }
        const found = (await store.signIns.list(username)).filter((each) => !isTemporary(each));
        const shown = found.map(({ id, name, scope, createdAt, usedAt, ...secrets }) => ({
          id,
          name,
          scope,
          createdAt,
          usedAt,
          expiresAt: findExpiry(secrets),
        }));
        const rows = shown.map(({ id, name, scope, createdAt, usedAt, expiresAt }) => [
          id,
          name,
          scope,
          showTime(createdAt),
          usedAt === 0 ? "never" : showTime(usedAt).slice(0, 10),
          expiresAt === undefined ? "never" : showTime(expiresAt),
        ]);
        return {
          data: shown,
          text: alignColumns(
            ["ID", "NAME", "SCOPE", "CREATED", "LAST USED", "EXPIRES"],
            rows,
            `${username} has no app passwords.`,
          ),
        };
      }),
    );
}

function addShares(users: Command, run: Run): void {
  users
    .command("shares")
    .description("list what a user shares with public links, or end a share")
    .argument("<username>", "name of the user", parseUsername)
    .option("--revoke <id>", "end the share with this id: its link stops working")
    .action((username: string, { revoke }: { revoke?: string }) =>
      run(async ({ store }) => {
        const user = await findUser(store, username);
        if (revoke !== undefined) {
          if (!(await store.shares.remove(user, revoke))) {
            throw new CommandError(`${username} has no share ${revoke}; run the command without --revoke to list them`);
          }
          return { data: { username, revoked: revoke }, text: `Ended the share ${revoke} of ${username}.` };
        }
        const shares = await store.shares.list(user);
        const ids = shares.flatMap(({ target }) => (target.kind === "item" ? target.itemId : []));
        const items = await store.items.find(username, [...new Set(ids)]);
        const shown = shares.map(({ id, target, createdAt, expiresAt }) => ({
          id,
          tag: target.kind === "tag" ? target.tag : undefined,
          url: target.kind === "item" ? items.get(target.itemId)?.url : undefined,
          createdAt,
          expiresAt,
        }));
        const rows = shown.map(({ id, tag, url = "a deleted page", createdAt, expiresAt }) => [
          id,
          tag === undefined ? url : `tag ${tag}`,
          showTime(createdAt),
          expiresAt === undefined ? "never" : showTime(expiresAt),
        ]);
        return {
          data: shown,
          text: alignColumns(["ID", "SHOWS", "CREATED", "EXPIRES"], rows, `${username} shares nothing.`),
        };
      }),
    );
}

function addEndSignIns(users: Command, run: Run): void {
  users
    .command("end-sign-ins")
    .description(
      "sign out all apps and devices of a user or of all users, for example after a restore; account passwords do not change",
    )
    .argument("[username]", "name of the user", parseUsername)
    .option("--all", "sign out the apps and devices of all users; reads the whole table")
    .action((username: string | undefined, { all = false }: { all?: boolean }) =>
      run(async ({ store, isAgreed, terminal }) => {
        if ((username === undefined) !== all) throw new UsageError("give a username, or --all");
        const whose = username ?? "all users";
        await confirm(terminal, `Sign out all apps and devices of ${whose}? Each must sign in again.`, isAgreed);
        let ended = 0;
        if (username !== undefined) ended = await endSignIns(store, (await findUser(store, username)).username);
        else
          for await (const found of store.walkUsers())
            for (const user of found) ended += await endSignIns(store, user.username);
        return { data: { ended }, text: `Ended ${showCount(ended, "sign-in")} of ${whose}.` };
      }),
    );
}

function addOperator(users: Command, run: Run): void {
  users
    .command("operator")
    .description("make a user an administrator of a service that runs on one machine")
    .argument("<username>", "name of the user", parseUsername)
    .option("--remove", "remove the role")
    .action((username: string, { remove = false }: { remove?: boolean }) =>
      run(async ({ store: { administration } }) => {
        if (!administration) {
          throw new CommandError("a deployed stage has no administrators; use the command line");
        }
        if (!(await administration.setOperator(username, !remove))) throw unknownUser(username);
        const text = remove ? `${username} is no longer an administrator.` : `${username} is now an administrator.`;
        return { data: { username, operator: !remove }, text };
      }),
    );
}

/** `users invite` and `users link` */
function addLinks(users: Command, run: Run): void {
  const create = (username: string | undefined, days: number) =>
    run(async ({ store: { administration }, now, terminal }) => {
      const { publicUrl } = readSettings(terminal.env);
      if (!administration)
        throw new CommandError("a deployed stage has no invitation links; run readinglist users create");
      if (publicUrl === undefined) throw new UsageError("set BASE_URL: the link begins with this address");
      const created = await createLink(administration, publicUrl, { username, days }, now);
      if (!created) throw unknownUser(username ?? "");
      const use = username === undefined ? "creates an account" : `sets a new password for ${username}`;
      return {
        data: created,
        text: `${created.url}\n\nThe link ${use}. It works once, for ${showCount(days, "day")}.`,
      };
    });
  const addCommand = (command: Command) =>
    command.option("--days <days>", "days until the link expires, up to 30", parseDays, daysOfLink.default);
  addCommand(users.command("invite"))
    .description("print a link that lets a person create an account, even if sign-up is closed")
    .action(({ days }: { days: number }) => create(undefined, days));
  addCommand(users.command("link"))
    .description("print a link that lets a user who forgot the password set a new one")
    .argument("<username>", "name of the user", parseUsername)
    .action((username: string, { days }: { days: number }) => create(username, days));
}

function addDelete(users: Command, run: Run): void {
  users
    .command("delete")
    .description("delete a user and all of the user's data, or continue an interrupted deletion")
    .argument("<username>", "name of the user", parseUsername)
    .addHelpText("after", "\nExample:\n  readinglist users delete ann --yes --json")
    .action((username: string) =>
      run(async ({ store, now, isAgreed, terminal }) => {
        const { userId, countUnread, countRead, articles, deletingSince } = await findUser(store, username);
        const total = countUnread + countRead;
        const what = deletingSince === undefined ? `Delete ${username}` : `Continue the deletion of ${username}`;
        await confirm(terminal, `${what} and the list of ${showCount(total, "item")} for good?`, isAgreed);
        const progress = createProgress(`deleting the items of ${username}`, terminal.stderr);
        const deleted = await deleteUser(store, store.articles, { username, userId }, now, (items) =>
          progress.show(items, total),
        );
        progress.end();
        const { items, signIns, loginAttempts } = deleted;
        const records = items + signIns + loginAttempts + 1;
        const parts = [
          "the user",
          showCount(items, "item"),
          showCount(signIns, "app password"),
          `${showCount(loginAttempts, "record")} of failed sign-ins`,
        ];
        return {
          data: { username, deleted: { users: 1, items, articles, appPasswords: signIns, loginAttempts, records } },
          text: `Deleted ${username}: ${showCount(records, "record")} (${parts.join(", ")}), and ${showCount(articles, "saved copy", "saved copies")}.`,
        };
      }),
    );
}

function addResetPassword(users: Command, run: Run): void {
  users
    .command("reset-password")
    .description("replace a user's password with a random one and show it once, or choose one with --ask")
    .argument("<username>", "name of the user", parseUsername)
    .option("--ask", "type the new password, or pass it as a line of standard input")
    .addHelpText(
      "after",
      "\nExamples:\n  readinglist users reset-password ann\n  readinglist users reset-password ann --ask",
    )
    .action((username: string, { ask = false }: { ask?: boolean }) =>
      run(async ({ store, isAgreed, terminal }) => {
        await findWholeUser(store, username);
        await confirm(terminal, `Replace the password of ${username}? The old one stops working at once.`, isAgreed);
        const password = ask ? await readNewPassword(terminal) : generatePassword();
        const hash = await createPasswordHasher().hash(password);
        if (!(await store.setPasswordHash(username, hash))) throw unknownUser(username);
        // Ends a lockout: the user may have tried the forgotten password too often.
        for await (const _ of store.deleteLoginAttempts(username));
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
}

const toRecountRows = ({ record, counts }: ExaminedList): string[][] =>
  listDrift(record, counts).map(({ name, count }) => [
    record.username,
    name,
    ...(count ? [record[count], counts[count]].map(showNumber) : ["", ""]),
  ]);

/** Why a list cannot be counted. */
async function explainRecountFailure(store: OperatorStore, username: string): Promise<CommandError> {
  await findWholeUser(store, username);
  return new CommandError(`the list of ${username} keeps changing; try again, or start maintenance first`);
}
