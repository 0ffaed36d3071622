// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { unzipSync } from "fflate";
import { beforeAll, beforeEach, expect, test } from "vitest";

interface Range {
  start: string;
  startOffset: string;
  end: string;
  endOffset: string;
}
interface Annotation {
  id: number;
  text: string;
  quote: string;
  ranges: Range[];
}
interface AnnotationList {
  total: number;
  rows: Annotation[];
}

let service: TestService;
let user: TestUser;
let device: WallabagDevice;
let id: number;

const url = "http://127.0.0.1:1/harbour";
const paragraph = (n: number) =>
  `<p>Paragraph ${n} says 😀 that the <b>harbour</b> &amp; the quay are open, with enough words, and commas, to be taken for the prose of an article.</p>`;
const content = `<html><body><article><h1>The harbour</h1>${[1, 2, 3, 4, 5, 6].map(paragraph).join("")}</article></body></html>`;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
});
beforeEach(async () => {
  service.clock.advance(1);
  user = await service.newUser();
  device = await new WallabagDevice(service, user.credentials).signIn();
  id = (await device.ok("POST", "api/entries", { url, content })).id;
});

/** Highlights by the service's own API. */
const save = (...entries: object[]) => user.ok("highlights", { save: JSON.stringify(entries) });
const highlights = async () => Object.values(JSON.parse((await user.ok("highlights")).body).list) as object[];
const listed = () => device.ok<AnnotationList>("GET", `api/annotations/${id}.json`);
const annotate = (fields: object) => device.ok<Annotation>("POST", `api/annotations/${id}.json`, { ...fields });
/** The element of the nth paragraph below the content of the entry. */
async function pathOf(nth: number): Promise<string> {
  await save({ id: "probe", url, quote: `Paragraph ${nth} says` });
  const path = (await listed()).rows.find(({ quote }) => quote.startsWith("Paragraph"))?.ranges[0]?.start;
  await user.ok("highlights", { delete: JSON.stringify(["probe"]) });
  return String(path);
}
const range = (path: string, from: number, to: number) => ({
  start: path,
  startOffset: from,
  end: path,
  endOffset: to,
});

test("a passage that an app marks is a highlight, by its quotation, with the app's text as its note", async () => {
  const path = await pathOf(2);
  // UTF-16 units: 😀 is two.
  const quote = "that the harbour & the quay";
  const created = await annotate({ text: "a <note>", quote, ranges: [range(path, 20, 47)] });
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/);
  expect(created).toEqual({
    id: expect.any(Number),
    user: user.credentials.username,
    annotator_schema_version: "v1.0",
    text: "a <note>",
    quote,
    created_at: time,
    updated_at: time,
    ranges: [{ start: path, startOffset: "20", end: path, endOffset: "47" }],
  });
  expect(await highlights()).toMatchObject([
    { url, quote, note: "a <note>", prefix: expect.stringMatching(/Paragraph 2 says 😀 $/) },
  ]);
  expect(await listed()).toEqual({ total: 1, rows: [created] });
});

test("an entry has its annotations with places, in the order of the text, in a listing, too", async () => {
  await save({ id: "second", url, quote: "Paragraph 4 says" }, { id: "first", url, quote: "harbour", position: 0 });
  await save({ id: "gone", url, quote: "a passage that the page never had, nor anything like it", note: "kept" });
  service.clock.advance(1);
  await device.ok("POST", "api/entries", { url: `${url}/other`, content });
  const { rows } = await listed();
  expect(rows.map(({ quote }) => quote.slice(0, 16))).toEqual(["harbour", "Paragraph 4 says", "a passage that t"]);
  expect(rows[0]?.ranges[0]).toMatchObject({ start: expect.stringMatching(/\/p\[1\]\/b\[1\]$/), startOffset: "0" });
  expect(rows[2]?.ranges).toEqual([]);
  const entry = await device.ok<{ annotations: Annotation[] }>("GET", `api/entries/${id}`);
  expect(entry.annotations).toEqual(rows);
  const { items } = (await device.list("order=asc"))._embedded;
  expect(items).toMatchObject([{ annotations: rows }, { annotations: [] }]);
});

test("annotations have numbers below 2^31 of their own, which they keep, and no entry has one of them", async () => {
  const path = await pathOf(2);
  const first = await annotate({ text: "", quote: "harbour", ranges: [range(`${path}/b[1]`, 0, 7)] });
  const next = await device.ok("POST", "api/entries", { url: `${url}/next`, content });
  const second = await annotate({ text: "two", quote: "", ranges: [range(path, 0, 9)] });
  expect(new Set([id, first.id, next.id, second.id]).size).toBe(4);
  service.clock.advance(1);
  const changed = await device.ok<Annotation>("PUT", `api/annotations/${first.id}.json`, { text: "changed" });
  expect(changed).toMatchObject({ id: first.id, text: "changed", quote: "harbour", ranges: first.ranges });
  expect((await listed()).rows.map((each) => each.id)).toEqual([second.id, first.id]);
  expect((await device.call("GET", `api/annotations/${first.id}`)).status).toBe(404);
});

