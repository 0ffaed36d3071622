import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { tableOf } from "../bench/report.ts";
import { CallLog } from "./call-log.ts";
import type { Surroundings } from "./caller.ts";
import { judgeGrowth } from "./leaks.ts";
import { servePages } from "./pages.ts";
import { handleTable, lineOf, memoryTable } from "./report.ts";
import { type Figures, startSoakedService } from "./soaked-service.ts";
import { User } from "./user.ts";

const minutes = Number(process.argv[2] ?? 5);
if (!(minutes > 0) || process.platform !== "linux") {
  console.error("usage: npm run soak -- MINUTES, on Linux");
  process.exit(2);
}

const userCount = 60;
/** Milliseconds that a device is idle between two calls, at most. */
const longestIdle = 4000;
/** Seconds in which pools and caches fill, with no device ever idle. */
const warmUpSeconds = 15;
/** Seconds between two looks at the service: mostly 10, but some dozens to some hundreds of them in any run. */
const watchSeconds = Math.max(Math.min(10, 2.5 * minutes), minutes / 6);
/** Seconds for connections that nobody uses to end. */
const restSeconds = 20;
/** MB by which the memory of a service that leaks nothing may differ between two parts of a run. */
const allowed = { heap: 1, serviceMemory: 20, databaseMemory: 20 };

const log = new CallLog();
const ending = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => ending.abort());

// Connections end before the service ends them, so that no call meets one that is about to.
const agentOf = (localAddress: string) => new Agent({ keepAlive: true, timeout: 1500, localAddress });
const agents = { devices: [agentOf("127.0.0.11"), agentOf("127.0.0.12")], guesser: agentOf("127.0.0.66") };
const pages = await servePages();
const soaked = await startSoakedService(pages.origin);
const around: Surroundings = { service: soaked, pageOrigin: pages.origin, agents, log };
const users = Array.from({ length: userCount }, (_, number) => new User(around, `soak-${number}`));

console.log(`${userCount} users with ${agents.devices.length} devices each; ${warmUpSeconds} s of warm-up`);
for (const user of users) await user.signUp();
await live(warmUpSeconds, async () => {});
const before = await figuresAtRest();

const idle = () => pause(longestIdle * Math.random(), undefined, { signal: ending.signal }).catch(() => {});
const start = performance.now();
const elapsed = () => (performance.now() - start) / 1000;
const samples = await watchDuring(live(60 * minutes, idle));
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
  database: growthOf("databaseMemory"),
};
for (const [memory, { verdict }] of Object.entries(growths)) {
  if (verdict === "LEAKS") log.blame(`${memory} leaks memory`);
}
if (after.serviceHandles > before.serviceHandles) log.blame("the service leaks handles");
if (after.databaseHandles > before.databaseHandles) log.blame("the database leaks handles");
if (complaint !== "") log.blame(`the service complained: ${complaint}`);

console.log(
  `\n${tableOf(log.table(seconds))}\n${tableOf(memoryTable(growths))}\n${tableOf(handleTable(before, after))}`,
);
for (const fault of log.faults) console.log(`WRONG: ${fault}`);
console.log(log.faultCount === 0 ? "All is right." : `${log.faultCount} wrong in all.`);
process.exit(log.faultCount === 0 ? 0 : 1);

/** Lets every user live for a time, unless the soak is to end. */
async function live(seconds: number, rest: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + 1000 * seconds;
  await Promise.all(users.map((user) => user.live(rest, () => performance.now() > end || ending.signal.aborted)));
}

/** Looks at the service, and says what is seen, until the load ends; gives what was seen. */
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
    const { calls, faultCount: wrong } = log;
    const seconds = elapsed();
    console.log(
      lineOf({ minutes: seconds / 60, calls, wrong, latencies: log.takeRecent(), seconds: seconds - begin, figures }),
    );
  }
  await ended;
  return seen;
}

/** The figures when idle connections have had the time to end, or are down to as many as there were `before`. */
async function figuresAtRest(before?: Figures): Promise<Figures> {
  for (const agent of [...agents.devices, agents.guesser]) agent.destroy();
  const { serviceHandles: service = 0, databaseHandles: database = 0 } = before ?? {};
  const end = performance.now() + 1000 * restSeconds;
  for (;;) {
    const figures = await soaked.measure();
    const isDown = figures.serviceHandles <= service && figures.databaseHandles <= database;
    if (isDown || performance.now() > end) return figures;
    await pause(1000);
  }
}
