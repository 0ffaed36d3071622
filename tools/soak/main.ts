// SPDX-License-Identifier: MIT

import { setTimeout as pause } from "node:timers/promises";
import { ServiceClient } from "@reading-list/testing/client.ts";
import { startPageServer } from "@reading-list/testing/page-server.ts";
import { tableOf } from "@reading-list/testing/table-text.ts";
import { type Attack, startAttack } from "./attack.ts";
import { CallLog } from "./call-log.ts";
import { parseDuration, showDuration } from "./duration.ts";
import { judgeGrowth } from "./leaks.ts";
import { soakPowerCuts } from "./power-cuts.ts";
import { soakProcesses } from "./processes.ts";
import { handleTable, lineOf, memoryTable } from "./report.ts";
import { guessPasswords, pageAt, SoakUser } from "./soak-user.ts";
import { type Figures, startSoakedService } from "./soaked-service.ts";

if (process.platform !== "linux") fail("the soak runs on Linux only, because it reads /proc");
const modes = ["attacked", "power-cuts", "processes"] as const;
const usage = `usage: npm run soak -- 10m, or npm run soak -- 10m with one of ${modes.join(", ")}`;
const [duration = "5m", mode] = process.argv.slice(2);
if (mode !== undefined && !modes.some((each) => each === mode)) fail(usage);
let runSeconds = Number.NaN;
try {
  runSeconds = parseDuration(duration);
} catch (error) {
  fail(`${(error as Error).message}; ${usage}`);
}
if (mode === "power-cuts") process.exit(await soakPowerCuts(runSeconds));
if (mode === "processes") process.exit(await soakProcesses(runSeconds));

const userCount = 60;
/** Maximum pause of a device between two calls in ms. */
const maxIdle = 4000;
/** Seconds in which pools and caches fill. */
const warmUpSeconds = 15;
/** Seconds between two samples: 10, unless the run would have too few or too many. */
const watchSeconds = Math.max(Math.min(10, runSeconds / 24), runSeconds / 360);
/** Seconds in which idle connections are closed. */
const restSeconds = 20;
/** MB by which memory may grow between two parts of a run without being a leak. */
const allowed = { heap: 1, serviceMemory: 20 };
/** Handles of the thread that empties the database's log, which may start after the warm-up. */
const lateHandles = 8;

/** The page of the attacker, and the milliseconds that it takes. */
const slowPagePath = "/slow";
const slowPageMs = 8000;
/** Another page of the attacker: 60 comments, then the page. */
const commentsPath = "/comments";
const commentsPage = `${"<!-- a line of a comment -->\n".repeat(60)}${pageAt("/1")}`;

const log = new CallLog();
const ending = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => ending.abort());

const idle = () => pause(maxIdle * Math.random(), undefined, { signal: ending.signal }).catch(() => {});
const pages = await startPageServer(async (request, response) => {
  if (request.url?.startsWith(slowPagePath)) await pause(slowPageMs);
  const page = request.url?.startsWith(commentsPath) ? commentsPage : pageAt(request.url ?? "");
  response.writeHead(page ? 200 : 404, { "content-type": "text/html", "cache-control": "max-age=2" }).end(page);
});
const soaked = await startSoakedService(pages.origin);
const service = new ServiceClient(soaked);
const users = Array.from(
  { length: userCount },
  (_, number) => new SoakUser(service, `soak-${number}`, pages.origin, log, { hasApp: number === 0 }),
);

console.log(
  `${userCount} users with 3 devices each, for ${showDuration(runSeconds)} after ${warmUpSeconds} s of warm-up`,
);
for (const user of users) await user.signUp();
await live(warmUpSeconds, idle);
const before = await figuresAtRest();

