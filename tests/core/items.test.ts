// SPDX-License-Identifier: MIT

import type { Answer, TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;

beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  user = await service.newUser();
});

const xError = async (endpoint: string, parameters: Record<string, string>) => {
  const answer = await user.call(endpoint, parameters);
  expect(answer.status).toBe(400);
  return answer.headers.get("x-error");
};

describe("add", () => {
  test("saves a page as unread, with the URL as sent and the title given", async () => {
    await user.add("HTTP://Example.com:80/a b?q=ü#part", { title: "A title" });
    const now = String(service.clock.seconds());
    expect(await user.items()).toEqual([
      {
        item_id: expect.stringMatching(/^\d{1,19}$/),
        url: "HTTP://Example.com:80/a b?q=ü#part",
        title: "A title",
        time_updated: now,
        time_added: now,
        tags: "",
        state: "0",
      },
    ]);
  });

  test("uses the URL as title if none is given", async () => {
    await user.add("http://example.com/untitled");
    expect((await user.items())[0]?.title).toBe("http://example.com/untitled");
  });

  test("treats two spellings of a URL as one item, and keeps the first spelling", async () => {
    await user.add("http://EXAMPLE.com:80/x/../page#top");
    await user.add("http://example.com/page");
    expect((await user.items()).map((item) => item.url)).toEqual(["http://EXAMPLE.com:80/x/../page#top"]);
  });

  test("of a page in the list makes it unread, moves it to the top, and keeps all fields that are not given", async () => {
    const otherKey = await service.newApiKey();
    await user.add("http://example.com/1", { title: "First title" });
    await user.add("http://example.com/2");
    await user.send({
      update_tags: [{ url: "http://example.com/1", tags: "t" }],
      read: [{ url: "http://example.com/1" }],
    });
    const [added] = (await user.items()).filter((item) => item.url === "http://example.com/1");
    service.clock.advance(100);
    await user.add("http://example.com/1", { apikey: otherKey });
    const [top] = await user.items();
    expect(top).toEqual({ ...added, state: "0", time_updated: String(service.clock.seconds()) });
    expect(await user.items({ myAppOnly: 1, apikey: otherKey })).toEqual([]);
    await user.add("http://example.com/1", { title: "Second title" });
    expect((await user.items())[0]?.title).toBe("Second title");
    service.clock.advance(100);
    await user.add("http://example.com/1");
    expect((await user.items())[0]?.time_updated).toBe(String(service.clock.seconds()));
    expect((await user.stats()).count_list).toBe("2");
  });

  test("refuses anything other than an http(s) URL", async () => {
    expect(await xError("add", { url: "ftp://example.com/" })).toBe("add: url is not an http(s) URL");
    expect(await user.items()).toEqual([]);
  });

  test("accepts URLs of up to 4,096 characters and titles of up to 1,000", async () => {
    const url = `http://example.com/${"ü".repeat(4096 - 19)}`;
    await user.add(url, { title: "😀".repeat(1000) });
    expect((await user.items())[0]).toMatchObject({ url, title: "😀".repeat(1000) });
    expect(await xError("add", { url: `${url}x` })).toBe("add: url must be at most 4096 characters");
    expect(await xError("add", { url, title: "t".repeat(1001) })).toBe("add: title must be at most 1000 characters");
  });

  test("refuses a NUL character, and keeps other control characters in a title", async () => {
    expect(await xError("add", { url: "http://example.com/", title: "a\0b" })).toContain(
      "title contains a NUL character",
    );
    await user.add("http://example.com/", { title: "a\tb\u0007" });
    expect((await user.items())[0]?.title).toBe("a\tb\u0007");
  });
});

