// SPDX-License-Identifier: MIT

import { CallResults, type CheckedUser } from "@reading-list/testing/checked-user.ts";
import type { FaultShares } from "@reading-list/testing/fault-proxy.ts";
import { seed } from "@reading-list/testing/seeded-random.ts";
import { afterAll, describe, expect, test } from "vitest";
import { setStages } from "./stages.ts";

const userLimit = 8;
const keyLimit = 40;
const usersAtOnce = 4;
const callsEach = 40;
const windowSeconds = 3600;

const summary: object[] = [];

afterAll(() => console.table(summary));

const faults: [string, FaultShares][] = [
  ["drops connections after carrying out the request", { dropAfter: 0.05 }],
  ["fails", { failure: 0.05 }],
];

describe(`no more calls are answered than the limits of user and key allow (FAULTS_SEED=${seed})`, () => {
  const limits = { USER_LIMIT: String(userLimit), KEY_LIMIT: String(keyLimit) };
  const stageOf = setStages(
    faults.map(([fault]) => fault),
    limits,
  );
  test.concurrent.each(faults)("if the database %s", async (fault, shares) => {
    const tally = new CallResults();
    const stage = stageOf(fault);
    const { proxy, service } = stage;
    const group = () => Promise.all(Array.from({ length: usersAtOnce }, () => stage.registered(tally)));
    const early = await group();
    const late = await group();
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
      // Calls that were refused for the users' limits are undone in the key's window, each once.
      await Promise.all(early.map(live));
      await Promise.all(late.map(live));
    } finally {
      proxy.heal();
    }
    expect(answered).toBeLessThanOrEqual(keyLimit);
    summary.push({ fault, ...tally, verified: answered });
  });
});
