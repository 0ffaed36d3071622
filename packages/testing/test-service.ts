// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { ApiKeyRecord, OperatorStore, UserRecord } from "@reading-list/core/ports/operator.ts";
import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { openObjects } from "@reading-list/local/folder-objects.ts";
import { type Service, type Substitutes, startService } from "@reading-list/local/service.ts";
import type { Table } from "@reading-list/store-dynamodb/client.ts";
import { createOperatorStore } from "@reading-list/store-dynamodb/operator.ts";
import { Database } from "@reading-list/store-sqlite/database.ts";
import { createOperatorStore as createSqliteStore } from "@reading-list/store-sqlite/operator.ts";
import { inject, onTestFinished } from "vitest";
import { newName, ServiceClient, type TestUser } from "./client.ts";
import { atEndOfFile } from "./end-of-file.ts";
import { FakeClock } from "./fake-clock.ts";
import { temporaryFolder } from "./temporary-folder.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A DynamoDB for the tests that need one; absent if none is installed. */
    dynamodbEndpoint: string | undefined;
    /** All tests run on it. */
    isOnDynamodb: boolean;
  }
}

/** A service for the tests of one file, and a client of it. */
export class TestService extends ServiceClient {
  override readonly clock: FakeClock;
  /** The operator's commands on its database. */
  readonly operator: OperatorStore;
  /** The variables that name its database; one that is not used is empty. */
  readonly env: Record<"DATA_DIR" | "DYNAMODB_ENDPOINT" | "TABLE_NAME", string>;
  /** All records of its database. */
  readonly records: () => Promise<unknown[]>;
  readonly stop: () => Promise<void>;
  /** See `Service`. */
  readonly failure: Promise<Error>;
  readonly operatorLink: string | undefined;
  readonly #table: Table | undefined;

  constructor(
    service: Service,
    clock: FakeClock,
    { operator, env, records, table }: Pick<TestService, "operator" | "env" | "records"> & { table?: Table },
  ) {
    super(service);
    this.stop = service.stop;
    this.failure = service.failure;
    this.operatorLink = service.operatorLink;
    this.clock = clock;
    this.operator = operator;
    this.env = env;
    this.records = records;
    this.#table = table;
  }

  /** Registers a new application, and returns its API key. */
  async newApiKey(record: Partial<ApiKeyRecord> = {}, apikey = newName()): Promise<string> {
    const application = { applicationId: newName(), name: "An app", status: "enabled", created: 0 } as const;
    await this.operator.createApiKey(apikey, { ...application, ...record });
    return apikey;
  }

  /** The record of a user. Throws if the user was deleted. */
  async findRecord({ username }: TestUser): Promise<UserRecord> {
    const record = await this.operator.findUser(username);
    if (!record) throw new Error(`there is no user ${username}`);
    return record;
  }

  /** Begins the deletion of a user, which nothing ends. */
  async beginDeletion(user: TestUser): Promise<void> {
    const { username, userId } = await this.findRecord(user);
    await this.operator.beginDeletion({ username, userId }, this.clock.seconds());
  }

  /** Its table; only of a service on DynamoDB. */
  get table(): Table {
    if (!this.#table) throw new Error("this service is not on DynamoDB");
    return this.#table;
  }
}

/** The cheapest argon2id: tests register hundreds of users. */
const passwords = createPasswordHasher({ memoryCost: 8, timeCost: 1, parallelism: 1 });
/** Limits that an ordinary page meets on a busy machine, too. */
const pageLimits = { deadlineMs: 50_000, articleWaitMs: 50_000, pictureWaitMs: 50_000 };
const searchTimes = { waitMs: 50_000 };
/** Pages are kept in the background only by a test that takes the keeper. */
const takeKeeper = () => {};
/** Any free ports, and no log. */
const quietly = { PORT: "0", TEXT_PORT: "0", LOG_LEVEL: "SILENT" };
const highLimits = { USER_LIMIT: "100000", KEY_LIMIT: "1000000", SHARING: "on" };

/** Starts the service of `npm start` in this process until the test ends; for all but signals and exit codes. */
export async function startInProcess(env: Record<string, string>): Promise<Service> {
  const service = await startService({ ...quietly, ...env }, { passwords, pageLimits, searchTimes, takeKeeper });
  onTestFinished(service.stop);
  return service;
}

type TestSubstitutes = Omit<Substitutes, "clock"> & { clock?: FakeClock };

/** Starts a service on an empty database with a fake clock; it stops after the file's tests. */
export async function startTestService(
  env: Record<string, string> = {},
  substitutes: TestSubstitutes = {},
): Promise<TestService> {
  if (inject("isOnDynamodb") || substitutes.wrapClient || env.DYNAMODB_ENDPOINT) {
    return startDynamodbService(env, substitutes);
  }
  const { clock = new FakeClock(), ...others } = substitutes;
  const { DATA_DIR = temporaryFolder() } = env;
  const service = await startService(
    { ...quietly, ...highLimits, ...env, DATA_DIR },
    { passwords, pageLimits, searchTimes, takeKeeper, ...others, clock },
  );
  atEndOfFile(service.stop);
  const database = Database.open(DATA_DIR);
  atEndOfFile(() => database.close());
  return new TestService(service, clock, {
    operator: createSqliteStore(database),
    env: { DATA_DIR, DYNAMODB_ENDPOINT: "", TABLE_NAME: "" },
    records: async () =>
      database
        .all("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .flatMap(({ name }) => database.all(`SELECT * FROM ${name}`)),
  });
}

/** Starts a service on an empty table of DynamoDB. */
export async function startDynamodbService(
  env: Record<string, string> = {},
  substitutes: TestSubstitutes = {},
): Promise<TestService> {
  const { clock = new FakeClock(), wrapClient = (client) => client, ...others } = substitutes;
  const tableName = env.TABLE_NAME ?? `test-${randomUUID()}`;
  const DYNAMODB_ENDPOINT = env.DYNAMODB_ENDPOINT ?? inject("dynamodbEndpoint");
  if (!DYNAMODB_ENDPOINT) throw new Error("this test needs DynamoDB: install @dynoxide/linux-x64, or Java");
  let table: Table | undefined;
  const { DATA_DIR = temporaryFolder() } = env;
  const named = { DATA_DIR, DYNAMODB_ENDPOINT, TABLE_NAME: tableName };
  const service = await startService(
    { ...quietly, ...highLimits, ...env, ...named },
    {
      passwords,
      pageLimits,
      searchTimes,
      takeKeeper,
      ...others,
      clock,
      wrapClient: (client) => {
        table = { client, tableName };
        return wrapClient(client);
      },
    },
  );
  atEndOfFile(service.stop);
  if (!table) throw new Error("the service has made no database client");
  const { client } = table;
  const records = async () => (await client.send(new ScanCommand({ TableName: tableName }))).Items ?? [];
  const operator = createOperatorStore(table, openObjects(named.DATA_DIR).objects);
  return new TestService(service, clock, { operator, env: named, records, table });
}
