import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestService, type TestService } from "../service.ts";
import { CallTally, CheckedUser } from "./checked-calls.ts";
import { FaultProxy, type FaultShares } from "./fault-proxy.ts";
import { randomFrom, seed } from "./seeded-random.ts";

const userLimit = 8;
const keyLimit = 40;
const usersAtOnce = 4;
const callsEach = 40;
const windowSeconds = 3600;

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
    ["drops connections after it did the work", { dropAfter: 0.05 }],
    ["fails", { failure: 0.05 }],
  ];
  test.each(storms)("where the database %s", async (fault, shares) => {
    const tally = new CallTally();
    const signUp = async () => {
      const { username, password } = (await service.newUser()).credentials;
      const user = new CheckedUser(service, username, password);
      user.tally = tally;
      return user;
    };
    service.clock.advance(windowSeconds);
    const early = await Promise.all(Array.from({ length: usersAtOnce }, signUp));
    const late = await Promise.all(Array.from({ length: usersAtOnce }, signUp));
    service.clock.advance(windowSeconds);
    await proxy.fail(shares);
    let answered = 0;
    const live = async (user: CheckedUser) => {
      let own = 0;
      for (let call = 0; call < callsEach; call++) own += Number((await user.call("auth")).status === 200);
      expect(own).toBeLessThanOrEqual(userLimit);
      answered += own;
    };
    try {
      // Calls that the first users are refused are taken back from the key's window, no more of them than were made.
      await Promise.all(early.map(live));
      await Promise.all(late.map(live));
    } finally {
      proxy.heal();
    }
    expect(answered).toBeLessThanOrEqual(keyLimit);
    summary.push({ fault, ...tally, verified: answered });
  });
});
