import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { TestService } from "../service.ts";

export interface Outcome {
  code: number | null;
  out: string;
  err: string;
  json: () => Record<string, unknown>;
}

type Environment = Record<string, string | undefined>;

/** The command line as npm puts it on the path of npx. */
const bin = path.resolve("node_modules/.bin/readinglist");

/** Starts the command line as a process of its own, with nothing of this one's environment but where programs are. */
export function startCommand(args: readonly string[], env: Environment, input = "", cwd = "."): ChildProcess {
  const child = spawn(bin, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: "/nowhere", ...env },
  });
  child.stdin.end(input);
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs a command to its end. */
export async function runCommand(
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

/** Commands for the database that a service of this test runs on. */
export async function commandsFor({ table }: TestService) {
  const endpoint = await table.client.config.endpoint?.();
  const env = { DYNAMODB_ENDPOINT: `http://127.0.0.1:${endpoint?.port}`, TABLE_NAME: table.tableName };
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
