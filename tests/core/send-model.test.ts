// SPDX-License-Identifier: MIT

import { ExpectedList, type PageState } from "@reading-list/testing/list-model.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** A page of the model: in the list, in the trash, or neither. */
interface Page {
  live?: PageState | undefined;
  trashed?: PageState | undefined;
  /** When its place was reached. */
  reachedAt: number;
}

/** The pages after a batch that names them, sent at `now` (docs/api.md 2 and 4.2). */
function apply(pages: Map<string, Page>, batch: Batch, now: number): void {
  const { restored, added, read, titles, tags, addedTags, removedTags, progress, removed } = batch;
  const before = new Map([...pages].map(([url, page]) => [url, { ...page }]));
  const of = (url: string) => {
    const page = pages.get(url) ?? { reachedAt: 0 };
    pages.set(url, page);
    return page;
  };
  const change = (url: string, changed: (page: PageState, of: Page) => PageState) => {
    const page = of(url);
    if (page.live) page.live = changed(page.live, page);
  };
  for (const { url } of restored) {
    const page = of(url);
    page.live ??= page.trashed;
    page.trashed = undefined;
  }
  for (const { url, title } of added) {
    const page = of(url);
    const kept = page.live ?? { title: url, tags: "", progress: page.trashed?.progress };
    page.live = { ...kept, title: title ?? kept.title, state: "0" };
    page.trashed = undefined;
  }
  for (const { url } of read) change(url, (page) => ({ ...page, state: "1" }));
  for (const { url, title } of titles) change(url, (page) => ({ ...page, title }));
  for (const { url, tags: given } of tags) change(url, (page) => ({ ...page, tags: [...new Set(given)].join(",") }));
  for (const { url, tags: given } of addedTags)
    change(url, (page) => ({ ...page, tags: [...new Set([...tagsIn(page.tags), ...given])].join(",") }));
  for (const { url, tags: given } of removedTags) {
    change(url, (page) => ({
      ...page,
      tags: tagsIn(page.tags)
        .filter((each) => !given.some((other) => other === each))
        .join(","),
    }));
  }
  for (const { url, progress: percent, ago } of progress) {
    change(url, (page, of) => {
      if (now - ago < of.reachedAt || page.progress === String(percent)) return page;
      of.reachedAt = now - ago;
      return { ...page, progress: String(percent) };
    });
  }
  for (const { url } of removed) {
    const page = of(url);
    page.trashed = page.live ?? page.trashed;
    page.live = undefined;
    // Added and deleted by one request: as it was.
    const earlier = before.get(url);
    if (!earlier?.live) pages.set(url, earlier ?? { reachedAt: 0 });
  }
}

const url = fc.integer({ min: 0, max: 6 }).map((i) => `http://example.com/${i}`);
const title = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((text) => !text.includes("\0"));
const tag = fc.constantFrom("a", "b", "c", "ü", "long tag");
const batch = fc.record({
  restored: fc.array(fc.record({ url }), { maxLength: 3 }),
  added: fc.array(fc.record({ url, title: fc.option(title, { nil: undefined }) }), { maxLength: 5 }),
  read: fc.array(fc.record({ url }), { maxLength: 4 }),
  titles: fc.array(fc.record({ url, title }), { maxLength: 3 }),
  tags: fc.array(fc.record({ url, tags: fc.array(tag, { maxLength: 4 }) }), { maxLength: 3 }),
  addedTags: fc.array(fc.record({ url, tags: fc.array(tag, { maxLength: 3 }) }), { maxLength: 3 }),
  removedTags: fc.array(fc.record({ url, tags: fc.array(tag, { maxLength: 3 }) }), { maxLength: 3 }),
  progress: fc.array(fc.record({ url, progress: fc.nat(3), ago: fc.nat(2) }), { maxLength: 3 }),
  removed: fc.array(fc.record({ url }), { maxLength: 4 }),
  purged: fc.array(url, { maxLength: 1 }),
});
const asEntry = ({ url, tags }: { url: string; tags: string[] }) => ({ url, tags: tags.join(", ") });
const tagsIn = (tags: string): string[] => tags.split(",").filter(Boolean);
type Batch = typeof batch extends fc.Arbitrary<infer T> ? T : never;

test("send, trash and stats agree with the model of the list, whatever the batches", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 6 }), async (batches) => {
      const user = await service.newUser();
      const pages = new Map<string, Page>();
      for (const each of batches) {
        service.clock.advance(1);
        const before = new Map((await user.items()).map((item) => [item.url, item]));
        const { restored, added, read, titles, tags, progress, removed, purged } = each;
        const now = service.clock.seconds();
        const request = {
          restore: restored,
          new: added,
          read,
          update_title: titles,
          delete: removed,
          update_tags: tags.map(asEntry),
          add_tags: each.addedTags.map(asEntry),
          remove_tags: each.removedTags.map(asEntry),
          update_progress: progress.map(({ ago, ...entry }) => ({ ...entry, time: now - ago })),
        };
        expect((await user.send(request)).status).toBe(200);
        apply(pages, each, now);

        const items = await user.items();
        const list = new ExpectedList();
        for (const [page, { live }] of pages) if (live) list.ask(page, live);
        list.expectEqual(items);
        const trashed = [...pages].flatMap(([page, { trashed }]) => (trashed ? [[page, trashed] as const] : []));
        const inTrash = Object.values((await user.ok("trash")).json().list);
        expect(new Map(inTrash.map((item) => [item.url, [item.title, item.tags, item.state]]))).toEqual(
          new Map(trashed.map(([page, { title, tags, state }]) => [page, [title, tags, state]])),
        );
        const unread = items.filter((item) => item.state === "0").length;
        expect(await user.stats()).toMatchObject({ count_list: `${items.length}`, count_unread: `${unread}` });
        for (const item of items) {
          const { time_updated, ...content } = item;
          const { time_updated: timeBefore, ...contentBefore } = before.get(item.url) ?? {};
          const isChanged = JSON.stringify(content) !== JSON.stringify(contentBefore);
          const isAdded = added.some((entry) => entry.url === item.url);
          expect(time_updated !== timeBefore).toBe(isChanged || isAdded);
        }

        await user.ok("trash", { purge: JSON.stringify(purged) });
        for (const page of purged) {
          const known = pages.get(page);
          if (known) known.trashed = undefined;
        }
      }
    }),
    runs(15),
  );
});
