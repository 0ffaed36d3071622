// SPDX-License-Identifier: MIT

import { fold } from "@reading-list/core/domain/fold.ts";
import { findPieces, type Piece } from "@reading-list/core/domain/search-words.ts";
import type { Snippet } from "@reading-list/core/ports/search.ts";
import type { Wanted } from "./match.ts";

interface Hit {
  start: number;
  end: number;
  /** The index of the term. */
  term: number;
}

const snippetLength = 240;
/** UTF-16 units before the first hit. */
const lead = 60;
/** Hits that are compared, and UTF-16 units of text that are looked through: of a longer text the beginning. */
const maxHits = 500;
const maxText = 500_000;

/** The part of the first text with hits that has the most terms; an empty snippet if none has one. */
export function findSnippet(texts: readonly string[], wanted: readonly Wanted[]): Snippet {
  for (const text of texts) {
    const hits = findHits(text.slice(0, maxText), wanted);
    if (hits.length > 0) return cut(text, hits);
  }
  return { snippet: "", marks: [] };
}

interface FoldedPiece extends Piece {
  folded: string;
}

/** The hits in order. */
function findHits(text: string, wanted: readonly Wanted[]): Hit[] {
  const terms = wanted.map(({ pieces, isPrefix }, term) => ({ pieces, isPrefix, term }));
  const longest = Math.max(...terms.map(({ pieces }) => pieces.length));
  const hits: Hit[] = [];
  /** The earlier pieces of a hit of several pieces. */
  const before: FoldedPiece[] = [];
  for (const piece of findPieces(text)) {
    before.push({ ...piece, folded: fold(piece.text) });
    if (before.length > longest) before.shift();
    for (const { pieces, isPrefix, term } of terms) {
      const first = before.length - pieces.length;
      if (pieces.length === 0 || first < 0) continue;
      const found = hitsAt(before, first, { pieces, isPrefix });
      for (const { start, end } of found) hits.push({ start, end, term });
    }
    if (hits.length >= maxHits) break;
  }
  return hits.sort((a, b) => a.start - b.start);
}

const noHits: readonly Omit<Hit, "term">[] = [];

/** The hits of a term at the last pieces of a text, beginning with one of them. */
function hitsAt(
  found: readonly FoldedPiece[],
  from: number,
  { pieces, isPrefix }: Wanted,
): readonly Omit<Hit, "term">[] {
  const first = found[from] as FoldedPiece;
  const last = found.at(-1) as FoldedPiece;
  const [wanted] = pieces;
  if (pieces.length === 1 && wanted?.isRun) return first.isRun ? hitsInRun(first, wanted.text) : noHits;
  for (const [index, { text, isRun }] of pieces.entries()) {
    const { folded } = found[from + index] as FoldedPiece;
    const isBeginning = isRun ? index > 0 : isPrefix && index === pieces.length - 1;
    const isHit =
      isRun && index === 0 ? folded.endsWith(text) : isBeginning ? folded.startsWith(text) : folded === text;
    if (!isHit) return noHits;
  }
  return [{ start: first.start, end: last.start + last.text.length }];
}

/** The places of a text within a run; the whole run if folding it changes its length. */
function hitsInRun({ text, folded, start }: FoldedPiece, wanted: string): Omit<Hit, "term">[] {
  const hits: Omit<Hit, "term">[] = [];
  for (
    let at = folded.indexOf(wanted);
    at >= 0 && hits.length < maxHits;
    at = folded.indexOf(wanted, at + wanted.length)
  ) {
    if (folded.length !== text.length) return [{ start, end: start + text.length }];
    hits.push({ start: start + at, end: start + at + wanted.length });
  }
  return hits;
}

/** A word that is cut at the end, or half of a character. */
const cutWord = /\s\S{0,20}$|[\ud800-\udbff]$/;

function cut(text: string, hits: readonly Hit[]): Snippet {
  const best = hits.reduce(
    (best, { start }) => {
      const terms = new Set(hits.filter((hit) => hit.start >= start && hit.end <= start + snippetLength - lead));
      const distinct = new Set([...terms].map(({ term }) => term)).size;
      return distinct > best.distinct ? { start, distinct } : best;
    },
    { start: hits[0]?.start ?? 0, distinct: 0 },
  );
  const from = borderBefore(text, Math.max(0, best.start - lead));
  const to = Math.min(text.length, from + snippetLength);
  const body = text.slice(from, to).replace(to < text.length ? cutWord : "", "");
  const [before, after] = [from > 0 ? "…" : "", to < text.length ? "…" : ""];
  const shown = hits.filter((hit) => hit.start >= from && hit.end <= from + body.length);
  const marks: [number, number][] = [];
  for (const { start, end } of shown) {
    const last = marks.at(-1);
    const at = start - from + before.length;
    if (!last || at >= last[0] + last[1]) marks.push([at, end - start]);
  }
  return { snippet: before + body.replaceAll(/\s/g, " ") + after, marks };
}

/** The beginning of a word at or before a place, if one is near. */
function borderBefore(text: string, place: number): number {
  if (place === 0) return 0;
  const border = text.lastIndexOf(" ", place);
  const from = border >= 0 && place - border < 20 ? border + 1 : place;
  return /[\udc00-\udfff]/.test(text[from] ?? "") ? from + 1 : from;
}
