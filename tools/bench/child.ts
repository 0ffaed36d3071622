// SPDX-License-Identifier: MIT

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Turns } from "./turn-meter.ts";

/** A server in a process of its own, so that the load generator does not use its processor time. Linux only. */
export interface ChildServer {
  /** The URLs that it printed when it was ready. */
  urls: string[];
  pid: number;
  /** Milliseconds from its start until it was ready. */
  startMs: number;
  /** Milliseconds of processor time that all its threads have used. */
  processorMs(): number;
  /** Megabytes of memory, at present and at most. */
  memory(): { resident: number; peak: number };
  /** Measures the turns of its event loop while `work` runs. Only of one that was started so. */
  measureTurns<T>(work: () => Promise<T>): Promise<{ result: T; turns: Turns }>;
  stop(): Promise<void>;
}

/** Linux counts processor time in hundredths of a second. */
const msPerTick = 10;

const turnMeter = new URL("./turn-meter.ts", import.meta.url).href;

/**
 * Runs a module, or a script of another `program`, that prints its URLs in one write when it is ready. Throws if it ends
 * before that. `isMetered`: the turns of its event loop can be measured. `args`: of the module.
 */
export async function startChild(
  module: string,
  env: Record<string, string> = {},
  { isMetered = false, args = [] as string[], program = process.execPath, cwd = process.cwd() } = {},
): Promise<ChildServer> {
  const startedAt = performance.now();
  const preloaded = isMetered ? ["--import", turnMeter] : [];
  const child = spawn(program, [...preloaded, fileURLToPath(module), ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const stdout = child.stdout as Readable;
  const ended = once(child, "exit");
  const failure = ended.then(() => {
    throw new Error(`${module} ended before it was ready`);
  });
  const [printed] = (await Promise.race([once(stdout.setEncoding("utf8"), "data"), failure])) as [string];
  const startMs = performance.now() - startedAt;
  // A running service prints only failures.
  stdout.on("data", (line: string) => process.stderr.write(line));
  const proc = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, "utf8");
  return {
    urls: printed.match(/http:\S+/g) ?? [],
    pid: child.pid ?? 0,
    startMs,
    processorMs: () => {
      // The name of a program, in parentheses, may contain spaces.
      const [user, system] = proc("stat").split(") ").at(-1)?.split(" ").slice(11, 13).map(Number) ?? [];
      return ((user ?? 0) + (system ?? 0)) * msPerTick;
    },
    memory: () => {
      const megabytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(proc("status"))?.[1]) / 1024;
      return { resident: megabytes("VmRSS"), peak: megabytes("VmHWM") };
    },
    measureTurns: async (work) => {
      child.send("start");
      const result = await work();
      child.send("stop");
      const [turns] = (await once(child, "message")) as [Turns];
      return { result, turns };
    },
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
