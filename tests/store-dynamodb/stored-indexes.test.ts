// SPDX-License-Identifier: MIT

import { readdirSync } from "node:fs";
import { deadlineSignal } from "@reading-list/core/call-scope.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { parseSearch } from "@reading-list/core/domain/search-query.ts";
import type { IndexObjects } from "@reading-list/core/ports/search.ts";
import type { User } from "@reading-list/core/ports/users.ts";
import { StoredIndexes } from "@reading-list/core/use-cases/lists/stored-indexes.ts";
import { createIndexInProcess } from "@reading-list/search/index-in-process.ts";
import { createIndexObjects } from "@reading-list/store-dynamodb/index-objects.ts";
import { findSyncedUser } from "@reading-list/store-dynamodb/users.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { startPageServer } from "@reading-list/testing/page-server.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { VersionedBuckets } from "@reading-list/testing/versioned-buckets.ts";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

let service: TestService;
let user: TestUser;
let userId: string;
const buckets = new VersionedBuckets({ indexes: { isVersioned: false } });
/** The requests to S3: `GET 200`. */
let requests: string[] = [];

beforeAll(async () => {
  service = await startDynamodbService();
  const answer = buckets.listener();
  const s3 = await startPageServer((request, response) => {
    response.on("finish", () => requests.push(`${request.method} ${response.statusCode}`));
    answer(request, response);
  });
  atEndOfFile(s3.stop);
  const account = { AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };
  for (const [name, value] of Object.entries({ ...account, AWS_ENDPOINT_URL_S3: s3.origin })) vi.stubEnv(name, value);
  atEndOfFile(() => void vi.unstubAllEnvs());
});
beforeEach(async () => {
  user = await service.newUser();
  userId = (await record()).userId;
  requests = [];
});

async function record(): Promise<User> {
  const found = await findSyncedUser(service.table, user.credentials.username);
  if (!found) throw new Error("there is no such user");
  return found;
}

const stored = () => buckets.byPath.get(`/indexes/indexes/${userId}`);
const put = (content: Buffer | undefined) => buckets.put(`/indexes/indexes/${userId}`, content);
const urlOf = (title: string) => `https://pages.example/${encodeURIComponent(title)}`;
/** A title of a thousand characters, in words of its own. */
const longTitle = (page: number) =>
  Array.from({ length: 150 }, (_, word) => (page * 150 + word + 50_000).toString(36)).join(" ");
const add = (title: string) => user.add(urlOf(title), { title });

/** A process of the stage: a function that searches, or that stores. */
class Process {
  readonly folder = temporaryFolder();
  readonly asked: string[] = [];
  readonly #indexes: StoredIndexes;

  constructor(limits: ConstructorParameters<typeof StoredIndexes>[3] = {}, changes: Partial<IndexObjects> = {}) {
    const objects = { ...createIndexObjects(async () => "indexes"), ...changes };
    const ask = async ({ username }: User) => void this.asked.push(username);
    const index = createIndexInProcess(this.folder);
    this.#indexes = new StoredIndexes(service.operator, index, objects, { waitMs: 60_000, ...limits }, ask);
  }

  /** The pages that a search finds, and the time up to which it is complete. */
  async search(query: string) {
    const asOf = await this.#indexes.update(await record());
    const order = { sort: "newest", skip: 0, count: 100 } as const;
    const { itemIds } = await this.#indexes.searchIndex.find(userId, parseSearch(query), order);
    const items = await service.operator.items.find(user.credentials.username, itemIds);
    return { asOf, titles: itemIds.map((itemId) => items.get(itemId)?.title) };
  }

  titles = async (query: string) => (await this.search(query)).titles;
  store = async () => this.#indexes.store(await record());
  storeAgain = async () => this.#indexes.storeAgain(await record());
  files = () => readdirSync(this.folder);
}

