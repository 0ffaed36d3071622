// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor, runCommand } from "@reading-list/testing/command-line.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { unzipSync } from "fflate";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

const folder = temporaryFolder();
let service: TestService;
let commands: ReturnType<typeof commandsFor>;
let user: TestUser;

beforeAll(async () => {
  // Commands have the clock of the machine: a list that they write must not be ahead of the service by ten minutes.
  service = await startTestService({}, { clock: new FakeClock(Math.floor(Date.now() / 1000)) });
  commands = commandsFor(service);
});
beforeEach(async () => {
  user = await service.newUser();
});

const fileOf = (text: string | Uint8Array) => {
  const name = path.join(folder, crypto.randomUUID());
  writeFileSync(name, text);
  return name;
};
const importFile = (file: string, ...options: string[]) =>
  commands.run("import", file, "--user", user.username, ...options);
const save = (of: TestUser, ...entries: object[]) => of.ok("highlights", { save: JSON.stringify(entries) });
const highlightsOf = async (of: TestUser): Promise<Record<string, string>[]> =>
  Object.values<Record<string, string>>(JSON.parse((await of.ok("highlights")).body).list);
/** The fields that an import keeps. */
const contentOf = async (of: TestUser) =>
  (await highlightsOf(of))
    .map(({ time_updated: _, ...rest }) => rest)
    .sort((a, b) => String(a.id).localeCompare(String(b.id)));

const marks = [
  {
    id: "later",
    url: "https://one.example/",
    quote: "and the later place",
    position: 500,
    color: "green",
    note: 'A "note", with [[links]] and #tags\nof two lines',
    time_created: 1_700_000_000,
  },
  {
    id: "first",
    url: "https://one.example/",
    quote: " the *first* place,\n<b>in two lines</b> ",
    position: 12,
    prefix: "It is ",
    suffix: " here",
    color: "red",
    time_created: 1_700_000_100,
  },
  { id: "placeless", url: "https://two.example/", quote: "語😀 somewhere", time_created: 1_700_000_200 },
];

/** A user with two pages with highlights, one without, and highlights that were deleted, some with their page. */
async function writer(): Promise<TestUser> {
  const of = await service.newUser();
  // The clock of the service may be ahead of the commands' clock, and commands import no time in the future.
  const added = (i: number) => ({ time_added: String(1_600_000_000 + i) });
  await of.add("https://one.example/", { title: 'One: "first"/part', tags: "a,b c", ...added(1) });
  await of.add("https://two.example/", { title: "Zwei", ...added(2) });
  await of.add("https://three.example/", { title: "Three", ...added(3) });
  await of.add("https://four.example/", { title: "Four" });
  const others = ["https://one.example/", "https://four.example/"].map((url, i) => ({
    id: `gone-${i}`,
    url,
    quote: "gone",
  }));
  await save(of, ...marks, ...others);
  await of.ok("highlights", { delete: JSON.stringify(["gone-0"]) });
  await of.send({ delete: [{ url: "https://four.example/" }] });
  return of;
}

async function exported(of: TestUser, format: string): Promise<string> {
  const file = path.join(folder, crypto.randomUUID());
  await commands.ok("export", of.username, "--format", format, "--output", file);
  return file;
}

