// SPDX-License-Identifier: MIT

import type { TestProject } from "vitest/node";
import { findDynamodb, findDynamodbLocal, startDynamodb } from "../packages/testing/dynamodb.ts";

/** One DynamoDB for all files, as DynamoDB Local takes seconds to start. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const program = project.name === "dynamodb-local" ? findDynamodbLocal() : findDynamodb();
  project.provide("isOnDynamodb", project.name.startsWith("dynamodb"));
  if (!program) return async () => {};
  const database = await startDynamodb(program);
  project.provide("dynamodbEndpoint", database.endpoint);
  return database.stop;
}
