// SPDX-License-Identifier: MIT

import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { readSettings } from "@reading-list/settings/settings.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import {
  findDataVersion,
  findMoveTime,
  isPreviousVersion,
  saveMoveTime,
  writeDataVersion,
} from "@reading-list/store-dynamodb/data-version.ts";
import { countFailedCalls, countRefusedCalls } from "../failed-calls.ts";
import { pruneVersions } from "../prune-versions.ts";
import type { Finish, Release } from "../release.ts";
import { releaseVersions } from "../release-versions.ts";

/** Milliseconds after which no call of a former version runs: the longest timeout of a function (stacks/functions.ts). */
const longestCallMs = 900_000;
/** Milliseconds of a step that waits. The function has 900 s in all, so there are two. */
const stepMs = 600_000;
/** Milliseconds for the deletion of versions; the next deployment deletes the rest. The watch needs 300 s of the 900. */
const pruneMs = 120_000;

const { dynamodbEndpoint, tableName, metricNamespace: namespace } = readSettings(process.env);
const table = { client: createDocumentClient(dynamodbEndpoint), tableName };
const lambda = new LambdaClient({ maxAttempts: 10 });
const cloudwatch = new CloudWatchClient({ maxAttempts: 10 });
const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Versions that were not deleted are no reason to stop a release. */
async function deleteOldVersions(functionNames: string[]): Promise<void> {
  try {
    await pruneVersions(lambda, functionNames, AbortSignal.timeout(pruneMs));
  } catch (error) {
    console.error("some old versions of functions were not deleted; the next deployment continues", error);
  }
}

/**
 * The end of a deployment (stacks/canary.ts, docs/decisions/canary.md): deletes old versions of functions, moves the
 * aliases to the new ones, and, in a separate step, raises the data version of the table when no earlier version runs.
 * Throws if the new versions are worse. A step that was interrupted can be run again.
 */
export async function handler(event: Release | Finish): Promise<void> {
  const isBehind = isPreviousVersion(await findDataVersion(table, `the table ${tableName}`));
  if ("finish" in event) {
    if (isBehind) {
      const left = Math.max(0, (await findMoveTime(table)) + longestCallMs - Date.now());
      await wait(event.finish === "wait" ? Math.min(left, stepMs) : left);
      if (event.finish === "wait") return;
    }
  } else {
    // First, while the aliases still tell which version a rollback will need.
    await deleteOldVersions([...Object.keys(event.versions), process.env.AWS_LAMBDA_FUNCTION_NAME ?? ""]);
    const release = process.env.RELEASE ?? "";
    await releaseVersions(event, {
      lambda,
      countFailedCalls: (functions, since) => countFailedCalls(cloudwatch, { namespace, functions, since }),
      countRefusedCalls: (since) => countRefusedCalls(cloudwatch, { namespace, release, since }),
      now: Date.now,
      wait,
    });
    if (isBehind) return saveMoveTime(table, Date.now());
  }
  await writeDataVersion(table);
}