describe("a search", () => {
  test("finds a page that was just saved, whatever index is stored", async () => {
    const process = new Process();
    await add("one");
    expect(await process.titles("one")).toEqual(["one"]);
    await new Process().store();
    await add("two");
    const itemId = toItemId(urlOf("two"));
    const timeAdded = (await service.operator.items.find(user.credentials.username, [itemId])).get(itemId)?.timeAdded;
    const views = { less: "<p>a needle</p>", more: "", title: "two", resolvedUrl: urlOf("two"), nextUrl: undefined };
    const article = { ...views, loginFound: false, keptAt: 0, timeAdded: Number(timeAdded) };
    expect(await process.titles("needle")).toEqual([]);
    await service.operator.articles.keep(await record(), itemId, article, 1e9);
    expect(await process.titles("needle")).toEqual(["two"]);
    await user.send({ delete: [{ url: urlOf("two") }] });
    expect(await process.titles("needle")).toEqual([]);
  });

  test("reads a stored index once, and asks S3 for nothing while the list is unchanged", async () => {
    await add("one");
    await new Process().store();
    const process = new Process();
    requests = [];
    for (let i = 0; i < 3; i++) expect(await process.titles("one")).toEqual(["one"]);
    expect(requests).toEqual(["GET 200"]);
    await add("two");
    expect(await process.titles("two")).toEqual(["two"]);
    expect(requests).toEqual(["GET 200", "GET 304"]);
  });

  test("of a list that takes too long says so, and asks for its index to be stored, once", async () => {
    await add("one");
    const process = new Process({ waitMs: 0 }, { read: () => new Promise(() => {}) });
    expect((await process.search("one")).asOf).toBe(0);
    await process.search("one");
    expect(process.asked).toEqual([user.credentials.username]);
    await new Process().store();
    const patient = new Process();
    const { asOf, titles } = await patient.search("one");
    expect([titles, asOf]).toEqual([["one"], (await record()).clock.lastSince]);
    expect(patient.asked).toEqual([]);
  });

  test("whose update ends at its deadline is answered with the results so far, and asks for the rest", async () => {
    await add("one");
    const { read } = createIndexObjects(async () => "indexes");
    const readLate: IndexObjects["read"] = async (...args) => {
      await expect.poll(() => deadlineSignal()?.aborted).toBe(true);
      return read(...args);
    };
    const process = new Process({ waitMs: 1000, updateMs: 1 }, { read: readLate });
    expect([(await process.search("one")).asOf, process.asked]).toEqual([0, [user.credentials.username]]);
  });

  test("asks for an index to be stored again when a page has changed for each megabyte that it has", async () => {
    await add("one");
    const process = new Process();
    await process.search("one");
    expect(process.asked).toHaveLength(1);
    const long = Array.from({ length: 30 }, (_, page) => ({ url: urlOf(`long ${page}`), title: longTitle(page) }));
    await user.send({ new: long });
    await new Process().store();
    const size = Math.ceil(Number(stored()?.length) / 20_000);
    const reader = new Process({ bytesOfChange: 20_000 });
    for (let page = 0; page < size; page++) {
      expect(reader.asked).toEqual([]);
      await add(`page ${page}`);
      await reader.search("one");
    }
    expect([size > 2, reader.asked]).toEqual([true, [user.credentials.username]]);
  });

  test("keeps the most recently used copies, and removes the files of the others", async () => {
    const process = new Process({ copiedBytes: 200_000 });
    const first = user;
    for (let i = 0; i < 6; i++) {
      user = i === 0 ? first : await service.newUser();
      userId = (await record()).userId;
      await add("one");
      await process.search("one");
    }
    const files = process.files().filter((name) => name.endsWith(".db"));
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThan(6);
    expect(files).toContain(`${userId}.db`);
    user = first;
    userId = (await record()).userId;
    expect(await process.titles("one")).toEqual(["one"]);
  });
});

