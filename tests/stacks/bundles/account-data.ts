// SPDX-License-Identifier: MIT

import { CreateTableCommand } from "@aws-sdk/client-dynamodb";
import type { OperatorStore } from "@reading-list/core/ports/operator.ts";
import { openObjects } from "@reading-list/local/folder-objects.ts";
import { createDocumentClient, type Table } from "@reading-list/store-dynamodb/client.ts";
import { createOperatorStore } from "@reading-list/store-dynamodb/operator.ts";
import { createTableInput } from "@reading-list/store-dynamodb/table-definition.ts";
import { startDynamodb } from "@reading-list/testing/dynamodb.ts";
import { startPageServer } from "@reading-list/testing/page-server.ts";
import { VersionedBuckets } from "@reading-list/testing/versioned-buckets.ts";
import { Access, checkedBuckets, checkedDatabase } from "./account-services.ts";
import type { Statement } from "./policies.ts";

/** A table and buckets on this machine, for programs with policies. */
export interface AccountData {
  /** Variables with which the SDK of AWS finds them. IAM's stand-in identifies a program by its access key. */
  variables: { AWS_ENDPOINT_URL_DYNAMODB: string; AWS_ENDPOINT_URL_S3: string };
  access: Access;
  objects: VersionedBuckets;
  /** The database itself, which checks no policy. */
  endpoint: string;
  table: Table;
  /** The administrator's commands on the table, except exports and articles. */
  operator: OperatorStore;
  stop(): Promise<void>;
}

/** Starts the embedded database with a table, which no release has used yet, and a stand-in for S3. */
export async function startAccountData(
  tableName: string,
  policies: Map<string, readonly Statement[]>,
  objects = new VersionedBuckets({}),
): Promise<AccountData> {
  const database = await startDynamodb();
  const table = { client: createDocumentClient(database.endpoint), tableName };
  await table.client.send(new CreateTableCommand(createTableInput(tableName)));
  const access = new Access(policies);
  const tableArn = `arn:aws:dynamodb:eu-west-1:123456789012:table/${tableName}`;
  const dynamodb = await startPageServer(checkedDatabase(database.endpoint, tableArn, access));
  const s3 = await startPageServer(checkedBuckets(objects, access));
  const { objects: exported, removeFolder } = openObjects(":memory:");
  return {
    variables: { AWS_ENDPOINT_URL_DYNAMODB: dynamodb.origin, AWS_ENDPOINT_URL_S3: s3.origin },
    access,
    objects,
    table,
    endpoint: database.endpoint,
    operator: createOperatorStore(table, exported),
    stop: async () => {
      dynamodb.stop();
      s3.stop();
      table.client.destroy();
      await removeFolder();
      await database.stop();
    },
  };
}
