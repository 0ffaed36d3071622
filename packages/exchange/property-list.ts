// SPDX-License-Identifier: MIT

import { concatenate, inOneChunk, takeUpTo } from "./chunks.ts";
import type { Row } from "./entry.ts";
import type { Head } from "./head.ts";
import { readPage } from "./mapping.ts";
import { pagesIn } from "./pages-in.ts";
import { readElementsOfXml, type XmlElement } from "./xml.ts";

/** Characters of a property list, and bytes of a binary one. */
const maxLength = 32_000_000;
/** Containers that may be within another. */
const maxDepth = 500;

/** Reads the pages in a property list in XML. Their folders are named after them, so all of it is read first. */
export async function* readPropertyList(chunks: AsyncIterable<string>, { withTexts }: Head): AsyncGenerator<Row> {
  const { parts, isWhole } = await takeUpTo(chunks, maxLength);
  if (!isWhole) yield tooLong;
  const values = new WeakMap<XmlElement, unknown[]>();
  let root: unknown;
  yield* readElementsOfXml(inOneChunk(parts.join("")), (element, around) => {
    const value = readXmlValue(element, values.get(element) ?? []);
    const parent = around.at(-1);
    const inParent = parent && values.get(parent);
    if (inParent) inParent.push(value);
    else if (parent) values.set(parent, [value]);
    else root = value;
    return [];
  });
  yield* readValue(root, withTexts);
}

function readXmlValue({ name, text }: XmlElement, inside: readonly unknown[]): unknown {
  if (name === "dict")
    return Object.fromEntries(inside.flatMap((key, index) => (index % 2 ? [] : [[key, inside[index + 1]]])));
  if (name === "array" || name === "plist") return inside;
  if (name === "integer" || name === "real") return Number(text);
  return name === "true" || name === "false" ? name === "true" : text;
}

/** The pages of Safari in the value of a property list. */
function* readValue(value: unknown, withTexts: boolean): Generator<Row> {
  for (const { fields, ...place } of pagesIn(value)) {
    const { URIDictionary = {}, ReadingList = {}, ...own } = Object.fromEntries(fields);
    const all = [own, ReadingList, URIDictionary].flatMap((part) => Object.entries(part as object));
    yield* readPage({ ...place, fields: all.filter(([name]) => name !== "") }, 1, {}, withTexts);
  }
}

const tooLong: Row = { problem: "the file is longer than 32 MB", line: 1 };
const damaged: Row = { problem: "the file is damaged", line: 1 };

/** Reads the pages in a binary property list. */
export async function* readBinaryPropertyList(
  chunks: AsyncIterable<Uint8Array>,
  withTexts: boolean,
): AsyncGenerator<Row> {
  const { parts, isWhole } = await takeUpTo(chunks, maxLength);
  if (!isWhole) {
    yield tooLong;
    return;
  }
  const bytes = concatenate(
    parts,
    parts.reduce((sum, { length }) => sum + length, 0),
  ).slice();
  let value: unknown;
  try {
    value = parseBinary(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    yield damaged;
    return;
  }
  yield* readValue(value, withTexts);
}

/** Seconds from 1970 to 2001, with which Apple's time begins. */
const appleEpoch = 978_307_200;

/**
 * The value of a binary property list, in the form that `plistlib` of Python describes. bplist-parser needs Node. Throws a
 * RangeError if the file is damaged. A container that is in several, or in itself, is read once: time is linear.
 */
function parseBinary(bytes: Uint8Array): unknown {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const uint = (at: number, size: number) => {
    let value = 0;
    for (let i = 0; i < size; i++) value = 256 * value + view.getUint8(at + i);
    return value;
  };
  const trailer = bytes.length - 32;
  const [offsetSize, refSize] = [uint(trailer + 6, 1), uint(trailer + 7, 1)];
  const [count, top, table] = [uint(trailer + 8, 8), uint(trailer + 16, 8), uint(trailer + 24, 8)];
  const begun = new Set<number>();
  const read = (ref: number, depth: number): unknown => {
    if (ref >= count || depth > maxDepth) throw new RangeError("no such object");
    const at = uint(table + ref * offsetSize, offsetSize);
    const marker = view.getUint8(at);
    const [kind, info] = [marker >> 4, marker & 15];
    if (kind === 0) return info === 9 ? true : info === 8 ? false : null;
    if (kind === 1) return uint(at + 1, 2 ** info);
    if (kind === 2) return info === 2 ? view.getFloat32(at + 1) : view.getFloat64(at + 1);
    if (kind === 3) return Math.floor(view.getFloat64(at + 1) + appleEpoch);
    const sizeBytes = info === 15 ? 2 ** (view.getUint8(at + 1) & 15) : 0;
    const length = info === 15 ? uint(at + 2, sizeBytes) : info;
    const start = at + 1 + (info === 15 ? 1 + sizeBytes : 0);
    if (start + length > bytes.length) throw new RangeError("beyond the end");
    if (kind === 5) return new TextDecoder("latin1").decode(bytes.subarray(start, start + length));
    if (kind === 6) return new TextDecoder("utf-16be").decode(bytes.subarray(start, start + 2 * length));
    // Data, and kinds that Safari does not write.
    if (kind !== 10 && kind !== 13) return null;
    if (begun.has(ref)) return null;
    begun.add(ref);
    const valueAt = (index: number) => read(uint(start + index * refSize, refSize), depth + 1);
    if (kind === 10) return Array.from({ length }, (_, index) => valueAt(index));
    return Object.fromEntries(Array.from({ length }, (_, index) => [String(valueAt(index)), valueAt(length + index)]));
  };
  return read(top, 0);
}
