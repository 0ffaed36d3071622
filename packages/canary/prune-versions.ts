// SPDX-License-Identifier: MIT

import {
  DeleteFunctionCommand,
  type LambdaClient,
  paginateListAliases,
  paginateListVersionsByFunction,
} from "@aws-sdk/client-lambda";

/**
 * Deletes the versions of functions that no rollback needs, because a deployment stores 52 MB and an account has 75 GB.
 * Keeps the versions to which an alias points, the one before each, and all newer ones. Stops when `signal` aborts;
 * safe to repeat. Returns the number of versions it has deleted.
 */
export async function pruneVersions(
  client: LambdaClient,
  functionNames: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  let deleted = 0;
  // One after the other: Lambda takes 15 such requests a second from an account.
  for (const FunctionName of functionNames) {
    for (const Qualifier of await listUnneeded(client, FunctionName, signal)) {
      await client.send(new DeleteFunctionCommand({ FunctionName, Qualifier }), { abortSignal: signal });
      deleted += 1;
    }
  }
  return deleted;
}

/** The numbers of versions that are not needed, the oldest first. */
async function listUnneeded(client: LambdaClient, FunctionName: string, signal: AbortSignal): Promise<string[]> {
  const versions: number[] = [];
  const aliased = new Set<number>();
  for await (const { Versions = [] } of paginateListVersionsByFunction(
    { client },
    { FunctionName },
    { abortSignal: signal },
  )) {
    // `$LATEST` is no number.
    versions.push(...Versions.map(({ Version }) => Number(Version)).filter(Number.isInteger));
  }
  for await (const { Aliases = [] } of paginateListAliases({ client }, { FunctionName }, { abortSignal: signal })) {
    for (const { FunctionVersion, RoutingConfig } of Aliases) {
      for (const version of [FunctionVersion, ...Object.keys(RoutingConfig?.AdditionalVersionWeights ?? {})]) {
        aliased.add(Number(version));
      }
    }
  }
  const newest = Math.max(...aliased);
  versions.sort((a, b) => a - b);
  return versions
    .filter(
      (version, index) => version < newest && !aliased.has(version) && !aliased.has(versions[index + 1] ?? Number.NaN),
    )
    .map(String);
}
