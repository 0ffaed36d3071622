// SPDX-License-Identifier: MIT

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout } from "node:timers/promises";

/** Variable for processes that tests start: a cache of compiled code, which saves half of a start's CPU time. */
export const compileCache = { NODE_COMPILE_CACHE: path.resolve("node_modules/.cache/node-compile") };

/** The command behind `npm start`, running. */
export interface Started {
  process: ChildProcess;
  output: () => string;
  /** The exit code, once everything that the process wrote is in its output. */
  ended: Promise<number | null>;
}

/** Runs the command behind `npm start`, or another one, on free ports, in a new process group. It reads no page by itself. */
export function start(env: Record<string, string>, command = [process.execPath, "packages/local/main.ts"]): Started {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, ...compileCache, PORT: "0", TEXT_PORT: "0", KEEP_PAGES: "opened", ...env },
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  // "exit" may come before the last output has been read.
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { process: child, output: () => output, ended };
}

/** Waits until the service is ready; returns its two URLs. */
export async function untilReady(started: Started): Promise<{ baseUrl: string; textUrl: string }> {
  let hasEnded = false;
  started.ended.then(() => (hasEnded = true));
  while (!hasEnded) {
    const [, baseUrl, textUrl] = /^reading list at (\S+)\ntext view at (\S+)\n/m.exec(started.output()) ?? [];
    if (baseUrl && textUrl) return { baseUrl, textUrl };
    await setTimeout(10);
  }
  throw new Error(started.output());
}
