import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** A server in a separate process, so that the load generator does not use its processor time. */
export interface ChildServer {
  /** The URLs that it printed when it was ready. */
  urls: string[];
  pid: number;
  /** Stops it; returns its peak memory in megabytes. */
  stop(): Promise<number>;
}

/** Runs a module that prints its URLs in one write when it is ready. Throws an error if it exits before that. */
export async function startChild(module: string, env: Record<string, string> = {}): Promise<ChildServer> {
  const tellMemory = import.meta.resolve("./peak-memory.ts");
  const child = spawn(process.execPath, ["--import", tellMemory, fileURLToPath(module)], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  const ended = once(child, "exit");
  const [, output, , memory] = child.stdio as unknown as [null, Readable, null, Readable];
  const peakKilobytes = text(memory);
  const failure = ended.then(() => {
    throw new Error(`${module} ended before it was ready`);
  });
  const [printed] = (await Promise.race([once(output.setEncoding("utf8"), "data"), failure])) as [string];
  // A running service prints only failures.
  output.on("data", (line: string) => process.stderr.write(line));
  return {
    urls: printed.match(/http:\S+/g) ?? [],
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      return Number(await peakKilobytes) / 1024;
    },
  };
}