test("DELETE answers the annotation, and it is gone for every app", async () => {
  const created = await annotate({ text: "x", quote: "", ranges: [range(await pathOf(2), 0, 9)] });
  const remove = () => device.call("DELETE", `api/annotations/${created.id}.json`);
  expect(JSON.parse((await remove()).body)).toEqual(created);
  expect(await highlights()).toEqual([]);
  expect((await remove()).status).toBe(404);
  expect((await device.call("PUT", `api/annotations/${created.id}`, { text: "y" })).status).toBe(404);
});

test("an annotation of an entry that was deleted is 404, and is there again with its number once that is restored", async () => {
  const created = await annotate({ text: "x", quote: "", ranges: [range(await pathOf(2), 0, 9)] });
  await user.send({ delete: [{ url }] });
  expect((await device.call("PUT", `api/annotations/${created.id}`, { text: "y" })).status).toBe(404);
  await user.ok("send", { restore: JSON.stringify([{ url }]) });
  expect((await listed()).rows).toEqual([created]);
});

test("export.epub has the annotations as marks", async () => {
  await annotate({ text: "x", quote: "Paragraph 2 says" });
  const address = `${device.address}/api/entries/${id}/export.epub`;
  const answer = await fetch(address, { headers: { authorization: `Bearer ${device.tokens?.access_token}` } });
  const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
  const chapter = Buffer.from(files["book/article-1.xhtml"] ?? "").toString();
  expect(chapter).toContain("<mark>Paragraph 2 says</mark>");
});

test("a listing with `annotations` has the entries that have some, or none, as they are now", async () => {
  service.clock.advance(1);
  await device.ok("POST", "api/entries", { url: `${url}/other`, content });
  const urls = async (query: string) => (await device.list(query))._embedded.items.map((entry) => entry.url);
  expect(await urls("annotations=1")).toEqual([]);
  const { id: marked } = await annotate({ text: "x", quote: "harbour" });
  expect(await urls("annotations=1")).toEqual([url]);
  expect(await urls("annotations=0&detail=metadata")).toEqual([`${url}/other`]);
  await device.ok("DELETE", `api/annotations/${marked}`);
  expect(await urls("annotations=1")).toEqual([]);
});

test("a range that does not have the quotation is sought by the quotation, and a lost one is kept without a place", async () => {
  const path = await pathOf(3);
  const moved = await annotate({ text: "moved", quote: "Paragraph 5  says", ranges: [range(path, 3, 9)] });
  expect(moved.ranges).toEqual([expect.objectContaining({ start: path.replace("p[3]", "p[5]"), startOffset: "0" })]);
  const lost = await annotate({ text: "lost", quote: "my quote", ranges: [range("", 24, 31)] });
  expect(lost).toMatchObject({ quote: "my quote", ranges: [] });
  expect((await listed()).total).toBe(2);
});

test.each([
  ["the root, as annotator.js counts all its text", "", ""],
  ["a text node, as newer versions do", "/text()[1]", "/b[1]/text()[1]"],
])("a range may name %s", async (_, first, last) => {
  const path = first && (await pathOf(2));
  const created = await annotate({
    text: "",
    ranges: [{ ...range(path + first, 0, 7), end: path + last }],
    quote: null,
  });
  expect(created.quote).not.toBe("");
  expect(created.ranges).toHaveLength(1);
});

test("the same annotation again, from an app that lost the answer, is one", async () => {
  const fields = { text: "x", quote: "", ranges: [range(await pathOf(2), 0, 9)] };
  expect(await annotate(fields)).toEqual(await annotate(fields));
  await annotate({ ...fields, text: "another note on it" });
  expect((await listed()).total).toBe(2);
});

test.each<[string, object]>([
  ["a quotation of more than 10,000 characters", { quote: "a".repeat(10_001) }],
  ["a text of more than 10,000 characters", { text: "a".repeat(10_001), quote: "x" }],
  ["neither a quotation nor a range that the content has", { ranges: [range("/aside[9]", 0, 1)] }],
  ["an empty range", { ranges: [range("", 5, 5)] }],
  ["a range that is none", { quote: "x", ranges: [{ start: 5 }] }],
])("%s is 400, and nothing is marked", async (_, fields) => {
  expect((await device.call("POST", `api/annotations/${id}`, { text: "x", ...fields })).status).toBe(400);
  expect(await highlights()).toEqual([]);
  expect((await device.call("POST", "api/annotations/999", { quote: "x" })).status).toBe(404);
});

test("a note on the page is not an annotation, and has no number", async () => {
  await save({ id: "n", url, note: "of the page" });
  expect(await listed()).toEqual({ total: 0, rows: [] });
  expect(await device.ok("GET", `api/entries/${id}.json`)).toMatchObject({ annotations: [] });
  await save({ id: "a", url, quote: "Paragraph 2 says" });
  expect((await listed()).rows.map(({ quote }) => quote)).toEqual(["Paragraph 2 says"]);
});
