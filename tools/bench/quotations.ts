// SPDX-License-Identifier: MIT

/**
 * Finds quotations again in changed articles: `npm run bench:text -- --data DIR --quotations`.
 */
import { viewPage } from "@reading-list/article/view/text-view.ts";
import { type Blocks, scoreQuotations, textChanges } from "@reading-list/testing/changed-text.ts";
import { randomFrom } from "@reading-list/testing/seeded-random.ts";
import { parseFragment } from "parse5";
import type { LabelledPages } from "./text-pages.ts";

const blockNames = new Set(
  "p li h1 h2 h3 h4 h5 h6 pre blockquote figure figcaption tr td th dt dd div section table ul ol dl br hr".split(" "),
);
const ideographs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const articleCount = 100;
const quotationCount = 1000;

interface TreeNode {
  nodeName: string;
  value?: string;
  childNodes?: TreeNode[];
}

/** The texts of an article's blocks, in the order of its text nodes. */
function blocksOf(html: string): Blocks {
  const blocks = [""];
  const visit = (node: TreeNode) => {
    const isBlock = blockNames.has(node.nodeName);
    if (isBlock) blocks.push("");
    if (node.nodeName === "#text") blocks.push((blocks.pop() ?? "") + (node.value ?? ""));
    for (const child of node.childNodes ?? []) visit(child);
    if (isBlock) blocks.push("");
  };
  visit(parseFragment(html) as TreeNode);
  return blocks.filter((block) => block !== "");
}

/** Prints where the quotations of 100 articles, and of all Chinese, Japanese and Korean ones, are found. */
export async function printQuotations(pages: LabelledPages): Promise<void> {
  const sets: Record<string, Blocks[]> = { "with spaces": [], ideographic: [] };
  for (const set of ["web", "news", "more"] as const) {
    for (const { html, url } of pages.of(set)) {
      const isIdeographic = (html.match(ideographs)?.length ?? 0) > 400;
      if (!isIdeographic && (set !== "web" || (sets["with spaces"]?.length ?? 0) >= articleCount)) continue;
      const blocks = blocksOf(viewPage(html, url, { mode: "less", images: false }).html);
      const text = blocks.join("");
      const ideographic = text.match(ideographs)?.length ?? 0;
      if (ideographic > 400 && ideographic > text.length / 4) sets.ideographic?.push(blocks);
      else if (set === "web" && text.length > 1500 && ideographic < 50) sets["with spaces"]?.push(blocks);
    }
  }
  for (const [name, articles] of Object.entries(sets)) {
    console.log(`\n${articles.length} articles ${name}, ${quotationCount} quotations a row\n`);
    const rows = [];
    for (const change of textChanges) {
      const options = { count: quotationCount, random: randomFrom(7), ideographic: name === "ideographic" };
      const { milliseconds, slowest, ...outcomes } = await scoreQuotations(articles, change, options);
      const times = { "ms each": (milliseconds / quotationCount).toFixed(2), "longest ms": slowest.toFixed(1) };
      rows.push({ change, ...outcomes, ...times });
    }
    console.table(rows);
  }
}
