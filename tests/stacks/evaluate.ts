// SPDX-License-Identifier: MIT

import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** A resource as the program registers it with Pulumi. */
export interface Resource {
  /** Pulumi's type token, for example `aws:lambda/function:Function`. */
  type: string;
  name: string;
  inputs: Record<string, unknown>;
  /** Whether it is retained when the stage is removed. */
  retained: boolean;
  /** Whether Pulumi refuses to delete it, even if the program no longer registers it. */
  protected: boolean;
  /** Inputs whose changes outside of a deployment the next one keeps. */
  ignoreChanges: string[];
}

/** SST's name of a function. */
export const componentOf = (name: string) => name.replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());

/** The input of SST's builder for a function. */
export interface Build {
  functionID: string;
  handler: string;
  properties: {
    install?: Record<string, string>;
    esbuild?: { external?: string[] };
    minify?: boolean;
    sourcemap?: boolean;
    architecture: string;
  };
  /** Files and folders that the function finds beside its bundle. */
  copyFiles?: { from: string; to: string }[];
}

/** The resources that the deployment of a stage would create. */
export interface Evaluation {
  app: {
    name: string;
    home: string;
    stage: string;
    protect: boolean;
    removal: string;
    providers: Record<string, object>;
  };
  resources: Resource[];
  builds: Build[];
  outputs: Record<string, string>;
}

export interface EvaluationOptions {
  /** An empty folder in which to bundle the functions. Without it their bundles are empty, which takes less time. */
  bundles?: string;
  /** Whether the program runs for `sst dev`. */
  dev?: boolean;
  /** The folder in which SST looks for files that a function copies; the project's by default. */
  root?: string;
}

/** The resources of a type of AWS, such as `lambda/function:Function`, by name: the order of registration varies. */
export const resourcesOf = ({ resources }: Evaluation, type: string): Resource[] =>
  resources
    .filter((resource) => resource.type === `aws:${type}`)
    .sort((one, other) => (one.name < other.name ? -1 : 1));

const evaluations = new Map<string, Promise<Evaluation>>();

/**
 * Evaluates the SST program for a stage without an account, with `variables` as its environment, or returns the earlier
 * evaluation; rejects with what the program throws.
 */
export function evaluateStacks(
  stage: string,
  variables: Record<string, string> = {},
  options: EvaluationOptions = {},
): Promise<Evaluation> {
  const name = JSON.stringify([stage, variables, options]);
  const evaluation = evaluations.get(name) ?? evaluateInProcess(stage, variables, options);
  evaluations.set(name, evaluation);
  return evaluation;
}

/** Each evaluation has its own process, because Pulumi's runtime keeps its state in globals. */
async function evaluateInProcess(
  stage: string,
  variables: Record<string, string>,
  options: EvaluationOptions,
): Promise<Evaluation> {
  const program = fileURLToPath(new URL("evaluation-process.ts", import.meta.url));
  const child = fork(program, [stage, JSON.stringify(options)], {
    execArgv: [],
    // There is no account to read the concurrency from. Pulumi's modules are compiled once for all evaluations.
    env: {
      ACCOUNT_CONCURRENCY: "1000",
      ...variables,
      NODE_COMPILE_CACHE: path.resolve("node_modules/.cache/evaluations"),
    },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
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
