// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { GoogleReader, jsonOf, login } from "@reading-list/testing/google-reader.ts";
import { newAppPassword } from "@reading-list/testing/opds-reader.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

let pages: PageServer;
let service: TestService;
let user: TestUser;
let reader: GoogleReader;

beforeAll(async () => {
  const picture = await sharp({ create: { width: 200, height: 100, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  const article = `<title>Harbour</title><article><h1>Harbour</h1>${prose}<img src="/picture.png" alt="A quay">${prose}</article>`;
  pages = await startPageServer(({ url }, response) => {
    if (url === "/picture.png") response.writeHead(200, { "content-type": "image/png" }).end(picture);
    else if (url?.startsWith("/page")) response.writeHead(200, { "content-type": "text/html" }).end(article);
    else response.writeHead(404).end();
  });
  service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin, PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
});
afterAll(() => pages.stop());
beforeEach(async () => {
  user = await service.newUser();
  reader = await GoogleReader.signIn(user);
});

const state = (name: string) => `user/-/state/com.google/${name}`;
const inQuery = (stream: string) => encodeURIComponent(stream);
const urlOf = (page: number) => `https://a.example/${page}`;
const longIdOf = (id: string) => `tag:google.com,2005:reader/item/${BigInt(id).toString(16).padStart(16, "0")}`;

/** The URLs of a stream, in its order, page by page. */
async function read(stream: string, more = "", between = async () => {}): Promise<string[]> {
  const urls = new Map((await user.items()).map(({ item_id, url }) => [item_id, url]));
  const seen: string[] = [];
  for (let c: string | undefined = ""; c !== undefined; ) {
    const path = `stream/items/ids?s=${inQuery(stream)}&output=json${more}${c && `&c=${c}`}`;
    const { itemRefs, continuation } = await reader.read(path);
    for (const { id } of itemRefs) seen.push(urls.get(id) ?? id);
    await between();
    c = continuation;
  }
  return seen;
}

const idOf = async (url: string) => (await user.items()).find((item) => item.url === url)?.item_id ?? "";
const stateOf = async (url: string) => {
  const item = (await user.items({ tags: "1" })).find((each) => each.url === url);
  return [item?.state, item?.tags];
};

describe("ClientLogin", () => {
  test("accepts an app password in the body, and returns the value of the header for later calls", async () => {
    const secret = await newAppPassword(user);
    const { status, body, headers } = await login(user, { Passwd: secret });
    const auth = `${user.credentials.username}.${secret}`;
    expect([status, body]).toEqual([200, `SID=${auth}\nLSID=${auth}\nAuth=${auth}\n`]);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const info = await new GoogleReader(user, auth).read("user-info?output=json");
    expect(info).toMatchObject({ userId: user.credentials.username });
  });

  test("refuses the account's password, which counts as a wrong one", async () => {
    const { password } = user.credentials;
    for (let n = 0; n < 10; n++) {
      const { status, headers } = await login(user, { Passwd: password });
      expect([status, headers.get("google-bad-token")]).toEqual([401, "true"]);
    }
    expect((await login(user, { Passwd: password })).status).toBe(429);
    // A right app password passes the lockout.
    expect((await reader.get("user-info")).status).toBe(200);
  });

  test("refuses a password in the query string", async () => {
    const secret = await newAppPassword(user);
    const { status, body } = await login(user, { Passwd: secret }, `?Passwd=${secret}`);
    expect([status, body]).toEqual([400, expect.stringContaining("body")]);
    const inUrl = `${service.baseUrl}/greader/accounts/ClientLogin?Email=a&Passwd=${secret}`;
    expect((await service.fetch(inUrl)).status).toBe(404);
    expect((await service.fetch(inUrl, { method: "POST" })).status).toBe(400);
  });
});

test.each(["", "GoogleLogin auth=ann.wrong", "Bearer x", "GoogleLogin auth=ann.aaaaaaaaaaaaaaaaaaaa"])(
  "401 has both bad-token headers: %s",
  async (authorization) => {
    const { status, headers } = await service.fetch(`${service.baseUrl}/greader/reader/api/0/user-info`, {
      headers: { ...(authorization && { authorization }) },
    });
    expect([status, headers.get("google-bad-token"), headers.get("x-reader-google-bad-token")]).toEqual([
      401,
      "true",
      "true",
    ]);
  },
);

test("T may be absent, empty, x or the token, and nothing else", async () => {
  const { body: token } = await reader.get("token");
  expect(token).toMatch(/^\w{57}$/);
  expect((await reader.get("token")).body).toBe(token);
  const edit = (fields: [string, string][]) => reader.post("edit-tag", [["i", "1"], ["a", state("read")], ...fields]);
  for (const T of ["", "x", token]) expect((await edit([["T", T]])).body).toBe("OK");
  expect((await edit([])).body).toBe("OK");
  expect((await edit([["T", "other"]])).status).toBe(401);
});

describe("the streams of a list", () => {
  beforeEach(async () => {
    await user.add("https://www.a.example/1", { tags: "starred,news" });
    service.clock.advance(10);
    await user.add("https://blog.a.example/2", { tags: "news,long reads" });
    service.clock.advance(10);
    await user.add("https://b.example/3");
    await user.send({ read: [{ url: "https://b.example/3" }] });
  });

  test("are one subscription for each site, and a tag for each label", async () => {
    const { subscriptions } = await reader.read("subscription/list?output=json");
    expect(subscriptions.map(({ id }: { id: string }) => id)).toEqual([
      "feed/https://a.example/",
      "feed/https://b.example/",
      "feed/https://blog.a.example/",
    ]);
    const { tags } = await reader.read("tag/list?output=json");
    expect(tags.map(({ id }: { id: string }) => id).sort()).toEqual([
      "user/-/label/long reads",
      "user/-/label/news",
      state("starred"),
    ]);
  });

  test("have counts of unread items", async () => {
    const { unreadcounts } = await reader.read("unread-count?output=json");
    const counts = unreadcounts.map(({ id, count }: { id: string; count: number }) => [id, count]);
    expect(Object.fromEntries(counts)).toEqual({
      [state("reading-list")]: 2,
      "feed/https://a.example/": 1,
      "feed/https://blog.a.example/": 1,
      "user/-/label/news": 2,
      "user/-/label/long reads": 1,
    });
  });

  test.each<[string, string, number[]]>([
    [state("reading-list"), "", [3, 2, 1]],
    [state("reading-list"), "&r=o", [1, 2, 3]],
    ["user/1234/state/com.google/reading-list", `&xt=${inQuery(state("read"))}`, [2, 1]],
    [state("kept-unread"), "", [2, 1]],
    [state("read"), "", [3]],
    [state("starred"), "", [1]],
    [state("like"), "", []],
    ["feed/https://a.example/", "", [1]],
    ["feed/https://blog.a.example/", "", [2]],
    ["user/-/label/news", "", [2, 1]],
    ["user/-/label/long reads", "", [2]],
    ["user/-/label/news", `&it=${inQuery(state("starred"))}`, [1]],
    ["user/-/label/news", `&xt=${inQuery(state("starred"))}&xt=${inQuery("feed/https://b.example/")}`, [2]],
    ["feed/https://a.example/", `&s=${inQuery("feed/https://b.example/")}`, [3, 1]],
    [state("read"), `&xt=${inQuery(state("read"))}`, []],
  ])("%s%s has its items", async (stream, more, expected) => {
    expect((await read(stream, more)).map((url) => Number(url.at(-1)))).toEqual(expected);
  });

  test("begin and end at ot and nt", async () => {
    const now = service.clock.seconds();
    expect(await read(state("reading-list"), `&ot=${now - 10}`)).toHaveLength(2);
    expect(await read(state("reading-list"), `&nt=${now - 10}`)).toHaveLength(2);
  });

  test.each([
    ["stream/items/ids", "s is missing"],
    ["stream/items/ids?s=other", "s.0 must be a stream"],
    [`stream/items/ids?s=${state("read")}&n=many`, "n must be a whole number"],
    [`stream/items/ids?s=${state("read")}&c=x`, "c must be a whole number"],
    [`stream/items/ids?s=${state("read")}&output=xml`, "output must be json"],
    ["stream/contents/other", "stream must be a stream"],
  ])("refuse unknown values: %s", async (path, message) => {
    const { status, body } = await reader.get(path);
    expect([status, body]).toEqual([400, expect.stringContaining(message)]);
  });
});

test("the pages of a stream show each item once, whatever changes meanwhile", async () => {
  await user.send({ new: Array.from({ length: 25 }, (_, page) => ({ url: urlOf(page) })) });
  service.clock.advance(10);
  let round = 100;
  const seen = await read(state("reading-list"), "&n=4", async () => {
    await user.add(urlOf(round++));
    service.clock.advance(10);
  });
  const first = seen.slice(0, 25);
  expect([seen.length, new Set(first).size]).toEqual([25, 25]);
  expect(first.map((url) => Number(url.split("/").at(-1))).every((page) => page < 25)).toBe(true);
});

test("n is at most 10,000 of ids, and 250 of contents", async () => {
  await user.add(urlOf(1));
  for (const path of [`stream/items/ids?s=${inQuery(state("read"))}&n=1000000`, "stream/contents?n=1000000"])
    expect((await reader.get(path)).status).toBe(200);
});

describe("an item", () => {
  test("has its text, its states and its site, by the long and the short id", async () => {
    const url = `${pages.origin}/page`;
    await user.add(url, { tags: "starred,news", title: "The quay" });
    const id = await idOf(url);
    for (const i of [id, longIdOf(id)]) {
      const { items } = jsonOf(
        await reader.post("stream/items/contents", [
          ["i", i],
          ["i", "12"],
          ["output", "json"],
        ]),
      );
      expect(items).toMatchObject([
        {
          id: longIdOf(id),
          title: "The quay",
          timestampUsec: `${service.clock.seconds()}000000`,
          published: service.clock.seconds(),
          canonical: [{ href: url }],
          categories: [state("reading-list"), state("kept-unread"), state("starred"), "user/-/label/news"],
          origin: { streamId: "feed/https://127.0.0.1/", title: "127.0.0.1", htmlUrl: "https://127.0.0.1/" },
          summary: { content: expect.stringContaining("<p>") },
        },
      ]);
    }
    const stream = await reader.read(`stream/contents/${inQuery(state("reading-list"))}?output=json&n=5`);
    expect(stream.items).toMatchObject([{ id: longIdOf(id) }]);
    const ofSite = await reader.read("stream/contents/feed/https://127.0.0.1/");
    expect([ofSite.id, ofSite.items.length]).toEqual(["feed/https://127.0.0.1/", 1]);
  });

  test("has pictures whose addresses hold, and none of another site", async () => {
    const url = `${pages.origin}/page`;
    await user.add(url);
    const { items } = await reader.read("stream/contents");
    const { content } = items[0].summary;
    const [, address = ""] = / src="([^"]+)"/.exec(content) ?? [];
    expect(address).toContain("/v2/picture?");
    expect(content).not.toContain(`src="${pages.origin}`);
    const picture = await fetch(address.replaceAll("&amp;", "&"));
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/webp"]);
  });

  test("without a text has a link to its page", async () => {
    await user.add(`${pages.origin}/missing`);
    const { items } = await reader.read("stream/contents");
    expect(items[0].summary.content).toBe(`<p><a href="${pages.origin}/missing">${pages.origin}/missing</a></p>`);
  });
});

describe("edit-tag", () => {
  test.each<[string, [string, string][], unknown[]]>([
    ["marks as read", [["a", state("read")]], ["1", "old"]],
    [
      "marks as read without kept-unread",
      [
        ["a", state("read")],
        ["r", state("kept-unread")],
      ],
      ["1", "old"],
    ],
    ["stars", [["a", state("starred")]], ["0", "old,starred"]],
    [
      "sets and removes labels",
      [
        ["a", "user/-/label/new one"],
        ["r", "user/-/label/old"],
      ],
      ["0", "new one"],
    ],
    [
      "takes lists",
      [
        ["a", "user/-/label/x"],
        ["a", state("starred")],
        ["a", state("read")],
      ],
      ["1", "old,x,starred"],
    ],
    ["ignores other states", [["a", state("tracking-kept-unread")]], ["0", "old"]],
  ])("%s", async (_, fields, expected) => {
    await user.send({
      new: [
        { url: urlOf(1), tags: "old" },
        { url: urlOf(2), tags: "old" },
      ],
    });
    const ids: [string, string][] = [
      ["i", await idOf(urlOf(1))],
      ["i", longIdOf(await idOf(urlOf(2)))],
    ];
    // A retried request is harmless.
    for (let n = 0; n < 2; n++) expect((await reader.post("edit-tag", [...ids, ...fields])).body).toBe("OK");
    for (const page of [1, 2]) expect(await stateOf(urlOf(page))).toEqual(expected);
  });

  test("marks as unread, and takes the star", async () => {
    await user.add(urlOf(1), { tags: "starred" });
    await user.send({ read: [{ url: urlOf(1) }] });
    const i = await idOf(urlOf(1));
    await reader.post("edit-tag", [
      ["i", i],
      ["r", state("read")],
      ["r", state("starred")],
    ]);
    expect(await stateOf(urlOf(1))).toEqual(["0", ""]);
  });

  test("refuses a call that contradicts itself, or names no item", async () => {
    for (const fields of [
      [
        ["i", "1"],
        ["a", state("read")],
        ["r", state("read")],
      ],
      [["a", state("read")]],
      [
        ["i", "x"],
        ["a", state("read")],
      ],
    ] as [string, string][][])
      expect((await reader.post("edit-tag", fields)).status).toBe(400);
  });
});

describe("mark-all-as-read", () => {
  beforeEach(async () => {
    await user.add("https://a.example/1");
    await user.add("https://b.example/1");
    service.clock.advance(100);
    await user.add("https://a.example/2");
  });

  test.each([1, 1e3, 1e6])("archives only the older items of that stream, in units of 1/%d s", async (unit) => {
    const ts = String((service.clock.seconds() - 50) * unit);
    expect(
      (
        await reader.post("mark-all-as-read", [
          ["s", "feed/https://a.example/"],
          ["ts", ts],
        ])
      ).body,
    ).toBe("OK");
    const read = (await user.items()).filter((item) => item.state === "1").map(({ url }) => url);
    expect(read).toEqual(["https://a.example/1"]);
  });

  test("archives the pages with exactly the label, and none with a different case", async () => {
    await user.send({ update_tags: [{ url: urlOf(1), tags: "art" }] });
    await user.send({ update_tags: [{ url: urlOf(2), tags: "Art" }] });
    await reader.post("mark-all-as-read", [
      ["s", "user/-/label/art"],
      ["ts", String(service.clock.seconds())],
    ]);
    expect([await stateOf(urlOf(1)), await stateOf(urlOf(2))]).toEqual([
      ["1", "art"],
      ["0", "Art"],
    ]);
  });

  test("needs ts", async () => {
    const { status, body } = await reader.post("mark-all-as-read", [["s", state("reading-list")]]);
    expect([status, body]).toEqual([400, expect.stringContaining("ts is missing")]);
    expect((await user.items()).every((item) => item.state === "0")).toBe(true);
  });
});

test("quickadd saves the page, whose site is then a subscription", async () => {
  const url = `${pages.origin}/page/added`;
  const added = jsonOf(await reader.post("subscription/quickadd", [["quickadd", `feed/${url}`]]));
  expect(added).toMatchObject({ numResults: 1, streamId: "feed/https://127.0.0.1/" });
  expect((await user.items()).map((item) => item.url)).toEqual([url]);
  const { status, body } = await reader.post("subscription/quickadd", [["quickadd", "ftp://a.example"]]);
  expect([status, body]).toEqual([400, expect.stringContaining("quickadd")]);
});

test("nothing deletes: unsubscribe and disable-tag change nothing and answer OK", async () => {
  await user.add(urlOf(1), { tags: "news" });
  const before = await user.items({ tags: "1" });
  const unsubscribe: [string, string][] = [
    ["ac", "unsubscribe"],
    ["s", "feed/https://a.example/"],
  ];
  expect((await reader.post("subscription/edit", unsubscribe)).body).toBe("OK");
  expect((await reader.post("disable-tag", [["s", "user/-/label/news"]])).body).toBe("OK");
  expect(await user.items({ tags: "1" })).toEqual(before);
});

test("rename-tag renames a label, and no state", async () => {
  await user.add(urlOf(1), { tags: "news,x" });
  const rename = (s: string, dest: string) =>
    reader.post("rename-tag", [
      ["s", s],
      ["dest", dest],
    ]);
  expect((await rename("user/-/label/news", "user/-/label/the press")).body).toBe("OK");
  expect(await stateOf(urlOf(1))).toEqual(["0", "x,the press"]);
  expect((await rename("user/-/label/unknown", "user/-/label/y")).status).toBe(404);
  expect((await rename(state("starred"), "user/-/label/y")).status).toBe(400);
});

test("a read-only sign-in can read, and changes nothing", async () => {
  await user.add(urlOf(1));
  const limited = await GoogleReader.signIn(user, { scope: "read" });
  expect((await limited.get("subscription/list")).status).toBe(200);
  const i: [string, string] = ["i", await idOf(urlOf(1))];
  expect((await limited.post("stream/items/contents", [i])).status).toBe(200);
  expect((await limited.post("edit-tag", [i, ["a", state("read")]])).status).toBe(401);
  expect(await stateOf(urlOf(1))).toEqual(["0", ""]);
});

test("every call counts against the user", async () => {
  const remaining = async () => Number((await reader.get("user-info")).headers.get("x-limit-user-remaining"));
  const before = await remaining();
  await reader.get("subscription/list");
  expect(await remaining()).toBe(before - 2);
});

/** The calls of Capy Reader 2026's sync and edits, in its order, with the fields that it sends. */
describe("Capy Reader", () => {
  const token = async () => (await reader.get("token")).body;
  const refresh = async () => {
    const { subscriptions } = await reader.read("subscription/list?output=json");
    const { tags } = await reader.read("tag/list?output=json");
    const idsOf = async (query: string) => {
      const { itemRefs } = await reader.read(`stream/items/ids?${query}&n=10000&output=json`);
      return itemRefs.map(({ id }: { id: string }) => BigInt(id).toString(16).padStart(16, "0")) as string[];
    };
    const starred = await idsOf(`s=${inQuery(state("starred"))}`);
    const unread = await idsOf(`s=${inQuery(state("reading-list"))}&xt=${inQuery(state("read"))}`);
    const T = await token();
    const fields = [...new Set([...starred, ...unread])].map((hex): [string, string] => ["i", tagged(hex)]);
    const { items } = jsonOf(await reader.post("stream/items/contents?output=json", [...fields, ["T", T]]));
    return { subscriptions, tags, starred, unread, items };
  };
  const tagged = (hex: string) => `tag:google.com,2005:reader/item/${hex}`;

  test("shows each page below a subscription, archives, stars and labels it, and saves another one", async () => {
    await user.add(`${pages.origin}/page`, { title: "The quay", tags: "sea" });
    await user.add("http://127.0.0.1:1/unread", { tags: "starred" });
    const { subscriptions, tags, starred, unread, items } = await refresh();
    const feeds = subscriptions.map(({ id }: { id: string }) => id);
    expect(items.map((item: { origin: { streamId: string } }) => feeds.includes(item.origin.streamId))).toEqual([
      true,
      true,
    ]);
    expect([starred.length, unread.length]).toEqual([1, 2]);
    expect(tags.map(({ id }: { id: string }) => id)).toContain("user/-/label/sea");
    const quay = items.find(({ title }: { title: string }) => title === "The quay");
    const edit = async (...fields: [string, string][]) => {
      const ids: [string, string][] = [["i", quay.id]];
      const answer = await reader.post("edit-tag?output=json", [...ids, ["T", await token()], ...fields]);
      expect([answer.status, answer.body]).toEqual([200, "OK"]);
    };
    await edit(["a", state("read")]);
    await edit(["a", state("starred")]);
    await edit(["a", "user/-/label/harbours"]);
    expect(await stateOf(quay.canonical[0].href)).toEqual(["1", "sea,starred,harbours"]);
    await edit(["r", state("read")]);
    await edit(["r", "user/-/label/sea"]);
    expect(await stateOf(quay.canonical[0].href)).toEqual(["0", "starred,harbours"]);
    const added = await reader.post("subscription/quickadd?output=json", [
      ["quickadd", `${pages.origin}/page/2`],
      ["T", await token()],
    ]);
    expect(jsonOf(added)).toMatchObject({ streamId: expect.any(String), query: expect.any(String) });
    expect((await refresh()).unread).toHaveLength(3);
  });
});
