// SPDX-License-Identifier: MIT

/**
 * Measures the service as `npm start` runs it. Linux only.
 *
 *   npm run bench              prints the tables
 *   npm run bench -- --quick   takes a minute, to check that everything works
 *   npm run bench -- --docs    also writes docs/measurements.md
 *   npm run bench -- calls     prints the table of calls alone
 *   npm run bench -- bounds    the largest values of all fields in hostile shapes (bounds.ts)
 *   npm run bench -- answers   the largest answers of all routes that read (answers.ts)
 *   npm run bench -- reader    the web reader alone
 */
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { type Subject, tableOf } from "@reading-list/testing/table-text.ts";
import { measureAnswers } from "./answers.ts";
import { measureApis } from "./apis.ts";
import { measureBounds } from "./bounds.ts";
import { installLastRelease } from "./last-release.ts";
import { measureLists } from "./lists.ts";
import { startMeasuredService } from "./measured-service.ts";
import { measureProcessorTime } from "./processor-time.ts";
import { measureFirstLoad, measureWebReader } from "./web-reader.ts";

const flag = { type: "boolean", default: false } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: flag,
    docs: flag,
    minutes: { type: "string", default: "10" },
    only: { type: "string", default: "" },
    kept: { type: "string" },
  },
});
const { quick, docs, minutes, only } = values;

const machine = `${cpus().length} cores of ${cpus()[0]?.model}, Node ${process.version}, load before ${loadavg()[0]?.toFixed(1)}`;
const subjects: Subject[] = [];
const report = (measured: Subject) => {
  subjects.push(measured);
  console.log(tableOf(measured));
};
console.log(`${machine}\n`);
if (positionals[0] === "bounds") {
  for (const table of await measureBounds(Number(minutes), new RegExp(only))) console.log(tableOf(table));
  process.exit();
}
if (positionals[0] === "answers") {
  console.log(tableOf(await measureAnswers(Number(minutes), new RegExp(only), values.kept)));
  process.exit();
}
const measureReader = async () => {
  report(await measureFirstLoad());
  report(await measureWebReader(quick ? [10, 1000] : [10, 1000, 20_000]));
};
if (positionals[0] === "reader") {
  await measureReader();
  process.exit();
}
const release = installLastRelease();
console.log(`${release ? `The last release: ${release.tag}` : "No release is tagged here: nothing to compare with"}\n`);
try {
  report(await measureProcessorTime(quick ? 300 : 2000, startMeasuredService, release?.folder));
} finally {
  release?.remove();
}
if (positionals[0] === "calls") process.exit();
report(await measureApis(quick ? 50 : 750));
for (const subject of await measureLists(quick ? [10, 1000] : [10, 1000, 20_000, 100_000])) report(subject);
await measureReader();

if (docs) {
  const page = [
    "# Measurements",
    `\`npm run bench -- --docs\` writes this page. Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}. Compare ratios, not times. [aws/capacity.md](aws/capacity.md) has the deployed service, [packages/article](../packages/article/README.md) the text view.`,
    ...subjects.map((subject) => {
      const [title, ...table] = tableOf(subject).split("\n");
      return `## ${title}\n\n${table
        .join("\n")
        .trimEnd()
        .replace(/^(?=.)/gm, "    ")}`;
    }),
  ].join("\n\n");
  writeFileSync(new URL("../../docs/measurements.md", import.meta.url), `${page}\n`);
}
