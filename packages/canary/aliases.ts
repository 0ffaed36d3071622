// SPDX-License-Identifier: MIT

import {
  type AliasConfiguration,
  GetAliasCommand,
  type LambdaClient,
  PreconditionFailedException,
  UpdateAliasCommand,
} from "@aws-sdk/client-lambda";

/** The alias of a function that is called, with its revision, for optimistic locking. */
export interface Alias {
  functionName: string;
  /** The version that gets all calls except the calls of `weights`. */
  version: string;
  /** The shares of other versions. */
  weights: Record<string, number>;
  revisionId: string | undefined;
}

const Name = "live";

const parseAlias = (
  functionName: string,
  { FunctionVersion = "", RoutingConfig, RevisionId }: AliasConfiguration,
): Alias => ({
  functionName,
  version: FunctionVersion,
  weights: RoutingConfig?.AdditionalVersionWeights ?? {},
  revisionId: RevisionId,
});

export async function findAlias(lambda: LambdaClient, functionName: string): Promise<Alias> {
  return parseAlias(functionName, await lambda.send(new GetAliasCommand({ FunctionName: functionName, Name })));
}

/**
 * Points an alias to other versions, and returns it. Throws a PreconditionFailedException if someone else has moved it
 * since it was read.
 */
export async function moveAlias(lambda: LambdaClient, alias: Alias, to: Pick<Alias, "version" | "weights">) {
  const { functionName, revisionId } = alias;
  try {
    const moved = await lambda.send(
      new UpdateAliasCommand({
        FunctionName: functionName,
        Name,
        FunctionVersion: to.version,
        RevisionId: revisionId,
        RoutingConfig: { AdditionalVersionWeights: to.weights },
      }),
    );
    return parseAlias(functionName, moved);
  } catch (error) {
    if (!(error instanceof PreconditionFailedException)) throw error;
    // The client repeats a request whose answer was lost: the first one may have arrived.
    const found = await findAlias(lambda, functionName);
    if (found.version !== to.version || JSON.stringify(found.weights) !== JSON.stringify(to.weights)) throw error;
    return found;
  }
}
