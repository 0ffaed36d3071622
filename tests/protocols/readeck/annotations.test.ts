// SPDX-License-Identifier: MIT

import { readTextPlaces, unitsBefore } from "@reading-list/core/domain/text-places.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import type { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { unzipSync } from "fflate";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newReadeckUser } from "./user.ts";

let service: TestService;
let user: TestUser;
let device: ReadeckDevice;
let id: string;

const url = "http://127.0.0.1:1/harbour";
const paragraph = (n: number) =>
  `<p>Paragraph ${n} says 😀 that the <b>harbour</b> &amp; the quay are open, with enough words, and commas, to be taken for the prose of an article.</p>`;
const html = `<html><body><article><h1>The harbour</h1>${[1, 2, 3, 4, 5, 6].map(paragraph).join("")}</article></body></html>`;

const annotationIn = ({ body }: { body: string }) => JSON.parse(body) as Annotation;

interface Annotation extends Record<string, string | number> {
  id: string;
  start_selector: string;
  start_offset: number;
  end_selector: string;
  end_offset: number;
}

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
});
beforeEach(async () => {
  ({ user, device } = await newReadeckUser(service));
  const saved = await device.call("POST", "bookmarks", { url, html });
  id = saved.headers.get("bookmark-id") ?? "";
});

const article = async () => (await device.call("GET", `bookmarks/${id}/article`)).body;
const annotations = async () =>
  (await device.call("GET", `bookmarks/${id}/annotations`)).json() as unknown as Annotation[];
/** Highlights by the service's own API. */
const save = (highlight: object) => user.ok("highlights", { save: JSON.stringify([highlight]) });
const highlights = async () => Object.values(JSON.parse((await user.ok("highlights")).body).list) as object[];
/** The XPath of the nth paragraph of the article as it is served. */
async function pathOf(nth: number): Promise<string> {
  await save({ id: "probe", url, quote: `Paragraph ${nth} says` });
  const probe = (await annotations()).find((each) => each.id === "probe");
  await user.ok("highlights", { delete: JSON.stringify(["probe"]) });
  return String(probe?.start_selector);
}
const mark = (path: string, start: number, end: number, fields: object = { color: "red" }) =>
  device.call("POST", `bookmarks/${id}/annotations`, {
    start_selector: path,
    start_offset: start,
    end_selector: path,
    end_offset: end,
    ...fields,
  });

test("a passage that an app marks is a highlight, by its quotation, and is shown in the article", async () => {
  const path = await pathOf(2);
  // Code points: 😀 is one.
  const created = await mark(path, 19, 47, { color: "red", note: "a <note>" });
  expect(created.status).toBe(201);
  const text = "that the harbour & the quay ";
  expect(annotationIn(created)).toMatchObject({
    text,
    color: "red",
    note: "a <note>",
    start_offset: 19,
    end_offset: 47,
  });
  expect(await highlights()).toMatchObject([
    {
      url,
      quote: text,
      prefix: expect.stringMatching(/Paragraph 2 says 😀 $/),
      suffix: expect.stringMatching(/^are open/),
    },
  ]);
  const marked = await article();
  expect(marked).toContain(`data-annotation-id-value="${annotationIn(created).id}"`);
  expect(marked).toContain('title="a &lt;note&gt;"');
  expect(marked.replaceAll(/<\/?rd-annotation[^>]*>/g, "")).toContain("😀 that the <b>harbour</b> &amp; the quay are");
  expect(await annotations()).toEqual([annotationIn(created)]);
});

test("highlights of other apps have places, in the order of the text; one that is not in it is in the list of all", async () => {
  await save({ id: "second", url, quote: "Paragraph 4 says", color: "blue" });
  await save({ id: "first", url, quote: "Paragraph 3 says", note: "three" });
  await save({ id: "gone", url, quote: "a passage that the page never had, nor anything like it" });
  expect((await annotations()).map((each) => each.id)).toEqual(["first", "second"]);
  expect((await annotations()).at(0)).toMatchObject({
    start_offset: 0,
    end_offset: 16,
    text: "Paragraph 3 says",
    note: "three",
  });
  const all = await device.call("GET", "bookmarks/annotations?limit=2");
  expect(all.json()).toMatchObject([{ id: "gone", bookmark_id: id, bookmark_url: url }, { id: "first" }]);
  expect(all.headers.get("total-count")).toBe("3");
});