describe("send", () => {
  const urls = ["http://example.com/a", "http://example.com/b", "http://example.com/c"] as const;
  const [a, b, c] = urls;

  test("adds, marks read, retitles and retags in one request, in this order", async () => {
    const answer = await user.send({
      update_tags: { "0": { url: a, tags: " x , y,,x,z " } },
      update_title: { "0": { url: b, title: "B" } },
      read: { "0": { url: c } },
      new: { "0": { url: a, title: "A" }, "1": { url: b, ref_id: "12" }, "2": { url: c } },
    });
    expect(answer.body).toBe("200 OK");
    const byUrl = new Map((await user.items()).map((item) => [item.url, item]));
    expect(byUrl.get(a)).toMatchObject({ title: "A", tags: "x,y,z", state: "0" });
    expect(byUrl.get(b)).toMatchObject({ title: "B", tags: "", state: "0" });
    expect(byUrl.get(c)).toMatchObject({ title: c, state: "1" });
    expect(await user.stats()).toMatchObject({ count_list: "3", count_unread: "2", count_read: "1" });
  });

  test("moves a read page to the top that it adds again and marks read", async () => {
    const page = { url: "http://example.com/1" };
    await user.send({ new: [page], read: [page] });
    service.clock.advance(100);
    await user.send({ new: [page], read: [page] });
    expect(await user.items()).toMatchObject([{ state: "1", time_updated: String(service.clock.seconds()) }]);
  });

  test("accepts objects with any keys, and arrays, and applies entries in the order given", async () => {
    await user.send({ new: { z: { url: a }, "-1": { url: b }, __proto__x: { url: c } } });
    await user.send({
      update_title: [
        { url: a, title: "1" },
        { url: a, title: "2" },
      ],
    });
    expect((await user.items()).find((item) => item.url === a)?.title).toBe("2");
    const proto = '{"__proto__":{"url":"http://example.com/proto"},"constructor":{"url":"http://example.com/c2"}}';
    expect((await user.call("send", { new: proto })).status).toBe(200);
    expect((await user.stats()).count_list).toBe("5");
  });

  test("replaces all tags; an empty list removes them", async () => {
    await user.send({ new: [{ url: a }], update_tags: [{ url: a, tags: "one,two" }] });
    await user.send({ update_tags: [{ url: a, tags: "three" }] });
    expect((await user.items())[0]?.tags).toBe("three");
    await user.send({ update_tags: [{ url: a, tags: "" }] });
    expect((await user.items())[0]?.tags).toBe("");
  });

  test("ignores changes of pages that are not in the list", async () => {
    const answer = await user.send({
      read: [{ url: a }],
      update_title: [{ url: a, title: "t" }],
      update_tags: [{ url: a, tags: "t" }],
    });
    expect(answer.status).toBe(200);
    expect(await user.items()).toEqual([]);
  });

  test("keeps time_updated if nothing changes, so that it is idempotent", async () => {
    const changes = {
      read: [{ url: a }],
      update_title: [{ url: a, title: "t" }],
      update_tags: [{ url: a, tags: "x,y" }],
    };
    await user.send({ new: [{ url: a }], ...changes });
    const before = await user.items();
    service.clock.advance(50);
    await user.send(changes);
    expect(await user.items()).toEqual(before);
  });

  test("without any entry is 200", async () => {
    expect((await user.call("send")).status).toBe(200);
    expect((await user.call("send", { new: "{}", read: "[]", update_title: "" })).status).toBe(200);
  });

  test("ignores unknown fields and parameters", async () => {
    const answer = await user.call("send", {
      new: JSON.stringify([{ url: a, position: 3, x: {} }]),
      scroll: "{broken",
    });
    expect(answer.status).toBe(200);
  });

  test.each([
    ["new", "{", "send: new is not valid JSON"],
    ["new", "5", "send: new must be a JSON object or array"],
    ["new", '"x"', "send: new must be a JSON object or array"],
    ["new", "[5]", "send: new.0 must be an object"],
    ["read", "[5]", "send: read.0 must be an object"],
    ["read", "[null]", "send: read.0 must be an object"],
    ["read", '{"0":["http://example.com/"]}', "send: read.0 must be an object"],
    ["read", '{"a":{}}', "send: read.a.url is missing"],
    ["new", '{"url":"http://x.example/"}', 'send: new must be a list of entries, such as [{"url": "..."}]'],
    ["new", '{"0":{"url":"http://x.example/"},"3":{"url":"nonsense"}}', "send: new.3.url is not an http(s) URL"],
    ["new", '[{"url":5}]', "send: new.0.url must be a string"],
    ["new", '[{"url":"http://x.example/","title":5}]', "send: new.0.title must be a string"],
    [
      "new",
      '[{"url":"http://x.example/","title":"\\ud800"}]',
      "send: new.0.title contains a NUL character or an unpaired surrogate",
    ],
    [
      "new",
      '[{"url":"http://x.example/\\u0000"}]',
      "send: new.0.url contains a NUL character or an unpaired surrogate",
    ],
    ["update_title", '[{"url":"http://x.example/"}]', "send: update_title.0.title is missing"],
    ["update_tags", '[{"url":"http://x.example/"}]', "send: update_tags.0.tags is missing"],
    [
      "update_tags",
      `[{"url":"http://x.example/","tags":"${"t".repeat(1001)}"}]`,
      "send: update_tags.0.tags must be at most 1000 characters",
    ],
    ["new", '{"é\\n":{"url":"x"}}', "send: new.?.url is not an http(s) URL"],
  ])("refuses %s=%s and applies nothing", async (parameter, value, message) => {
    const others = { new: '[{"url":"http://example.com/other"}]', [parameter]: value };
    expect(await xError("send", others)).toBe(message);
    expect(await user.items()).toEqual([]);
  });

  test("answers 400 to hostile JSON", async () => {
    const deep = "[".repeat(10_000) + "]".repeat(10_000);
    for (const value of [
      deep,
      `{"0":{"url":"http://example.com/","x":${deep}}}`,
      `[${"[],".repeat(500_000)}[]]`,
      "{".repeat(100_000),
    ]) {
      expect([200, 400]).toContain((await user.call("send", { new: value })).status);
    }
    expect((await user.call("auth")).status).toBe(200);
  });

  test("accepts 10,000 entries over all parameters, and refuses more without applying any", async () => {
    const entries = (count: number) => Array.from({ length: count }, (_, i) => ({ url: `http://example.com/${i}` }));
    let accepted: Answer;
    // On a busy machine the first call reaches its deadline, and its retries continue.
    do accepted = await user.send({ new: entries(6000), read: entries(4000) });
    while (accepted.status === 503);
    expect(accepted.status).toBe(200);
    expect(await user.stats()).toMatchObject({ count_list: "6000", count_unread: "2000", count_read: "4000" });
    const refused = await user.send({ new: entries(6000), read: entries(4000), delete: entries(1) });
    expect(refused.status).toBe(400);
    expect(refused.headers.get("x-error")).toContain("contain more than 10000 entries");
    expect((await user.send({ new: entries(10_001) })).headers.get("x-error")).toBe(
      "send: new contains more than 10000 entries",
    );
    expect(await user.stats()).toMatchObject({ count_list: "6000", count_unread: "2000", count_read: "4000" });
  });

  test("of up to 99 items is atomic for concurrent readers", async () => {
    const entries = Array.from({ length: 99 }, (_, i) => ({ url: `http://example.com/${i}` }));
    await user.send({ new: entries });
    let done = false;
    const writing = (async () => {
      for (let round = 0; round < 6; round++) await user.send(round % 2 ? { new: entries } : { read: entries });
      done = true;
    })();
    const seen = new Set<string>();
    while (!done) {
      const { count_list, count_unread, count_read } = await user.stats();
      expect(count_list).toBe("99");
      seen.add(`${count_unread} unread, ${count_read} read`);
    }
    await writing;
    for (const counts of seen) expect(["99 unread, 0 read", "0 unread, 99 read"]).toContain(counts);
    expect(seen.size).toBe(2);
  });
});

