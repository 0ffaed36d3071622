import { writeSync } from "node:fs";

/** Preloaded into a process: writes its peak memory in kilobytes to file descriptor 3 when it exits. */
process.on("exit", () => writeSync(3, String(process.resourceUsage().maxRSS)));
// Without a listener the signal ends a process without its exit event. A service has its own listener.
process.on("SIGTERM", () => {
  if (process.listenerCount("SIGTERM") === 1) process.exit(0);
});
