import type { TestProject } from "vitest/node";
import { findDynamodbLocal } from "../packages/local/database-program.ts";
import { startEmbeddedDatabase } from "../packages/local/embedded-database.ts";

/** One DynamoDB Local for all suites, as it takes seconds to start. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const database = await startEmbeddedDatabase(":memory:", findDynamodbLocal());
  project.provide("dynamodbEndpoint", database.endpoint);
  return database.stop;
}
