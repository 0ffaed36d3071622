// SPDX-License-Identifier: MIT

import { ServiceError } from "@reading-list/core/errors.ts";
import { CallResults, CheckedUser } from "@reading-list/testing/checked-user.ts";
import { importInto, type PageOfFile } from "@reading-list/testing/import-into.ts";
import { withLaggingIndex } from "@reading-list/testing/lagging-index.ts";
import { randomFrom, seed } from "@reading-list/testing/seeded-random.ts";
import { SyncedUser } from "@reading-list/testing/synced-user.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, test } from "vitest";

/** Pages that each import has; more for a longer storm. */
const pagesEach = Number(process.env.IMPORT_PAGES ?? 130);
/** Changes of each writer: less than the import takes, so that it ends on a slow machine, too. */
const changesEach = pagesEach / 5;
/** Pages that are imported between two looks at the list's state: a process that reads it once for two transactions. */
const pagesAtOnce = 110;
const writersEach = 2;

const random = randomFrom(seed);
const newRandom = () => randomFrom(Math.floor(random() * 2 ** 32));

let service: TestService;
beforeAll(async () => {
  service = await startDynamodbService({}, { wrapClient: (client) => withLaggingIndex(client, newRandom()) });
});

/** A page of the file, perhaps without a title and tags. */
const pageOf = (i: number): PageOfFile => ({
  url: `http://example.com/imported/${i}`,
  title: random() < 0.8 ? `Title ${i}` : "",
  tags: random() < 0.5 ? "imported" : "",
  state: random() < 0.5 ? "1" : "0",
  timeAdded: 1_500_000_000 + i,
});

/** Repeats an import that gave up because others changed the list all the time. */
async function insist(run: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      return void (await run());
    } catch (error) {
      if (!(error instanceof ServiceError && error.kind === "unavailable")) throw error;
    }
  }
}

test.each(["was never synced", "was synced before"])(
  `while a list that %s is imported, changed and synced, every device has every change once (FAULTS_SEED=${seed})`,
  async (history) => {
    const { credentials } = await service.newUser();
    const user = new CheckedUser(service, credentials, new CallResults());
    const synced = new SyncedUser(user, writersEach, newRandom);
    if (history === "was synced before") for (const reader of synced.readers) await reader.sync();
    let working = writersEach + 1;
    let imported = 0;

    const importAll = async () => {
      for (let start = 0; start < pagesEach; start += pagesAtOnce) {
        const pages = Array.from({ length: Math.min(pagesAtOnce, pagesEach - start) }, (_, i) => pageOf(start + i));
        for (const { url, title, tags = "", state = "0" } of pages)
          synced.list.ask(url, { title: title || url, tags, state });
        await insist(() => importInto(service, user, pages));
        imported += pages.length;
        synced.list.acknowledge(pages.map(({ url }) => url));
        service.clock.advance(1);
      }
      working--;
    };
    const write = async (writer: (typeof synced.writers)[number]) => {
      for (let change = 0; change < changesEach; change++) {
        await writer.change();
        if (random() < 0.3) service.clock.advance(1);
      }
      working--;
    };
    const read = async (reader: (typeof synced.readers)[number]) => {
      // A list that was never synced stays so for a part of the import.
      while (history === "was never synced" && imported < pagesEach / 3) await new Promise(setImmediate);
      while (working > 0) await reader.sync();
    };
    await Promise.all([importAll(), ...synced.writers.map(write), ...synced.readers.map(read)]);
    await synced.expectWhole();
  },
);
