// SPDX-License-Identifier: MIT

/**
 * Scores the reader on pages with ground truth, next to Readability on the same machine in the same run.
 *
 *   npm run bench:text -- --data DIR            articles (both halves), next pages and logins
 *   npm run bench:text -- --data DIR --quotations     quotations found again in changed articles
 *   npm run bench:text -- --data DIR --losses         headings, pictures, quotations, code and paragraphs that views lack, by page and reason
 */
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { Page } from "@reading-list/article/document/page.ts";
import { findLogin } from "@reading-list/article/signals/login.ts";
import { findNextPage } from "@reading-list/article/signals/next-page.ts";
import { viewPage } from "@reading-list/article/view/text-view.ts";
import { printQuotations } from "./quotations.ts";
import { printLosses } from "./text-losses.ts";
import { compareTexts, textOfHtml, wordsOf } from "./text-metric.ts";
import { type Half, type LabelledPage, LabelledPages } from "./text-pages.ts";
import { extractPlainly } from "./text-plain.ts";

type Extract = (html: string, url: string) => { html: string; title: string };

const extractors: Record<string, Extract> = {
  reader: (html, url) => viewPage(html, url, { mode: "less", images: false }),
  "plain Readability": extractPlainly,
};

const sets = ["news", "web", "more"] as const;
const halves: readonly Half[] = ["a", "b"];

interface Score {
  /** The mean of the F1 of each page. */
  pageScore: number;
  /** F1 of the mean precision and the mean recall, as the Scrapinghub benchmark computes it. */
  f1: number;
  precision: number;
  recall: number;
  empty: number;
  failed: number;
  exactTitles: number;
  milliseconds: number[];
}

function scoreOf(extract: Extract, pages: readonly LabelledPage[]): Score {
  const rows = pages.map((page) => {
    const start = process.cpuUsage();
    const found = attempt(() => extract(page.html, page.url));
    const { user, system } = process.cpuUsage(start);
    const milliseconds = (user + system) / 1000;
    const text = textOfHtml(found?.html ?? "");
    const isTitleExact = page.title === undefined ? undefined : sameWords(page.title, found?.title ?? "");
    return { ...compareTexts(page.text ?? "", text), text, milliseconds, isTitleExact, failed: found === undefined };
  });
  const precision = mean(rows.flatMap((row) => row.precision ?? []));
  const recall = mean(rows.map((row) => row.recall));
  return {
    pageScore: mean(rows.map((row) => row.f1)),
    f1: (2 * precision * recall) / (precision + recall),
    precision,
    recall,
    empty: rows.filter(({ text }) => wordsOf(text).length === 0).length,
    failed: rows.filter(({ failed }) => failed).length,
    exactTitles: mean(rows.flatMap(({ isTitleExact }) => (isTitleExact === undefined ? [] : [Number(isTitleExact)]))),
    milliseconds: rows.map((row) => row.milliseconds).sort((a, b) => a - b),
  };
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

function sameWords(one: string, other: string): boolean {
  return wordsOf(one.toLowerCase()).join(" ") === wordsOf(other.toLowerCase()).join(" ");
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const percentile = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;

function printArticles(pages: LabelledPages, name: string): void {
  const extract = extractors[name];
  if (extract === undefined) throw new Error(`no extractor is called ${name}`);
  // Not measured: the first pages include the time of the JIT compiler.
  for (const page of pages.of("news", "a").slice(0, 20)) attempt(() => extract(page.html, page.url));
  for (const set of sets) {
    for (const half of halves) {
      const labelled = pages.of(set, half);
      const score = scoreOf(extract, labelled);
      const title = Number.isNaN(score.exactTitles) ? "" : `  title exact ${score.exactTitles.toFixed(3)}`;
      console.log(
        `${name.padEnd(18)} ${set.padEnd(4)} half ${half}  ${String(labelled.length).padStart(3)} pages  page score ${score.pageScore.toFixed(3)}  F1 ${score.f1.toFixed(3)}  ` +
          `precision ${score.precision.toFixed(3)}  recall ${score.recall.toFixed(3)}  empty ${score.empty}  failed ${score.failed}  ` +
          `CPU ms mean ${mean(score.milliseconds).toFixed(1)} median ${percentile(score.milliseconds, 0.5).toFixed(1)} p95 ${percentile(score.milliseconds, 0.95).toFixed(1)}${title}`,
      );
    }
  }
  console.log(`${name.padEnd(18)} memory at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`);
}

function printSignals(pages: LabelledPages): void {
  const counts = { right: 0, wrong: 0, missed: 0, falseAlarm: 0 };
  for (const page of pages.of("next")) {
    const found = findNextPage(new Page(page.html, page.url));
    const expected = page.next ?? [];
    if (found === undefined) counts.missed += expected.length > 0 ? 1 : 0;
    else if (expected.length === 0) counts.falseAlarm++;
    else if (expected.some((next) => sameUrl(next, found))) counts.right++;
    else counts.wrong++;
  }
  const articles = pages.of("news");
  const fired = articles.filter((page) => findNextPage(new Page(page.html, page.url)) !== undefined).length;
  console.log(
    `next page          precision ${(counts.right / (counts.right + counts.wrong + counts.falseAlarm)).toFixed(3)}  ` +
      `recall ${(counts.right / (counts.right + counts.wrong + counts.missed)).toFixed(3)}  ` +
      `found on ${fired} of ${articles.length} single-page articles`,
  );
  const logins = pages.of("login").map((page) => ({
    found: findLogin(new Page(page.html, page.url)),
    expected: page.login,
  }));
  const hits = logins.filter(({ found, expected }) => found && expected).length;
  console.log(
    `login              precision ${(hits / logins.filter(({ found }) => found).length).toFixed(3)}  ` +
      `recall ${(hits / logins.filter(({ expected }) => expected).length).toFixed(3)}  ${logins.length} pages`,
  );
}

function sameUrl(one: string, other: string): boolean {
  const [a, b] = [one, other].map((url) => {
    const parsed = URL.parse(url);
    if (parsed === null) return url;
    parsed.hash = "";
    return parsed.href.replace(/\/$/, "").replace(/^https?:\/\/(?:www\.)?/, "");
  });
  return a === b;
}

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    extractor: { type: "string" },
    quotations: { type: "boolean" },
    losses: { type: "boolean" },
    verbose: { type: "boolean", default: false },
  },
});
try {
  const pages = new LabelledPages(values.data);
  if (values.quotations) await printQuotations(pages);
  else if (values.losses) printLosses(pages, values.verbose);
  else if (values.extractor !== undefined) printArticles(pages, values.extractor);
  else {
    // One process for each extractor, so that the memory of one does not count for the other.
    for (const extractor of Object.keys(extractors)) {
      const options = ["--data", values.data ?? "", "--extractor", extractor];
      execFileSync(process.execPath, [import.meta.filename, ...options], { stdio: "inherit" });
    }
    printSignals(pages);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
