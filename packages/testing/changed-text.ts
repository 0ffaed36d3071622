// SPDX-License-Identifier: MIT

import { findQuotation, quotationAt } from "@reading-list/core/domain/quotation.ts";
import { type Passage, searchableText } from "@reading-list/core/domain/visible-text.ts";

/** Quotations that were found in changed texts, as counts. */
export interface QuotationScore {
  /** The ends are right except for white space. */
  exact: number;
  /** At least half of the passage and of what was found are the same. */
  near: number;
  /** Another passage; or any passage, if the quoted one was removed. */
  wrong: number;
  none: number;
  /** Milliseconds of processor time for all of them. */
  milliseconds: number;
  /** Milliseconds of the slowest one. */
  slowest: number;
}

export type TextChange =
  | "nothing"
  | "5 % of the words"
  | "white space"
  | "words, white space and a paragraph less"
  | "passage removed";

export const textChanges: readonly TextChange[] = [
  "nothing",
  "5 % of the words",
  "white space",
  "words, white space and a paragraph less",
  "passage removed",
];

/** An article as the texts of its blocks. */
export type Blocks = readonly string[];

interface Changed {
  text: string;
  /** Where the quoted passage is now; undefined if it was removed. */
  passage: Passage | undefined;
}

const words = new Intl.Segmenter("ja", { granularity: "word" });
const isSpace = (part: string) => /^\s+$/.test(part);

/**
 * Quotes random passages of articles, 20 to 300 characters long, changes the articles, and counts where the quotations are
 * found. Words of `ideographic` texts are not separated by spaces.
 */
export async function scoreQuotations(
  articles: readonly Blocks[],
  change: TextChange,
  { count, random, ideographic }: { count: number; random: () => number; ideographic: boolean },
): Promise<QuotationScore> {
  const score: QuotationScore = { exact: 0, near: 0, wrong: 0, none: 0, milliseconds: 0, slowest: 0 };
  const integer = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  const wordsOf = (text: string) =>
    ideographic ? [...words.segment(text)].map(({ segment }) => segment) : (text.match(/\s+|\S+/g) ?? []);
  for (let n = 0, turn = 0; n < count && turn < 20 * count; turn++) {
    const blocks = articles[turn % articles.length] ?? [];
    const text = blocks.join("");
    const passage = trimmed(text, randomPassage(text));
    if (text.length < 700 || passage.end - passage.start < 20) continue;
    const other = articles[(turn + 1) % articles.length]?.join("").slice(0, 12_000) ?? "";
    const pool = wordsOf(other).filter((word) => !isSpace(word));
    const changed = change === "passage removed" ? without(blocks, passage) : changedText(blocks, passage, pool);
    if (!changed) continue;
    const quotation = quotationAt(text, passage, []);
    if (!changed.passage && changed.text.includes(quotation.quote)) continue;
    n++;
    const searchable = searchableText(changed.text);
    const start = process.cpuUsage();
    const found = await findQuotation(searchable, quotation);
    const { user, system } = process.cpuUsage(start);
    score.milliseconds += (user + system) / 1000;
    score.slowest = Math.max(score.slowest, (user + system) / 1000);
    score[outcomeOf(changed, found)]++;
  }
  return score;

  function randomPassage(text: string): Passage {
    const length = integer(20, 300);
    let start = integer(0, Math.max(0, text.length - length));
    let end = Math.min(text.length, start + length);
    if (!ideographic) {
      while (start > 0 && /\S/.test(text.charAt(start - 1))) start--;
      while (end < text.length && /\S/.test(text.charAt(end))) end++;
    }
    return { start, end };
  }

  function changedText(blocks: Blocks, passage: Passage, pool: readonly string[]): Changed | undefined {
    const changesWords = change.includes("words");
    const changesSpace = change.includes("white space");
    const starts = startsOf(blocks);
    const isBefore = (block: string, i: number) => (starts[i] ?? 0) + block.length <= passage.start && /\S/.test(block);
    const before = blocks.flatMap((block, i) => (isBefore(block, i) ? [i] : []));
    const removed = change.includes("paragraph") ? before[integer(0, before.length - 1)] : undefined;
    if (change.includes("paragraph") && removed === undefined) return undefined;
    const changed = { start: -1, end: -1 };
    let text = "";
    const put = (part: string, from: number, length: number) => {
      const at = (place: number) =>
        text.length + (part.length === length ? place - from : place > from ? part.length : 0);
      if (passage.start >= from && passage.start < from + length) changed.start = at(passage.start);
      if (passage.end > from && passage.end <= from + length) changed.end = at(passage.end);
      text += part;
    };
    for (const [i, block] of blocks.entries()) {
      if (i === removed) continue;
      let from = starts[i] ?? 0;
      for (const word of wordsOf(block)) {
        if (isSpace(word)) put(changesSpace ? newSpace() : word, from, word.length);
        else put(changesWords && random() < 0.05 ? newWord(word, pool) : word, from, word.length);
        from += word.length;
      }
      if (changesSpace && i < blocks.length - 1) text += random() < 0.5 ? "\n" : "\n\n  ";
      if (changesSpace && ideographic && random() < 0.3) text += "\u3000";
    }
    return changed.start >= 0 && changed.end > changed.start ? { text, passage: changed } : undefined;
  }

  function newSpace(): string {
    const dice = random();
    return dice < 0.5 ? " " : dice < 0.7 ? "\n" : dice < 0.85 ? "\u00a0" : "\n   ";
  }

  function newWord(word: string, pool: readonly string[]): string {
    const other = pool[integer(0, pool.length - 1)] ?? "x";
    if (random() < 0.2) return "";
    return other === word ? `${other}x` : other;
  }
}

function startsOf(blocks: Blocks): number[] {
  let end = 0;
  return blocks.map((block) => {
    end += block.length;
    return end - block.length;
  });
}

function trimmed(text: string, { start, end }: Passage): Passage {
  const quote = text.slice(start, end);
  return { start: start + quote.length - quote.trimStart().length, end: end - quote.length + quote.trimEnd().length };
}

/** The text without the blocks of a passage. */
function without(blocks: Blocks, { start, end }: Passage): Changed {
  const starts = startsOf(blocks);
  const isLeft = (block: string, i: number) => (starts[i] ?? 0) + block.length <= start || (starts[i] ?? 0) >= end;
  return { text: blocks.filter(isLeft).join(""), passage: undefined };
}

function outcomeOf({ text, passage }: Changed, found: Passage | undefined): "exact" | "near" | "wrong" | "none" {
  if (!found) return "none";
  if (!passage) return "wrong";
  const between = (one: number, other: number) => text.slice(Math.min(one, other), Math.max(one, other)).trim().length;
  if (between(found.start, passage.start) + between(found.end, passage.end) === 0) return "exact";
  const common = Math.min(found.end, passage.end) - Math.max(found.start, passage.start);
  const all = Math.max(found.end, passage.end) - Math.min(found.start, passage.start);
  return common / all >= 0.5 ? "near" : "wrong";
}
