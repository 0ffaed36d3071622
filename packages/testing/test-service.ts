import { randomUUID } from "node:crypto";
import { createPasswordHasher } from "@reading-list/functions/compose/password-hasher.ts";
import { type Service, type Substitutes, startService } from "@reading-list/local/service.ts";
import type { Table } from "@reading-list/store/client.ts";
import { inject, onTestFinished } from "vitest";
import { ServiceClient } from "./client.ts";
import { atEndOfFile } from "./end-of-file.ts";
import { FakeClock } from "./fake-clock.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The database of the suites; absent if each test file starts its own. */
    dynamodbEndpoint: string;
  }
}

/** A service for the tests of one file, and a client of it. */
export class TestService extends ServiceClient {
  override readonly clock: FakeClock;
  readonly table: Table;
  readonly stop: () => Promise<void>;

  constructor(service: Service, clock: FakeClock, table: Table) {
    super(service);
    this.stop = service.stop;
    this.clock = clock;
    this.table = table;
  }
}

/** The cheapest argon2id: tests register hundreds of users. */
const passwords = createPasswordHasher({ memoryCost: 8, timeCost: 1, parallelism: 1 });
/** Limits of `text` that an ordinary page meets on a busy machine, too; without them its text would be empty. */
const pageLimits = { deadlineMs: 50_000, extractionMs: 50_000 };
/** Any free ports, and no log. */
const quietly = { PORT: "0", TEXT_PORT: "0", POWERTOOLS_LOG_LEVEL: "SILENT" };

/** Starts the service of `npm start` in this process until the test ends; for all but signals, locks and exit codes. */
export async function startInProcess(env: Record<string, string>): Promise<Service> {
  const service = await startService({ ...quietly, ...env }, { passwords, pageLimits });
  onTestFinished(service.stop);
  return service;
}

/** Starts a service on an empty table with a fake clock; it stops after the file's tests. */
export async function startTestService(
  env: Record<string, string> = {},
  substitutes: Omit<Substitutes, "clock"> & { clock?: FakeClock } = {},
): Promise<TestService> {
  const { clock = new FakeClock(), wrapClient = (client) => client, ...others } = substitutes;
  const tableName = `test-${randomUUID()}`;
  let table: Table | undefined;
  const shared = inject("dynamodbEndpoint");
  const service = await startService(
    {
      ...quietly,
      DATA_DIR: ":memory:",
      TABLE_NAME: tableName,
      USER_LIMIT: "100000",
      KEY_LIMIT: "1000000",
      ...(shared && { DYNAMODB_ENDPOINT: shared }),
      ...env,
    },
    {
      passwords,
      pageLimits,
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
  return new TestService(service, clock, table);
}
