// SPDX-License-Identifier: MIT

import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { readSettings } from "@reading-list/settings/settings.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { findDataVersion, isPreviousVersion, writeDataVersion } from "@reading-list/store-dynamodb/data-version.ts";
import { countFailedCalls } from "../failed-calls.ts";
import type { Release } from "../release.ts";
import { releaseVersions } from "../release-versions.ts";

/** Milliseconds after which no call of a former version runs: the longest timeout of a function (stacks/functions.ts). */
const longestCallMs = 300_000;

const { dynamodbEndpoint, tableName, metricNamespace: namespace } = readSettings(process.env);
const table = { client: createDocumentClient(dynamodbEndpoint), tableName };
const lambda = new LambdaClient({ maxAttempts: 10 });
const cloudwatch = new CloudWatchClient({ maxAttempts: 10 });
const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/**
 * The end of a deployment (stacks/canary.ts, docs/decisions/canary.md): moves the aliases to the new versions, and raises
 * the data version of the table when no former version runs. Throws if the new versions are worse.
 */
export async function handler(release: Release): Promise<void> {
  const version = await findDataVersion(table, `the table ${tableName}`);
  await releaseVersions(release, {
    lambda,
    countFailedCalls: (functions, since) => countFailedCalls(cloudwatch, { namespace, functions, since }),
    now: Date.now,
    wait,
  });
  if (isPreviousVersion(version)) await wait(longestCallMs);
  await writeDataVersion(table);
}
