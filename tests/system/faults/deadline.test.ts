// SPDX-License-Identifier: MIT

import { CallResults, maxCallMs } from "@reading-list/testing/checked-user.ts";
import { newName, type Parameters } from "@reading-list/testing/client.ts";
import type { FaultShares } from "@reading-list/testing/fault-proxy.ts";
import { afterAll, describe, expect, test } from "vitest";
import { setStages } from "./stages.ts";

const summary: object[] = [];

afterAll(() => console.table(summary));

const entries = (count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, i) => ({ url: `http://e.com/${i}` })));

const faults: [string, FaultShares][] = [
  ["answers no request in time", { stall: 1 }],
  ["answers each request late", { slow: 1 }],
  ["throttles every request", { throttle: 1 }],
  ["fails every request", { failure: 1 }],
  ["drops every connection", { dropAfter: 1 }],
  ["cancels every write as a conflict", { conflict: 1 }],
];

describe(`every call is answered within ${maxCallMs / 1000} seconds, and its changes are atomic, if the database`, () => {
  const stageOf = setStages(faults.map(([fault]) => fault));
  test.concurrent.each(faults)("%s", async (fault, shares) => {
    const tally = new CallResults();
    const stage = stageOf(fault);
    const { proxy, service } = stage;
    const [known, stranger] = await Promise.all([stage.registered(tally), stage.registered(tally)]);
    await known.ok("send", { new: entries(5) });
    // Caches of some seconds have expired then.
    service.clock.advance(60);
    await proxy.fail(shares);
    await Promise.all([
      known.call("auth"),
      known.call("stats"),
      known.call("get"),
      known.call("get", { since: 1, count: 2, page: 2 }),
      known.call("add", { url: "http://e.com/added" }),
      known.call("send", { new: entries(90), update_tags: '[{"url":"http://e.com/1","tags":"a"}]' }),
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

describe("every call succeeds if the database", () => {
  const fault = "answers each request late, but before the client's timeout";
  const stageOf = setStages([fault]);
  test(fault, async () => {
    const { proxy, service } = stageOf(fault);
    const calls: [string, Parameters][] = [
      ["auth", {}],
      ["stats", {}],
      ["get", {}],
      ["get", { since: 1, count: 2, page: 2 }],
      ["add", { url: "http://e.com/added" }],
      ["send", { new: entries(99) }],
      ["api", {}],
    ];
    const users = await Promise.all(calls.map(() => service.newUser()));
    service.clock.advance(60);
    await proxy.fail({ slow: 1 });
    const answers = await Promise.all(calls.map(([endpoint, parameters], i) => users[i]?.call(endpoint, parameters)));
    proxy.heal();
    expect(answers.map((answer) => answer?.status)).toEqual(calls.map(() => 200));
    expect(proxy.met.slow).toBeGreaterThan(calls.length);
  });
});
