import { writeSync } from "node:fs";

/** Loaded into a process before its own module: tells at its end, in kilobytes, the most memory that it had. */
process.on("exit", () => writeSync(3, String(process.resourceUsage().maxRSS)));
// Without a listener the signal ends a process that says nothing more; a service has one of its own, which stops it.
process.on("SIGTERM", () => {
  if (process.listenerCount("SIGTERM") === 1) process.exit(0);
});
