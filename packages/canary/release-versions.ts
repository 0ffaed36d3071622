// SPDX-License-Identifier: MIT

import type { LambdaClient } from "@aws-sdk/client-lambda";
import { type Alias, findAlias, moveAlias } from "./aliases.ts";
import type { Versions } from "./failed-calls.ts";
import { type FailedCalls, isWorse, refusesMore } from "./is-worse.ts";
import type { Release } from "./release.ts";

export interface ReleaseDependencies {
  lambda: LambdaClient;
  countFailedCalls: (functions: readonly Versions[], since: number) => Promise<FailedCalls>;
  /** By status. */
  countRefusedCalls: (since: number) => Promise<ReadonlyMap<string, FailedCalls>>;
  now: () => number;
  wait: (milliseconds: number) => Promise<void>;
}

/** The share of the calls that new versions get at first. */
const share = 0.1;
const checkMs = 30_000;

/**
 * Moves the aliases of all functions to new versions: at first a tenth of the calls, then all. If the new versions fail
 * or refuse a greater share of their calls than the previous ones, or anything else fails, all calls go to the previous
 * versions again, and it throws. An alias that someone else has moved meanwhile stays as it is. Safe to repeat.
 */
export async function releaseVersions({ versions, seconds }: Release, deps: ReleaseDependencies): Promise<void> {
  const { lambda } = deps;
  let aliases: Alias[] = [];
  // One after the other: Lambda takes 15 such requests a second from an account.
  for (const functionName of Object.keys(versions)) aliases.push(await findAlias(lambda, functionName));
  const findNext = ({ functionName }: Alias) => versions[functionName] ?? "";
  aliases = aliases.filter((alias) => alias.version !== findNext(alias));
  const moving = aliases.map((alias) => ({ ...alias, former: alias.version, next: findNext(alias) }));
  const moveAll = async (to: (alias: Alias) => Pick<Alias, "version" | "weights">) => {
    for (const [index, alias] of aliases.entries()) aliases[index] = await moveAlias(lambda, alias, to(alias));
  };
  try {
    if (seconds > 0 && moving.length > 0) {
      await moveAll((alias) => ({ version: alias.version, weights: { [findNext(alias)]: share } }));
      await watch(moving, seconds, deps);
    }
    await moveAll((alias) => ({ version: findNext(alias), weights: {} }));
  } catch (error) {
    const stuck = await moveBack(lambda, moving);
    const outcome =
      stuck.length === 0
        ? "all calls go to the previous versions again"
        : `could not be moved back: ${stuck.join(", ")}`;
    throw new Error(`${error instanceof Error ? error.message : error}; ${outcome}`, { cause: error });
  }
}

/** Gives all calls to the previous versions. Returns the names of functions whose alias could not be moved. */
async function moveBack(lambda: LambdaClient, functions: readonly Versions[]): Promise<string[]> {
  const stuck: string[] = [];
  for (const { functionName, former, next } of functions) {
    try {
      // Read again: the outcome of an update that failed is unknown.
      const alias = await findAlias(lambda, functionName);
      const isOurs = [former, next].includes(alias.version);
      if (isOurs) await moveAlias(lambda, alias, { version: former, weights: {} });
    } catch {
      stuck.push(functionName);
    }
  }
  return stuck;
}

/** Throws as soon as the new versions are worse. */
async function watch(functions: readonly Versions[], seconds: number, deps: ReleaseDependencies): Promise<void> {
  const since = deps.now();
  for (let waited = 0; waited < 1000 * seconds; waited += checkMs) {
    await deps.wait(checkMs);
    const [failed, refused] = await Promise.all([
      deps.countFailedCalls(functions, since),
      deps.countRefusedCalls(since),
    ]);
    if (isWorse(failed, share)) {
      throw new Error(
        `the new versions failed ${failed.next} calls on a tenth of the traffic; the previous versions failed ${failed.former} on the rest`,
      );
    }
    for (const [status, { next, former }] of refused) {
      if (!refusesMore({ next, former }, share)) continue;
      throw new Error(
        `the new versions answered ${next} calls with ${status} on a tenth of the traffic; the previous versions ${former} on the rest`,
      );
    }
  }
}