describe("time_added", () => {
  const long = 1_500_000_000;
  const url = (i: number) => `http://example.com/${i}`;

  test("belongs to a new item, whose time_updated is now", async () => {
    const { since } = await user.get();
    await user.add(url(1), { time_added: long });
    await user.send({
      new: [
        { url: url(2), time_added: String(long + 1) },
        { url: url(3), time_added: "" },
      ],
    });
    const items = await user.items({ since });
    expect(items.map((item) => item.url)).toEqual([url(3), url(2), url(1)]);
    expect(items.map((item) => item.time_added)).toEqual([items[0]?.time_updated, `${long + 1}`, `${long}`]);
    for (const { time_updated } of items) expect(Number(time_updated)).toBeGreaterThan(Number(since));
  });

  test("is ignored for a page in the list, and set again after a deletion", async () => {
    await user.add(url(1), { time_added: long });
    await user.send({ new: [{ url: url(1), time_added: long + 5 }] });
    expect(await user.items()).toMatchObject([{ time_added: `${long}` }]);
    await user.send({ delete: [{ url: url(1) }] });
    await user.send({
      new: [
        { url: url(1), time_added: long + 7 },
        { url: url(1), time_added: long + 8 },
      ],
    });
    expect(await user.items()).toMatchObject([{ time_added: `${long + 7}` }]);
  });

  test("orders the items that one request adds, below those without it", async () => {
    const times = [3, 1, undefined, 2, 250, 4];
    const added = times.map((time, i) => ({ url: url(i), ...(time && { time_added: long + time }) }));
    // Old enough to be in the first transaction, although it is the last entry.
    const many = Array.from({ length: 150 }, (_, i) => ({ url: url(100 + i), time_added: long + 100 + i }));
    await user.send({ new: [...many, ...added] });
    const items = await user.items();
    expect(items[0]?.url).toBe(url(2));
    const rest = items.slice(1).map(({ time_added }) => Number(time_added));
    expect(rest).toEqual([...rest].sort((a, b) => b - a));
  });

  test("that is ignored does not order a page of the list", async () => {
    await user.add(url(1));
    await user.send({ new: [1, 2, 3].map((n) => ({ url: url(n), time_added: long + n })) });
    expect((await user.items()).map((item) => item.url)).toEqual([url(1), url(3), url(2)]);
  });

  test("that the service returned ahead of its clock is accepted, for any page, and stored as now", async () => {
    let since = "0";
    for (let i = 0; i < 5; i++) {
      await user.add(url(i));
      since = String((await user.get({ since })).since);
    }
    const now = service.clock.seconds();
    const item = (await user.items())[0];
    expect(Number(item?.time_added)).toBeGreaterThan(now);
    await user.send({ read: [{ url: url(4) }] });
    expect((await user.send({ new: [{ url: url(4), time_added: item?.time_added }] })).status).toBe(200);
    expect((await user.items())[0]).toMatchObject({ url: url(4), state: "0", time_added: item?.time_added });
    await user.add(url(5), { time_added: since });
    expect((await user.items())[0]).toMatchObject({ url: url(5), time_added: String(now) });
    const later = await user.call("add", { url: url(6), time_added: Number(since) + 100 });
    expect([later.status, later.headers.get("x-error")]).toEqual([400, expect.stringContaining("is in the future")]);
  });

  test.each([
    [{ time_added: 1 }, "is in the future; it must be a Unix time in seconds, not later than now"],
    [{ time_added: 1.5 }, "must be a Unix time in whole seconds, such as 1700000000"],
    [{ time_added: "yesterday" }, "must be a Unix time in whole seconds, such as 1700000000"],
  ])("of %o from now is 400, names the entry and adds nothing", async ({ time_added: ahead }, rule) => {
    const time_added = typeof ahead === "number" ? service.clock.seconds() + ahead : ahead;
    const refused = await user.call("add", { url: url(1), time_added });
    expect([refused.status, refused.headers.get("x-error")]).toEqual([400, `add: time_added ${rule}`]);
    const answer = await user.send({ new: [{ url: url(1) }, { url: url(2), time_added }] });
    expect([answer.status, answer.headers.get("x-error")]).toEqual([400, `send: new.1.time_added ${rule}`]);
    expect(await user.items()).toEqual([]);
  });
});

describe("concurrent clients", () => {
  test("lose no item: after 200 adds by 8 clients to one list, stats equal the list", async () => {
    const jobs = Array.from({ length: 200 }, (_, i) => i);
    const client = async () => {
      for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) await user.add(`http://example.com/${job}`);
    };
    await Promise.all(Array.from({ length: 8 }, client));
    const items = await user.items();
    expect(new Set(items.map((item) => item.url)).size).toBe(200);
    expect(await user.stats()).toMatchObject({ count_list: "200", count_unread: "200", count_read: "0" });
  });
});
