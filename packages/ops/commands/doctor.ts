// SPDX-License-Identifier: MIT

import { describeDoubt } from "@reading-list/core/domain/clock-check.ts";
import { type Item, trashKeptSeconds } from "@reading-list/core/domain/item.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import type { Finding, OperatorStore, UserRecord } from "@reading-list/core/ports/operator.ts";
import { secondsAhead } from "@reading-list/core/use-cases/lists/repair-clock.ts";
import { ClockGuard } from "@reading-list/core/use-cases/operator/clock-guard.ts";
import type { Command } from "commander";
import { explain } from "../failures.ts";
import { alignColumns, listDrift, showCount } from "../report.ts";
import type { Context, Run } from "../run-command.ts";

/** `readinglist doctor` */
export function addDoctorCommand(program: Command, run: Run): void {
  program
    .command("doctor")
    .description(
      "check the database, and the counts, highlights, reading progress and trash of all lists (reads the whole database)",
    )
    .option("--without-pictures", "do not read the picture files of saved articles")
    .addHelpText("after", "\nExample:\n  readinglist doctor --stage production")
    .action(({ withoutPictures = false }: { withoutPictures?: boolean }) =>
      run(async (context) => {
        const checks = [];
        for (const [check, look] of Object.entries(createChecks(context))) {
          if (withoutPictures && check === "pictures") continue;
          const finding = await look().catch((error): Finding => ({ fault: describeFault(error, context) }));
          const isGood = "found" in finding;
          checks.push({ check, ok: isGood, finding: isGood ? finding.found : finding.fault });
        }
        const rows = checks.map(({ check, ok, finding }) => [ok ? "ok" : "FAULT", check, finding]);
        const isFailure = checks.some(({ ok }) => !ok);
        return { data: { ok: !isFailure, checks }, text: alignColumns(["", "CHECK", "FINDING"], rows), isFailure };
      }),
    );
}

function describeFault(error: unknown, { place }: Context): string {
  return explain(error, place) ?? `could not be checked: ${(error as Error).name}`;
}

const showSome = (names: readonly string[]) => names.slice(0, 5).join(", ") + (names.length > 5 ? ", …" : "");

function createChecks({ store, now }: Context): Record<string, () => Promise<Finding>> {
  const findDoubt = async () => {
    const { permit, record } = await new ClockGuard(store.clock, Date).judge();
    return permit ? undefined : record.doubt;
  };
  return {
    ...store.checks(),
    clock: async () => {
      const doubt = await findDoubt();
      return doubt ? { fault: describeDoubt(doubt) } : { found: "the clock of this machine is plausible" };
    },
    clocks: async () => {
      const ahead: string[] = [];
      for await (const users of store.walkUsers()) {
        ahead.push(...users.filter((user) => secondsAhead(user, now) > 0).map(({ username }) => username));
      }
      if (ahead.length === 0) return { found: "no list is ahead of this machine's clock" };
      return {
        fault: `${showCount(ahead.length, "list")} ahead of this machine's clock (${showSome(ahead)}): if this clock is right, run readinglist users repair-clock --all`,
      };
    },
    counts: async () => {
      const drifted: string[] = [];
      for await (const { record, counts } of store.findDriftedLists()) {
        const names = listDrift(record, counts).map(({ name }) => name);
        drifted.push(`${record.username}: ${names.join(" and ")}`);
      }
      if (drifted.length === 0)
        return { found: "the counts of items, highlights and saved copies are right for every user" };
      return {
        fault: `${showCount(drifted.length, "list")} with wrong counts (${showSome(drifted)}); run readinglist users recount --all`,
      };
    },
    highlights: async () => {
      const lost: string[] = [];
      let number = 0;
      for await (const user of wholeUsers(store)) {
        const ofItems = await countByItem(store, user);
        const known = await knownItems(store, user, [...ofItems.keys()]);
        for (const [itemId, count] of ofItems) {
          number += count;
          if (!known.has(itemId)) lost.push(`${user.username}: ${showCount(count, "highlight")}`);
        }
      }
      if (lost.length === 0) return { found: `${showCount(number, "highlight")}, all on existing pages` };
      return {
        fault: `${showCount(lost.length, "page")} with highlights missing (${showSome(lost)}); restore a backup that has them`,
      };
    },
    progress: async () => {
      const faulty: string[] = [];
      let number = 0;
      for await (const { username } of wholeUsers(store)) {
        for await (const items of store.walkItems(username)) {
          const places = items.filter(({ progress }) => progress !== undefined);
          number += places.length;
          faulty.push(...places.filter(isFaultyPlace).map(({ url }) => `${username}: ${url}`));
        }
      }
      if (faulty.length === 0)
        return { found: `${showCount(number, "page")} with reading progress, all from 0 to 100 %` };
      return {
        fault: `${showCount(faulty.length, "page")} with invalid reading progress (${showSome(faulty)}); send update_progress for them`,
      };
    },
    trash: async () => {
      const overdue: string[] = [];
      let number = 0;
      for await (const user of wholeUsers(store)) {
        let late = 0;
        for await (const items of store.trash.walk(user, { order: "oldestFirst" })) {
          number += items.length;
          late += items.filter(({ timeUpdated }) => timeUpdated < now - trashKeptSeconds - latestErasure).length;
        }
        if (late > 0) overdue.push(`${user.username}: ${showCount(late, "page")}`);
      }
      if (overdue.length === 0) return { found: `${showCount(number, "page")}, none older than 30 days` };
      if (await findDoubt())
        return { found: `${showCount(number, "page")}; nothing is erased while the clock is implausible` };
      return {
        fault: `${showCount(overdue.length, "trash", "trashes")} not erased after 30 days (${showSome(overdue)}); the service erases them while it runs, or run readinglist trash purge USER --all`,
      };
    },
  };
}

/**
 * Maximum seconds until pages that have been in the trash for 30 days are erased: a day, and another for a late
 * schedule.
 */
const latestErasure = 2 * 86_400;

/** The users who are not being deleted or moved. */
async function* wholeUsers(store: OperatorStore): AsyncGenerator<UserRecord> {
  for await (const users of store.walkUsers()) yield* users.filter(({ passwordHash }) => passwordHash !== undefined);
}

async function countByItem(store: OperatorStore, user: UserRecord): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const highlights of store.walkHighlights(user)) {
    for (const { itemId, isDeleted } of highlights) if (!isDeleted) counts.set(itemId, (counts.get(itemId) ?? 0) + 1);
  }
  return counts;
}

/** The items that are in the list or in the trash, or have been erased from the trash by now. */
async function knownItems(store: OperatorStore, { username }: UserRecord, itemIds: string[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (const part of splitList(itemIds, itemsAtOnce)) {
    for (const itemId of (await store.items.find(username, part)).keys()) known.add(itemId);
  }
  return known;
}

const itemsAtOnce = 100;

const isFaultyPlace = ({ progress }: Item) => {
  const { percent, anchor } = progress ?? {};
  return !Number.isInteger(percent) || Number(percent) < 0 || Number(percent) > 100 || typeof anchor !== "string";
};