describe("JSON Lines", () => {
  test("have the highlights of each item after it, in the order of the text, in the checksum; an import brings them with their ids", async () => {
    const from = await writer();
    const file = await exported(from, "jsonl");
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const values = lines.map((line) => JSON.parse(line));
    expect(values.map(({ id, url }) => id ?? url)).toEqual([
      "https://one.example/",
      "first",
      "later",
      "https://two.example/",
      "placeless",
      "https://three.example/",
      undefined,
    ]);
    const sha256 = createHash("sha256")
      .update(`${lines.slice(0, -1).join("\n")}\n`)
      .digest("hex");
    expect(values.at(-1)).toEqual({ count: 3, highlights: 3, sha256 });
    const outcome = await importFile(file, "--json");
    expect([outcome.code, outcome.json()]).toMatchObject([
      0,
      { new: 3, rejected: 0, lost: {}, highlights: { new: 3, existing: 0 } },
    ]);
    expect(await contentOf(user)).toEqual(await contentOf(from));
    // The export of a restored list differs only by the times of the import.
    const again = readFileSync(await exported(user, "jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const lasting = ({ time_updated: _1, sha256: _2, application_id: _3, ...rest }: Record<string, unknown>) => rest;
    expect(again.map(lasting)).toEqual(values.map(lasting));
  });

  test("that are imported again add none, leave changed ones as they are, and deleted ones deleted", async () => {
    const file = await exported(await writer(), "jsonl");
    await importFile(file);
    await save(user, { id: "first", note: "my own" });
    await user.ok("highlights", { delete: JSON.stringify(["later"]) });
    const before = await highlightsOf(user);
    const outcome = await importFile(file, "--json");
    expect(outcome.json()).toMatchObject({ new: 0, existing: 3, highlights: { new: 0, existing: 3 } });
    expect(await highlightsOf(user)).toEqual(before);
  });

  test("with a changed or removed highlight name it", async () => {
    const text = readFileSync(await exported(await writer(), "jsonl"), "utf8");
    expect((await importFile(fileOf(text.replace("somewhere", "elsewhere")))).out).toContain("the checksum differs");
    expect((await importFile(fileOf(text.replace(/\{"id":"first".*\n/, "")))).out).toContain("had 3 highlights, now 2");
  });

  test("through a service bring the list, highlights and progress, once; what the user has changed or deleted stays", async () => {
    const from = await writer();
    await from.send({
      update_progress: [{ url: "https://one.example/", progress: 40, anchor: "place", time: 1_650_000_000 }],
    });
    const file = await exported(from, "jsonl");
    const dry = await importOverHttp(file, "--json", "--dry-run");
    expect(dry.json()).toMatchObject({ new: 3, highlights: { new: 3, existing: 0 } });
    expect(await highlightsOf(user)).toEqual([]);
    const { code, out } = await importOverHttp(file);
    expect([code, out]).toEqual([0, expect.stringContaining("Highlights: 3 new, 0 existing.")]);
    expect(await contentOf(user)).toEqual(await contentOf(from));
    const [one] = (await user.items({ progress: "1" })).filter(({ url }) => url === "https://one.example/");
    expect(one).toMatchObject({ progress: "40", anchor: "place" });
    await save(user, { id: "first", note: "my own" });
    await user.ok("highlights", { delete: JSON.stringify(["later"]) });
    const before = await highlightsOf(user);
    const again = await importOverHttp(file, "--json");
    expect(again.json()).toMatchObject({ new: 0, changed: 0, existing: 3, highlights: { new: 0, existing: 3 } });
    expect(await highlightsOf(user)).toEqual(before);
  });
});

/** Imports through the service. */
const importOverHttp = (file: string, ...options: string[]) =>
  runCommand(
    ["import", file, "--user", user.username, "--url", service.baseUrl, ...options],
    { READINGLIST_APIKEY: service.apiKey },
    `${user.credentials.password}\n`,
  );

describe("exports of highlights", () => {
  test("in Readwise's form have URL, title, note and time, and an import of them adds pages and highlights once", async () => {
    const file = await exported(await writer(), "readwise");
    expect(readFileSync(file, "utf8")).toBe(
      `Highlight,Title,Author,URL,Note,Location,Date
" the *first* place,
<b>in two lines</b> ","One: ""first""/part",,https://one.example/,,12,2023-11-14 22:15:00+00:00
and the later place,"One: ""first""/part",,https://one.example/,"A ""note"", with [[links]] and #tags
of two lines",500,2023-11-14 22:13:20+00:00
語😀 somewhere,Zwei,,https://two.example/,,,2023-11-14 22:16:40+00:00
`,
    );
    for (const added of [3, 0]) {
      const outcome = await importFile(file, "--json");
      expect(outcome.json()).toMatchObject({ new: added && 2, highlights: { new: added, existing: 3 - added } });
    }
    expect(await user.items()).toMatchObject([{ title: "Zwei", state: "1" }, { state: "1" }]);
  });

  test("as clippings of a Kindle have a clipping for each highlight and note", async () => {
    const page = 'One: "first"/part (one.example)';
    const clippings = readFileSync(await exported(await writer(), "kindle"), "utf8");
    expect(clippings).toBe(
      `\uFEFF${[
        page,
        "- Your Highlight on Location 1-1 | Added on Tuesday, 14 November 2023 22:15:00",
        "",
        "the *first* place, <b>in two lines</b>",
        "==========",
        page,
        "- Your Highlight on Location 4-4 | Added on Tuesday, 14 November 2023 22:13:20",
        "",
        "and the later place",
        "==========",
        page,
        "- Your Note on Location 4 | Added on Tuesday, 14 November 2023 22:13:20",
        "",
        'A "note", with [[links]] and #tags of two lines',
        "==========",
        "Zwei (two.example)",
        "- Your Highlight on Location 1-1 | Added on Tuesday, 14 November 2023 22:16:40",
        "",
        "語😀 somewhere",
        "==========",
        "",
      ].join("\r\n")}`,
    );
  });

  test("in Markdown are a zip with a file for each page with highlights, named by its title", async () => {
    const from = await writer();
    await from.add("https://five.example/", { title: "ZWEI" });
    await save(from, { id: "five", url: "https://five.example/", quote: "five", time_created: 1_700_000_000 });
    const files = unzipSync(readFileSync(await exported(from, "markdown")));
    expect(Object.keys(files)).toEqual([
      "One first part.md",
      "Zwei.md",
      `ZWEI ${toItemId("https://five.example/")}.md`,
    ]);
    expect(Buffer.from(files["One first part.md"] ?? []).toString()).toMatch(
      /^---\ntitle: "One: \\"first\\"\/part"\nurl: "https:\/\/one.example\/"\ntags: \["a","b-c"\]\nadded: \d{4}-\d\d-\d\d\n---\n\n# One: "first"\/part\n\n/,
    );
    const [, list] = Buffer.from(files["One first part.md"] ?? [])
      .toString()
      .split("/part\n\n");
    expect(list).toBe(`- > the \\*first\\* place,
  > \\<b\\>in two lines\\</b\\>

  (red, 2023-11-14)
- > and the later place

  A "note", with \\[\\[links\\]\\] and \\#tags
  of two lines

  (green, 2023-11-14)
`);
  });
});

test("an EPUB has the passages marked, across elements, and notes as footnotes; a highlight that the text lost is at its end", async () => {
  const url = "https://one.example/";
  await user.add(url);
  const itemId = toItemId(url);
  const owner = await service.operator.findUser(user.username);
  const item = (await service.operator.items.find(user.username, [itemId])).get(itemId);
  if (!owner || !item) throw new Error("the page is not in the list");
  const less = "<p>It is <b>the marked</b> place, and <i>the other</i> one.</p><p>The end.</p>";
  const view = { less, more: "", title: "One", resolvedUrl: url, nextUrl: undefined, loginFound: false };
  const others = { imageUrl: undefined, author: undefined, publishedAt: undefined, notice: undefined, keptAt: 1 };
  await service.operator.articles.keep(owner, itemId, { ...view, ...others, timeAdded: item.timeAdded }, 1e9);
  await save(
    user,
    { id: "first", url, quote: "the marked place", position: 6, note: "A <note>" },
    { id: "second", url, quote: "The end", position: 44 },
    { id: "lost", url, quote: "Nothing of that sort was ever written there", note: "x" },
  );
  const file = path.join(folder, "book.epub");
  await commands.ok("export", user.username, "--format", "epub", "--url", url, "--output", file);
  const files = Object.entries(unzipSync(readFileSync(file))).map(([name, bytes]) => [
    name,
    Buffer.from(bytes).toString(),
  ]);
  const [, chapter = ""] = files.find(([, text]) => text?.includes("<mark>")) ?? [];
  const [reference] = /<a [^>]*><sup>.*?<\/sup><\/a>/.exec(chapter) ?? [];
  expect(reference).toMatch(/^<a id="[\w-]+" href="#[\w-]+" epub:type="noteref"><sup>1<\/sup><\/a>$/);
  expect(chapter).toContain(
    `<p>It is <b><mark>the marked</mark></b><mark> place</mark>${reference}, and <i>the other</i> one.</p><p><mark>The end</mark>.</p>`,
  );
  expect(chapter).toMatch(
    /<ol><li id="[\w-]+" epub:type="footnote">A &lt;note&gt; <a href="#[\w-]+">↩<\/a><\/li><\/ol>/,
  );
  expect(chapter).toContain("<blockquote><p><mark>Nothing of that sort was ever written there</mark></p></blockquote>");
});

test("exports have breaks between the blocks of a highlight that an older version stored without, if its article is kept", async () => {
  const html = `<article><p>The quay.</p>${"<p>Words of an article, which are many, and prose.</p>".repeat(8)}</article>`;
  for (const url of ["https://kept.example/", "https://bare.example/"]) {
    await user.add(url, { title: url.slice(8, 12) });
    if (url.includes("kept")) await user.ok("article", { url, html });
    const time_created = 1_700_000_000;
    await save(user, { id: url.slice(8, 12), url, quote: "and prose.Words of an", time_created });
  }
  const csv = readFileSync(await exported(user, "readwise"), "utf8");
  expect(csv).toContain('"and prose.\nWords of an",kept');
  expect(csv).toContain("and prose.Words of an,bare");
  expect(readFileSync(await exported(user, "kindle"), "utf8")).toContain("and prose. Words of an");
  expect(readFileSync(await exported(user, "jsonl"), "utf8")).toContain("and prose.\\nWords of an");
});

describe("an import of highlights", () => {
  test("derives the id from the quotation without white space, and recognises the ids of older versions", async () => {
    const url = "https://0.example/";
    await user.add(url, { title: "Known" });
    const time = 1_700_000_000;
    const former = createHash("sha256")
      .update(JSON.stringify([toItemId(url), "as before", time]))
      .digest("hex");
    await save(user, { id: former.slice(0, 40), url, quote: "as before", time_created: time });
    const fileWith = (quote: string) =>
      fileOf(`Highlight,Title,URL,Note,Location,Date\n"${quote}",Known,${url},,,2023-11-14 22:13:20+00:00\n`);
    const importWith = async (run: typeof importFile, quote: string) =>
      (await run(fileWith(quote), "--json")).json() as { highlights: { new: number } };
    for (const [run, words] of [[importFile, "two"] as const, [importOverHttp, "three"] as const]) {
      const outcomes = [];
      for (const quote of ["as before", `${words} blocks`, `${words}\nblocks`, `${words}blocks`])
        outcomes.push((await importWith(run, quote)).highlights.new);
      expect(outcomes).toEqual([0, 1, 0, 0]);
    }
    expect(await highlightsOf(user)).toHaveLength(3);
  });

  const readwise = `Highlight,Book Title,Book Author,Amazon Book ID,Note,Color,Tags,Location Type,Location,Highlighted at,Document tags
marked,Known,Ann,,my note,blue,,order,1,2023-11-14 22:13:20+00:00,
of another,Unknown,,,,,,,,,
of one of two,Twice,,,,,,,,,
`;

  test("of Readwise without URLs takes the page with exactly this title, and reports the others; repeated it adds none", async () => {
    for (const [i, title] of ["Known", "known", "Twice", "Twice"].entries())
      await user.add(`https://${i}.example/`, { title });
    const report = path.join(folder, "report");
    const dry = await importFile(fileOf(readwise), "--json", "--dry-run");
    expect(dry.json()).toMatchObject({ highlights: { new: 1, untitled: 1, ambiguous: 1 } });
    expect(await highlightsOf(user)).toEqual([]);
    const outcome = await importFile(fileOf(readwise), "--report", report);
    expect(outcome.code).toBe(3);
    expect(outcome.out).toContain(
      "Highlights: 1 new, 0 existing.\nRejected 1 highlight: the file has no URL, and no page in the list has this title.\nRejected 1 highlight: the file has no URL, and several pages in the list have this title.\n",
    );
    const lines = readFileSync(report, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual({
      line: 3,
      result: "rejected",
      title: "Unknown",
      quote: "of another",
      reason: "the file has no URL, and no page in the list has this title",
    });
    expect(await highlightsOf(user)).toMatchObject([
      { url: "https://0.example/", quote: "marked", note: "my note", color: "blue", time_created: "1700000000" },
    ]);
    const again = await importFile(fileOf(readwise), "--json");
    expect(again.json()).toMatchObject({ highlights: { new: 0, existing: 1 } });
    expect(await highlightsOf(user)).toHaveLength(1);
  });

  test("through a service has the same outcomes and the same ids as one into the database", async () => {
    for (const [i, title] of ["Known", "known", "Twice", "Twice"].entries())
      await user.add(`https://${i}.example/`, { title });
    const url = "https://0.example/";
    const file = fileOf(readwise);
    const outcome = { new: 1, existing: 0, untitled: 1, ambiguous: 1 };
    expect((await importOverHttp(file, "--json")).json()).toMatchObject({ highlights: outcome });
    const [highlight] = await highlightsOf(user);
    expect(highlight).toMatchObject({
      url,
      quote: "marked",
      note: "my note",
      color: "blue",
      time_created: "1700000000",
    });
    const counts = { new: 0, existing: 1, untitled: 1, ambiguous: 1 };
    expect((await importFile(file, "--json")).json()).toMatchObject({ highlights: counts });
    // The highlight of a page in the trash comes back with the page.
    await user.send({ delete: [{ url }] });
    expect((await importOverHttp(file, "--json")).json()).toMatchObject({ highlights: { untitled: 2 } });
    await user.send({ restore: [{ url }] });
    expect(await highlightsOf(user)).toMatchObject([{ id: highlight?.id }]);
  });

  test("through a service adds as many as a page can have, and reports the rest", async () => {
    const rows = Array.from({ length: 1005 }, (_, i) => `marked ${i},One,https://one.example/`);
    const file = fileOf(`Highlight,Title,URL\n${rows.join("\n")}\n`);
    const outcome = await importOverHttp(file, "--json");
    expect([outcome.code, outcome.json()]).toMatchObject([3, { new: 1, highlights: { new: 1000, full: 5 } }]);
    expect(await highlightsOf(user)).toHaveLength(1000);
  });

  test("without a time has the time of the import, and repeated adds none", async () => {
    const file = fileOf("Highlight,Title,URL\nmarked,One,https://one.example/\n");
    await importFile(file);
    const before = await highlightsOf(user);
    expect(before).toMatchObject([{ quote: "marked", time_created: expect.stringMatching(/^\d{10}$/) }]);
    await importFile(fileOf("Highlight,Title,URL\nmarked,One,https://one.example/\n"));
    expect(await highlightsOf(user)).toEqual(before);
  });

  test("adds as many as a page may have, and reports the rest", async () => {
    const rows = Array.from({ length: 1005 }, (_, i) => `marked ${i},One,https://one.example/`);
    const outcome = await importFile(fileOf(`Highlight,Title,URL\n${rows.join("\n")}\n`), "--json");
    expect([outcome.code, outcome.json()]).toMatchObject([
      3,
      { new: 1, existing: 0, highlights: { new: 1000, full: 5 } },
    ]);
    expect(await highlightsOf(user)).toHaveLength(1000);
  });
});

test("JSON Lines have how far pages were read; an import gives it to pages that lack it, and faulty places to none", async () => {
  const of = await writer();
  const place = { url: "https://one.example/", progress: 40, anchor: "the *first* place", time: 1_650_000_000 };
  await of.send({ update_progress: [place, { url: "https://two.example/", progress: 100, time: 1_650_000_000 }] });
  const file = path.join(folder, crypto.randomUUID());
  await commands.run("export", of.username, "--format", "jsonl", "--output", file);
  await user.add("https://two.example/");
  await user.send({ update_progress: [{ url: "https://two.example/", progress: 5 }] });
  expect((await importFile(file)).code).toBe(0);
  const read = async () =>
    Object.fromEntries(
      (await user.items({ progress: "1" })).map(({ url, progress, anchor }) => [url, [progress, anchor]]),
    );
  expect(await read()).toMatchObject({
    "https://one.example/": ["40", "the *first* place"],
    "https://two.example/": ["5", ""],
  });
  const faulty = [{ percent: 101, time: 1 }, { percent: 5 }, "5"].map((progress, i) => ({
    url: url(i),
    state: "unread",
    time_added: 1_600_000_000,
    progress,
  }));
  const text = faulty.map((each) => `${JSON.stringify(each)}\n`).join("");
  const sha256 = createHash("sha256").update(text).digest("hex");
  expect(await importFile(fileOf(`${text}${JSON.stringify({ count: 3, sha256 })}\n`))).toMatchObject({ code: 0 });
  expect((await read())[url(0)]).toEqual([undefined, undefined]);
});

const url = (i: number) => `https://faulty.example/${i}`;

describe("notes on pages", () => {
  const url = "https://noted.example/";
  const page = { url, title: "Noted" };
  const times = { time_added: "1600000000" };

  test("are in each format as what it has for them, and never an empty quotation", async () => {
    await user.add(url, { ...page, ...times });
    const note = 'A "note" & more\nof two lines';
    await save(user, { id: "n", url, note, time_created: 1_700_000_000 });
    await save(user, { id: "a", url, quote: "a passage", time_created: 1_700_000_001 });
    const textOf = async (format: string) => readFileSync(await exported(user, format), "utf8");
    expect(await textOf("html")).toContain("Noted</A>\n    <DD>A &quot;note&quot; &amp; more\nof two lines\n");
    expect(await textOf("csv")).toContain(',"A ""note"" & more\nof two lines"\n');
    expect(JSON.parse(await textOf("karakeep")).bookmarks).toMatchObject([{ note }]);
    const rows = (await textOf("readwise")).split(/\n(?=")/);
    expect(rows.some((row) => row.startsWith(`"A ""note"" & more\nof two lines",Noted,,${url},,`))).toBe(true);
    const clippings = (await textOf("kindle")).split("==========");
    expect(clippings.map((each) => /Your (Note|Highlight)/.exec(each)?.[1])).toEqual(["Note", "Highlight", undefined]);
    const [markdown = new Uint8Array()] = Object.values(unzipSync(readFileSync(await exported(user, "markdown"))));
    expect(Buffer.from(markdown).toString()).toContain('# Noted\n\nA "note" \\& more\nof two lines\n\n- > a passage');
  });

  test("come back by JSON Lines, and of other services by the note of an annotation without a quotation, once", async () => {
    const from = await service.newUser();
    await from.add(url, { ...page, ...times });
    await save(from, { id: "n", url, note: "kept", time_created: 1_700_000_000 });
    const file = await exported(from, "jsonl");
    for (const known of [0, 1]) {
      const outcome = (await importFile(file, "--json")).json();
      expect(outcome).toMatchObject({ rejected: 0, highlights: { new: 1 - known, existing: known } });
    }
    expect(await contentOf(user)).toEqual(await contentOf(from));
    const readwise = fileOf(`Highlight,Title,URL,Note,Location,Date\n,Noted,${url},one,,\n,Noted,${url},two,,\n`);
    for (const added of [2, 0]) {
      expect((await importFile(readwise, "--json")).json()).toMatchObject({ rejected: 0, highlights: { new: added } });
    }
    expect((await highlightsOf(user)).map(({ quote, note }) => [quote, note]).toSorted()).toEqual([
      ["", "kept"],
      ["", "one"],
      ["", "two"],
    ]);
  });
});
