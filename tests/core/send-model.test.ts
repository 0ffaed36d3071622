import { ExpectedList, type PageState } from "@reading-list/testing/list-model.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** The pages after a batch that names them (docs/api.md 2 and 4.2). */
function expectBatch(list: ExpectedList, { added, read, titles, tags }: Batch): void {
  const change = (url: string, changed: (page: PageState | undefined) => PageState | undefined) => {
    const page = changed(list.latest(url) as PageState | undefined);
    if (page) list.ask(url, page);
    list.acknowledge([url]);
  };
  for (const { url, title } of added)
    change(url, (page) => ({ title: title ?? page?.title ?? url, tags: page?.tags ?? "", state: "0" }));
  for (const { url } of read) change(url, (page) => page && { ...page, state: "1" });
  for (const { url, title } of titles) change(url, (page) => page && { ...page, title });
  for (const { url, tags: given } of tags)
    change(url, (page) => page && { ...page, tags: [...new Set(given)].join(",") });
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

test("send and stats agree with the model of the list, whatever the batches", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 6 }), async (batches) => {
      const user = await service.newUser();
      const list = new ExpectedList();
      for (const each of batches) {
        service.clock.advance(1);
        const before = new Map((await user.items()).map((item) => [item.url, item]));
        const { added, read, titles, tags } = each;
        const update_tags = tags.map((entry) => ({ ...entry, tags: entry.tags.join(", ") }));
        const answer = await user.send({ new: added, read, update_title: titles, update_tags });
        expect(answer.status).toBe(200);
        expectBatch(list, each);

        const items = await user.items();
        list.expectEqual(items);
        const unread = items.filter((item) => item.state === "0").length;
        expect(await user.stats()).toMatchObject({ count_list: `${items.length}`, count_unread: `${unread}` });
        for (const item of items) {
          const { time_updated, ...content } = item;
          const { time_updated: timeBefore, ...contentBefore } = before.get(item.url) ?? {};
          const isChanged = JSON.stringify(content) !== JSON.stringify(contentBefore);
          const isAdded = added.some((entry) => entry.url === item.url);
          expect(time_updated !== timeBefore).toBe(isChanged || isAdded);
        }
      }
    }),
    runs(15),
  );
});
