// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { type CallResults, CheckedUser } from "@reading-list/testing/checked-user.ts";
import { newName } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { FaultProxy } from "@reading-list/testing/fault-proxy.ts";
import { randomFrom, seed } from "@reading-list/testing/seeded-random.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll } from "vitest";

/** A service that reaches its database through a proxy. */
export class Stage {
  readonly proxy: FaultProxy;
  readonly service: TestService;
  /** Another process on the same table. */
  readonly other: TestService | undefined;

  constructor(proxy: FaultProxy, service: TestService, other?: TestService) {
    this.proxy = proxy;
    this.service = service;
    this.other = other;
  }

  /** A user who is not registered yet. */
  newcomer(tally: CallResults): CheckedUser {
    return new CheckedUser(this.service, { username: newName(), password: "correct horse" }, tally);
  }

  /** A registered user whose password is not cached. */
  async registered(tally: CallResults): Promise<CheckedUser> {
    return new CheckedUser(this.service, (await this.service.newUser()).credentials, tally);
  }
}

/** Starts one stage for each test of a file, because the tests run concurrently; returns the stage by name. */
export function setStages(names: readonly string[], env: Record<string, string> = {}): (name: string) => Stage {
  const stages = new Map<string, Stage>();
  beforeAll(async () => {
    const set = async (name: string, place: number) => {
      const proxy = await FaultProxy.start(randomFrom(seed + place));
      atEndOfFile(proxy.stop);
      const clock = new FakeClock();
      const tableName = `test-${randomUUID()}`;
      const start = () => startTestService({ DYNAMODB_ENDPOINT: proxy.url, TABLE_NAME: tableName, ...env }, { clock });
      stages.set(name, new Stage(proxy, await start(), name.includes("two processes") ? await start() : undefined));
    };
    await Promise.all(names.map(set));
  });
  return (name) => stages.get(name) as Stage;
}
