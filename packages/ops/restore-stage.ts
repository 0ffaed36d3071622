// SPDX-License-Identifier: MIT

import { clockAfterRestore, newestTime } from "@reading-list/core/domain/user-clock.ts";
import { deleteUser } from "@reading-list/core/use-cases/accounts/delete-user.ts";
import { createBucket, createKeptBuckets, findBucket, listBuckets } from "@reading-list/store-dynamodb/bucket.ts";
import { createDocumentClient, type Table } from "@reading-list/store-dynamodb/client.ts";
import { walkDeletedUsers } from "@reading-list/store-dynamodb/deletion.ts";
import { articleObjects, indexObject, parseObjectOwner, pictureObjects } from "@reading-list/store-dynamodb/keys.ts";
import { createOperatorStore } from "@reading-list/store-dynamodb/operator.ts";
import { requireVersions, restoreObjects } from "@reading-list/store-dynamodb/restore-objects.ts";
import { restoreTable, switchOnBackups } from "@reading-list/store-dynamodb/restore-table.ts";
import { beginMaintenance, findMaintenance } from "@reading-list/store-dynamodb/settings.ts";
import { hasPointInTimeRecovery, listTableNames } from "@reading-list/store-dynamodb/table-inspection.ts";
import { setRestoredClock, walkUsers } from "@reading-list/store-dynamodb/user-records.ts";
import { CommandError } from "./failures.ts";
import { bucketPrefix, deployedPrefix, indexBucketPrefix } from "./open-store.ts";
import { createProgress } from "./progress.ts";
import { type Report, showCount, showTime } from "./report.ts";
import type { StageContext } from "./run-command.ts";
import { confirm } from "./terminal.ts";

/**
 * Restores a deployed stage to a time (unix seconds): its table as a new table, and its saved copies and pictures.
 * Users whose deletion a table of the stage records are left out. The deployment continues with its old table until
 * RESTORED_TABLE names the new one. Called again, it continues.
 */
export async function restoreStage(
  { stage, table, now, isAgreed, terminal, locate }: StageContext,
  time: number,
): Promise<Report> {
  const client = createDocumentClient();
  try {
    const prefix = deployedPrefix(stage);
    const targetName = `${prefix}${new Date(time * 1000).toISOString().replaceAll(/[-:]|\..*/g, "")}`;
    const target = { client, tableName: targetName };
    const names = await listTableNames(client, prefix);
    if (names.includes(targetName) && (await hasPointInTimeRecovery(target))) {
      throw new CommandError(
        `${targetName} has been restored before and may be in use; choose another second with --at`,
      );
    }
    const others = names.filter((name) => name !== targetName);
    const source = { client, tableName: table ?? requireOnlyOne(others, stage) };
    const tables = [...new Set([...others, source.tableName])].map((tableName) => ({ client, tableName }));
    locate({
      description: `table ${source.tableName} of stage ${stage}`,
      remedy: "check --stage, --table and AWS_REGION",
    });
    const bucket = await findBucket(bucketPrefix(stage));
    await requireVersions(bucket);
    // A stage of an older version has none.
    const pictureBuckets = await listBuckets(bucketPrefix(stage, "pictures"));
    for (const each of pictureBuckets) await requireVersions(each);
    await checkMaintenance(tables);
    const maintenance = await findMaintenance(source);
    const question = `Restore ${source.tableName} as ${targetName}, and the saved copies of the stage, to ${showTime(time)}?`;
    await confirm(terminal, question, isAgreed);

    terminal.stderr.write(
      `restoring ${targetName}: this takes minutes to hours; if it is interrupted, run the same command again to continue\n`,
    );
    await restoreTable(source, targetName, time);
    // The record of that time says that the service was up.
    if (maintenance) await beginMaintenance(target, maintenance);

    const deleted = new Set<string>();
    for (const each of tables) for await (const userId of walkDeletedUsers(each, now)) deleted.add(userId);
    const store = createOperatorStore(
      target,
      createKeptBuckets({ articleBucket: bucket, pictureBucket: pictureBuckets[0] ?? bucket }),
    );
    let leftOut = 0;
    for await (const users of store.walkUsers()) {
      for (const { username, userId } of users) {
        if (!deleted.has(userId)) continue;
        await deleteUser(store, store.articles, { username, userId }, now);
        leftOut++;
      }
    }
    const newest = new Map<string, number>();
    for (const each of tables) {
      for await (const users of walkUsers(each)) {
        for (const user of users) newest.set(user.userId, Math.max(newestTime(user), newest.get(user.userId) ?? 0));
      }
    }
    for await (const users of walkUsers(target)) {
      for (const user of users)
        await setRestoredClock(target, user.username, clockAfterRestore(user, now, newest.get(user.userId)));
    }
    const progress = createProgress("saved copies", terminal.stderr);
    const isLeftOut = (name: string) => deleted.has(parseObjectOwner(name));
    const articles = await restoreObjects(bucket, articleObjects, time, isLeftOut, (done) => progress.show(done, done));
    progress.end();
    const pictures = { restored: 0, removed: 0 };
    for (const each of pictureBuckets) {
      const ofPictures = createProgress("kept pictures", terminal.stderr);
      const show = (done: number) => ofPictures.show(done, done);
      Object.assign(pictures, await restoreObjects(each, pictureObjects, time, isLeftOut, show));
      ofPictures.end();
    }
    // Search indexes now describe another list, and a search rebuilds them. A stage of an older version has none.
    for (const name of await listBuckets(indexBucketPrefix(stage)))
      await createBucket(async () => name).deleteAll(indexObject(""));
    // Last, because they show that the restore is complete.
    await switchOnBackups(target);
    return {
      data: { table: targetName, leftOut, articles, pictures },
      text: [
        `Restored ${source.tableName} to ${showTime(time)} as ${targetName}, in maintenance mode.`,
        `${showCount(leftOut, "user")} deleted later left out; ${showCount(articles.restored, "saved copy", "saved copies")} restored, ${articles.removed} removed; ${showCount(pictures.restored, "picture")} restored, ${pictures.removed} removed.`,
        sayWhatIsOld(`--stage ${stage} --table ${targetName}`),
        `Next: deploy with RESTORED_TABLE=${targetName} (docs/aws/operations.md).`,
      ].join("\n"),
    };
  } finally {
    client.destroy();
  }
}

/** Lists the rights that a restore brings back although they may have ended since. `options` name the database to a command. */
export const sayWhatIsOld = (options: string): string =>
  `Passwords, app passwords and shares are as they were at the time of the backup: anything revoked or changed later works again. To sign out all apps and devices, run readinglist users end-sign-ins --all${options && ` ${options}`}. Each device fetches its list again, and keeps changes that it has not sent yet.`;

function requireOnlyOne([name, ...others]: readonly string[], stage: string): string {
  if (name !== undefined && others.length === 0) return name;
  throw new CommandError(
    name === undefined
      ? `no table of a stage ${stage} was found; check --stage, AWS_REGION and the account`
      : `several tables of stage ${stage} were found; give the one to restore with --table`,
  );
}

/** Throws if a table of the stage is not in maintenance mode: the stage may use it. */
async function checkMaintenance(tables: readonly Table[]): Promise<void> {
  for (const table of tables) {
    if (await findMaintenance(table)) continue;
    throw new CommandError(
      `${table.tableName} is not in maintenance, so changes that users make now would be lost; run readinglist maintenance on first`,
    );
  }
}
