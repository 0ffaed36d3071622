// SPDX-License-Identifier: MIT

/**
 * Lists sentences of docs, comments and interface texts in the style that docs/style.md replaces. It warns and never fails.
 *
 *   node tools/lint/wording.ts            how many there are, by pattern
 *   node tools/lint/wording.ts --list     each with its place
 */
import { globSync, readFileSync } from "node:fs";

const patterns: readonly [name: string, pattern: RegExp][] = [
  [
    "a clause with 'who' as its subject",
    /(?:^|[.;:] |\/\/ |\* |": ")(?:Only )?[Ww]ho (?:has|is|may|can|does|wants|opens|signs|forgot)\b/,
  ],
  ["'What …' as a subject", /(?:^|[.;] |\/\/ |\* |": ")What (?:is|was|has|waits|a|the|it|they|one|belongs)\b/],
  ["'That of', 'Those that'", /(?:^|[.;:] |\/\/ |\* |": ")(?:That of|Those (?:that|of|who)|The one (?:that|of))\b/],
  ["'Of the …' without a subject", /(?:^|\/\/ |\*\* |\* )Of (?:the|a|all|each)\b/],
  ["'there is none', 'are none'", /\b(?:that is|there is|there are|are|is) none\b/],
  ["'tells of'", /\btells? of\b/],
  ["'as it stands', 'what there is'", /\b(?:as it stands|what there is|whatever it is|of some kind)\b/],
  ["'is taken for'", /\b(?:is|are) taken for\b/],
  ["'opens nothing', 'knows no'", /\b(?:opens?|knows?|tells?|shows?|says?) (?:nothing|no [a-z]+)\b/],
  ["'goes on …ing'", /\b(?:goes|go) on (?:[a-z]+ing)\b/],
  ["'in vain', 'anew'", /\b(?:in vain|be vain|anew)\b/],
  ["'is told', 'are told'", /\b(?:is|are) told\b/],
  ["'one's own', 'of one's'", /\bone['’]s\b/],
  ["'in place of'", /\bin place of\b/],
  ["'of which', 'of whom'", /\bof (?:which|whom)\b/],
  ["'nothing of'", /\bnothing of\b/],
  ["'so that' at the start", /(?:^|[.;] )So that\b/],
  ["'be it', 'may it'", /\b(?:be it|may it)\b/],
  ["'the same for'", /\bthe same holds\b/],
  ["'a thing'", /\ba thing that\b/],
];

const files = globSync(
  ["*.md", "docs/**/*.md", "packages/**/*.{ts,tsx,md}", "packages/web/locales/en.json", "stacks/*.ts"],
  {
    exclude: ["**/node_modules/**", "**/dist/**", "CHANGELOG.md", "docs/style.md"],
  },
);

/** The lines of a file that people read. */
function proseOf(file: string): { text: string; line: number }[] {
  const lines = readFileSync(file, "utf8").split("\n");
  const isCode = /\.tsx?$/.test(file);
  return lines
    .map((text, index) => ({ text: text.trim(), line: index + 1 }))
    .filter(({ text }) => !isCode || /^(?:\/\/|\/?\*)/.test(text));
}

const found = files.flatMap((file) =>
  proseOf(file).flatMap(({ text, line }) =>
    patterns.filter(([, pattern]) => pattern.test(text)).map(([name]) => ({ name, place: `${file}:${line}`, text })),
  ),
);
if (process.argv.includes("--list"))
  for (const { name, place, text } of found) console.log(`${place}: ${name}: ${text}`);
else {
  const counts = Map.groupBy(found, ({ name }) => name);
  console.log(`wording: ${found.length} sentences to rewrite (docs/style.md); node tools/lint/wording.ts --list`);
  for (const [name, places] of counts) console.log(`  ${String(places.length).padStart(4)}  ${name}`);
}
