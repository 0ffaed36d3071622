import { afterAll, describe, expect, test } from "vitest";
import { newName } from "../service.ts";
import { CallTally, longestCall } from "./checked-calls.ts";
import type { FaultShares } from "./fault-proxy.ts";
import { setStages } from "./stages.ts";

const summary: object[] = [];

afterAll(() => console.table(summary));

const entries = (count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, i) => ({ url: `http://e.com/${i}` })));

const faults: [string, FaultShares][] = [
  ["answers nobody in time", { stall: 1 }],
  ["takes 2.5 seconds for each answer", { slow: 1 }],
  ["throttles every request", { throttle: 1 }],
  ["fails every request", { failure: 1 }],
  ["drops every connection", { dropAfter: 1 }],
  ["cancels every write as a conflict", { conflict: 1 }],
];

describe(`every call is answered within ${longestCall / 1000} seconds, and nothing is half done, where the database`, () => {
  const stageOf = setStages(faults.map(([fault]) => fault));
  test.concurrent.each(faults)("%s", async (fault, shares) => {
    const tally = new CallTally();
    const stage = stageOf(fault);
    const { proxy, service } = stage;
    const [known, stranger] = await Promise.all([stage.registered(tally), stage.registered(tally)]);
    await known.ok("send", { new: entries(5) });
    // What a function remembers for some seconds is read anew.
    service.clock.advance(60);
    await proxy.fail(shares);
    await Promise.all([
      known.call("auth"),
      known.call("stats"),
      known.call("get"),
      known.call("get", { since: 1, count: 2, page: 2 }),
      known.call("add", { url: "http://e.com/added" }),
      known.call("send", { new: entries(250), update_tags: '[{"url":"http://e.com/1","tags":"a"}]' }),
      known.call("api"),
      known.call("signup", { username: newName() }),
      stranger.call("send", { new: entries(3) }),
      stranger.call("auth", { password: "wrong" }),
    ]).finally(() => proxy.heal());

    let verified = 0;
    for (const user of [known, stranger]) {
      expect((await user.insist("send", { new: entries(4) })).status).toBe(200);
      const items = await user.items();
      expect((await user.stats()).count_list).toBe(String(items.length));
      verified += items.length;
    }
    summary.push({ fault, ...tally, verified });
  });
});
