// SPDX-License-Identifier: MIT

import type { ItemAnswer, TestUser } from "@reading-list/testing/client.ts";
import { newAppPassword } from "@reading-list/testing/opds-reader.ts";
import { parseXml } from "@reading-list/testing/parse-xml.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

const forms = ["atom", "rss"] as const;

let service: TestService;
let user: TestUser;
let secret: string;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
});
beforeEach(async () => {
  service.clock.advance(1);
  user = await service.newUser();
  secret = await newAppPassword(user, { scope: "feed" });
});

const url = (i: number) => `https://example.com/${i}?a=1&b=${i}`;
const call = (form: string, query = "", headers: Record<string, string> = {}) =>
  service.fetch(`${service.baseUrl}/feeds/${user.credentials.username}.${secret}.${form}?${query}`, { headers });

interface ReadEntry {
  title: string;
  link: string;
  id: string;
  /** ISO 8601; RSS has only the time of addition. */
  added: string;
  updated?: string;
  tags: string[];
}

/** The entries of a feed, in its order. Throws unless the status is 200. */
async function read(form: (typeof forms)[number], query = ""): Promise<ReadEntry[]> {
  const { status, body, headers } = await call(form, query);
  if (status !== 200) throw new Error(`${status} ${headers.get("x-error")}`);
  const root = parseXml(body);
  const entries = (form === "rss" ? root.children[0] : root)?.children ?? [];
  return entries
    .filter(({ name }) => name === "entry" || name === "item")
    .map(({ children }) => {
      const of = (name: string) => children.find((child) => child.name === name);
      const tags = children.filter(({ name }) => name === "category");
      return form === "atom"
        ? {
            title: of("title")?.text ?? "",
            link: of("link")?.attributes.href ?? "",
            id: of("id")?.text ?? "",
            added: of("published")?.text ?? "",
            updated: of("updated")?.text ?? "",
            tags: tags.map(({ attributes }) => attributes.term ?? ""),
          }
        : {
            title: of("title")?.text ?? "",
            link: of("link")?.text ?? "",
            id: of("guid")?.text ?? "",
            added: isoOf(Date.parse(of("pubDate")?.text ?? "") / 1000),
            tags: tags.map(({ text }) => text),
          };
    });
}
const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000", "");
const linksIn = async (form: (typeof forms)[number], query?: string) =>
  (await read(form, query)).map(({ link }) => link);

/** Five pages with all combinations of what feeds ask for, changed one after the other. */
async function addPages(): Promise<ItemAnswer[]> {
  const pages = [
    { title: "Foxes", tags: "starred,red" },
    { title: "Foxes & bees", tags: "red,blue" },
    { title: "Bees", tags: "" },
    { title: "Old foxes", tags: "starred" },
    { title: "Old bees", tags: "blue" },
  ];
  for (const [i, page] of pages.entries()) {
    service.clock.advance(1);
    await user.add(url(i), page);
  }
  for (const i of [3, 4]) {
    service.clock.advance(1);
    await user.send({ read: [{ url: url(i) }] });
  }
  return user.items();
}
const hasTag = (tag: string) => (item: ItemAnswer) => (item.tags ?? "").split(",").includes(tag);
const isUnread = ({ state }: ItemAnswer) => state === "0";

