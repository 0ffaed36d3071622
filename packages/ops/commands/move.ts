// SPDX-License-Identifier: MIT

import type { OperatorStore } from "@reading-list/core/ports/operator.ts";
import type { LeftBehind } from "@reading-list/core/use-cases/lists/left-behind.ts";
import { type MoveOutcome, moveList } from "@reading-list/core/use-cases/lists/move-list.ts";
import type { Command } from "commander";
import { CommandError, UsageError } from "../failures.ts";
import { parseUsername } from "../parse-options.ts";
import { createProgress } from "../progress.ts";
import { showCount } from "../report.ts";
import { runOnTwo } from "../run-command.ts";
import type { Terminal } from "../terminal.ts";

interface MoveOptions {
  from: string;
  to: string;
  fromTable?: string;
  toTable?: string;
  all?: boolean;
}

/** `readinglist move` */
export function addMoveCommand(program: Command, terminal: Terminal): void {
  program
    .command("move")
    .description(
      "copy users with their passwords, single sign-on, lists, ids, times and sync state to another service, and verify the copies",
    )
    .argument("[username]", "the user to move", parseUsername)
    .requiredOption("--from <place>", "data folder of npm start, URL of a DynamoDB endpoint, or stage:NAME")
    .requiredOption("--to <place>", "data folder, URL or stage to move to")
    .option("--from-table <name>", "name of the table to read, if not the default")
    .option("--to-table <name>", "name of the table to write, if not the default")
    .option("--all", "move all users; reads the whole table")
    .addHelpText(
      "after",
      `
Nothing is deleted from the source. To continue an interrupted move, run the same command again. Users cannot sign in to
the target until their move is complete. docs/decisions/operators-command-line.md says what clients notice.

Examples:
  readinglist move ann --from .local --to /srv/reading-list
  readinglist move --all --from /var/lib/reading-list --to stage:production`,
    )
    .action((username: string | undefined, { from, to, fromTable, toTable, all = false }: MoveOptions) => {
      const tables = { from: { place: from, table: fromTable }, to: { place: to, table: toTable } };
      return runOnTwo(program, terminal, tables, async (context) => {
        if ((username === undefined) !== all) throw new UsageError("give a username, or --all");
        context.to.onlyAdd();
        const rows: { username: string; outcome: MoveOutcome }[] = [];
        for await (const name of username === undefined ? listUsernames(context.from.store) : [username]) {
          const progress = createProgress(`moving ${name}`, terminal.stderr);
          const outcome = await moveList(context.from.store, context.to.store, name, context.now, progress.show);
          progress.end();
          rows.push({ username: name, outcome });
        }
        const isFailure = rows.some(({ outcome: { kind } }) => kind in failures);
        if (username !== undefined && isFailure) throw new CommandError(rows.map(describeOutcome).join());
        return {
          data: rows.map(({ username, outcome: { kind, ...details } }) => ({ username, outcome: kind, ...details })),
          text: rows.length === 0 ? "There are no users." : rows.map(describeOutcome).join("\n"),
          isFailure,
        };
      });
    });
}

async function* listUsernames(store: OperatorStore): AsyncGenerator<string> {
  for await (const users of store.walkUsers()) yield* users.map(({ username }) => username);
}

const failures: Record<Exclude<MoveOutcome["kind"], "moved" | "movedBefore" | "updated">, string> = {
  missing: "has no complete list in the source: the user does not exist, or is being deleted or moved there",
  taken: "is the name of another user in the target; export one list and import it into the other",
  overtaken: "is being moved or deleted by another command; try again",
  diverged: "was moved before, and both lists have changed since; export one list and import it into the other",
  invalid: "has records in the source that are not from a reading-list service; check --from",
  busy: "has a list that keeps changing; start maintenance in the source and try again",
  drifted: "has wrong counts in the source; correct them there with readinglist users recount",
  corrupt:
    "has items in the target that do not match what was written; delete the user there with readinglist users delete, and move again",
};

function describeOutcome({ username, outcome }: { username: string; outcome: MoveOutcome }): string {
  if (!("notMoved" in outcome)) return `${username} ${failures[outcome.kind]}`;
  return [`${username}: ${describeSuccess(outcome)}`, ...describeLeft(username, outcome.notMoved)].join("\n  ");
}

function describeSuccess(outcome: Extract<MoveOutcome, { notMoved: LeftBehind }>): string {
  if (outcome.kind === "moved") return `${showCount(outcome.items, "item")}, verified (SHA-256 ${outcome.sha256})`;
  if (outcome.kind === "movedBefore") return "was moved before, and has not changed in the source since then";
  return "was moved before; the password and sync state that have changed in the source since then were copied";
}

/** One line for each thing that a user lacks in the target, with what to do. */
function describeLeft(username: string, { appPasswords, shares, hasPasskeys, isOperator }: LeftBehind): string[] {
  return [
    ...(appPasswords > 0
      ? [`not moved: ${showCount(appPasswords, "app password")}; each app and device must sign in again`]
      : []),
    ...(shares > 0 ? [`not moved: ${showCount(shares, "share")}; the user must share these pages and tags again`] : []),
    ...(hasPasskeys
      ? [
          `not moved: the passkeys, and the password, which is not enough to sign in to this account. Send the user a one-time link from the administration page of the target, or run readinglist users reset-password ${username} there`,
        ]
      : []),
    ...(isOperator
      ? [`not moved: the administrator role; run readinglist users operator ${username} to give it again`]
      : []),
  ];
}
