// SPDX-License-Identifier: MIT

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { runCommandLine } from "@reading-list/ops/cli.ts";
import type { Terminal } from "@reading-list/ops/terminal.ts";
import { onTestFinished } from "vitest";
import { compileCache } from "./started-service.ts";
import type { TestService } from "./test-service.ts";

export interface Outcome {
  code: number | null;
  out: string;
  err: string;
  json: () => Record<string, unknown>;
}

type Environment = Record<string, string | undefined>;

/** The command line, as npx runs it. */
const bin = path.resolve("node_modules/.bin/readinglist");

/** Starts the command line as a process, without the environment of this one. */
export function startCommand(args: readonly string[], env: Environment, input = "", cwd = "."): ChildProcess {
  const child = spawn(bin, args, {
    cwd,
    env: { ...compileCache, PATH: process.env.PATH, HOME: "/nowhere", ...env },
  });
  child.stdin.end(input);
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs a command to its end, as a process. */
export async function runProcess(
  args: readonly string[],
  env: Environment,
  input?: string,
  cwd?: string,
): Promise<Outcome> {
  const child = startCommand(args, env, input, cwd);
  let [out, err] = ["", ""];
  child.stdout?.on("data", (text) => (out += text));
  child.stderr?.on("data", (text) => (err += text));
  const [code] = await once(child, "close");
  return { code, out, err, json: () => JSON.parse(out) };
}

/** Runs a command to its end in this process, with the output captured. */
export async function runCommand(args: readonly string[], env: Environment, input = ""): Promise<Outcome> {
  const written = { out: "", err: "" };
  const capture = (stream: keyof typeof written) =>
    new Writable({
      write: (chunk, _encoding, done) => {
        written[stream] += chunk;
        done();
      },
    });
  const terminal: Terminal = { env, stdin: Readable.from([input]), stdout: capture("out"), stderr: capture("err") };
  await runCommandLine(args, terminal);
  return { code: Number(terminal.exitCode ?? 0), ...written, json: () => JSON.parse(written.out) };
}

/** Commands for the database that a service of this test runs on. */
export function commandsFor({ env }: TestService) {
  return {
    env,
    run: (...args: string[]) => runCommand(args, env),
    /** A command that must succeed, and its answer. */
    async ok(...args: string[]): Promise<Record<string, unknown>> {
      const outcome = await runCommand(["--json", "--yes", ...args], env);
      if (outcome.code !== 0) throw new Error(`${args.join(" ")}: ${outcome.code} ${outcome.err}`);
      return outcome.json();
    },
  };
}
