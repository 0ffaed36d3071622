import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newName, startTestService, type TestService } from "../service.ts";
import { CallTally, CheckedUser } from "./checked-calls.ts";
import { FaultProxy, type FaultShares } from "./fault-proxy.ts";
import { randomFrom, seed } from "./seeded-random.ts";

const userLimit = 8;
const keyLimit = 50;
const users = 8;
const callsEach = 25;

let proxy: FaultProxy;
let service: TestService;
const summary: object[] = [];

beforeAll(async () => {
  proxy = await FaultProxy.start(randomFrom(seed));
  afterAll(proxy.stop);
  service = await startTestService({
    DYNAMODB_ENDPOINT: proxy.url,
    USER_LIMIT: String(userLimit),
    KEY_LIMIT: String(keyLimit),
  });
});
afterAll(() => console.table(summary));

describe(`no more calls are answered than the limits of user and key allow (FAULTS_SEED=${seed})`, () => {
  const storms: [string, FaultShares][] = [
    ["drops connections after it did the work", { dropAfter: 0.3 }],
    ["fails", { failure: 0.3 }],
    ["throttles", { throttle: 0.1 }],
  ];
  test.each(storms)("where the database %s", async (fault, shares) => {
    const tally = new CallTally();
    // A window of its own for each storm.
    service.clock.advance(3600);
    proxy.shares = shares;
    let answered = 0;
    const live = async () => {
      const user = new CheckedUser(service, newName(), "correct horse");
      user.tally = tally;
      const statuses: number[] = [];
      answered += Number((await user.call("signup")).status === 200);
      for (let call = 0; call < callsEach; call++) statuses.push((await user.call("auth")).status);
      const own = statuses.filter((status) => status === 200).length;
      expect(own).toBeLessThanOrEqual(userLimit);
      answered += own;
    };
    await Promise.all(Array.from({ length: users }, live)).finally(() => proxy.heal());
    expect(answered).toBeLessThanOrEqual(keyLimit);
    summary.push({ fault, ...tally, verified: answered });
  });
});