test("a passage of several paragraphs has a line break between them, also one that an older version marked without", async () => {
  const start = await pathOf(2);
  const end = start.replace(/\d+(?=\]$)/, (nth) => String(Number(nth) + 1));
  const fields = { start_selector: start, start_offset: 100, end_selector: end, end_offset: 16, color: "red" };
  const created = await device.call("POST", `bookmarks/${id}/annotations`, fields);
  const text = "article.\nParagraph 3 says";
  expect(annotationIn(created)).toMatchObject({ text: expect.stringMatching(/\nParagraph 3 says$/), end_offset: 16 });
  expect(await highlights()).toMatchObject([{ quote: expect.stringContaining(text) }]);
  await save({ id: "older", url, quote: "of an article.Paragraph 6 says" });
  const older = { id: "older", text: "of an article.\nParagraph 6 says" };
  expect((await annotations())[1]).toMatchObject(older);
  expect((await device.call("GET", "bookmarks/annotations")).json()).toMatchObject([older, {}]);
});

test("color and note are changed, and a highlight is deleted once", async () => {
  const { id: own } = annotationIn(await mark(await pathOf(2), 0, 9));
  const changed = await device.call("PATCH", `bookmarks/${id}/annotations/${own}`, { color: "green", note: "new" });
  expect(changed.json()).toMatchObject({ annotations: [{ id: own, color: "green", note: "new" }] });
  expect((await device.call("PATCH", `bookmarks/${id}/annotations/${own}`, { note: "x" })).status).toBe(422);
  const remove = () => device.call("DELETE", `bookmarks/${id}/annotations/${own}`);
  expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
  expect(await highlights()).toEqual([]);
});

test("a passage that is longer than a highlight may be is 400, and nothing is marked", async () => {
  const long = "The harbour is open, and the quay is, too. ".repeat(300);
  const other = await device.call("POST", "bookmarks", { url: `${url}/long`, html: html.replace("Paragraph 2", long) });
  id = other.headers.get("bookmark-id") ?? "";
  await save({ id: "near", url: `${url}/long`, quote: "Paragraph 3 says" });
  const path = String((await annotations()).at(0)?.start_selector).replace("p[3]", "p[2]");
  expect((await mark(path, 0, 10_001)).status).toBe(400);
  expect((await mark(path, 0, 10_000)).status).toBe(201);
});

test("a call without a place is 422, a place that the text does not have 400, and nothing is marked", async () => {
  const path = await pathOf(2);
  expect((await mark(path, 0, 5, {})).status).toBe(422);
  const faulty: [string, number, number][] = [
    ["section[1]/aside[9]", 0, 1],
    [path, 0, 9999],
    [path, 5, 5],
  ];
  for (const place of faulty) expect((await mark(...place)).status).toBe(400);
  expect((await mark(path, 0, 9)).status).toBe(201);
  expect((await mark(path, 5, 12)).status).toBe(400);
  expect(await highlights()).toHaveLength(1);
  expect((await device.call("GET", "bookmarks/1/annotations")).status).toBe(404);
});

/** The files of `article.epub`, as text. */
async function book(): Promise<Record<string, string>> {
  const answer = await fetch(`${service.baseUrl}/readeck/api/bookmarks/${id}/article.epub`, {
    headers: { authorization: `Bearer ${device.token}` },
  });
  const files = Object.entries(unzipSync(new Uint8Array(await answer.arrayBuffer())));
  return Object.fromEntries(files.map(([name, bytes]) => [name, Buffer.from(bytes).toString()]));
}

