import { afterAll, describe, expect, test } from "vitest";
import { CallTally, type CheckedUser } from "./checked-calls.ts";
import { ExpectedList } from "./expected-list.ts";
import type { Fault, FaultShares, Lag } from "./fault-proxy.ts";
import { ListWriter } from "./list-writer.ts";
import { randomFrom, seed } from "./seeded-random.ts";
import { type Stage, setStages } from "./stages.ts";
import { SyncingReader, WalkingReader } from "./syncing-reader.ts";

const usersEach = 3;
const writersEach = 3;
/** Changes that each writer makes in each storm; more for a longer run. */
const changesEach = Number(process.env.FAULTS_CHANGES ?? 6);

const random = randomFrom(seed);

/** Registers through the storm: a name that is taken after an unknown outcome was taken by this very call. */
async function signUp(stage: Stage, tally: CallTally): Promise<CheckedUser> {
  const user = stage.newcomer(tally);
  const repeatedBefore = tally.repeated;
  const { status } = await user.insist("signup");
  expect(tally.repeated > repeatedBefore ? [200, 401] : [200]).toContain(status);
  expect((await user.insist("auth")).status).toBe(200);
  return user;
}

/** Somebody who tries wrong passwords, and asks for the things that change nothing. */
async function probe(stage: Stage, tally: CallTally): Promise<void> {
  const user = await signUp(stage, tally);
  for (let guess = 0; guess < 6; guess++) {
    expect((await user.insist("auth", { password: `wrong ${guess}` })).status).not.toBe(200);
    expect((await user.insist("get", { username: "nobody" })).status).not.toBe(200);
    expect((await user.insist("api")).status).toBe(200);
  }
}

class UserInStorm {
  readonly list = new ExpectedList();
  readonly user: CheckedUser;
  readonly readers: SyncingReader[];
  private readonly writers: ListWriter[];

  constructor(user: CheckedUser) {
    this.user = user;
    this.readers = [new SyncingReader(user, this.list), new WalkingReader(user, this.list)];
    this.writers = Array.from(
      { length: writersEach },
      (_, i) => new ListWriter(user, this.list, `writer-${i}`, randomFrom(Math.floor(random() * 2 ** 32))),
    );
  }

  async live(): Promise<void> {
    let writing = this.writers.length;
    const write = async (writer: ListWriter) => {
      for (let change = 0; change < changesEach; change++) {
        await writer.change();
        if (random() < 0.3) this.user.service.clock.advance(1);
      }
      writing -= 1;
    };
    const read = async (reader: SyncingReader) => {
      while (writing > 0) await reader.sync();
    };
    await Promise.all([...this.writers.map(write), ...this.readers.map(read)]);
  }

  /** That the list is what its writers were told, its counts are exact, and every copy of it is equal. */
  async expectWhole(): Promise<void> {
    const items = await this.user.items();
    this.list.expectEqual(items);
    const unread = items.filter(({ state }) => state === "0").length;
    const counts = { count_list: `${items.length}`, count_unread: `${unread}`, count_read: `${items.length - unread}` };
    expect(await this.user.stats()).toMatchObject(counts);
    for (const reader of this.readers) {
      await reader.sync();
      expect(reader.items).toEqual(new Map(items.map((item) => [item.url, item])));
    }
  }
}

const summary: object[] = [];
afterAll(() => console.table(summary));

async function survive(stage: Stage, fault: string, shares: FaultShares, lag?: Lag): Promise<void> {
  const { proxy } = stage;
  const tally = new CallTally();
  await proxy.fail(shares, lag);
  const users: UserInStorm[] = [];
  try {
    const live = async () => {
      const user = new UserInStorm(await signUp(stage, tally));
      users.push(user);
      await user.live();
    };
    await Promise.all([probe(stage, tally), ...Array.from({ length: usersEach }, live)]);
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
  ["carries out what was given up", { stall: 0.01 }],
  ["drops connections before it did the work", { dropBefore: 0.3 }],
  ["drops connections after it did the work", { dropAfter: 0.3 }],
  ["cancels writes as conflicts", { conflict: 0.3 }],
  ["answers in parts", { partial: 0.8 }],
  ["answers what need not be consistent from 3 seconds ago", {}, { milliseconds: 3000, reads: "eventual" }],
  ["does all of it", { ...mixed, stall: 0.01 }, { milliseconds: 2000, reads: "eventual" }],
];

describe(`no change is lost, none appears, counts are exact and copies equal (FAULTS_SEED=${seed})`, () => {
  const stageOf = setStages(storms.map(([fault]) => fault));
  test.concurrent.each(storms)("where the database %s", (fault, ...faults) =>
    survive(stageOf(fault), fault, ...faults),
  );
});

describe(`no change is lost by an index worse than DynamoDB's (FAULTS_SEED=${seed})`, () => {
  const fault = "finds what was there 2 seconds ago";
  const stageOf = setStages([fault]);
  test("whose every query, even a consistent one, finds what was there 2 seconds ago", () =>
    survive(stageOf(fault), fault, {}, { milliseconds: 2000, reads: "index" }));
});