describe("a stored index", () => {
  test("of two writers comes from the first, and each continues with an index of the list", async () => {
    await add("one");
    const [first, second] = [new Process(), new Process()];
    await Promise.all([first.store(), second.store()]);
    expect(requests.filter((request) => request.startsWith("PUT")).sort()).toEqual(["PUT 200", "PUT 412"]);
    await add("two");
    await Promise.all([second.store(), first.store()]);
    for (const process of [first, second, new Process()]) expect(await process.titles("one")).toEqual(["one"]);
    expect(await new Process().titles("two")).toEqual(["two"]);
  });

  test.each([false, true])(
    "of a deleted user is not made again by a write under way; it was stored before: %s",
    async (isStored) => {
      await add("one");
      const { write, close } = createIndexObjects(async () => "indexes");
      if (isStored) await new Process().store();
      await add("two");
      const late = new Process(
        {},
        {
          write: async (...args) => {
            await close(userId);
            return write(...args);
          },
        },
      );
      await late.store();
      expect(stored()).toEqual(Buffer.alloc(0));
      await late.store();
      await new Process().store();
      expect(stored()).toEqual(Buffer.alloc(0));
    },
  );

  test("goes with the account", async () => {
    const indexes = createIndexObjects(async () => "indexes");
    await add("one");
    await new Process().store();
    expect(stored()?.length).toBeGreaterThan(0);
    const { createArticleStore } = await import("@reading-list/store-dynamodb/articles.ts");
    const objects = {
      get: async () => undefined,
      put: async () => {},
      delete: async () => {},
      deleteAll: async () => {},
    };
    await createArticleStore(service.table, objects, indexes).deleteAll(await record());
    expect(stored()).toEqual(Buffer.alloc(0));
  });

  test("has no byte of the words of deleted pages after it was stored again", async () => {
    const words = Array.from({ length: 50 }, (_, number) => `zyzzyva${number}`);
    await user.send({ new: [...words, "staying"].map((title) => ({ url: urlOf(title), title })) });
    const process = new Process();
    await process.store();
    const has = (word: string) => stored()?.toString("latin1").includes(word);
    expect([has("zyzzyva"), has("staying")]).toEqual([true, true]);
    await user.send({ delete: words.map((title) => ({ url: urlOf(title) })) });
    await process.storeAgain();
    expect([has("zyzzyva"), has("staying")]).toEqual([false, true]);
  });

  test("is stored again only if there is one", async () => {
    await add("one");
    await new Process().storeAgain();
    expect(stored()).toBeUndefined();
  });

  test.each<[string, () => Promise<Buffer>]>([
    ["is damaged", async () => Buffer.from("no database at all")],
    [
      "is of a list that was restored",
      async () => {
        const changes = { UpdateExpression: "SET revision = :more", ExpressionAttributeValues: { ":more": 1000 } };
        const { updateUserRecord } = await import("@reading-list/store-dynamodb/users.ts");
        await updateUserRecord(service.table, user.credentials.username, changes);
        await new Process().store();
        const newer = stored() as Buffer;
        await updateUserRecord(service.table, user.credentials.username, {
          ...changes,
          ExpressionAttributeValues: { ":more": 1 },
        });
        return newer;
      },
    ],
  ])("that %s is rebuilt", async (_, make) => {
    await add("one");
    put(await make());
    const process = new Process();
    const titles = () => process.titles("one").catch(() => []);
    await expect.poll(titles).toEqual(["one"]);
    expect(process.asked).toHaveLength(1);
    const writer = new Process();
    await writer.store().catch(() => {});
    await writer.store();
    const reader = new Process();
    expect(await reader.titles("one")).toEqual(["one"]);
    expect(reader.asked).toEqual([]);
  });

  test("that is damaged fails no search", async () => {
    await add("one");
    await new Process().store();
    const good = stored() as Buffer;
    for (const damaged of [Buffer.alloc(40_000, 65), Buffer.concat([good.subarray(0, 16), Buffer.alloc(40_000)])]) {
      put(damaged);
      expect(await new Process().titles("one")).toEqual(["one"]);
    }
  });

  test("that is too large has further pages without their texts", async () => {
    await add("one");
    const itemId = toItemId(urlOf("one"));
    const timeAdded = (await service.operator.items.find(user.credentials.username, [itemId])).get(itemId)?.timeAdded;
    const views = { less: "<p>a needle</p>", more: "", title: "one", resolvedUrl: urlOf("one"), nextUrl: undefined };
    const article = { ...views, loginFound: false, keptAt: 0, timeAdded: Number(timeAdded) };
    await service.operator.articles.keep(await record(), itemId, article, 1e9);
    const process = new Process({ fileBytes: 1 });
    expect([await process.titles("one"), await process.titles("needle")]).toEqual([["one"], []]);
  });
});
