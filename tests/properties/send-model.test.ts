import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

interface ModelItem {
  url: string;
  title: string;
  tags: string;
  state: string;
}

/** A minimal model of a list (docs/api.md 2 and 4.2). */
class ModelList {
  readonly items = new Map<string, ModelItem>();

  apply({ added, read, titles, tags }: Batch): void {
    for (const { url, title } of added) {
      const item = this.items.get(url);
      this.items.set(url, { url, title: title ?? item?.title ?? url, tags: item?.tags ?? "", state: "0" });
    }
    for (const { url } of read) this.#change(url, { state: "1" });
    for (const { url, title } of titles) this.#change(url, { title });
    for (const { url, tags: given } of tags) this.#change(url, { tags: [...new Set(given)].join(",") });
  }

  #change(url: string, change: Partial<ModelItem>): void {
    const item = this.items.get(url);
    if (item) this.items.set(url, { ...item, ...change });
  }
}

const url = fc.integer({ min: 0, max: 6 }).map((i) => `http://example.com/${i}`);
const title = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((text) => !text.includes("\0"));
const tag = fc.constantFrom("a", "b", "c", "ü", "long tag");
const batch = fc.record({
  added: fc.array(fc.record({ url, title: fc.option(title, { nil: undefined }) }), { maxLength: 5 }),
  read: fc.array(fc.record({ url }), { maxLength: 4 }),
  titles: fc.array(fc.record({ url, title }), { maxLength: 3 }),
  tags: fc.array(fc.record({ url, tags: fc.array(tag, { maxLength: 4 }) }), { maxLength: 3 }),
});
type Batch = typeof batch extends fc.Arbitrary<infer T> ? T : never;

test("send and stats agree with a minimal model of the list, whatever the batches", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 6 }), async (batches) => {
      const user = await service.newUser();
      const model = new ModelList();
      for (const each of batches) {
        service.clock.advance(1);
        const before = new Map((await user.items()).map((item) => [item.url, item]));
        const { added, read, titles, tags } = each;
        const update_tags = tags.map((entry) => ({ ...entry, tags: entry.tags.join(", ") }));
        const answer = await user.send({ new: added, read, update_title: titles, update_tags });
        expect(answer.status).toBe(200);
        model.apply(each);

        const items = await user.items();
        const shown = items.map(({ url, title, tags, state }) => ({ url, title, tags, state }));
        expect(new Set(shown)).toEqual(new Set(model.items.values()));
        const unread = shown.filter((item) => item.state === "0").length;
        expect(await user.stats()).toMatchObject({ count_list: `${shown.length}`, count_unread: `${unread}` });
        for (const item of items) {
          const { time_updated, ...content } = item;
          const { time_updated: timeBefore, ...contentBefore } = before.get(item.url) ?? {};
          const isChanged = JSON.stringify(content) !== JSON.stringify(contentBefore);
          const isAdded = added.some((entry) => entry.url === item.url);
          expect(time_updated !== timeBefore).toBe(isChanged || isAdded);
        }
      }
    }),
    { numRuns: 25, interruptAfterTimeLimit: 25_000 },
  );
});
