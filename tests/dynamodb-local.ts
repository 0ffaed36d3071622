import type { TestProject } from "vitest/node";
import { findDynamodbLocal } from "../packages/local/database-binary.ts";
import { startEmbeddedDatabase } from "../packages/local/embedded-database.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where the suites find their database; absent where each test file starts its own. */
    dynamodbEndpoint: string;
  }
}

/** One DynamoDB Local for all suites, as it takes seconds to start. */
export default async function startDynamodbLocal(project: TestProject): Promise<() => Promise<void>> {
  const database = await startEmbeddedDatabase(":memory:", findDynamodbLocal());
  project.provide("dynamodbEndpoint", database.endpoint);
  return database.stop;
}
