import { randomUUID } from "node:crypto";
import { CallTally, CheckedUser } from "@reading-list/testing/checked-user.ts";
import { newName } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { FaultProxy } from "@reading-list/testing/fault-proxy.ts";
import { ExpectedList } from "@reading-list/testing/list-model.ts";
import { ListWriter } from "@reading-list/testing/list-writer.ts";
import { randomFrom, seed } from "@reading-list/testing/seeded-random.ts";
import { SyncingReader, WalkingReader } from "@reading-list/testing/syncing-reader.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, expect, test } from "vitest";

/** Longer for a long run: FAULTS_SECONDS=600. */
const seconds = Number(process.env.FAULTS_SECONDS ?? 5);
const random = randomFrom(seed);
const newRandom = () => randomFrom(Math.floor(random() * 2 ** 32));

let proxy: FaultProxy;
let services: [TestService, TestService];

beforeAll(async () => {
  proxy = await FaultProxy.start(newRandom());
  atEndOfFile(proxy.stop);
  const env = { DYNAMODB_ENDPOINT: proxy.url, TABLE_NAME: `test-${randomUUID()}` };
  const clock = new FakeClock();
  services = [await startTestService(env, { clock }), await startTestService(env, { clock })];
});

test(
  `two processes on one table lose no change, add none and delete none while the database fails (FAULTS_SEED=${seed})`,
  async () => {
    const tally = new CallTally();
    const credentials = { username: newName(), password: "correct horse" };
    const [one, other] = services.map((service) => new CheckedUser(service, credentials, tally)) as [
      CheckedUser,
      CheckedUser,
    ];
    await one.insist("signup");
    // From here on both processes have cached the password.
    for (const user of [one, other]) await user.insist("auth");
    const list = new ExpectedList();
    const users = [one, other, one, other];
    const writers = users.map((user, i) => new ListWriter(user, list, `writer-${i}`, newRandom()));
    const readers = [
      ...users.map((user) => new SyncingReader(user, list)),
      new WalkingReader(other, list, newRandom()),
    ];
    const end = performance.now() + 1000 * seconds;
    const repeat = async (act: () => Promise<void>) => {
      while (performance.now() < end) await act();
    };
    await proxy.fail({ throttle: 0.03, failure: 0.03, dropBefore: 0.03, dropAfter: 0.03, conflict: 0.05 });
    let changes = 0;
    try {
      await Promise.all([
        ...writers.map((writer) =>
          repeat(async () => {
            await writer.change();
            changes += 1;
            if (random() < 0.3) one.service.clock?.advance(1);
          }),
        ),
        ...readers.map((reader) => repeat(() => reader.sync())),
      ]);
    } finally {
      proxy.heal();
    }
    const items = await one.items();
    expect(await other.items()).toEqual(items);
    list.expectEqual(items);
    const unread = items.filter(({ state }) => state === "0").length;
    expect(await other.stats()).toMatchObject({ count_list: `${items.length}`, count_unread: `${unread}` });
    for (const reader of readers) {
      await reader.sync();
      expect(reader.items).toEqual(new Map(items.map((item) => [item.url, item])));
    }
    console.table([{ storm: "two processes", seconds, changes, ...tally, verified: list.verified }]);
  },
  60_000 + 1000 * seconds,
);