describe.each(forms)("a feed of %s", (form) => {
  test.each<[string, (item: ItemAnswer) => boolean]>([
    ["", isUnread],
    ["state=", isUnread],
    ["state=unread", isUnread],
    ["state=archive", (item) => !isUnread(item)],
    ["state=all", () => true],
    ["starred=1", (item) => isUnread(item) && hasTag("starred")(item)],
    ["state=all&starred=1", hasTag("starred")],
    ["state=all&starred=0", (item) => !hasTag("starred")(item)],
    ["state=all&tag=red", hasTag("red")],
    ["state=all&tag=red&tag=blue", (item) => hasTag("red")(item) && hasTag("blue")(item)],
    ["tag=blue", (item) => isUnread(item) && hasTag("blue")(item)],
    ["state=all&search=FOXES", ({ title }) => /foxes/i.test(title)],
    ["search=bees+foxes", ({ title }) => title === "Foxes & bees"],
    ["search=nothing", () => false],
  ])("with %s has these pages, the last change first", async (query, isShown) => {
    const items = await addPages();
    const shown = items.filter(isShown).map((item) => item.url);
    expect(await linksIn(form, query)).toEqual(shown);
  });

  test("has title, page, times and tags of each page, and an id that stays", async () => {
    const title = '<b>&nbsp;"quoted"</b> ü \u{1f600}';
    await user.add(url(1), { title, tags: "Über uns,b" });
    const [item] = await user.items();
    const id = `tag:reading-list.invalid,2026:${user.credentials.username}/${item?.item_id}`;
    const added = isoOf(Number(item?.time_added));
    const [entry] = await read(form);
    expect(entry).toEqual({
      title,
      link: url(1),
      id,
      added,
      tags: ["Über uns", "b"],
      ...(form === "atom" && { updated: added }),
    });
    service.clock.advance(5);
    await user.send({ update_title: [{ url: url(1), title: "Another" }] });
    const updated = isoOf(Number((await user.items())[0]?.time_updated));
    const [changed] = await read(form);
    expect(changed).toMatchObject({ title: "Another", id, added, ...(form === "atom" && { updated }) });
  });

  test("has the 50 pages that were changed last, so that an old page appears once it is starred", async () => {
    await user.add(url(0));
    service.clock.advance(1);
    await user.send({ new: Array.from({ length: 60 }, (_, i) => ({ url: url(i + 1) })) });
    expect(await linksIn(form)).toHaveLength(50);
    expect(await linksIn(form)).not.toContain(url(0));
    service.clock.advance(1);
    await user.send({ update_tags: [{ url: url(0), tags: "starred" }] });
    expect((await linksIn(form))[0]).toBe(url(0));
  });

  test("is 304 until the list changes, by ETag and by Last-Modified", async () => {
    const changes: Record<string, () => Promise<unknown>> = {
      add: () => user.add(url(1)),
      "another one": () => user.add(url(2)),
      read: () => user.send({ read: [{ url: url(1) }] }),
      tags: () => user.send({ update_tags: [{ url: url(1), tags: "a" }] }),
      delete: () => user.send({ delete: [{ url: url(2) }] }),
      restore: () => user.send({ restore: [{ url: url(2) }] }),
    };
    for (const [name, change] of Object.entries(changes)) {
      const first = await call(form, "state=all");
      const validators = [
        { "if-none-match": first.headers.get("etag") ?? "" },
        { "if-modified-since": first.headers.get("last-modified") ?? "" },
      ];
      service.clock.advance(200_000);
      for (const headers of validators) {
        const { status, body, headers: answered } = await call(form, "state=all", headers);
        expect([name, status, body, answered.get("etag")]).toEqual([name, 304, "", first.headers.get("etag")]);
      }
      await change();
      for (const headers of validators) expect((await call(form, "state=all", headers)).status).toBe(200);
    }
  });

  test("is whole if a reader has the validator of another list, or none that can be read", async () => {
    await user.add(url(1));
    for (const validator of ['W/"9999999999"', '"x"', "*", "Thu, 01 Jan 2099 00:00:00 GMT", "yesterday"]) {
      expect((await call(form, "", { "if-none-match": validator })).status).toBe(200);
      expect((await call(form, "", { "if-modified-since": validator })).status).toBe(200);
    }
  });

  test("counts each poll against the user, also one that is 304", async () => {
    const { headers } = await call(form);
    const left = Number(headers.get("x-limit-user-remaining"));
    const poll = await call(form, "", { "if-none-match": headers.get("etag") ?? "" });
    expect([poll.status, Number(poll.headers.get("x-limit-user-remaining"))]).toEqual([304, left - 1]);
  });

  test("has its media type, and names neither its own address nor the secret", async () => {
    await user.add(url(1));
    const { headers, body } = await call(form);
    expect(headers.get("content-type")).toBe(`application/${form}+xml; charset=utf-8`);
    expect(body).not.toContain(secret);
    expect(JSON.stringify([...headers])).not.toContain(secret);
  });

  test.each([
    ["state=none", "state"],
    ["starred=perhaps", "starred"],
    [`search=${"x".repeat(501)}`, "search"],
    ["search=a&search=b", "search"],
  ])("with %s is 400, and names the parameter", async (query, parameter) => {
    const { status, headers } = await call(form, query);
    expect([status, headers.get("x-error")]).toEqual([400, expect.stringContaining(parameter)]);
  });
});
