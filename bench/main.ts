import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { measureCapacity } from "./capacity.ts";
import { measureColdPasswords } from "./cold-passwords.ts";
import { measureEndpoints } from "./endpoint-load.ts";
import { fullRun, quickRun } from "./extent.ts";
import { measureFullGet } from "./full-get.ts";
import { growthSubjects, measureGrowth } from "./growth.ts";
import { type Subject, tableOf } from "./report.ts";
import { startStack } from "./stack.ts";

const { json, quick } = parseArgs({
  options: { json: { type: "boolean", default: false }, quick: { type: "boolean", default: false } },
}).values;
const extent = quick ? quickRun : fullRun;

const machine = {
  processor: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  node: process.version,
  /** Processes that wanted a core in the minute before. */
  loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
};

const stack = await startStack();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    await stack.stop();
    process.exit(1);
  });
}
try {
  if (!json) {
    const { processor, cores, node, loadBefore } = machine;
    console.log(`${cores} cores of ${processor}, Node ${node}, embedded database on disk`);
    console.log(`load of the machine before: ${loadBefore} (above some tenths, other work slows all of this down)\n`);
  }
  const subjects: Subject[] = [];
  const show = (subject: Subject) => {
    subjects.push(subject);
    if (!json) console.log(tableOf(subject));
  };
  if (!process.env.ONLY) {
    show(await measureEndpoints(stack, extent));
    show(await measureColdPasswords(stack, extent));
    show(await measureCapacity(stack, extent));
  }
  const growth = await measureGrowth(stack, extent);
  for (const subject of growthSubjects(growth, extent)) show(subject);
  show(await measureFullGet(stack, extent));
  if (json) console.log(JSON.stringify({ machine, subjects }, undefined, 2));
} finally {
  await stack.stop();
}
