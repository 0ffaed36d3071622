// SPDX-License-Identifier: MIT

import { lockoutSeconds } from "@reading-list/core/domain/limits.ts";
import { CallResults, CheckedUser } from "@reading-list/testing/checked-user.ts";
import type { Fault, FaultShares, Lag } from "@reading-list/testing/fault-proxy.ts";
import type { ListWriter } from "@reading-list/testing/list-writer.ts";
import { randomFrom, seed } from "@reading-list/testing/seeded-random.ts";
import { SyncedUser } from "@reading-list/testing/synced-user.ts";
import type { ListReader } from "@reading-list/testing/syncing-reader.ts";
import { afterAll, describe, expect, test } from "vitest";
import { type Stage, setStages } from "./stages.ts";

const usersEach = 2;
const writersEach = 3;
/** Changes that each writer makes in each storm; more for a longer run, which no time ends. */
const changesEach = Number(process.env.FAULTS_CHANGES ?? 6);
/** Milliseconds after which a storm ends on a slow machine, if each fault has happened: with fewer changes. */
const stormMs = process.env.FAULTS_CHANGES ? Number.POSITIVE_INFINITY : 8000;

const random = randomFrom(seed);
const newRandom = () => randomFrom(Math.floor(random() * 2 ** 32));

/** Registers during the faults: a name that is taken after an unknown outcome was taken by this call. */
async function signUp(stage: Stage, tally: CallResults): Promise<CheckedUser> {
  const user = stage.newcomer(tally);
  const repeatedBefore = tally.repeated;
  const { status } = await user.insist("signup");
  expect(tally.repeated > repeatedBefore ? [200, 401] : [200]).toContain(status);
  expect((await user.insist("auth")).status).toBe(200);
  return user;
}

/** A client that sends wrong passwords and calls endpoints that change nothing. */
async function probe(stage: Stage, tally: CallResults, isOver: () => boolean): Promise<void> {
  const user = await signUp(stage, tally);
  for (let guess = 0; guess < 6 && !isOver(); guess++) {
    // A login whose answer is lost is counted, too: it must not lock out the guesses after it.
    user.service.clock?.advance(lockoutSeconds);
    expect((await user.insist("auth", { password: `wrong ${guess}` })).status).not.toBe(200);
    expect((await user.insist("get", { username: "nobody" })).status).not.toBe(200);
    expect((await user.insist("api")).status).toBe(200);
  }
}

class UserInStorm extends SyncedUser {
  constructor(user: CheckedUser, { other }: Stage) {
    super(user, writersEach, newRandom, other && new CheckedUser(other, user.credentials, user.tally));
  }

  async live(isOver: () => boolean): Promise<void> {
    let writing = this.writers.length;
    const write = async (writer: ListWriter) => {
      for (let change = 0; change < changesEach && !isOver(); change++) {
        await writer.change();
        if (random() < 0.3) this.user.service.clock?.advance(1);
      }
      writing -= 1;
    };
    const read = async (reader: ListReader) => {
      while (writing > 0) await reader.sync();
    };
    await Promise.all([...this.writers.map(write), ...this.readers.map(read)]);
  }
}

const summary: object[] = [];
afterAll(() => console.table(summary));

async function survive(stage: Stage, fault: string, shares: FaultShares, lag?: Lag): Promise<void> {
  const { proxy } = stage;
  const tally = new CallResults();
  await proxy.fail(shares, lag);
  const end = performance.now() + stormMs;
  const hasMet = (fault: string) => (proxy.met[fault as Fault] ?? 0) > 0;
  const isOver = () => performance.now() > end && [...Object.keys(shares), ...(lag ? ["lag"] : [])].every(hasMet);
  const users: UserInStorm[] = [];
  try {
    const live = async () => {
      const user = new UserInStorm(await signUp(stage, tally), stage);
      users.push(user);
      await user.live(isOver);
    };
    await Promise.all([probe(stage, tally, isOver), ...Array.from({ length: usersEach }, live)]);
  } finally {
    proxy.heal();
  }
  for (const user of users) await user.expectWhole();
  for (const each of Object.keys(shares) as Fault[]) expect(proxy.met[each], each).toBeGreaterThan(0);
  if (lag) expect(proxy.met.lag).toBeGreaterThan(0);
  const verified = users.reduce((sum, { list }) => sum + list.verified, 0);
  summary.push({ fault, ...tally, verified });
}

const allFaults = ["throttle", "failure", "delay", "dropBefore", "dropAfter", "conflict", "partial"] as const;
const mixed = Object.fromEntries(allFaults.map((fault) => [fault, 0.03 + random() * 0.05]));

const storms: [string, FaultShares, Lag?][] = [
  ["throttles", { throttle: 0.1 }],
  ["fails", { failure: 0.3 }],
  ["is slow", { delay: 0.4 }],
  ["carries out requests that the client has given up", { stall: 0.02 }],
  ["drops connections before carrying out the request", { dropBefore: 0.3 }],
  ["drops connections after carrying out the request", { dropAfter: 0.3 }],
  ["cancels writes as conflicts", { conflict: 0.3 }],
  ["answers in parts", { partial: 0.8 }],
  ["answers eventually consistent reads with data from 3 seconds ago", {}, { milliseconds: 3000 }],
  [
    "fails, with two processes on one table",
    { throttle: 0.03, failure: 0.03, dropBefore: 0.03, dropAfter: 0.03, conflict: 0.05 },
  ],
  ["does all of this", { ...mixed, stall: 0.02 }, { milliseconds: 2000 }],
];

describe(`no change is lost, none appears, counts are exact and copies equal (FAULTS_SEED=${seed})`, () => {
  const stageOf = setStages(storms.map(([fault]) => fault));
  test.concurrent.each(storms)(
    "if the database %s",
    (fault, ...faults) => survive(stageOf(fault), fault, ...faults),
    process.env.FAULTS_CHANGES ? 0 : 600_000,
  );
});
