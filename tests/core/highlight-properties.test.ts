// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { HighlightReplica } from "@reading-list/testing/highlight-replica.ts";
import { withLaggingIndex } from "@reading-list/testing/lagging-index.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import fc from "fast-check";
import { beforeAll, expect, inject, test } from "vitest";

let service: TestService;

beforeAll(async () => {
  service = await startTestService(
    {},
    inject("isOnDynamodb") ? { wrapClient: (client) => withLaggingIndex(client, Math.random) } : {},
  );
});

const url = fc.integer({ min: 0, max: 3 }).map((i) => `http://example.com/${i}`);
/** The page of a highlight follows from its id, because it cannot change. */
const id = fc.nat(11).map((i) => `h${i}`);
const pageOf = (of: string) => `http://example.com/${Number(of.slice(1)) % 4}`;
const color = fc.constantFrom("yellow", "red", "green");
const entry = fc.record({
  id,
  note: fc.option(fc.constantFrom("", "a", "b"), { nil: undefined }),
  color: fc.option(color, { nil: undefined }),
});
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ save: fc.array(entry, { minLength: 1, maxLength: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ remove: fc.array(id, { minLength: 1, maxLength: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ add: url }) },
  { weight: 2, arbitrary: fc.record({ drop: url }) },
  { weight: 2, arbitrary: fc.record({ restore: url }) },
  { weight: 1, arbitrary: fc.record({ purge: url }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

const toSave = (save: readonly { id: string }[]) =>
  save.map((each) => ({ ...each, url: pageOf(each.id), quote: `quote ${each.id}` }));

/** Carries an action out; returns the status of a save, which is 400 for a page that is not there. */
async function carryOut(user: TestUser, done: Action): Promise<number> {
  const send = async (changes: object) => (await user.send({ ...changes })).status;
  if ("save" in done) return (await user.call("highlights", { save: JSON.stringify(toSave(done.save)) })).status;
  if ("remove" in done) return (await user.ok("highlights", { delete: JSON.stringify(done.remove) })).status;
  if ("add" in done) return send({ new: [{ url: done.add }] });
  if ("drop" in done) return send({ delete: [{ url: done.drop }] });
  if ("restore" in done) return send({ restore: [{ url: done.restore }] });
  return (await user.ok("trash", { purge: JSON.stringify([done.purge]) })).status;
}

interface Mark {
  note: string;
  color: string;
}

/** Highlights as docs/api.md 4.14 says. */
class Model {
  /** Pages that are in the list or in the trash. */
  readonly #pages = new Map<string, "live" | "trashed">();
  readonly #marks = new Map<string, Mark | "deleted">();

  /** Whether the service must accept it; it changes the model then. */
  apply(done: Action): boolean {
    if ("save" in done) return this.#save(done.save);
    if ("remove" in done) this.#delete(done.remove);
    if ("add" in done) this.#pages.set(done.add, "live");
    if ("drop" in done && this.#pages.get(done.drop) === "live") this.#pages.set(done.drop, "trashed");
    if ("restore" in done && this.#pages.has(done.restore)) this.#pages.set(done.restore, "live");
    if ("purge" in done && this.#pages.get(done.purge) === "trashed") {
      this.#pages.delete(done.purge);
      this.#delete([...this.#marks.keys()].filter((each) => pageOf(each) === done.purge));
    }
    return true;
  }

  #save(entries: readonly { id: string; note?: string | undefined; color?: string | undefined }[]): boolean {
    const isUnknown = ({ id: each }: { id: string }) => !this.#marks.has(each) && !this.#pages.has(pageOf(each));
    if (entries.some(isUnknown)) return false;
    for (const { id: each, note, color: given } of entries) {
      const before = this.#marks.get(each) ?? { note: "", color: "yellow" };
      if (before === "deleted") continue;
      this.#marks.set(each, { note: note ?? before.note, color: given ?? before.color });
    }
    return true;
  }

  #delete(ids: readonly string[]): void {
    for (const each of ids) if (this.#marks.has(each)) this.#marks.set(each, "deleted");
  }

  /** The highlights that are listed. */
  shown(): Map<string, Mark> {
    const listed = [...this.#marks].filter(([each]) => this.#pages.get(pageOf(each)) === "live");
    return new Map(listed.flatMap(([each, mark]) => (mark === "deleted" ? [] : [[each, mark]])));
  }
}

test("highlights, trash and restoration agree with the model, and a client that syncs with the list", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 25 }), async (actions) => {
      const user = await service.newUser();
      const model = new Model();
      const replica = new HighlightReplica(user);
      for (const [place, done] of actions.entries()) {
        service.clock.advance(place % 2);
        expect(await carryOut(user, done), JSON.stringify(done)).toBe(model.apply(done) ? 200 : 400);
        if (place % 3 === 0) await replica.sync();
        const whole = new HighlightReplica(user);
        await whole.sync();
        const shown = [...whole.highlights].map(([each, { note, color }]) => [each, { note, color }] as const);
        expect(new Map(shown)).toEqual(model.shown());
      }
      await replica.sync();
      await replica.expectSame();
    }),
    runs(20),
  );
});

const writer = fc.array(action, { minLength: 1, maxLength: 6 });

test.each([
  ["all at once", {}],
  ["page by page, and stores the since of the last page", { count: 2 }],
  ["page by page, and stores the since of the second page", { count: 2, stores: "second" as const }],
])("every change reaches a client that syncs during writes: %s", async (_, habit) => {
  await fc.assert(
    fc.asyncProperty(fc.array(writer, { minLength: 2, maxLength: 4 }), async (writers) => {
      const user = await service.newUser();
      await user.send({ new: [0, 1, 2, 3].map((i) => ({ url: `http://example.com/${i}` })) });
      const replica = new HighlightReplica(user, habit);
      let isWriting = true;
      const writes = Promise.all(
        writers.map(async (actions) => {
          for (const done of actions) {
            let status = 503;
            // On a busy machine a call may end at its deadline, and is repeated as by a client.
            while (status === 503) status = await carryOut(user, done);
            expect([200, 400]).toContain(status);
          }
        }),
      ).finally(() => {
        isWriting = false;
      });
      while (isWriting) await replica.sync();
      await writes;
      await replica.sync();
      await replica.sync();
      await replica.expectSame();
    }),
    runs(15),
  );
});

test("a whole list that is read during changes contains every earlier highlight", async () => {
  const user = await service.newUser();
  await user.add("http://example.com/0");
  const marks = Array.from({ length: 450 }, (_, i) => ({ id: `m${i}`, url: "http://example.com/0", quote: "x" }));
  await user.ok("highlights", { save: JSON.stringify(marks) });
  let isReading = true;
  const reading = (async () => {
    while (isReading) {
      const { list, complete } = JSON.parse((await user.ok("highlights")).body);
      expect([Object.keys(list).length, complete]).toEqual([450, "1"]);
    }
  })();
  for (let round = 0; round < 15; round++) {
    const part = marks.slice(round * 30, round * 30 + 40).map(({ id: each }) => ({ id: each, note: `${round}` }));
    await user.ok("highlights", { save: JSON.stringify(part) });
  }
  isReading = false;
  await reading;
});
