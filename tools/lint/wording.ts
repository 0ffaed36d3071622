// SPDX-License-Identifier: MIT

/**
 * Finds sentences of docs, comments, test names and interface texts in the style that docs/style.md replaces. Prints each
 * with its place, and fails if there are any.
 *
 *   node tools/lint/wording.ts
 *   node tools/lint/wording.ts --count    only the number of each pattern
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
  ["'is that of', 'are those of'", /\b(?:is that|are those) (?:of|by)\b/],
  ["'anybody', 'somebody'", /\b(?:any|some)body\b/i],
  ["'but for'", /\bbut for\b/],
  ["'of the name'", /\b(?:user|one|walk) of the name\b/],
  ["'the former'", /\bthe former (?:one|version)s?\b/],
  ["'also if' for 'even if'", /\balso if\b/],
  ["'have yet to'", /\b(?:has|have) yet to\b/],
];

const files = globSync(
  [
    "*.md",
    "docs/**/*.md",
    "{packages,tests,tools}/**/*.{ts,tsx,md}",
    "packages/web/locales/en.json",
    "stacks/*.ts",
    ".changeset/*.md",
  ],
  {
    exclude: ["**/node_modules/**", "**/dist/**", "CHANGELOG.md", "docs/style.md", "tools/lint/wording.ts"],
  },
);

/** Comments, and strings that begin a line or name a test. */
const codeProse = /^(?:\/\/|\/?\*|"|(?:test|describe)(?:\.\w+)*\()/;

/** The lines of a file that people read. */
function proseOf(file: string): { text: string; line: number }[] {
  const lines = readFileSync(file, "utf8").split("\n");
  const isCode = /\.tsx?$/.test(file);
  return lines
    .map((text, index) => ({ text: text.trim(), line: index + 1 }))
    .filter(({ text }) => !isCode || codeProse.test(text));
}

const found = files.flatMap((file) =>
  proseOf(file).flatMap(({ text, line }) =>
    patterns.filter(([, pattern]) => pattern.test(text)).map(([name]) => ({ name, place: `${file}:${line}`, text })),
  ),
);
if (process.argv.includes("--count")) {
  for (const [name, places] of Map.groupBy(found, (sentence) => sentence.name))
    console.log(`${String(places.length).padStart(4)}  ${name}`);
} else for (const { name, place, text } of found) console.log(`${place}: ${name}: ${text}`);
console.log(`wording: ${found.length} sentences to rewrite (docs/style.md)`);
if (found.length > 0) process.exitCode = 1;
