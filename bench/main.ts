/**
 * Measures the service on the embedded database, compared with floors on the same machine in the same run.
 *
 *   npm run bench              a table for each subject
 *   npm run bench -- --quick   takes one minute, to check that everything works
 *   npm run bench -- --json    prints JSON
 *   npm run bench -- --docs    also writes docs/measurements.md
 */
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { type Subject, tableOf } from "@reading-list/testing/table-text.ts";
import { measureCapacity } from "./capacity.ts";
import { measureColdPasswords } from "./cold-passwords.ts";
import { measureEndpoints } from "./endpoint-load.ts";
import { fullRun, quickRun } from "./extent.ts";
import { measureFullGet } from "./full-get.ts";
import { measureGrowth } from "./growth.ts";
import { measureHotKeys } from "./hot-keys.ts";
import { writeMeasurements } from "./measurements-page.ts";
import { measureProcessorTime } from "./processor-time.ts";
import { startStack } from "./stack.ts";
import { measureWebReader } from "./web-reader.ts";

const flag = { type: "boolean", default: false } as const;
const { json, quick, docs } = parseArgs({ options: { json: flag, quick: flag, docs: flag } }).values;
const extent = quick ? quickRun : fullRun;

const machine = {
  processor: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  node: process.version,
  /** Load average of the minute before. */
  loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
};
const machineInWords = [
  `${machine.cores} cores of ${machine.processor}, Node ${machine.node}, embedded database on disk`,
  `load of the machine before: ${machine.loadBefore} (above 0.5, other work slows down all measurements)`,
].join("\n");

const stack = await startStack();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    await stack.stop();
    process.exit(1);
  });
}
try {
  if (!json) console.log(`${machineInWords}\n`);
  const subjects: Subject[] = [];
  const report = (...measured: Subject[]) => {
    subjects.push(...measured);
    if (!json) for (const subject of measured) console.log(tableOf(subject));
  };
  report(await measureEndpoints(stack, extent));
  report(...(await measureProcessorTime(stack, extent)));
  report(await measureColdPasswords(stack, extent));
  report(await measureCapacity(stack, extent));
  report(...(await measureGrowth(stack, extent)));
  report(await measureFullGet(stack, extent));
  report(await measureHotKeys(stack, extent));
  report(await measureWebReader(stack, extent));
  if (json) console.log(JSON.stringify({ machine, subjects }, undefined, 2));
  if (docs) writeMeasurements(machineInWords, subjects);
} finally {
  await stack.stop();
}
