import { writeFileSync } from "node:fs";
import type { GrowthLine } from "./growth.ts";
import { plotGrowth } from "./growth-plot.ts";
import { type Subject, tableOf } from "./report.ts";

const docs = new URL("../docs/", import.meta.url);

/** Writes what a run measured as a page of the docs, with a plot of the growth. */
export function writeMeasurements(machine: string, subjects: readonly Subject[], growth: readonly GrowthLine[]): void {
  writeFileSync(new URL("growth.svg", docs), plotGrowth(growth));
  const sections = subjects.map((subject) => {
    const [title, ...table] = tableOf(subject).split("\n");
    return `## ${title}\n\n${asCode(table.join("\n"))}`;
  });
  const page = [
    "# Measurements",
    "`npm run bench -- --docs` measures anew and writes this page, in some five minutes; `npm run bench` prints the tables " +
      "alone, with `--quick` in one minute and numbers that mean little, with `--json` for machines. What a million calls " +
      "cost and how functions start: [operations.md](operations.md).",
    `As of ${new Date().toISOString().slice(0, 10)}:`,
    asCode(machine),
    "How the time of a call grows with the list, of which the tables are below:",
    "![Median milliseconds of a call, by the number of items in the list](growth.svg)",
    ...sections,
  ].join("\n\n");
  writeFileSync(new URL("measurements.md", docs), `${page}\n`);
}

const asCode = (text: string) => text.trimEnd().replace(/^(?=.)/gm, "    ");