test("article.epub has the elements of the article in `main` of one document, also with marks and notes", async () => {
  const own = `${html.replace("</article>", "<section><blockquote><p>Quoted, with enough words to be prose, and commas.</p></blockquote></section></article>")}`;
  const saved = await device.call("POST", "bookmarks", { url: `${url}/book`, html: own });
  id = saved.headers.get("bookmark-id") ?? "";
  const served = await readTextPlaces(await article());
  expect(served.elements.some(({ name }) => name === "blockquote")).toBe(true);
  await save({ id: "a", url: `${url}/book`, quote: "Paragraph 2 says 😀 that the harbour & the", note: "A <note>" });
  await save({ id: "b", url: `${url}/book`, quote: "the quay", position: 0 });
  const files = await book();
  expect(files["book/package.opf"]?.match(/<itemref idref="[^"]*"/g)).toEqual(['<itemref idref="article-1"']);
  const [, main = "", notes] =
    /<main class="content">(.*)<\/main>(.*)<\/body>/s.exec(files["book/article-1.xhtml"] ?? "") ?? [];
  expect(main.match(/<mark>/g)?.length).toBeGreaterThan(3);
  expect(notes).toContain('<li id="highlight-note-1" epub:type="footnote">A &lt;note&gt;');
  // As readeck.koplugin reads it: marks are transparent, and numbers of notes are not there.
  const plain = main.replaceAll(/<a [^>]*epub:type="noteref">.*?<\/a>|<\/?mark>/g, "");
  const inBook = await readTextPlaces(plain);
  expect(inBook.text).toBe(served.text);
  expect(inBook.elements).toEqual(served.elements);
});

test("a place that KOReader reports in article.epub fits an annotation", async () => {
  const path = await pathOf(3);
  const main = /<main class="content">(.*)<\/main>/s.exec((await book())["book/article-1.xhtml"] ?? "")?.[1] ?? "";
  expect(unitsBefore(await readTextPlaces(main), { path, offset: 0 }, "utf16")).toBeDefined();
  const place = `/body/DocFragment/body/main/${path}/text()`;
  const cleaned = place.replace("/body/DocFragment/body/main/", "").replace(/\/text\(\)$/, "");
  expect(annotationIn(await mark(cleaned, 0, 16))).toMatchObject({ text: "Paragraph 3 says" });
});

describe("a note on the page", () => {
  interface Bookmark {
    id: string;
    description: string;
    updated: string;
  }
  const listed = async () => ((await device.call("GET", "bookmarks")).json() as unknown as Bookmark[])[0];
  const patch = (description: string) => device.call("PATCH", `bookmarks/${id}`, { description });

  test("is the description of the bookmark, the newest one if there are two, and no annotation", async () => {
    expect((await listed())?.description).toBe("");
    const older = { id: "older", url, note: "older", time_created: service.clock.seconds() - 100 };
    await save({ id: "newer", url, note: "newer", time_created: service.clock.seconds() - 50 });
    await save(older);
    await save({ id: "a", url, quote: "Paragraph 2 says", note: "of a passage" });
    expect((await listed())?.description).toBe("newer");
    expect((await device.call("GET", `bookmarks/${id}`)).json()).toMatchObject({ description: "newer" });
    expect((await device.call("POST", "bookmarks/sync", { id: [id], with_json: true })).body).toContain('"newer"');
    expect((await annotations()).map((each) => each.id)).toEqual(["a"]);
    const all = await device.call("GET", "bookmarks/annotations");
    expect([all.headers.get("total-count"), all.body.includes("newer")]).toEqual(["1", false]);
    expect(await article()).not.toContain("newer");
    for (const method of ["PATCH", "DELETE"] as const)
      expect((await device.call(method, `bookmarks/${id}/annotations/newer`, { color: "red" })).status).toBe(404);
  });

  test("is added, changed, and deleted by the description; then the older one is shown", async () => {
    expect((await patch("")).status).toBe(200);
    expect(await highlights()).toEqual([]);
    const answer = await patch("first");
    expect([answer.status, answer.json()]).toMatchObject([200, { description: "first" }]);
    await patch("first");
    expect(await highlights()).toMatchObject([{ quote: "", note: "first" }]);
    await save({ id: "older", url, note: "older", time_created: 1_000_000_000 });
    await patch("second");
    expect(await highlights()).toMatchObject([{ note: "second" }, { note: "older" }]);
    await patch("");
    expect((await listed())?.description).toBe("older");
    expect((await patch("x".repeat(10_001))).status).toBe(422);
    expect((await device.call("PATCH", `bookmarks/${id}`, { title: "T" })).status).toBe(200);
    expect((await listed())?.description).toBe("older");
  });

  test("is at the end of article.epub, and quotes nothing", async () => {
    await save({ id: "n", url, note: "Of the <whole> page" });
    const chapter = (await book())["book/article-1.xhtml"] ?? "";
    expect(chapter).toContain("<p>Of the &lt;whole&gt; page</p>");
    expect(chapter).not.toContain("<mark></mark>");
  });
});
