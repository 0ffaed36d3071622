import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A resource as the program registers it with Pulumi. */
export interface Resource {
  /** Pulumi's type token, for example `aws:lambda/function:Function`. */
  type: string;
  name: string;
  inputs: Record<string, unknown>;
  /** Whether it stays when the stage is removed. */
  retained: boolean;
}

/** What SST is asked to bundle for a function. */
export interface Build {
  functionID: string;
  handler: string;
  properties: { install?: Record<string, string>; minify?: boolean; architecture: string };
}

/** What deploying a stage would create. */
export interface Evaluation {
  app: { name: string; stage: string; protect: boolean; removal: string; providers: Record<string, object> };
  resources: Resource[];
  builds: Build[];
  outputs: Record<string, string>;
}

/**
 * Evaluates the SST program for a stage without an account, with `variables` as its environment; rejects with what it
 * throws. Each evaluation is a process of its own, as Pulumi's runtime keeps its state in globals.
 */
export async function evaluateStacks(stage: string, variables: Record<string, string> = {}): Promise<Evaluation> {
  const program = fileURLToPath(new URL("evaluation-process.ts", import.meta.url));
  const child = fork(program, [stage], { execArgv: [], env: variables, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let complaint = "";
  child.stderr?.on("data", (text) => {
    complaint += text;
  });
  let evaluation: Evaluation | undefined;
  child.on("message", (message) => {
    evaluation = message as Evaluation;
  });
  await once(child, "close");
  if (!evaluation) throw new Error(complaint);
  return evaluation;
}