const start = performance.now();
const elapsed = () => (performance.now() - start) / 1000;
// After the first quarter, which is not judged for leaks: the users' latencies before an attack come from that quarter.
const attacking = mode && attackAfter(runSeconds / 4);
const samples = await watchDuring(live(runSeconds, idle));
const attack = (await attacking) || undefined;
const attackTable = await attack?.stop();
const seconds = elapsed();
const after = await figuresAtRest(before);
const complaint = await soaked.stop();
pages.stop();

const growthOf = (figure: keyof typeof allowed) =>
  judgeGrowth(
    samples.map((sample) => sample[figure]),
    allowed[figure],
  );
const growths = {
  "service, heap": growthOf("heap"),
  service: growthOf("serviceMemory"),
};
for (const [memory, { verdict }] of Object.entries(growths)) {
  if (verdict === "LEAKS") log.addFault(`${memory} leaks memory`);
}
if (after.serviceHandles > before.serviceHandles + lateHandles) log.addFault("the service leaks handles");
if (complaint !== "") log.addFault(`the service reported errors: ${complaint}`);

console.log(
  `\n${tableOf(log.table(attack ? "Calls during the attack" : "Calls", seconds))}\n${tableOf(memoryTable(growths))}\n${tableOf(handleTable(before, after))}`,
);
if (attackTable) console.log(`\n${tableOf(attackTable)}`);
for (const fault of log.faults) console.log(`FAULT: ${fault}`);
console.log(log.faultCount === 0 ? "No faults." : `${log.faultCount} faults.`);
process.exit(log.faultCount === 0 ? 0 : 1);

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

/** For example `3.0 min, 7.0 min left`. */
function progressAt(seconds: number): string {
  return `${showDuration(seconds)}, ${showDuration(Math.max(0, runSeconds - seconds))} left`;
}

/** Lets every user act for a time, or until the soak is stopped. */
async function live(seconds: number, rest: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + 1000 * seconds;
  const isOver = () => performance.now() > end || ending.signal.aborted;
  const guessing = guessPasswords(service, log, rest, isOver).catch((error) =>
    log.addFault(`a wrong password: ${error}`),
  );
  await Promise.all([guessing, ...users.map((user) => user.live(rest, isOver))]);
}

/** Prints the latencies of the calls before the attack, and attacks until the process ends. */
async function attackAfter(seconds: number): Promise<Attack | undefined> {
  await pause(1000 * seconds, undefined, { signal: ending.signal }).catch(() => {});
  if (ending.signal.aborted) return undefined;
  console.log(`\n${tableOf(log.table("Calls before the attack", elapsed()))}`);
  log.startOver();
  return startAttack({
    ...soaked,
    slowPage: `${pages.origin}${slowPagePath}`,
    victim: "soak-0",
    commentsPage: `${pages.origin}${commentsPath}`,
  });
}

/** Samples and prints figures of the service until the load ends; returns the samples. */
async function watchDuring(load: Promise<void>): Promise<Figures[]> {
  const over = new AbortController();
  const ended = load.finally(() => over.abort());
  const seen: Figures[] = [];
  log.startOver();
  for (;;) {
    const begin = elapsed();
    await pause(1000 * watchSeconds, undefined, { signal: over.signal }).catch(() => {});
    if (over.signal.aborted) break;
    const figures = await soaked.measure();
    seen.push(figures);
    const { sent: calls, faultCount: wrong } = log;
    const seconds = elapsed();
    console.log(
      lineOf({
        progress: progressAt(seconds),
        calls,
        wrong,
        latencies: log.takeRecent(),
        seconds: seconds - begin,
        figures,
      }),
    );
  }
  await ended;
  return seen;
}

/** The figures after idle connections were closed, or as soon as there are as few as `before`. */
async function figuresAtRest(before?: Figures): Promise<Figures> {
  const { serviceHandles = 0 } = before ?? {};
  const end = performance.now() + 1000 * restSeconds;
  for (;;) {
    const figures = await soaked.measure();
    const isDown = figures.serviceHandles <= serviceHandles;
    if (isDown || performance.now() > end) return figures;
    await pause(1000);
  }
}
