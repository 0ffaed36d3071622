import { afterAll, beforeAll } from "vitest";
import { newName, startTestService, type TestService } from "../service.ts";
import { type CallTally, CheckedUser } from "./checked-calls.ts";
import { FaultProxy } from "./fault-proxy.ts";
import { randomFrom, seed } from "./seeded-random.ts";

/** A service that reaches its database through a proxy. */
export class Stage {
  readonly proxy: FaultProxy;
  readonly service: TestService;

  constructor(proxy: FaultProxy, service: TestService) {
    this.proxy = proxy;
    this.service = service;
  }

  /** A user who is not registered yet. */
  newcomer(tally: CallTally): CheckedUser {
    return new CheckedUser(this.service, { username: newName(), password: "correct horse" }, tally);
  }

  /** A user who is registered, and whose password no function remembers. */
  async registered(tally: CallTally): Promise<CheckedUser> {
    return new CheckedUser(this.service, (await this.service.newUser()).credentials, tally);
  }
}

/** A stage of its own for each test of a file, as they run at once; gives the one of a name. */
export function setStages(names: readonly string[], env: Record<string, string> = {}): (name: string) => Stage {
  const stages = new Map<string, Stage>();
  beforeAll(async () => {
    const set = async (name: string, place: number) => {
      const proxy = await FaultProxy.start(randomFrom(seed + place));
      afterAll(proxy.stop);
      stages.set(name, new Stage(proxy, await startTestService({ DYNAMODB_ENDPOINT: proxy.url, ...env })));
    };
    await Promise.all(names.map(set));
  });
  return (name) => stages.get(name) as Stage;
}
